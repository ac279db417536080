"""Variants of tasks side by side: what each axis of a task, prompts among them, does to the score."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from pytest_haystack.config.axis import PROMPT
from pytest_haystack.reports.cell_result import CellResult, SweepResults, rows_of
from pytest_haystack.results.statistics import Row, Statistics, scores, statistics_of

Level: TypeAlias = "str | int | float"


@dataclass(frozen=True, slots=True)
class Compared:
    """One model on variants that differ in one axis alone; ``others`` are the values of the other axes.

    ``cells`` has an entry for each level of the comparison, empty where this task has no such variant.
    """

    model: str
    family: str
    others: Mapping[str, Level]
    cells: tuple[tuple[CellResult, ...], ...]

    @property
    def task(self) -> str:
        """The family, and what else makes out the variants: ``multi, needles 5``."""
        return ", ".join([self.family, *levels_text(self.others)])

    @property
    def figures(self) -> list[Statistics]:
        """What each level's rows say."""
        return [statistics_of(rows_of(cells)) for cells in self.cells]

    @property
    def misses(self) -> list[int]:
        """Scored trials of each level that were not wholly right."""
        return [missed(rows_of(cells)) for cells in self.cells]


@dataclass(frozen=True, slots=True)
class Comparison:
    """An axis with its levels in config order, and every model and task that was varied along it."""

    axis: str
    levels: tuple[Level, ...]
    rows: tuple[Compared, ...]

    @property
    def of_prompts(self) -> bool:
        """True where prompts are compared, of which the misses are told."""
        return self.axis == PROMPT


def comparisons_of(results: SweepResults) -> list[Comparison]:
    """One for each axis and its levels; families that share both stand in one. Prompts come first."""
    found: dict[tuple[str, tuple[Level, ...]], list[Compared]] = {}
    for family, cells in by_family(results.cells).items():
        for axis, levels in axes_of(cells).items():
            found.setdefault((axis, levels), []).extend(_compared(family, cells, axis, levels))
    ordered = sorted(found.items(), key=lambda item: item[0][0] != PROMPT)
    return [Comparison(axis, levels, tuple(rows)) for (axis, levels), rows in ordered]


def by_family(cells: Iterable[CellResult]) -> dict[str, list[CellResult]]:
    """The cells of each family that has an axis, in config order."""
    families: dict[str, list[CellResult]] = {}
    for cell in cells:
        if cell.variant:
            families.setdefault(cell.family, []).append(cell)
    return families


def axes_of(cells: Iterable[CellResult]) -> dict[str, tuple[Level, ...]]:
    """The levels of each axis, in config order."""
    axes: dict[str, dict[Level, None]] = {}
    for cell in cells:
        for axis, level in cell.variant.items():
            axes.setdefault(axis, {})[level] = None
    return {axis: tuple(levels) for axis, levels in axes.items()}


def levels_text(levels: Mapping[str, Level]) -> list[str]:
    """Levels as words: a number needs the name of its axis, a word speaks for itself."""
    return [level if isinstance(level, str) else f"{axis} {level:.12g}" for axis, level in levels.items()]


def missed(rows: Iterable[Row]) -> int:
    """How many scored rows have a score below 1."""
    return sum(score < 1 - 1e-9 for score in scores(rows))


def comparison_data(comparison: Comparison) -> dict[str, Any]:
    """JSON values of a comparison."""
    return {
        "axis": comparison.axis,
        "levels": list(comparison.levels),
        "rows": [
            {
                "model": row.model,
                "family": row.family,
                "others": dict(row.others),
                "levels": [
                    {
                        "level": level,
                        "misses": misses,
                        "scored_trials": figures.n,
                        "end_to_end_rate": figures.end_to_end_rate,
                        "interval_95": None if figures.interval is None else list(figures.interval),
                    }
                    for level, misses, figures in zip(comparison.levels, row.misses, row.figures, strict=True)
                ],
            }
            for row in comparison.rows
        ],
    }


def _compared(family: str, cells: Iterable[CellResult], axis: str, levels: tuple[Level, ...]) -> list[Compared]:
    groups: dict[tuple[str, tuple[tuple[str, Level], ...]], dict[Level, list[CellResult]]] = {}
    for cell in cells:
        if axis in cell.variant:
            others = tuple((name, level) for name, level in cell.variant.items() if name != axis)
            groups.setdefault((cell.model, others), {}).setdefault(cell.variant[axis], []).append(cell)
    return [
        Compared(model, family, dict(others), tuple(tuple(found.get(level, ())) for level in levels))
        for (model, others), found in groups.items()
    ]
