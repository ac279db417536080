"""All heatmaps of a sweep in one picture; with very many of them, their means."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pytest_haystack.reports.cell_result import CellResult, SweepResults, rows_of
from pytest_haystack.reports.drawing import (
    EDGE,
    axes_at,
    colour_bar,
    fitted,
    foot,
    head,
    legend,
    legend_height,
    model_and_task,
    new_figure,
    settings,
    source_words,
    text_at,
)
from pytest_haystack.reports.escape import picture_text, shorten
from pytest_haystack.reports.grid import Mark, grid_of
from pytest_haystack.reports.labels import counted, rate_label, score_label
from pytest_haystack.reports.palette import QUIET, ink_on, score_colours
from pytest_haystack.reports.panel import PanelSize, draw_grid
from pytest_haystack.results.statistics import statistics_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: More panels than this are too small to read; the means of each model and task are shown instead.
MOST_PANELS = 36
# Inches.
_TOP, _RIGHT = 0.85, 0.95
_LABELS, _TITLE, _TICKS = 0.62, 0.36, 0.46


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
        figure = _panels(results, groups) if len(groups) <= MOST_PANELS else _means(results, groups)
        head(figure, results.name, ", ".join(amounts))
        foot(figure, source_words(results))
    return figure


def _panels(results: SweepResults, groups: dict[tuple[str, str], list[CellResult]]) -> Figure:
    places = _places(results, list(groups))
    columns = 1 + max(column for _, column in places.values())
    rows = 1 + max(row for row, _ in places.values())
    panel_width = 4.4 if columns <= 2 else 3.3 if columns <= 4 else 2.7
    panel_height = panel_width * 0.56
    seen = {mark for cells in groups.values() for mark in grid_of(cells).marks()}
    marks = [mark for mark in Mark if mark in seen]
    slot_width, slot_height = _LABELS + panel_width, _TITLE + panel_height + _TICKS
    width = max(6.4, EDGE + columns * slot_width + _RIGHT)
    left, below = EDGE + _LABELS, _TOP + rows * slot_height
    figure = new_figure(width, below + 0.3 + legend_height(marks, width - left) + 0.42)
    for group, (row, column) in places.items():
        corner = (left + column * slot_width, _TOP + row * slot_height)
        _panel(figure, group, groups[group], (*corner, panel_width, panel_height))
    colour_bar(figure, EDGE + columns * slot_width + 0.25, _TOP + _TITLE, panel_height, None)
    axes_words = "context length (tokens) to the right, depth of the needle downwards"
    text_at(figure, left, below, axes_words, fontsize=8.5, color=QUIET)
    legend(figure, left, below + 0.3, marks)
    return figure


def _places(results: SweepResults, groups: list[tuple[str, str]]) -> dict[tuple[str, str], tuple[int, int]]:
    """(row, column) of each panel."""
    models, tasks = results.models, results.tasks
    if len(models) > 1 and 1 < len(tasks) <= 6:
        return {(model, task): (models.index(model), tasks.index(task)) for model, task in groups}
    columns = min(6, len(groups), max(1, math.ceil(math.sqrt(len(groups) * 1.2))))
    return {group: divmod(number, columns) for number, group in enumerate(groups)}


def _panel(
    figure: Figure, group: tuple[str, str], cells: list[CellResult], box: tuple[float, float, float, float]
) -> None:
    left, top, width, height = box
    model, task = group
    grid = grid_of(cells)
    # An axis of one depth is a band, not a wall.
    cell_height = min(height / len(grid.depths), 0.9)
    figures = statistics_of(rows_of(cells))
    mean = f"mean {rate_label(figures.end_to_end_rate)}"
    base = top + _TITLE - 0.07
    text_at(figure, left + width, base, mean, fontsize=9, ha="right", va="baseline", color=QUIET)
    title, cut = model_and_task(model, task)
    text = text_at(figure, left, base, "", fontsize=10, va="baseline", fontweight="bold")
    fitted(text, title, width - 0.85, least_size=7.5, cut=cut)
    axes = axes_at(figure, left, top + _TITLE, width, cell_height * len(grid.depths))
    draw_grid(axes, grid, PanelSize(width / len(grid.lengths), cell_height, tick_size=8.0))


def _means(results: SweepResults, groups: dict[tuple[str, str], list[CellResult]]) -> Figure:
    """Models by tasks, each the mean of its trials."""
    models, tasks = results.models, results.tasks
    means = {group: statistics_of(rows_of(cells)).end_to_end_rate for group, cells in groups.items()}
    cell_width, cell_height = min(1.1, max(0.3, 9 / len(tasks))), min(0.45, max(0.2, 7 / len(models)))
    left, bottom = 2.4, 1.6
    figure = new_figure(left + cell_width * len(tasks) + _RIGHT, _TOP + cell_height * len(models) + bottom)
    axes = axes_at(figure, left, _TOP, cell_width * len(tasks), cell_height * len(models))
    _mean_cells(axes, results, means)
    axes.set_xticks(
        range(len(tasks)),
        [shorten(picture_text(task), 22) for task in tasks],
        fontsize=8,
        rotation=45,
        ha="right",
        rotation_mode="anchor",
    )
    axes.set_yticks(range(len(models)), [shorten(picture_text(model), 30) for model in models], fontsize=8)
    axes.tick_params(length=0)
    colour_bar(figure, left + cell_width * len(tasks) + 0.3, _TOP, min(2.5, cell_height * len(models)), None)
    return figure


def _mean_cells(axes: Axes, results: SweepResults, means: dict[tuple[str, str], float | None]) -> None:
    import numpy as np

    ground = np.full((len(results.models), len(results.tasks), 3), 0.95)
    for (model, task), mean in means.items():
        row, column = results.models.index(model), results.tasks.index(task)
        if mean is None:
            axes.text(column, row, "-", ha="center", va="center", fontsize=7)
            continue
        ground[row, column] = score_colours([mean])[0]
        axes.text(column, row, score_label(mean), ha="center", va="center", fontsize=7, color=ink_on(mean))
    axes.imshow(ground, aspect="auto", interpolation="nearest")
