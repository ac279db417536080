"""What answers lean to, counted."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_haystack.results.tendencies import CHOICES, abstention_rates, conflict_rates


def row(score: float | None = 1.0, **details: Any) -> dict[str, Any]:
    return {"score": score, "outcome": "answered", "score_details": details}


def test_biases_are_shares_of_all_scored_trials() -> None:
    labels = ["chose_first"] * 3 + ["chose_last"] * 2 + ["chose_both"] + ["chose_neither"] * 2
    rates = conflict_rates([*(row(label=label) for label in labels), row(None), row(None, label="chose_first")])
    assert rates is not None
    assert (rates.n, rates.primacy_bias, rates.recency_bias, rates.both, rates.neither) == (
        8,
        3 / 8,
        2 / 8,
        1 / 8,
        2 / 8,
    )


def test_a_refusal_chose_neither() -> None:
    rates = conflict_rates([row(label="chose_first"), {"score": 0.0, "outcome": "refused", "score_details": {}}])
    assert rates is not None
    assert (rates.n, rates.primacy_bias, rates.neither) == (2, 0.5, 0.5)


def test_rows_of_other_tasks_tell_nothing_of_conflicts_or_abstention() -> None:
    rows = [row(), row(0.0, label="elsewhere"), {"score": 1.0, "score_details": None}, {"score": 0.5}]
    assert conflict_rates(rows) is None
    assert abstention_rates(rows) is None
    assert abstention_rates([row(None, answerable=True)]) is None


def test_hits_and_true_abstentions_are_rates_of_their_own_kind() -> None:
    answerable = [row(float(number < 3), answerable=True) for number in range(4)]
    rates = abstention_rates([*answerable, *(row(float(number < 1), answerable=False) for number in range(2))])
    assert rates is not None
    assert (rates.answerable, rates.unanswerable) == (4, 2)
    assert (rates.hit_rate, rates.true_abstain_rate) == (0.75, 0.5)
    assert rates.youden_j == pytest.approx(0.25)


def test_without_the_answerable_twin_there_is_no_j() -> None:
    rates = abstention_rates([row(1.0, answerable=False)])
    assert rates is not None
    assert (rates.hit_rate, rates.true_abstain_rate, rates.youden_j) == (None, 1.0, None)


@pytest.mark.parametrize("always", [True, False])
def test_a_model_that_always_does_the_same_has_a_j_of_0(always: bool) -> None:
    rows = [row(float(answerable is always), answerable=answerable) for answerable in (True, False, True, False)]
    rates = abstention_rates(rows)
    assert rates is not None
    assert rates.youden_j == 0


@settings(max_examples=50, deadline=None)
@given(st.lists(st.sampled_from(CHOICES), min_size=1))
def test_what_was_chosen_adds_up(labels: list[str]) -> None:
    rates = conflict_rates(row(label=label) for label in labels)
    assert rates is not None
    assert rates.primacy_bias + rates.recency_bias + rates.both + rates.neither == pytest.approx(1)
