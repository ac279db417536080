"""Mean score by task, all models over each other."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from pytest_haystack.reports.cell_result import SweepResults, rows_of
from pytest_haystack.reports.drawing import Sheet, settings
from pytest_haystack.reports.escape import picture_text, shorten
from pytest_haystack.reports.labels import counted, rate_label
from pytest_haystack.reports.palette import QUIET, line_look
from pytest_haystack.results.statistics import end_to_end_rate, mean, scores

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.figure import Figure

#: Fewer axes than this span no area.
LEAST_TASKS = 3
# Inches.
_WIDTH, _DIAMETER, _TOP = 8.6, 4.5, 1.25
_LEGEND_COLUMNS = 2
#: Radians between neighbouring points that would hide each other, and between the first and the last.
_MOST_APART, _MOST_SPREAD = 0.035, 0.14
#: Scores that differ by less make points that touch.
_ALIKE = 0.02
_DASHES = ("solid", "dashed", "dashdot", "dotted")


def radar_figure(results: SweepResults) -> Figure | None:
    """One axis a task from 0 in the middle to 1, one line a model; None with fewer than three scored tasks.

    Tasks are those of the sweep file: a user's own test functions ask them again, and are no further abilities.
    """
    means = {
        group: end_to_end_rate(rows_of(cells))
        for group, cells in results.by_model_and_task().items()
        if not any(cell.group for cell in cells)
    }
    tasks = [task for task in results.tasks if any(means.get((model, task)) is not None for model in results.models)]
    if len(tasks) < LEAST_TASKS:
        return None
    models = [model for model in results.models if any(means.get((model, task)) is not None for task in tasks)]
    rows = math.ceil(len(models) / _LEGEND_COLUMNS)
    with settings():
        sheet = Sheet(_WIDTH, _TOP + _DIAMETER + 0.7 + 0.26 * rows + 0.5)
        lines = _draw(sheet, tasks, {model: [means.get((model, task)) for task in tasks] for model in models})
        shared = [task for task in tasks if all(means.get((model, task)) is not None for model in models)]
        _names(sheet, lines, {model: mean(means[(model, task)] or 0.0 for task in shared) for model in models})
        trials = len(scores(row for cell in results.cells if not cell.group for row in cell.rows))
        amounts = f"{_amounts(len(tasks), len(shared), len(models))}; {counted(trials, 'trial')}"
        sheet.head(f"{results.name}: mean score by task", amounts)
        sheet.foot(results.source)
    return sheet.figure


def _draw(sheet: Sheet, tasks: list[str], means: dict[str, list[float | None]]) -> list[Artist]:
    left, bottom = (_WIDTH - _DIAMETER) / 2, sheet.height - _TOP - _DIAMETER
    bounds = (left / _WIDTH, bottom / sheet.height, _DIAMETER / _WIDTH, _DIAMETER / sheet.height)
    axes: Any = sheet.figure.add_axes(bounds, projection="polar")
    angles = [2 * math.pi * number / len(tasks) for number in range(len(tasks))]
    _web(axes, tasks, angles)
    lines: list[Artist] = []
    for number, values in enumerate(means.values()):
        radii = [math.nan if value is None else value for value in values]
        look = line_look(number)
        # Points of equal scores would hide each other: they stand beside their spoke, the earlier lines are wider.
        aside = [angle + _turn(number, [one[task] for one in means.values()]) for task, angle in enumerate(angles)]
        turned = [*aside, aside[0]]
        (line,) = axes.plot(
            turned,
            [*radii, radii[0]],
            color=look.colour,
            marker=look.marker,
            markersize=5,
            linewidth=max(1.4, 2.8 - 0.5 * number),
            linestyle=_dashes(number),
            clip_on=False,
        )
        if len(means) <= 4 and None not in values:
            axes.fill(turned[:-1], radii, color=look.colour, alpha=0.08)
        lines.append(line)
    return lines


def _turn(number: int, scores: list[float | None]) -> float:
    """How far (radians) the point of the model with this number is turned from the spoke that these scores stand on."""
    own = scores[number]
    if own is None:
        return 0.0
    alike = [other for other, score in enumerate(scores) if score is not None and abs(score - own) < _ALIKE]
    return (alike.index(number) - (len(alike) - 1) / 2) * min(_MOST_APART, _MOST_SPREAD / len(alike))


def _dashes(number: int) -> str:
    """Neighbours differ; together with colour and marker of the line, so do all of the first hundred and more."""
    return _DASHES[(number + number // 8) % len(_DASHES)]


def _amounts(tasks: int, shared: int, models: int) -> str:
    """How many tasks there are, and of which the means are."""
    if models == 1 or shared == tasks:
        return f"{counted(tasks, 'task')}, means over them below"
    if not shared:
        return f"{counted(tasks, 'task')}, none of which every model has a score for"
    return f"{counted(tasks, 'task')}; means over the {shared} that every model has a score for"


def _web(axes: Any, tasks: list[str], angles: list[float]) -> None:
    """Rings, spokes and the names of the tasks."""
    axes.set_theta_zero_location("N")
    axes.set_theta_direction(-1)
    axes.set_ylim(0, 1)
    axes.set_yticks([0.25, 0.5, 0.75, 1], ["", "0.5", "", "1"], fontsize=8, color=QUIET)
    axes.set_rlabel_position(180 / len(tasks))
    axes.set_xticks(angles, [""] * len(tasks))
    axes.grid(color="#d7dadf", linewidth=0.8)
    axes.spines["polar"].set_color("#b4b8bf")
    for angle, task in zip(angles, tasks, strict=True):
        side = math.sin(angle)
        axes.text(
            angle,
            1.08,
            shorten(picture_text(task), 24),
            fontsize=10,
            ha="center" if abs(side) < 0.1 else "left" if side > 0 else "right",
            va="bottom" if math.cos(angle) > 0.9 else "top" if math.cos(angle) < -0.9 else "center",
        )


def _names(sheet: Sheet, lines: list[Artist], means: dict[str, float | None]) -> None:
    sheet.figure.legend(
        lines,
        [f"{shorten(picture_text(model), 30)}  {rate_label(mean)}" for model, mean in means.items()],
        loc="upper center",
        bbox_to_anchor=(0.5, 1 - (_TOP + _DIAMETER + 0.6) / sheet.height),
        ncols=min(_LEGEND_COLUMNS, len(means)),
        frameon=False,
        handlelength=3.5,
        borderpad=0,
        fontsize=10,
    )
