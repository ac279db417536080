"""The search for the longest context length that holds, on made-up models."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_haystack.config.trials import StopRule, TrialsEntry
from pytest_haystack.results.length_search import find_effective_length
from pytest_haystack.results.length_tests import LengthTests

LENGTHS = [1000 * 2**step for step in range(8)]


@given(st.integers(0, 8), st.integers(0, 2**16))
@settings(max_examples=100, deadline=None)
def test_where_scores_fall_with_length_the_answer_takes_few_tests(holding: int, seed: int) -> None:
    sampled: list[int] = []

    def sample(length: int) -> float:
        sampled.append(length)
        return 1.0

    found = find_effective_length(LENGTHS, 0.9, lambda length: length in LENGTHS[:holding], sample, random.Random(seed))

    assert found.length == (LENGTHS[holding - 1] if holding else 0)
    assert found.monotone
    assert len(found.tested) <= 4
    assert sampled == list(found.audited)
    # The audit looks at two lengths that hold by the answer and were not tested.
    assert len(sampled) == min(2, holding - sum(found.tested.values()))
    assert not set(sampled) & set(found.tested)
    assert found.bounds(LENGTHS) == (
        LENGTHS[holding - 1] if holding else None,
        LENGTHS[holding] if holding < 8 else None,
    )


@given(st.lists(st.booleans(), min_size=1, max_size=12), st.integers(0, 2**16))
@settings(max_examples=200, deadline=None)
def test_an_audit_that_fails_leads_to_the_last_length_before_the_first_that_fails(holds: list[bool], seed: int) -> None:
    lengths = [100 * (number + 1) for number in range(len(holds))]
    truth = dict(zip(lengths, holds, strict=True))
    tests: list[int] = []

    def passes(length: int) -> bool:
        tests.append(length)
        return truth[length]

    found = find_effective_length(lengths, 0.9, passes, lambda length: float(truth[length]), random.Random(seed))

    first = next((number for number, held in enumerate(holds) if not held), len(holds))
    assert len(tests) == len(set(tests))
    if not found.monotone:
        assert found.length == (lengths[first - 1] if first else 0)
    # Without a mean far below the threshold among the sampled ones, halving stands.
    assert found.monotone == all(mean >= 0.75 for mean in found.audited.values())
    low, high = found.bounds(lengths)
    assert low is None or truth[low]
    assert high is None or not truth[high]


def test_a_mean_that_is_a_little_low_does_not_disprove_that_scores_fall() -> None:
    for mean, monotone in [(0.75, True), (0.74, False)]:
        found = find_effective_length([1, 2, 4, 8], 0.9, lambda _: True, lambda _, m=mean: m, random.Random(1))
        assert found.monotone == monotone


def rule(most: int = 66, stop: str = "sprt") -> StopRule:
    return StopRule.of(TrialsEntry(max=most, stop=stop), 0.9, most)  # type: ignore[arg-type]


def test_no_more_is_asked_than_a_verdict_takes() -> None:
    asked: list[tuple[int, int]] = []

    def ask(length: int, number: int) -> Iterator[float]:
        for _ in range(11):
            asked.append((length, number))
            yield 1.0

    tests = LengthTests(rule(), ask)

    assert tests.passes(4000)
    assert [number for _, number in asked] == [0] * 11 + [1] * 11 + [2] * 5
    assert tests.decisions()[4000].trials == 27


def test_a_sampled_round_is_the_first_of_a_test() -> None:
    asked: list[int] = []

    def ask(length: int, number: int) -> list[float]:
        asked.append(number)
        return [1.0] * 9

    tests = LengthTests(rule(), ask)

    assert tests.sample(2000) == 1
    assert tests.decisions() == {}
    assert tests.passes(2000)
    assert asked == [0, 1, 2]
    assert tests.decisions()[2000].trials == 27


def test_a_round_asked_at_once_counts_up_to_the_verdict() -> None:
    tests = LengthTests(rule(), lambda length, number: [0.0] * 11)

    assert not tests.passes(1000)
    assert tests.decisions()[1000].trials == 3


def test_a_round_without_scores_is_refused() -> None:
    with pytest.raises(ValueError, match="round 0 at 1000 tokens has no scores"):
        LengthTests(rule(), lambda length, number: []).passes(1000)
