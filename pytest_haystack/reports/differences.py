"""Pictures of what changed between two runs, cell by cell: the same grid as a heatmap, with a scale of two sides."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_haystack.reports.drawing import EDGE, Box, Sheet, model_and_task, save, settings
from pytest_haystack.reports.escape import safe_name
from pytest_haystack.reports.files import distinct
from pytest_haystack.reports.grid import EMPTY, Grid, Mark, Shown
from pytest_haystack.reports.key import draw_legend, legend_height
from pytest_haystack.reports.labels import change_label, counted, difference_label
from pytest_haystack.reports.palette import INK, PAPER, QUIET, difference_colours, difference_grounds
from pytest_haystack.reports.panel import LABEL_HEIGHT, Panel, PanelSize
from pytest_haystack.reports.panel_places import panel_places
from pytest_haystack.results.regression import Comparison, GroupComparison
from pytest_haystack.results.regression_text import p_label
from pytest_haystack.sweep import depth_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: More panels than this are too small to read; those with the most evidence of a change for the worse are shown.
MOST_PANELS = 36
_STRIPES, _BAR_WIDTH = 100, 0.16
# Inches.
_LEFT, _RIGHT, _TOP = 1.05, 1.1, 1.08
_LABELS, _TITLE, _TICKS = 0.62, 0.36, 0.34


class DifferencePanel(Panel):
    """A grid whose scores are differences, -1 to 1."""

    def grounds(self, places: Sequence[Shown]) -> Any:
        return difference_grounds(places)

    def ink(self, score: float) -> str:
        return PAPER if score > 0.675 or score < -0.745 else INK

    def words(self, shown: Shown) -> str:
        return super().words(shown) if shown.score is None else difference_label(shown.score)


def write_differences(comparison: Comparison, names: tuple[str, str], directory: Path) -> list[Path]:
    """Write ``difference.png`` with all groups, and ``difference-<model>-<task>.png`` where there are several.

    ``names`` are what the two runs are called, the earlier first. Groups without a pair are not drawn; without any,
    nothing is written.
    """
    groups = [group for group in comparison.groups if group.n]
    if not groups:
        return []
    stems = distinct([f"difference-{safe_name(group.model)}-{safe_name(group.task)}" for group in groups])
    wanted = {"difference.png": groups}
    if len(groups) > 1:
        wanted |= {f"{stem}.png": [group] for stem, group in zip(stems, groups, strict=True)}
    return [save(difference_figure(comparison, own, names), directory / name) for name, own in wanted.items()]


def difference_figure(comparison: Comparison, groups: Sequence[GroupComparison], names: tuple[str, str]) -> Figure:
    """The picture of these groups of a comparison, each with pairs."""
    shown = sorted(groups, key=lambda group: group.p)[:MOST_PANELS] if len(groups) > MOST_PANELS else list(groups)
    grids = [difference_grid(comparison, group) for group in shown]
    with settings():
        sheet = _one(shown[0], grids[0]) if len(groups) == 1 else _several(shown, grids, len(groups))
        sheet.foot([f"new minus old, on the same prompts: {names[1]} minus {names[0]}"])
    return sheet.figure


def difference_grid(comparison: Comparison, group: GroupComparison) -> Grid:
    """The differences of a group's cells, and marks where no pair is."""
    own = [one for one in comparison.unpaired if one.place.group == (group.model, group.task)]
    found = {one.place.cell: Shown(Mark.NOT_PAIRED, None, "not_run") for one in own}
    found |= {one.place.cell: Shown(Mark.OTHER_PROMPT, None, "not_run") for one in own if one.refused}
    found |= {
        (cell.context_length, cell.depth_percent): Shown(Mark.SCORE, cell.difference, "passed") for cell in group.cells
    }
    lengths, depths = (sorted(set(axis)) for axis in zip(*found, strict=True))
    rows = tuple(tuple(found.get((length, depth), EMPTY) for length in lengths) for depth in depths)
    return Grid(tuple(lengths), tuple(map(depth_text, depths)), rows)


def _one(group: GroupComparison, grid: Grid) -> Sheet:
    size = PanelSize(min(1.5, 8.6 / len(grid.lengths)), min(0.75, max(4.2, 1.3) / len(grid.depths)))
    marks = grid.marks()
    width = max(7.4, _LEFT + size.cell_width * len(grid.lengths) + _RIGHT)
    height = size.cell_height * len(grid.depths)
    below = _TOP + max(height, 1.3) + LABEL_HEIGHT + 0.38
    sheet = Sheet(width, below + legend_height(marks, width - _LEFT) + 0.4)
    left = _LEFT + (width - _LEFT - _RIGHT - size.cell_width * len(grid.lengths)) / 2
    panel = DifferencePanel(sheet, grid, left, _TOP, size)
    panel.draw()
    axis = _TOP + panel.height + LABEL_HEIGHT + 0.24
    sheet.text(left + panel.width / 2, axis, "context length (tokens)", 10, ha="center", va="baseline")
    middle = _TOP + panel.height / 2
    sheet.text(left - 0.72, middle, "depth of the needle", 10, ha="center", va="center", rotation=90)
    _draw_scale(sheet, left + panel.width + 0.3, _TOP, max(panel.height, 1.3))
    title, cut = model_and_task(group.model, group.task)
    sheet.head(title, group_amounts(group), cut)
    draw_legend(sheet, _LEFT, below, marks)
    return sheet


