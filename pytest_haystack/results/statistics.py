"""Rates, intervals and histograms of rows.

A row without a score (an error, a cell that could not be asked) is counted among the outcomes and in nothing else:
usable n is the number of scored rows.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, TypeAlias

Row: TypeAlias = Mapping[str, Any]
Interval: TypeAlias = "tuple[float, float]"


@dataclass(frozen=True, slots=True)
class Statistics:
    """What a set of rows says.

    ``trials`` counts all rows, ``n`` the scored ones. ``end_to_end_rate`` (0 to 1) is the mean over the scored rows,
    ``interval`` its two-sided 95 % Wilson interval. ``retrieval_rate`` is the mean over the ``retrieval_n`` rows in
    which the model gave an answer in the form asked for: refused, truncated, empty and unparsable answers are left
    out. Rates and interval are None where no row counts. ``outcomes`` and ``verdicts`` map each that occurs to its
    count, the most frequent first.
    """

    trials: int
    n: int
    end_to_end_rate: float | None
    interval: Interval | None
    retrieval_rate: float | None
    retrieval_n: int
    outcomes: Mapping[str, int]
    verdicts: Mapping[str, int]


def mean(values: Iterable[float]) -> float | None:
    """Arithmetic mean, None of nothing. The sum is exact, so the order of the values does not matter."""
    listed = list(values)
    return math.fsum(listed) / len(listed) if listed else None


def wilson(rate: float, n: int, confidence: float = 0.95) -> Interval:
    """Two-sided score interval of a proportion (E. B. Wilson, 1927): the rates p with |rate - p| <= z sqrt(p(1-p)/n).

    ``rate`` is from 0 to 1. For a mean of fractional scores the interval is wider than need be: a score between 0
    and 1 with mean p varies by at most p(1-p). It is for display; a pass or fail claim needs a one-sided exact bound.
    Raises ValueError for n < 1 and values out of range.
    """
    if n < 1 or not 0 <= rate <= 1 or not 0 < confidence < 1:
        raise ValueError(f"no Wilson interval for rate {rate}, n {n}, confidence {confidence}")
    z2 = NormalDist().inv_cdf((1 + confidence) / 2) ** 2
    centre = rate + z2 / (2 * n)
    spread = math.sqrt(z2 * (rate * (1 - rate) / n + z2 / (4 * n * n)))
    low, high = (centre - spread) / (1 + z2 / n), (centre + spread) / (1 + z2 / n)
    # Rounding must not push a bound past what it is a bound of.
    return max(0.0, min(low, rate)), min(1.0, max(high, rate))


def scores(rows: Iterable[Row]) -> list[float]:
    """The scores of the rows that have one."""
    return [float(row["score"]) for row in rows if row.get("score") is not None]


def end_to_end_rate(rows: Iterable[Row]) -> float | None:
    """Mean score over all scored rows: what a user of the model would see."""
    return mean(scores(rows))


def retrieval_rate(rows: Iterable[Row]) -> float | None:
    """Mean score over the rows that were answered in the form asked for: what the model found when it did answer.

    With scores of 0 and 1 this is right / (right + wrong + abstained + distractor).
    """
    return mean(scores(row for row in rows if _answers(row.get("outcome"), _verdict(row))))


def statistics_of(rows: Iterable[Row]) -> Statistics:
    """All figures of these rows; outcomes and verdicts by their number, then by name."""
    listed = list(rows)
    scored: list[float] = []
    found: list[float] = []
    outcomes: list[str] = []
    verdicts: list[str] = []
    for row in listed:
        score, outcome, verdict = row.get("score"), str(row.get("outcome", "unknown")), _verdict(row)
        outcomes.append(outcome)
        if score is None:
            continue
        scored.append(float(score))
        if verdict is not None:
            verdicts.append(verdict)
        if _answers(outcome, verdict):
            found.append(float(score))
    rate = mean(scored)
    return Statistics(
        trials=len(listed),
        n=len(scored),
        end_to_end_rate=rate,
        interval=None if rate is None else wilson(rate, len(scored)),
        retrieval_rate=mean(found),
        retrieval_n=len(found),
        outcomes=_histogram(outcomes),
        verdicts=_histogram(verdicts),
    )


def _histogram(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items(), key=lambda item: (-item[1], item[0])))


def _verdict(row: Row) -> str | None:
    details = row.get("score_details") or {}
    verdict = details.get("verdict")
    return None if verdict is None else str(verdict)


def _answers(outcome: object, verdict: str | None) -> bool:
    return outcome == "answered" and verdict != "format_failure"
