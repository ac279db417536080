"""Line plots of scores, to be shown in a talk as they are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_haystack.reports.drawing import POINTS_PER_INCH, Sheet, settings
from pytest_haystack.reports.escape import picture_text, shorten
from pytest_haystack.reports.palette import QUIET, line_look

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Inches.
_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP = 8.6, 3.9, 0.95, 0.45, 1.05
_LEGEND_TOP, _LEGEND_ROW = 0.72, 0.26
#: Points between lines at one place, so that their whiskers stand side by side.
_APART = 6.0
#: Blind guessing below this cannot be told from 0 in a picture.
_LEAST_CHANCE = 0.01
#: Numbers that span more than this factor are spread by ratio.
_MOST_LINEAR = 25


@dataclass(frozen=True, slots=True)
class Point:
    """A mean score (0 to 1) at ``x``, with its interval."""

    x: float
    score: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Curve:
    """One line and its name; places without a score have no point."""

    name: str
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """Curves over one axis.

    ``ticks`` are places with their labels, ``chance`` places with the score (0 to 1) that blind guessing reaches.
    """

    title: str
    amounts: str
    axis: str
    curves: tuple[Curve, ...]
    ticks: tuple[tuple[float, str], ...]
    chance: tuple[tuple[float, float], ...] = ()


def chart_figure(chart: Chart, source: Sequence[str]) -> Figure:
    """The picture; ``source`` says at its foot where the figures are from."""
    guessed = len(chart.chance) > 1 and max(chance for _, chance in chart.chance) >= _LEAST_CHANCE
    below = _TOP + _HEIGHT
    names = [shorten(picture_text(curve.name), 44) for curve in chart.curves] + ["blind guessing"] * guessed
    columns = 3 if len(names) in (3, 5, 6) and max(map(len, names)) <= 20 else min(2, len(names))
    with settings():
        sheet = Sheet(_WIDTH, below + _LEGEND_TOP + _LEGEND_ROW * math.ceil(len(names) / columns) + 0.5)
        axes = _axes(sheet, chart)
        handles = [_draw(axes, curve, number, len(chart.curves), sheet) for number, curve in enumerate(chart.curves)]
        if guessed:
            handles.append(axes.plot(*zip(*chart.chance, strict=True), color=QUIET, linestyle=(0, (1, 2)), zorder=1)[0])
        axis = shorten(picture_text(chart.axis), 80)
        sheet.text(_LEFT + _plot_width() / 2, below + 0.52, axis, 11, ha="center", va="baseline")
        sheet.text(0.34, _TOP + _HEIGHT / 2, "mean score", 11, ha="center", va="center", rotation=90)
        _legend(sheet, handles, names, columns, below + _LEGEND_TOP)
        sheet.head(chart.title, chart.amounts)
        sheet.foot(source)
    return sheet.figure


def _plot_width() -> float:
    return _WIDTH - _LEFT - _RIGHT


def _axes(sheet: Sheet, chart: Chart) -> Any:
    bottom = sheet.height - _TOP - _HEIGHT
    bounds = (_LEFT / _WIDTH, bottom / sheet.height, _plot_width() / _WIDTH, _HEIGHT / sheet.height)
    axes: Any = sheet.figure.add_axes(bounds)
    places = [place for place, _ in chart.ticks]
    low, high = places[0], places[-1]
    if low > 0 and high / low > _MOST_LINEAR:
        axes.set_xscale("log")
        margin = (high / low) ** 0.05
        axes.set_xlim(low / margin, high * margin)
    else:
        margin = (high - low) * 0.05
        axes.set_xlim(low - margin, high + margin)
    shown = _apart(axes, chart.ticks)
    axes.set_xticks([place for place, _ in shown], [label for _, label in shown], fontsize=10)
    axes.set_xticks([], minor=True)
    axes.set_ylim(-0.02, 1.02)
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "0.25", "0.5", "0.75", "1"], fontsize=10)
    axes.grid(axis="y", color="#e3e5e9", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(length=3, color="#b4b8bf")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color("#b4b8bf")
    return axes


def _apart(axes: Any, ticks: Sequence[tuple[float, str]]) -> list[tuple[float, str]]:
    """Ticks, with no label where it would touch one before it; the last one always has its own."""
    log = axes.get_xscale() == "log"
    low, high = axes.get_xlim()

    def inches(place: float) -> float:
        share = math.log(place / low) / math.log(high / low) if log else (place - low) / (high - low)
        return share * _plot_width()

    kept = [*ticks[-1:]]
    for place, label in reversed(ticks[:-1]):
        touches = inches(kept[0][0]) - inches(place) < 0.05 + 0.045 * (len(label) + len(kept[0][1]))
        kept.insert(0, (place, label)) if not touches else None
    return kept


def _draw(axes: Any, curve: Curve, number: int, count: int, sheet: Sheet) -> Any:
    """A line with whiskers, moved aside by a few points where there are several."""
    from matplotlib.transforms import ScaledTranslation

    look = line_look(number)
    aside = (number - (count - 1) / 2) * min(_APART, 3 * _APART / count) / POINTS_PER_INCH
    moved = axes.transData + ScaledTranslation(aside, 0, sheet.figure.dpi_scale_trans)
    xs, scores = [point.x for point in curve.points], [point.score for point in curve.points]
    (line,) = axes.plot(
        xs,
        scores,
        color=look.colour,
        marker=look.marker,
        linestyle=look.dashes,
        markersize=6,
        linewidth=2,
        clip_on=False,
        transform=moved,
        zorder=3,
    )
    line.set_gid(f"curve {curve.name}")
    lows, highs = [point.low for point in curve.points], [point.high for point in curve.points]
    axes.vlines(xs, lows, highs, color=look.colour, linewidth=1.2, alpha=0.55, transform=moved, zorder=2)
    for ends in (lows, highs):
        axes.plot(
            xs,
            ends,
            color=look.colour,
            marker="_",
            markersize=6,
            linestyle="none",
            alpha=0.55,
            transform=moved,
            zorder=2,
        )
    return line


def _legend(sheet: Sheet, handles: Sequence[Any], names: Sequence[str], columns: int, top: float) -> None:
    sheet.figure.legend(
        handles,
        names,
        loc="upper center",
        bbox_to_anchor=((_LEFT + _plot_width() / 2) / _WIDTH, 1 - top / sheet.height),
        ncols=columns,
        frameon=False,
        borderpad=0,
        handlelength=3,
        fontsize=10,
    )