def _several(groups: Sequence[GroupComparison], grids: Sequence[Grid], of: int) -> Sheet:
    named = [(group.model, group.task) for group in groups]
    models, tasks = (list(dict.fromkeys(names)) for names in zip(*named, strict=True))
    # Those with the most evidence are a selection: they follow each other by it.
    places = panel_places(named, models, tasks) if len(groups) == of else panel_places(named, (), ())
    columns, rows = (1 + max(place[axis] for place in places.values()) for axis in (1, 0))
    panel_width = 4.4 if columns <= 2 else 3.3 if columns <= 4 else 2.7
    panel_height = panel_width * 0.56
    slot_width, slot_height = _LABELS + panel_width, _TITLE + panel_height + _TICKS
    seen = {mark for grid in grids for mark in grid.marks()}
    marks = [mark for mark in Mark if mark in seen]
    left, below, top = EDGE + _LABELS, 0.85 + rows * slot_height, 0.85
    sheet = Sheet(EDGE + columns * slot_width + _RIGHT, below + 0.32 + legend_height(marks, columns * slot_width) + 0.4)
    for group, grid in zip(groups, grids, strict=True):
        row, column = places[group.model, group.task]
        _panel(sheet, group, grid, (left + column * slot_width, top + row * slot_height, panel_width, panel_height))
    _draw_scale(sheet, EDGE + columns * slot_width + 0.25, top + _TITLE, panel_height)
    axes = "context length (tokens) to the right, depth of the needle downwards"
    sheet.text(left, below + 0.1, axes, 8.5, va="baseline", color=QUIET)
    draw_legend(sheet, left, below + 0.3, marks)
    worse, better = sum(group.worse for group in groups), sum(group.better for group in groups)
    amounts = f"{counted(sum(group.n for group in groups), 'pair')}: {worse:,} worse, {better:,} better"
    part = f"; the {len(groups)} of {of} groups with the most evidence" if of > len(groups) else ""
    sheet.head("Change of the score", amounts + part)
    return sheet


def _panel(sheet: Sheet, group: GroupComparison, grid: Grid, box: Box) -> None:
    left, top, width, height = box
    base = top + _TITLE - 0.07
    mean = f"{change_label(group.difference or 0.0)} ({group.worse:,} worse, {group.better:,} better)"
    sheet.text(left + width, base, mean, 8.5, ha="right", va="baseline", color=QUIET)
    title, cut = model_and_task(group.model, group.task)
    sheet.fitted(left, base, title, 10, width - 1.75, cut=cut, fontweight="bold")
    # An axis of one depth is a band, not a wall.
    size = PanelSize(width / len(grid.lengths), min(height / len(grid.depths), 0.9), label_size=8.0, most_labels=12)
    DifferencePanel(sheet, grid, left, top + _TITLE, size).draw()


def group_amounts(group: GroupComparison) -> str:
    """What a group's comparison amounts to, in one line."""
    difference = "" if group.difference is None else f"mean score {change_label(group.difference)} "
    interval = ""
    if group.interval is not None:
        low, high = (change_label(end) for end in group.interval)
        interval = f"(95% interval {low} to {high}) "
    counts = f"{group.worse:,} worse, {group.better:,} better"
    return f"{difference}{interval}over {counted(group.n, 'pair')}; {counts}; one-sided p {p_label(group.p)}"


def _draw_scale(sheet: Sheet, left: float, top: float, height: float) -> None:
    """The scale of differences, better on top."""
    step = height / _STRIPES
    # Each stripe reaches down to the end under those that follow, so that rounding to pixels leaves no gap.
    boxes = [(left, top + number * step, _BAR_WIDTH, height - number * step) for number in range(_STRIPES)]
    colours = difference_colours([1 - 2 * (number + 0.5) / _STRIPES for number in range(_STRIPES)])
    sheet.boxes(boxes, colours, "scale", antialiaseds=False)
    sheet.boxes([(left, top, _BAR_WIDTH, height)], "none", edgecolors=QUIET, linewidths=0.8)
    for tick in (-1, -0.5, 0, 0.5, 1):
        base = top + (1 - tick) / 2 * height
        sheet.line([(left + _BAR_WIDTH, base), (left + _BAR_WIDTH + 0.04, base)], QUIET, 0.8)
        sheet.text(left + _BAR_WIDTH + 0.08, base, f"{tick:+g}" if tick else "0", 8.5, va="center_baseline")
    for base, words, side in ((top - 0.1, "better", "baseline"), (top + height + 0.08, "worse", "top")):
        sheet.text(left + _BAR_WIDTH / 2, base, words, 8.5, ha="center", va=side, color=QUIET)
