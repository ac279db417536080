"""What answers lean to: the first or the last of two contradictory facts, saying too little or too much.

Each figure counts scored rows that say in ``score_details`` what it needs, and is None where there is none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from pytest_haystack.results.statistics import Row, end_to_end_rate

CHOICES = ("chose_first", "chose_last", "chose_both", "chose_neither")


@dataclass(frozen=True, slots=True)
class ConflictRates:
    """Shares (0 to 1) of ``n`` scored trials with two contradictory facts.

    ``primacy_bias`` is the share that gave the first fact's value alone, ``recency_bias`` the last one's.
    """

    n: int
    primacy_bias: float
    recency_bias: float
    both: float
    neither: float


@dataclass(frozen=True, slots=True)
class AbstentionRates:
    """How well a model tells questions that the text answers from those that it does not.

    ``hit_rate`` is the mean score of the ``answerable`` trials, ``true_abstain_rate`` that of the ``unanswerable``
    ones, each None without such trials. ``youden_j`` is their sum - 1 (W. J. Youden, 1950): 0 for a model that
    always answers or never does, 1 for one that is always right.
    """

    answerable: int
    unanswerable: int
    hit_rate: float | None
    true_abstain_rate: float | None

    @property
    def youden_j(self) -> float | None:
        """From -1 to 1, None unless both kinds were asked."""
        if self.hit_rate is None or self.true_abstain_rate is None:
            return None
        return self.hit_rate + self.true_abstain_rate - 1


def conflict_rates(rows: Iterable[Row]) -> ConflictRates | None:
    """Of rows whose ``score_details.label`` is one of `CHOICES`; an answer that scored no label chose neither."""
    listed = [row for row in rows if row.get("score") is not None]
    labels = [(row.get("score_details") or {}).get("label") for row in listed]
    if not any(label in CHOICES for label in labels):
        return None
    counts = Counter(label if label in CHOICES else "chose_neither" for label in labels)
    first, last, both, neither = (counts[choice] / len(listed) for choice in CHOICES)
    return ConflictRates(len(listed), first, last, both, neither)


def abstention_rates(rows: Iterable[Row]) -> AbstentionRates | None:
    """Of rows whose ``score_details.answerable`` is true or false."""
    kinds: dict[bool, list[Row]] = {True: [], False: []}
    for row in rows:
        answerable = (row.get("score_details") or {}).get("answerable")
        if row.get("score") is not None and isinstance(answerable, bool):
            kinds[answerable].append(row)
    if not kinds[True] and not kinds[False]:
        return None
    return AbstentionRates(
        len(kinds[True]), len(kinds[False]), end_to_end_rate(kinds[True]), end_to_end_rate(kinds[False])
    )
