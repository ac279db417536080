"""A comparison of two runs in words, for the command line."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_haystack.results.regression import Comparison, GroupComparison
from pytest_haystack.results.regression_text import MOST_CELLS, blindness, changed_cells, group_text, reasons
from pytest_haystack.text import printable


def regression_lines(comparison: Comparison, verbose: bool = False) -> list[str]:
    """Lines for each model and task, then what all of them come to. ``verbose`` names every cell."""
    lines: list[str] = []
    for group in comparison.groups:
        lines.append(f"{printable(group.model)}: {printable(group.task)}")
        lines += [f"  {line}" for line in _details(comparison, group, None if verbose else MOST_CELLS)]
    return [*lines, conclusion(comparison)]


def conclusion(comparison: Comparison) -> str:
    """The verdict on all groups, in one line."""
    compared = [group for group in comparison.groups if group.n]
    if not compared:
        return "nothing was compared: no prompt has a score in both runs"
    red = comparison.regressions
    pairs = f"{sum(group.n for group in compared):,} pairs"
    lost = comparison.uncompared
    rest = f"; not compared: {', '.join(_names(lost))}" if lost else ""
    if not red:
        return f"no significant regression at alpha {comparison.alpha:g} over {pairs}{rest}"
    return f"REGRESSION: {', '.join(_names(red))} (alpha {comparison.alpha:g} over {pairs}){rest}"


def _details(comparison: Comparison, group: GroupComparison, most: int | None) -> list[str]:
    lines = [group_text(group)]
    if group in comparison.regressions:
        lines[0] += ": REGRESSION"
    if group.reddened:
        lines.append(f"red: {changed_cells(group.reddened, most)}")
    if group.greened:
        lines.append(f"green: {changed_cells(group.greened, most)}")
    if group.refused and group.n:
        lines.append(f"refused, for the prompts differ: {reasons(group.refused)}")
    if group.unpaired and group.n:
        lines.append(f"without partner: {reasons(group.unpaired)}")
    blind = blindness(group, comparison.alpha, comparison.family)
    return [*lines, blind] if blind else lines


def _names(groups: Iterable[GroupComparison]) -> list[str]:
    return [f"{printable(group.model)}: {printable(group.task)}" for group in groups]
