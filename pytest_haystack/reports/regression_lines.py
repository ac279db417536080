"""A comparison of two runs in words, for terminals and for the text of a gate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pytest_haystack.reports.escape import printable
from pytest_haystack.reports.labels import change_label, counted, rate_label, score_label
from pytest_haystack.results.regression import CellChange, Comparison, GroupComparison, least_units
from pytest_haystack.sweep import depth_text

#: Cells named one by one.
MOST_CELLS = 12


def regression_lines(comparison: Comparison, verbose: bool = False) -> list[str]:
    """Lines for each model and task, then what all of them come to. ``verbose`` names every cell."""
    lines: list[str] = []
    for group in comparison.groups:
        lines.append(f"{printable(group.model)}: {printable(group.task)}")
        lines += [f"  {line}" for line in _details(comparison, group, None if verbose else MOST_CELLS)]
    return [*lines, conclusion(comparison)]


def group_text(group: GroupComparison) -> str:
    """What a group's comparison says, in one line."""
    if group.difference is None:
        return f"no pair to compare{_reasons_after(group)}"
    means = f"mean score {rate_label(group.old)} -> {rate_label(group.new)} over {counted(group.n, 'pair')}"
    interval = ""
    if group.interval is not None:
        low, high = (change_label(end) for end in group.interval)
        interval = f", 95 % {low} to {high}"
    return f"{means} ({change_label(group.difference)}{interval}); {evidence(group)}"


def evidence(group: GroupComparison) -> str:
    """How many pairs became worse and better, and the p value of it."""
    exact = "" if group.p_exact is None else f", exact {p_label(group.p_exact)}"
    kind = "McNemar mid-p" if group.test == "mcnemar" else "sign flips by cell: p"
    adjusted = f", {p_label(group.p_adjusted)} after Holm" if group.p_adjusted > group.p + 1e-12 else ""
    return f"{group.worse:,} worse, {group.better:,} better; {kind} {p_label(group.p)}{exact}{adjusted}"


def changed_cells(cells: Sequence[CellChange], most: int | None = MOST_CELLS) -> str:
    """The cells with their scores before and after, those beyond ``most`` counted."""
    named = [
        f"len{cell.context_length}-depth{depth_text(cell.depth_percent)} {_score(cell.old)} -> {_score(cell.new)}"
        for cell in cells[:most]
    ]
    return ", ".join(named) + (f" and {len(cells) - len(named):,} more" if len(cells) > len(named) else "")


def blindness(group: GroupComparison, alpha: float) -> str:
    """Why a group can show no regression, empty where it can."""
    if not group.n or not group.is_blind(alpha):
        return ""
    least, unit = least_units(group.test, alpha), "pair" if group.test == "mcnemar" else "cell"
    few = f"{counted(group.units(), unit)} cannot show a regression"
    return f"{few}: at alpha {alpha:g} at least {least} must become worse"


def reasons(counts: Mapping[str, int]) -> str:
    """``3 only in this run, 2 no score in this run``."""
    return ", ".join(f"{count:,} {printable(reason)}" for reason, count in counts.items())


def conclusion(comparison: Comparison) -> str:
    """The verdict on all groups, in one line."""
    compared = [group for group in comparison.groups if group.n]
    if not compared:
        return "nothing was compared: no prompt was asked in both runs"
    red = comparison.regressions
    pairs = counted(sum(group.n for group in compared), "pair")
    if not red:
        return f"no significant regression at alpha {comparison.alpha:g} over {pairs}"
    return f"REGRESSION: {', '.join(_names(red))} (alpha {comparison.alpha:g} over {pairs})"


def p_label(p: float) -> str:
    """A p value with two figures that count, never 0."""
    return f"{p:.2g}" if p >= 0.0001 else "<0.0001"


def _details(comparison: Comparison, group: GroupComparison, most: int | None) -> list[str]:
    lines = [group_text(group)]
    if group in comparison.regressions:
        lines[0] += ": REGRESSION"
    if group.reddened:
        lines.append(f"red: {changed_cells(group.reddened, most)}")
    if group.greened:
        lines.append(f"green: {changed_cells(group.greened, most)}")
    if group.refused:
        lines.append(f"refused, for the prompts differ: {reasons(group.refused)}")
    if group.unpaired:
        lines.append(f"without partner: {reasons(group.unpaired)}")
    blind = blindness(group, comparison.alpha)
    return [*lines, blind] if blind else lines


def _reasons_after(group: GroupComparison) -> str:
    told = reasons({**group.refused, **group.unpaired})
    return f": {told}" if told else ""


def _names(groups: Iterable[GroupComparison]) -> list[str]:
    return [f"{printable(group.model)}: {printable(group.task)}" for group in groups]


def _score(score: float) -> str:
    return score_label(score).strip()
