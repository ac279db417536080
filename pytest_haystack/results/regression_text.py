"""A comparison of two runs in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_haystack.results.regression import CellChange, GroupComparison, least_units
from pytest_haystack.sweep import depth_text
from pytest_haystack.text import printable

#: Cells named one by one.
MOST_CELLS = 12


def group_text(group: GroupComparison) -> str:
    """What a group's comparison says, in one line."""
    if group.old is None or group.new is None or group.difference is None:
        told = reasons({**group.refused, **group.unpaired})
        return f"no pair to compare: {told}" if told else "no pair to compare"
    interval = ""
    if group.interval is not None:
        low, high = group.interval
        interval = f", 95 % {low:+.2f} to {high:+.2f}"
    means = f"mean score {group.old:.2f} -> {group.new:.2f} over {_counted(group.n, 'pair')}"
    return f"{means} ({group.difference:+.2f}{interval}); {evidence(group)}"


def evidence(group: GroupComparison) -> str:
    """How many pairs became worse and better, and the p value of it."""
    exact = "" if group.p_exact is None else f", exact {p_label(group.p_exact)}"
    kind = "McNemar mid-p" if group.test == "mcnemar" else "sign flips by cell: p"
    adjusted = f", {p_label(group.p_adjusted)} after Holm" if group.p_adjusted > group.p + 1e-12 else ""
    return f"{group.worse:,} worse, {group.better:,} better; {kind} {p_label(group.p)}{exact}{adjusted}"


def changed_cells(cells: Sequence[CellChange], most: int | None = MOST_CELLS) -> str:
    """The cells with their scores before and after, those beyond ``most`` counted.

    Model and task are named where there are several.
    """
    several = len({(cell.model, cell.task) for cell in cells}) > 1
    named = [
        (f"{printable(cell.task)}-{printable(cell.model)}-" if several else "")
        + f"len{cell.context_length}-depth{depth_text(cell.depth_percent)} {_score(cell.old)} -> {_score(cell.new)}"
        for cell in cells[:most]
    ]
    return ", ".join(named) + (f" and {len(cells) - len(named):,} more" if len(cells) > len(named) else "")


def blindness(group: GroupComparison, alpha: float, family: int = 1) -> str:
    """Why a group can show no regression by itself, empty where it can; ``family`` groups are compared together."""
    if not group.n or not group.is_blind(alpha / family):
        return ""
    least, unit = least_units(group.test, alpha / family), "pair" if group.test == "mcnemar" else "cell"
    together = f" over {family} groups" if family > 1 else ""
    few = f"{_counted(group.units(), unit)} cannot show a regression"
    return f"{few}: at alpha {alpha:g}{together} at least {least} must become worse"


def reasons(counts: Mapping[str, int]) -> str:
    """``3 only in this run, 2 no score in this run``."""
    return ", ".join(f"{count:,} {printable(reason)}" for reason, count in counts.items())


def p_label(p: float) -> str:
    """A p value with two figures that count, never 0."""
    return f"{p:.2g}" if p >= 0.0001 else "<0.0001"


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _score(score: float) -> str:
    return f"{score:.2f}".removesuffix(".00")
