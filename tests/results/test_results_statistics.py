"""Rates, intervals and histograms, held to their definitions and to published values."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_haystack.results.statistics import (
    end_to_end_rate,
    mean,
    retrieval_rate,
    statistics_of,
    wilson,
)

SCORES = st.floats(0, 1)


def row(score: float | None, outcome: str = "answered", verdict: str | None = None, **fields: Any) -> dict[str, Any]:
    return {"score": score, "outcome": outcome, "score_details": {"verdict": verdict} if verdict else {}, **fields}


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [
        # R. G. Newcombe, Statistics in Medicine 17 (1998), table I, method 3.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_gives_the_published_values(successes: int, n: int, low: float, high: float) -> None:
    assert wilson(successes / n, n) == pytest.approx((low, high), abs=5e-5)


@given(rate=SCORES, n=st.integers(1, 100_000), confidence=st.sampled_from([0.5, 0.9, 0.95, 0.99]))
@settings(max_examples=200, deadline=None)
def test_wilson_bounds_solve_the_equation_that_defines_them(rate: float, n: int, confidence: float) -> None:
    z = {0.5: 0.67448975, 0.9: 1.64485363, 0.95: 1.95996398, 0.99: 2.57582930}[confidence]
    low, high = wilson(rate, n, confidence)

    assert 0 <= low <= rate <= high <= 1
    for bound in (low, high):
        assert (rate - bound) ** 2 == pytest.approx(z * z * bound * (1 - bound) / n, rel=1e-5, abs=1e-9)


@given(rate=SCORES, n=st.integers(1, 10_000))
@settings(max_examples=100, deadline=None)
def test_wilson_narrows_with_more_trials_and_mirrors_with_the_rate(rate: float, n: int) -> None:
    low, high = wilson(rate, n)
    more_low, more_high = wilson(rate, 4 * n)
    mirrored_low, mirrored_high = wilson(1 - rate, n)

    assert more_high - more_low < high - low
    assert (1 - mirrored_high, 1 - mirrored_low) == pytest.approx((low, high), abs=1e-9)


@pytest.mark.parametrize(("rate", "n"), [(0.5, 0), (-0.1, 5), (1.1, 5), (math.nan, 5)])
def test_wilson_refuses_what_is_no_proportion(rate: float, n: int) -> None:
    with pytest.raises(ValueError, match="no Wilson interval"):
        wilson(rate, n)


@given(st.lists(SCORES, min_size=1, max_size=50), st.randoms(use_true_random=False))
@settings(max_examples=100, deadline=None)
def test_the_mean_does_not_depend_on_the_order(scores: list[float], rng: Any) -> None:
    shuffled = list(scores)
    rng.shuffle(shuffled)

    assert mean(shuffled) == mean(scores)
    assert mean(scores) == pytest.approx(sum(scores) / len(scores))


def test_the_mean_of_nothing_is_unknown() -> None:
    assert mean([]) is None


def test_only_scored_rows_count() -> None:
    rows = [row(1), row(0, "truncated"), row(None, "infra_error"), row(None, "context_overflow"), row(None, "budget")]
    figures = statistics_of(rows)

    assert (figures.trials, figures.n, figures.end_to_end_rate) == (5, 2, 0.5)
    assert figures.interval == wilson(0.5, 2)


def test_the_retrieval_rate_leaves_out_what_was_no_answer() -> None:
    verdicts = ["right", "right", "right", "wrong", "abstained", "distractor"]
    answers = [row(float(verdict == "right"), verdict=verdict) for verdict in verdicts]
    others = [row(0, outcome) for outcome in ("refused", "truncated", "no_final_answer", "empty")]
    rows = [*answers, *others, row(0, verdict="format_failure"), row(None, "rate_limited")]

    assert retrieval_rate(rows) == 3 / 6
    assert end_to_end_rate(rows) == 3 / 11
    assert statistics_of(rows).retrieval_n == 6


def test_no_scored_row_gives_no_rate() -> None:
    figures = statistics_of([row(None, "infra_error")])

    assert (figures.end_to_end_rate, figures.interval, figures.retrieval_rate, figures.n) == (None, None, None, 0)
    assert figures.outcomes == {"infra_error": 1}


def test_the_histogram_is_sorted_by_count_and_then_by_name() -> None:
    rows = [row(0, "truncated"), row(1), row(1), row(0, "empty"), {}]

    found = statistics_of(rows).outcomes
    assert list(found.items()) == [("answered", 2), ("empty", 1), ("truncated", 1), ("unknown", 1)]
