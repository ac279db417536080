"""What a search found, as JSON values of the row of its last trial, and in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_haystack.results.length_search import FoundLength
    from pytest_haystack.results.sequential import Decision

#: Key in the ``score_details`` of a search's last row.
SEARCH = "search"
_TEST, _CELL = "::test_search[", "::len"


def row_nodeid(nodeid: str, context_length: int, depth: str) -> str:
    """Node id in the rows of a search: its item's, and the cell that the trial is of.

    So node id and trial tell its rows apart, as they do those of cells.
    """
    return f"{nodeid}{_CELL}{context_length}-depth{depth}"


def search_nodeid(nodeid: str) -> str | None:
    """The node id of the search that a row is of, None where it is of a cell."""
    return nodeid.rpartition(_CELL)[0] if _TEST in nodeid else None


def values_of(
    metric: str,
    rule: str,
    threshold: float,
    least: int,
    decisions: Mapping[int, Decision],
    found: FoundLength | None = None,
    *,
    lengths: Sequence[int] = (),
    unsupported: Sequence[int] = (),
) -> dict[str, Any]:
    """JSON values of a search: its verdict, the trials it rests on, every tested length in order.

    ``decisions`` are by context length (tokens) in the order of the tests, ``found`` is the answer where a length was
    looked for among ``lengths``, ``unsupported`` are those that the model does not take.
    """
    path: list[dict[str, Any]] = [
        {
            "context_length": length,
            "verdict": decision.verdict,
            "trials": decision.trials,
            "mean": round(decision.mean, 6),
            "interval_95": [round(end, 6) for end in decision.interval],
            "fallback": decision.fallback,
        }
        for length, decision in decisions.items()
        if length not in unsupported
    ]
    path += [{"context_length": length, "verdict": "unsupported", "trials": 0} for length in unsupported]
    values = {"metric": metric, "rule": rule, "threshold": threshold, "least": least}
    trials = sum(decision.trials for decision in decisions.values())
    if found is None:
        only = decisions[least]
        return {**values, "verdict": only.verdict, "trials": trials, "fallback": only.fallback, "path": path}
    bounds = found.bounds(lengths)
    return {
        **values,
        "verdict": "pass" if found.length >= least else "fail",
        "trials": trials,
        "fallback": any(decision.fallback for length, decision in decisions.items() if length in bounds),
        "effective_context_length": found.length,
        "bounds": list(bounds),
        "monotone": found.monotone,
        "audit": [{"context_length": length, "mean": round(mean, 6)} for length, mean in found.audited.items()],
        "path": path,
    }


def headline(values: Mapping[str, Any]) -> str:
    """The verdict in a line."""
    least, rule = values["least"], values["rule"]
    how = " by the mean, for lack of evidence," if values["fallback"] else ""
    after = f"{rule}: {values['verdict']}{how} after {_trials(values['trials'])}"
    if values["metric"] == "mean_score":
        only = values["path"][0]
        sign = "reaches" if values["verdict"] == "pass" else "is held against"
        return f"mean score {only['mean']:.2f} at {least:,} tokens {sign} {values['threshold']:.2f}; {after}"
    length = values["effective_context_length"]
    sign = ">=" if length >= least else "<"
    # Where not even the shortest holds, it is the shortest that was tested.
    shown = f"{length:,}" if length else f"below {min(step['context_length'] for step in values['path']):,}"
    return f"effective context length {shown} {sign} {least:,} tokens at {values['threshold']:.2f}; {after}"


def sides(values: Mapping[str, Any]) -> list[str]:
    """A line for the lengths on both sides of the answer, or the one that was claimed, with their intervals."""
    lengths = values.get("bounds", [values["least"]])
    return [text_of(step) for step in values["path"] if step["context_length"] in lengths]


def text_of(step: Mapping[str, Any]) -> str:
    """A tested length in words."""
    name = f"{step['context_length']:,} tokens"
    if step["verdict"] == "unsupported":
        return f"{name}: more than the model takes"
    low, high = step["interval_95"]
    how = " (by the mean)" if step["fallback"] else ""
    figures = f"mean {step['mean']:.3f} over {_trials(step['trials'])}, 95 % interval {low:.3f} to {high:.3f}"
    return f"{name}: {step['verdict']}{how}, {figures}"


def path_text(values: Mapping[str, Any]) -> str:
    """The tested lengths in the order of the tests: ``8,000 pass (27), 32,000 fail (5)``; then the audit."""
    steps = [f"{step['context_length']:,} {step['verdict']} ({step['trials']})" for step in values["path"]]
    audit = [f"{sample['context_length']:,} mean {sample['mean']:.2f}" for sample in values.get("audit", ())]
    if audit:
        steps.append(f"audit {', '.join(audit)}")
    text = ", ".join(steps)
    if not values.get("monotone", True):
        text += "; scores do not fall with length, so every length was tested from the shortest on"
    return text


def _trials(count: int) -> str:
    return f"{count:,} trial{'' if count == 1 else 's'}"
