"""Heatmaps of scores over context length and depth, to be shown in a talk as they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from pytest_haystack.reports.cell_result import CellResult, SweepResults, rows_of
from pytest_haystack.reports.drawing import Sheet, model_and_task, settings
from pytest_haystack.reports.escape import safe_name
from pytest_haystack.reports.files import distinct
from pytest_haystack.reports.grid import Grid, grid_of
from pytest_haystack.reports.key import draw_legend, draw_scale, legend_height
from pytest_haystack.reports.labels import counted, interval_labels, rate_label
from pytest_haystack.reports.overview import erred_cells, overview_figure
from pytest_haystack.reports.panel import LABEL_HEIGHT, Panel, PanelSize
from pytest_haystack.results.statistics import statistics_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Inches.
_LEFT, _RIGHT, _TOP = 1.05, 1.0, 0.98
_LEAST_WIDTH, _LEAST_GRID_HEIGHT = 6.4, 1.3
_GRID_WIDTH, _GRID_HEIGHT = 8.6, 4.2
_MOST_GRID_WIDTH, _MOST_GRID_HEIGHT = 13.0, 8.0


def heatmaps(results: SweepResults) -> dict[str, Callable[[], Figure]]:
    """What draws each picture, by file name."""
    names = heatmap_names(results)
    drawn: dict[str, Callable[[], Figure]] = {
        name: partial(heatmap_figure, results, model, task) for (model, task), name in names.items()
    }
    if len(names) == 1:
        drawn["heatmap.png"] = next(iter(drawn.values()))
    elif names:
        drawn["heatmap.png"] = partial(overview_figure, results)
    return drawn


def heatmap_names(results: SweepResults) -> dict[tuple[str, str], str]:
    """File names by (model, task), different also where a file system ignores case."""
    groups = list(results.by_model_and_task())
    names = distinct([f"heatmap-{safe_name(model)}-{safe_name(task)}" for model, task in groups])
    return {group: f"{name}.png" for group, name in zip(groups, names, strict=True)}


def heatmap_figure(results: SweepResults, model: str, task: str) -> Figure:
    """The picture of one model and task. Raises KeyError where the sweep has no such cells."""
    cells = results.by_model_and_task()[(model, task)]
    grid = grid_of(cells)
    size = _panel_size(grid)
    marks = grid.marks()
    width = max(_LEAST_WIDTH, _LEFT + size.cell_width * len(grid.lengths) + _RIGHT)
    below = _TOP + size.cell_height * len(grid.depths) + LABEL_HEIGHT + 0.38
    with settings():
        sheet = Sheet(width, below + legend_height(marks, width - _LEFT) + 0.4)
        left = _LEFT + (width - _LEFT - _RIGHT - size.cell_width * len(grid.lengths)) / 2
        panel = Panel(sheet, grid, left, _TOP, size)
        panel.draw()
        middle = (left + panel.width / 2, _TOP + panel.height / 2)
        sheet.text(middle[0], below - 0.14, "context length (tokens)", 10, ha="center", va="baseline")
        sheet.text(left - 0.72, middle[1], "depth of the needle", 10, ha="center", va="center", rotation=90)
        draw_scale(sheet, left + panel.width + 0.3, _TOP, panel.height, shared_threshold(cells))
        title, cut = model_and_task(model, task)
        sheet.head(title, _amounts(cells), cut)
        sheet.foot([results.name, *results.source])
        draw_legend(sheet, _LEFT, below, marks)
    return sheet.figure


def shared_threshold(cells: Sequence[CellResult]) -> float | None:
    """The threshold (0 to 1) of all these cells, None where they differ."""
    thresholds = {cell.threshold for cell in cells}
    return thresholds.pop() if len(thresholds) == 1 else None


def _panel_size(grid: Grid) -> PanelSize:
    columns, rows = len(grid.lengths), len(grid.depths)
    cell_width = min(1.5, max(_GRID_WIDTH / columns, min(0.27, _MOST_GRID_WIDTH / columns)))
    cell_height = min(0.75, max(_GRID_HEIGHT / rows, min(0.2, _MOST_GRID_HEIGHT / rows)))
    return PanelSize(cell_width, max(cell_height, _LEAST_GRID_HEIGHT / rows))


def _amounts(cells: Sequence[CellResult]) -> str:
    """What the picture amounts to, in one line."""
    figures = statistics_of(rows_of(cells))
    erred = erred_cells(cells)
    if figures.interval is None:
        return f"no score ({counted(figures.trials, 'trial')}{erred})"
    low, high = interval_labels(*figures.interval)
    mean = f"mean score {rate_label(figures.end_to_end_rate)} over {counted(figures.n, 'trial')}"
    threshold = shared_threshold(cells)
    passing = "" if threshold in (None, 0, 1) else f"; a cell passes from {threshold:g}"
    return f"{mean}, 95% interval {low} to {high}{passing}{erred}"
