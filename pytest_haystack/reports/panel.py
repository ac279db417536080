"""One grid of scores, drawn into axes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_haystack.reports.grid import Grid, Mark, mark_of, score_of
from pytest_haystack.reports.labels import every_nth, length_labels, score_label
from pytest_haystack.reports.palette import INK, LOOKS, PAPER, QUIET, hatch_ink, ink_on, score_colours

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_POINTS = 72.0
#: Smallest letters in a cell that a room can read, in points.
_LEAST_VALUE_SIZE = 6.5
#: More numbers than this are noise; the colours say it better.
_MOST_VALUES = 400
#: Width of a digit and height of a line, as parts of the font size.
_DIGIT, _LINE = 0.64, 1.25


@dataclass(frozen=True, slots=True)
class PanelSize:
    """Width and height in inches of a cell, and the size in points of the tick labels."""

    cell_width: float
    cell_height: float
    tick_size: float = 9.0


def draw_grid(axes: Axes, grid: Grid, size: PanelSize) -> None:
    """Colours, values, marks and labels of a grid; depth 0 on top, lengths running to the right."""
    rows, columns = len(grid.depths), len(grid.lengths)
    axes.imshow(_ground(grid), aspect="auto", interpolation="nearest", extent=(0, columns, rows, 0))
    _hatches(axes, grid)
    _lines(axes, rows, columns, size)
    _values(axes, grid, size)
    _ticks(axes, grid, size)
    axes.set_xlim(0, columns)
    axes.set_ylim(rows, 0)


def _ground(grid: Grid) -> Any:
    """The colour of each place, as rows of columns of red, green, blue."""
    import numpy as np
    from matplotlib.colors import to_rgb

    ground = np.ones((len(grid.depths), len(grid.lengths), 3))
    plain = {mark: to_rgb(look.ground) for mark, look in LOOKS.items()}
    for row in range(len(grid.depths)):
        for column in range(len(grid.lengths)):
            cell = grid.cells.get((row, column))
            score = score_of(cell)
            ground[row, column] = plain[mark_of(cell)] if score is None else score_colours([score])[0]
    return ground


def _hatches(axes: Axes, grid: Grid) -> None:
    from matplotlib.collections import PolyCollection

    # A collection has one colour of hatch.
    squares: dict[tuple[Mark, str], list[list[tuple[int, int]]]] = {}
    for row in range(len(grid.depths)):
        for column in range(len(grid.lengths)):
            cell = grid.cells.get((row, column))
            mark = mark_of(cell)
            if mark in LOOKS:
                corners = [(column, row), (column + 1, row), (column + 1, row + 1), (column, row + 1)]
                squares.setdefault((mark, hatch_ink(LOOKS[mark], score_of(cell))), []).append(corners)
    for (mark, ink), corners_of_all in squares.items():
        hatched = PolyCollection(
            corners_of_all, facecolors="none", edgecolors=ink, hatch=LOOKS[mark].hatch, linewidths=0
        )
        hatched.set_gid(mark.name)
        axes.add_collection(hatched, autolim=False)


def _lines(axes: Axes, rows: int, columns: int, size: PanelSize) -> None:
    """Thin gaps between the cells, thinner where there are many."""
    width = min(1.2, 0.05 * _POINTS * min(size.cell_width, size.cell_height))
    axes.vlines(range(1, columns), 0, rows, colors=PAPER, linewidth=width)
    axes.hlines(range(1, rows), 0, columns, colors=PAPER, linewidth=width)


def _values(axes: Axes, grid: Grid, size: PanelSize) -> None:
    """The score of each cell, or the symbol in its place, where they fit."""
    texts = {place: _value(grid, place) for place in grid.cells}
    longest = max((len(text) for text in texts.values()), default=0)
    if not longest or len(texts) > _MOST_VALUES:
        return
    font = min(
        12.0,
        size.cell_width * _POINTS * 0.9 / (longest * _DIGIT),
        size.cell_height * _POINTS * 0.9 / _LINE,
    )
    if font < _LEAST_VALUE_SIZE:
        return
    for (row, column), text in texts.items():
        if not text:
            continue
        cell = grid.cells[(row, column)]
        score = score_of(cell)
        options: dict[str, Any] = {"color": INK if score is None else ink_on(score), "fontsize": font}
        if mark_of(cell) in LOOKS:
            # A ground of its own keeps the value readable on the hatch.
            ground = LOOKS[mark_of(cell)].ground if score is None else tuple(score_colours([score])[0])
            options["bbox"] = {"boxstyle": "round,pad=0.15", "facecolor": ground, "edgecolor": "none"}
            options["fontweight"] = "bold"
        axes.text(column + 0.5, row + 0.5, text, ha="center", va="center_baseline", **options)


def _value(grid: Grid, place: tuple[int, int]) -> str:
    cell = grid.cells[place]
    score = score_of(cell)
    if score is not None:
        return score_label(score)
    look = LOOKS.get(mark_of(cell))
    return look.symbol if look else ""


def _ticks(axes: Axes, grid: Grid, size: PanelSize) -> None:
    shown, labels, turned = _length_ticks(grid, size)
    axes.set_xticks([column + 0.5 for column in shown], labels, fontsize=size.tick_size, rotation=90 if turned else 0)
    fit = int(len(grid.depths) * size.cell_height * _POINTS / (size.tick_size * _LINE))
    rows = every_nth(len(grid.depths), fit)
    axes.set_yticks([row + 0.5 for row in rows], [f"{grid.depths[row]}%" for row in rows], fontsize=size.tick_size)
    axes.tick_params(length=0, pad=4)
    for spine in axes.spines.values():
        spine.set_color(QUIET)
        spine.set_linewidth(0.8)


def _length_ticks(grid: Grid, size: PanelSize) -> tuple[range, list[str], bool]:
    """Which lengths are labelled, how, and whether the labels are turned: side by side they need air between them."""
    labels = length_labels(grid.lengths)
    room = size.cell_width * _POINTS
    longest = max(len(label) for label in labels) * _DIGIT * size.tick_size + 5
    turned = longest > room * 1.6
    fit = int(len(labels) * room / (size.tick_size * _LINE if turned else longest))
    shown = every_nth(len(labels), fit)
    return shown, [labels[column] for column in shown], turned


def tick_height(grid: Grid, size: PanelSize) -> float:
    """Inches that the labels of the lengths take below the grid."""
    _, labels, turned = _length_ticks(grid, size)
    lines = max(len(label) for label in labels) * _DIGIT if turned else _LINE
    return (lines * size.tick_size + 4) / _POINTS
