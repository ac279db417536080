"""The cells of one model and task as a grid, and what each of them shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum

from pytest_haystack.reports.cell_result import CellResult


class Mark(Enum):
    """What a cell shows; the value is the name in legends.

    ``SCORE``, ``XFAIL`` and ``XPASS`` go with a score, the others stand in its place.
    """

    SCORE = "score"
    XFAIL = "known failure (xfail)"
    XPASS = "known failure that passed (xpass)"
    ERROR = "error"
    UNSUPPORTED = "unsupported: context too long"
    NOT_RUN = "not run"
    NO_SCORE = "ran without a score"


def mark_of(cell: CellResult | None) -> Mark:
    """The mark of a cell; a place of the grid without a cell counts as not run."""
    if cell is None or cell.state == "not_run":
        return Mark.NOT_RUN
    if cell.state == "error":
        return Mark.ERROR
    if cell.state == "skipped":
        return Mark.UNSUPPORTED if cell.outcome == "context_overflow" else Mark.NOT_RUN
    if cell.state == "xfailed":
        return Mark.XFAIL
    if cell.score is None:
        return Mark.NO_SCORE
    return Mark.XPASS if cell.state == "xpassed" else Mark.SCORE


def score_of(cell: CellResult | None) -> float | None:
    """The score that a cell shows, None where its mark stands in place of one."""
    if cell is None or mark_of(cell) not in (Mark.SCORE, Mark.XFAIL, Mark.XPASS):
        return None
    score = cell.score
    return None if score is None else min(1.0, max(0.0, score))


@dataclass(frozen=True, slots=True)
class Grid:
    """Context lengths in tokens, rising to the right, by depths, 0 on top.

    ``depths`` are texts as in the ids. ``cells`` are keyed by (row, column); a missing key is an empty place.
    """

    lengths: tuple[int, ...]
    depths: tuple[str, ...]
    cells: Mapping[tuple[int, int], CellResult]

    def marks(self) -> list[Mark]:
        """The marks that occur, in the order of `Mark`."""
        seen = {mark_of(cell) for cell in self.cells.values()}
        if len(self.cells) < len(self.lengths) * len(self.depths):
            seen.add(Mark.NOT_RUN)
        return [mark for mark in Mark if mark in seen]


def grid_of(cells: Iterable[CellResult]) -> Grid:
    """The grid of these cells. Of two cells in one place the first that ran is shown."""
    listed = list(cells)
    lengths = sorted({cell.context_length for cell in listed})
    depths = sorted({(cell.depth_percent, cell.depth) for cell in listed})
    column = {length: index for index, length in enumerate(lengths)}
    row = {depth: index for index, depth in enumerate(depths)}
    places: dict[tuple[int, int], CellResult] = {}
    for cell in listed:
        place = (row[(cell.depth_percent, cell.depth)], column[cell.context_length])
        if place not in places or places[place].state == "not_run":
            places[place] = cell
    return Grid(tuple(lengths), tuple(depth for _, depth in depths), places)
