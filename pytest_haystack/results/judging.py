"""What judging cost: tokens and USD of the models that scorers asked."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_haystack.results.statistics import Row


@dataclass(frozen=True, slots=True)
class Judging:
    """``trials`` counts those that a judge was asked about, ``requests`` what was sent for them.

    Trials that put the same reply to the same question before the same judge share a request. Tokens and
    ``cost_usd`` are None where no request told them.
    """

    trials: int
    requests: int
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None


def judging_of(rows: Iterable[Row]) -> Judging | None:
    """What the judging of these rows took, None where nothing was judged."""
    trials = 0
    asked: dict[tuple[Any, ...], Mapping[str, Any]] = {}
    for row, judge in _judged(rows):
        trials += 1
        reply = (judge.get("model"), row.get("question"), str(row.get("expected")), row.get("response"))
        asked.setdefault(reply, judge)
    if not trials:
        return None
    inputs, outputs = _sum(asked.values(), "input_tokens"), _sum(asked.values(), "output_tokens")
    return Judging(
        trials,
        len(asked),
        None if inputs is None else int(inputs),
        None if outputs is None else int(outputs),
        _sum(asked.values(), "cost_usd"),
    )


def whole_cost(rows: Iterable[Row]) -> float | None:
    """USD that these rows took, answers and judging; a sum of what is known, None where nothing is."""
    listed = list(rows)
    judging = judging_of(listed)
    costs = [row.get("cost_usd") for row in listed] + ([judging.cost_usd] if judging else [])
    known = [cost for cost in costs if cost is not None]
    return math.fsum(known) if known else None


def _judged(rows: Iterable[Row]) -> Iterator[tuple[Row, Mapping[str, Any]]]:
    for row in rows:
        judge = (row.get("score_details") or {}).get("judge")
        # A scorer of a user's own may give a detail of this name: only numbers are added up.
        if isinstance(judge, Mapping) and "input_tokens" in judge:
            yield row, judge


def _sum(judges: Iterable[Mapping[str, Any]], name: str) -> float | None:
    values = [judge.get(name) for judge in judges]
    known = [value for value in values if isinstance(value, (int, float)) and not isinstance(value, bool)]
    return math.fsum(known) if known else None
