"""The cells of one model and task as a grid, and what each of them shows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from pytest_haystack.reports.cell_result import CellResult, State


class Mark(Enum):
    """What a cell shows; the value is the name in legends.

    ``SCORE``, ``FAILED``, ``XFAIL`` and ``XPASS`` go with a score, the others stand in its place. ``NOT_PAIRED`` and
    ``OTHER_PROMPT`` are for the difference between two runs.
    """

    SCORE = "score"
    FAILED = "failed"
    XFAIL = "known failure (xfail)"
    XPASS = "known failure that passed (xpass)"
    ERROR = "error"
    UNSUPPORTED = "unsupported: context too long"
    NOT_RUN = "not run"
    NO_SCORE = "ran without a score"
    NOT_PAIRED = "not compared"
    OTHER_PROMPT = "not compared: another prompt"
    NO_CELL = "no cell"


@dataclass(frozen=True, slots=True)
class Shown:
    """What a place of the grid shows: its mark, its score (0 to 1) where the mark goes with one, the cell's state."""

    mark: Mark
    score: float | None
    state: State


EMPTY = Shown(Mark.NO_CELL, None, "not_run")


@dataclass(frozen=True, slots=True)
class Grid:
    """Context lengths in tokens, rising to the right, by depths, 0 on top.

    ``depths`` are texts as in the ids. ``places`` are rows of columns; where there is no cell they are `EMPTY`.
    """

    lengths: tuple[int, ...]
    depths: tuple[str, ...]
    places: tuple[tuple[Shown, ...], ...]

    def marks(self) -> list[Mark]:
        """The marks that occur, in the order of `Mark`."""
        seen = {shown.mark for row in self.places for shown in row}
        return [mark for mark in Mark if mark in seen]


def shown_of(cell: CellResult) -> Shown:
    """What a cell shows: a score only where it was asked and judged."""
    if cell.state == "not_run":
        return Shown(Mark.NOT_RUN, None, cell.state)
    if cell.state == "error":
        return Shown(Mark.ERROR, None, cell.state)
    if cell.state == "skipped":
        overflow = cell.outcome == "context_overflow"
        return Shown(Mark.UNSUPPORTED if overflow else Mark.NOT_RUN, None, cell.state)
    score = cell.score
    if cell.state == "failed":
        # The score alone does not tell: thresholds differ, and a known failure that passes may have to fail.
        return Shown(Mark.FAILED, score, cell.state)
    if cell.state == "xfailed":
        return Shown(Mark.XFAIL, score, cell.state)
    if score is None:
        return Shown(Mark.NO_SCORE, None, cell.state)
    return Shown(Mark.XPASS if cell.state == "xpassed" else Mark.SCORE, score, cell.state)


def grid_of(cells: Iterable[CellResult]) -> Grid:
    """The grid of these cells. Of two cells in one place the first that ran is shown."""
    listed = list(cells)
    lengths = sorted({cell.context_length for cell in listed})
    depths = sorted({(cell.depth_percent, cell.depth) for cell in listed})
    column = {length: index for index, length in enumerate(lengths)}
    row = {depth: index for index, depth in enumerate(depths)}
    places = [[EMPTY] * len(lengths) for _ in depths]
    for cell in listed:
        x, y = column[cell.context_length], row[(cell.depth_percent, cell.depth)]
        # What there is no cell for counts as not run, so the first cell of a place always comes in.
        if places[y][x].state == "not_run":
            places[y][x] = shown_of(cell)
    return Grid(tuple(lengths), tuple(depth for _, depth in depths), tuple(map(tuple, places)))
