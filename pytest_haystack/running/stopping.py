"""Cells whose trials stop when their verdict is known."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import TYPE_CHECKING, Any

from pytest_haystack.errors import ConfigError
from pytest_haystack.results.rows import DECISION
from pytest_haystack.results.sequential import Decision, lowest_certifying, trials_to_certify

if TYPE_CHECKING:
    from pytest_haystack.config.trials import StopRule
    from pytest_haystack.running.workbench import Workbench


def check_trials(bench: Workbench) -> None:
    """Raise ConfigError for tasks and searches that could not be certified however they answered, one line each."""
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
    """A line for a rule that cannot certify what it claims with all its trials right."""
    if rule.stop != "certify" or lowest_certifying(rule.most, rule.threshold, rule.alpha) is not None:
        return []
    needed = trials_to_certify(rule.threshold, rule.alpha)
    remedy = (
        "no number of trials proves that; lower the threshold"
        if needed is None
        else f"that takes at least {needed}, all of them right; raise max or lower the threshold"
    )
    where = f"{bench.loaded.path.name}:{bench.loaded.line_of(*place)}: {bench.loaded.written(*place)}"
    claim = f"{rule.most} trials cannot certify a rate of {rule.threshold:g} with alpha {rule.alpha:g}"
    return [f"{where}: {claim}: {remedy}"]


def note_decision(row: MutableMapping[str, Any], values: dict[str, Any]) -> None:
    """Write what the cell's rule decided into the row of its last trial."""
    row["score_details"] = {**row["score_details"], DECISION: values}


def decision_text(decision: Decision, rule: str) -> str:
    """How a verdict came about, in a few words."""
    low, high = decision.interval
    how = " by the mean, for lack of evidence" if decision.fallback else ""
    return f"{rule}: {decision.verdict}{how} after {decision.trials} trials, 95 % interval {low:.3f} to {high:.3f}"
