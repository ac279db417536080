"""Cells whose trials stop when their verdict is known."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import TYPE_CHECKING, Any

from pytest_haystack.config.trials import HIGHEST, default_zone
from pytest_haystack.errors import ConfigError
from pytest_haystack.results.rows import DECISION
from pytest_haystack.results.sequential import Decision, lowest_certifying, trials_to_certify

if TYPE_CHECKING:
    from pytest_haystack.config.trials import StopRule
    from pytest_haystack.running.workbench import Workbench


def check_trials(bench: Workbench) -> None:
    """Raise ConfigError for rules whose verdict is known before the first answer, or that miss the threshold, one
    line each.
    """
    problems: dict[str, None] = {}
    for cell in bench.cells:
        if cell.stop is not None:
            index = list(bench.entries).index(cell.task)
            place = ("tasks", index, "trials") if bench.entries[cell.task].trials is not None else ("sweep", "trials")
            problems |= dict.fromkeys(_impossible(bench, cell.stop, *place))
    for search in bench.searches:
        problems |= dict.fromkeys(_impossible(bench, search.rule, "searches", search.number, "max"))
    if problems:
        raise ConfigError(problems)


def _impossible(bench: Workbench, rule: StopRule, *place: str | int) -> list[str]:
    """A line for a rule that cannot certify with all its trials right, or fail with all of them wrong, and for a zone
    of indifference that does not hold the threshold.
    """
    words = _unprovable(rule) or _astray(rule)
    where = f"{bench.loaded.path.name}:{bench.loaded.line_of(*place)}: {bench.loaded.written(*place)}"
    return [f"{where}: {words}"] if words else []


def _unprovable(rule: StopRule) -> str:
    at = f"with alpha {rule.alpha:g}"
    if rule.stop == "certify" and lowest_certifying(rule.most, rule.threshold, rule.alpha) is None:
        needed = trials_to_certify(rule.threshold, rule.alpha)
        remedy = (
            "no number of trials proves that; lower the threshold"
            if needed is None
            else f"that takes at least {needed}, all of them right; raise max or lower the threshold"
        )
        return f"{rule.most} trials cannot certify a rate of {rule.threshold:g} {at}: {remedy}"
    # A threshold of 0 is no demand at all.
    if rule.stop == "fail_on_evidence" and rule.threshold > 0:
        # Half of alpha is spent at the last trial (see `SequentialTest`); what stops early needs as many.
        needed = trials_to_certify(1 - rule.threshold, rule.alpha / 2)
        if needed is not None and needed > rule.most:
            remedy = f"that takes at least {needed}, all of them wrong; raise max or the threshold"
            return f"{rule.most} trials cannot show that a rate is below {rule.threshold:g} {at}: {remedy}"
    return ""


def _astray(rule: StopRule) -> str:
    """Why a zone of indifference is not that of the threshold; empty where it is."""
    if rule.stop != "sprt" or rule.threshold == 0 or (rule.low, rule.high) == default_zone(rule.threshold):
        return ""
    if rule.low < rule.threshold and min(rule.threshold, HIGHEST) <= rule.high:
        return ""
    zone = f"[{rule.low:g}, {rule.high:g}]"
    return f"indifference {zone} does not hold the threshold of {rule.threshold:g}; move one of them"


def note_decision(row: MutableMapping[str, Any], values: dict[str, Any]) -> None:
    """Write what the cell's rule decided into the row of its last trial."""
    row["score_details"] = {**row["score_details"], DECISION: values}


def decision_text(decision: Decision, rule: str) -> str:
    """How a verdict came about, in a few words."""
    low, high = decision.interval
    how = " by the mean, for lack of evidence" if decision.fallback else ""
    return f"{rule}: {decision.verdict}{how} after {decision.trials} trials, 95 % interval {low:.3f} to {high:.3f}"
