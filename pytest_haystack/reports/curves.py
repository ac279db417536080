"""Which curves of a sweep are drawn: score against a number that was varied, and against the depth."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from pytest_haystack.reports.cell_result import CellResult, SweepResults, rows_of
from pytest_haystack.reports.comparisons import Level, axes_of, by_family, levels_text
from pytest_haystack.reports.escape import safe_name
from pytest_haystack.reports.files import distinct
from pytest_haystack.reports.labels import counted, length_labels, rate_label
from pytest_haystack.reports.lines import Chart, Curve, Point, chart_figure
from pytest_haystack.results.statistics import statistics_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: More lines than this in one picture cannot be followed.
MOST_CURVES = 8
#: Up to so many, the lines of several models share the picture of a position.
_MOST_TOGETHER = 4


def curves(results: SweepResults) -> dict[str, Callable[[], Figure]]:
    """What draws each picture, by file name: ``curve-<family>.png`` and ``position-<family>.png``.

    A family with several numbers that vary has ``curve-<family>-<axis>.png`` for each of them; where one picture
    cannot hold the lines of all models, each has its own ``position-<family>-<model>.png``.
    """
    charts = [*_by_number(results), *_by_position(results)]
    names = distinct(["-".join(map(safe_name, stem)) for stem, _ in charts])
    return {
        f"{name}.png": partial(chart_figure, chart, (results.name, *results.source))
        for name, (_, chart) in zip(names, charts, strict=True)
    }


def _by_number(results: SweepResults) -> list[tuple[tuple[str, ...], Chart]]:
    """A chart for each family and each of its axes that has two numbers or more."""
    charts: list[tuple[tuple[str, ...], Chart]] = []
    for family, cells in by_family(results.cells).items():
        axes = {axis: levels for axis, levels in axes_of(cells).items() if len(_numbers(levels)) > 1}
        for axis, levels in axes.items():
            stem = ("curve", family, axis) if len(axes) > 1 else ("curve", family)
            charts.append((stem, _number_chart(results, family, cells, axis, _numbers(levels))))
    return charts


def _number_chart(
    results: SweepResults, family: str, cells: list[CellResult], axis: str, numbers: Sequence[float]
) -> Chart:
    cells = [cell for cell in cells if cell.variant.get(axis) in numbers]
    groups: dict[str, list[CellResult]] = {}
    for cell in cells:
        others = {name: level for name, level in cell.variant.items() if name != axis}
        groups.setdefault(", ".join([cell.model, *levels_text(others)]), []).append(cell)
    if len(groups) > MOST_CURVES:
        groups = _by(cells, lambda cell: cell.model)
    chances = {float(cell.variant[axis]): results.chance[cell.task] for cell in cells if cell.task in results.chance}
    return Chart(
        title=f"{family}: score by {axis}",
        amounts=_amounts(cells),
        axis=axis,
        curves=tuple(_curve(name, group, lambda cell: float(cell.variant[axis])) for name, group in groups.items()),
        ticks=tuple((number, f"{number:.12g}") for number in sorted(numbers)),
        chance=tuple(sorted(chances.items())),
    )


def _by_position(results: SweepResults) -> list[tuple[tuple[str, ...], Chart]]:
    """A chart for each family whose score belongs to a position, with one line a model and configuration."""
    families: dict[str, list[CellResult]] = {}
    for cell in results.cells:
        if cell.task in results.by_position:
            families.setdefault(cell.family or cell.task, []).append(cell)
    charts: list[tuple[tuple[str, ...], Chart]] = []
    for family, cells in families.items():
        if len({cell.depth_percent for cell in cells}) < 2:
            continue
        models = _by(cells, lambda cell: cell.model)
        if len(models) > 1 and len(_configurations(cells)) <= _MOST_TOGETHER:
            charts.append((("position", family), _position_chart(family, cells)))
            continue
        for model, own in models.items():
            stem = ("position", family, model) if len(models) > 1 else ("position", family)
            charts.append((stem, _position_chart(f"{model}: {family}", own)))
    return charts


def _position_chart(title: str, cells: list[CellResult]) -> Chart:
    return Chart(
        title=f"{title}, score by position",
        amounts=_amounts(cells),
        axis="depth of what is asked for",
        curves=tuple(
            _curve(name, group, lambda cell: cell.depth_percent) for name, group in _configurations(cells).items()
        ),
        ticks=tuple((depth, f"{depth}%") for depth in (0, 25, 50, 75, 100)),
    )


def _configurations(cells: list[CellResult]) -> dict[str, list[CellResult]]:
    """The cells of each model, variant and length, by what tells them apart; many lengths are pooled."""
    several = len({cell.model for cell in cells}) > 1
    axes = {axis for axis, levels in axes_of(cells).items() if len(levels) > 1}
    lengths = sorted({cell.context_length for cell in cells})
    labels = dict(zip(lengths, length_labels(lengths), strict=True))

    def name(cell: CellResult, *, with_length: bool) -> str:
        levels = {axis: level for axis, level in cell.variant.items() if axis in axes}
        parts = [*([cell.model] if several else []), *levels_text(levels)]
        if with_length and len(lengths) > 1:
            parts.append(f"{labels[cell.context_length]} tokens")
        return ", ".join(parts) or cell.model

    groups = _by(cells, lambda cell: name(cell, with_length=True))
    return groups if len(groups) <= MOST_CURVES else _by(cells, lambda cell: name(cell, with_length=False))


def _by(cells: Iterable[CellResult], key: Callable[[CellResult], str]) -> dict[str, list[CellResult]]:
    groups: dict[str, list[CellResult]] = {}
    for cell in cells:
        groups.setdefault(key(cell), []).append(cell)
    return groups


def _curve(name: str, cells: Iterable[CellResult], place: Callable[[CellResult], float]) -> Curve:
    """The mean and its interval at each place that has a score."""
    groups: dict[float, list[CellResult]] = {}
    for cell in cells:
        groups.setdefault(place(cell), []).append(cell)
    points = []
    for x in sorted(groups):
        figures = statistics_of(rows_of(groups[x]))
        if figures.end_to_end_rate is not None and figures.interval is not None:
            points.append(Point(x, figures.end_to_end_rate, *figures.interval))
    return Curve(name, tuple(points))


def _numbers(levels: Iterable[Level]) -> list[float]:
    return [float(level) for level in levels if isinstance(level, int | float)]


def _amounts(cells: Sequence[CellResult]) -> str:
    """What the points pool, in one line."""
    figures = statistics_of(rows_of(cells))
    lengths = sorted({cell.context_length for cell in cells})
    labels = length_labels(lengths)
    span = f"{labels[0]} to {labels[-1]} tokens" if len(lengths) > 1 else f"{labels[0]} tokens"
    return f"mean score {rate_label(figures.end_to_end_rate)} over {counted(figures.n, 'trial')}, {span}, 95% intervals"
