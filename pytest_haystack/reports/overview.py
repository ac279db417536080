"""All heatmaps of a sweep in one picture; with very many of them, their means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pytest_haystack.reports.cell_result import CellResult, SweepResults, rows_of
from pytest_haystack.reports.drawing import EDGE, Box, Sheet, model_and_task, outline_of, settings, text_width
from pytest_haystack.reports.escape import picture_text, shorten
from pytest_haystack.reports.grid import Mark, grid_of
from pytest_haystack.reports.key import draw_legend, draw_scale, legend_height
from pytest_haystack.reports.labels import counted, rate_label, score_label
from pytest_haystack.reports.palette import INK, PAPER, QUIET, ink_on, score_colours
from pytest_haystack.reports.panel import Panel, PanelSize
from pytest_haystack.reports.panel_places import panel_places
from pytest_haystack.results.statistics import end_to_end_rate, statistics_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: More panels than this are too small to read; the means of each model and task are shown instead.
MOST_PANELS = 36
# Inches.
_TOP, _RIGHT = 0.85, 0.95
_LABELS, _TITLE, _TICKS = 0.62, 0.36, 0.34


def overview_figure(results: SweepResults) -> Figure:
    """A panel for each model and task: models below each other and tasks side by side where that fits a page."""
    groups = results.by_model_and_task()
    figures = statistics_of(rows_of(results.cells))
    amounts = [
        f"mean score {rate_label(figures.end_to_end_rate)} over {counted(figures.n, 'trial')}",
        counted(len(results.models), "model"),
        counted(len(results.tasks), "task"),
    ]
    with settings():
        sheet = _panels(results, groups) if len(groups) <= MOST_PANELS else _means(results, groups)
        sheet.head(results.name, ", ".join(amounts) + erred_cells(results.cells))
        sheet.foot(results.source)
    return sheet.figure


def erred_cells(cells: Sequence[CellResult]) -> str:
    """``; 3 of 15 cells had an error``, empty where none had: their trials may be missing in a mean."""
    erred = sum(cell.state == "error" for cell in cells)
    return f"; {erred} of {counted(len(cells), 'cell')} had an error" if erred else ""


def _panels(results: SweepResults, groups: dict[tuple[str, str], list[CellResult]]) -> Sheet:
    places = panel_places(list(groups), results.models, results.tasks)
    columns = 1 + max(column for _, column in places.values())
    rows = 1 + max(row for row, _ in places.values())
    panel_width = 4.4 if columns <= 2 else 3.3 if columns <= 4 else 2.7
    panel_height = panel_width * 0.56
    seen = {mark for cells in groups.values() for mark in grid_of(cells).marks()}
    marks = [mark for mark in Mark if mark in seen]
    slot_width, slot_height = _LABELS + panel_width, _TITLE + panel_height + _TICKS
    width = max(6.4, EDGE + columns * slot_width + _RIGHT)
    left, below = EDGE + _LABELS, _TOP + rows * slot_height
    sheet = Sheet(width, below + 0.32 + legend_height(marks, width - left) + 0.4)
    for group, (row, column) in places.items():
        corner = (left + column * slot_width, _TOP + row * slot_height)
        _panel(sheet, group, groups[group], (*corner, panel_width, panel_height))
    draw_scale(sheet, EDGE + columns * slot_width + 0.25, _TOP + _TITLE, panel_height, None)
    axes = "context length (tokens) to the right, depth of the needle downwards"
    sheet.text(left, below + 0.1, axes, 8.5, va="baseline", color=QUIET)
    draw_legend(sheet, left, below + 0.3, marks)
    return sheet


def _panel(sheet: Sheet, group: tuple[str, str], cells: list[CellResult], box: Box) -> None:
    left, top, width, height = box
    grid = grid_of(cells)
    # An axis of one depth is a band, not a wall.
    cell_height = min(height / len(grid.depths), 0.9)
    mean = f"mean {rate_label(end_to_end_rate(rows_of(cells)))}"
    base = top + _TITLE - 0.07
    sheet.text(left + width, base, mean, 9, ha="right", va="baseline", color=QUIET)
    title, cut = model_and_task(*group)
    sheet.fitted(left, base, title, 10, width - 0.85, cut=cut, fontweight="bold")
    size = PanelSize(width / len(grid.lengths), cell_height, label_size=8.0, most_labels=12)
    Panel(sheet, grid, left, top + _TITLE, size).draw()


def _means(results: SweepResults, groups: dict[tuple[str, str], list[CellResult]]) -> Sheet:
    """Models by tasks, each the mean of its trials."""
    models, tasks = results.models, results.tasks
    cell_width, cell_height = min(1.1, max(0.32, 9 / len(tasks))), min(0.45, max(0.2, 7 / len(models)))
    names = {name: shorten(picture_text(name), 28) for name in (*models, *tasks)}
    left = max(1.2, 0.4 + max(text_width(names[model], 8.5) for model in models))
    below = 0.75 + 0.75 * max(text_width(names[task], 8.5) for task in tasks)
    top, height = _TOP + 0.2, cell_height * len(models)
    sheet = Sheet(max(6.4, left + cell_width * len(tasks) + _RIGHT + 0.6), top + height + below)
    boxes: list[Box] = []
    colours: list[Any] = []
    for (model, task), cells in groups.items():
        x, y = left + tasks.index(task) * cell_width, top + models.index(model) * cell_height
        mean = end_to_end_rate(rows_of(cells))
        boxes.append((x, y, cell_width, cell_height))
        colours.append((0.95, 0.95, 0.95, 1.0) if mean is None else score_colours([mean])[0])
        words, ink = ("-", INK) if mean is None else (score_label(mean), ink_on(mean))
        middle = (x + cell_width / 2, y + cell_height / 2)
        sheet.stamp(outline_of(words, 9), [middle], ink, f"mean {model} {task}")
    sheet.boxes(boxes, colours, "means", edgecolors=PAPER, linewidths=1, zorder=0)
    for number, model in enumerate(models):
        middle_of_row = top + (number + 0.5) * cell_height
        sheet.text(left - 0.1, middle_of_row, names[model], 8.5, ha="right", va="center_baseline")
    for number, task in enumerate(tasks):
        x = left + (number + 0.5) * cell_width
        sheet.text(x, top + height + 0.08, names[task], 8.5, ha="right", rotation=45, rotation_mode="anchor")
    draw_scale(sheet, left + cell_width * len(tasks) + 0.3, top, min(2.5, height), None)
    return sheet
