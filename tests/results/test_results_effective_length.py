"""The effective context length, and words for scores."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_haystack.results.bands import band_of_score
from pytest_haystack.results.effective_length import LengthScores, effective_length_of


@pytest.mark.parametrize(
    ("lengths", "tokens", "ended", "at"),
    [
        ({1000: [1, 1], 2000: [1, 0.8], 4000: [1, 0]}, 2000, "fell", 4000),
        ({1000: [1, 1], 2000: [0, 0], 4000: [1, 1]}, 1000, "fell", 2000),
        ({1000: [0, 1], 2000: [1, 1]}, 0, "fell", 1000),
        ({1000: [1], 2000: [0.856]}, 2000, "longest", 2000),
        ({2000: [1], 1000: [1]}, 2000, "longest", 2000),
    ],
)
def test_it_is_the_last_length_before_the_first_that_falls_short(
    lengths: Mapping[int, list[float]], tokens: int, ended: str, at: int
) -> None:
    found = effective_length_of({length: LengthScores(scores) for length, scores in lengths.items()})

    assert found is not None
    assert (found.tokens, found.ended, found.at) == (tokens, ended, at)
    assert found.mean == pytest.approx(sum(lengths[at]) / len(lengths[at]))


def test_what_is_missing_ends_it_only_where_it_could_matter() -> None:
    right, half = LengthScores([1] * 99, 1), LengthScores([1] * 5, 5)
    hopeless = LengthScores([0] * 5, 1)

    def ended(second: LengthScores) -> tuple[int, str, int]:
        found = effective_length_of({1000: right, 2000: second})
        assert found is not None
        return found.tokens, found.ended, found.missing

    assert ended(half) == (1000, "missing", 5)
    assert ended(hopeless) == (1000, "fell", 1)
    assert ended(right) == (2000, "longest", 0)


def test_without_a_score_there_is_none() -> None:
    assert effective_length_of({}) is None
    assert effective_length_of({1000: LengthScores([], 3)}) is None
    found = effective_length_of({1000: LengthScores([], 3), 2000: LengthScores([1])})
    assert found is not None
    assert (found.tokens, found.ended, found.mean) == (0, "missing", None)


@given(
    st.dictionaries(st.integers(1, 9), st.lists(st.floats(0, 1), min_size=1, max_size=4), min_size=1),
    st.floats(0, 1),
    st.floats(0, 1),
)
def test_who_asks_for_more_gets_no_longer_length(lengths: dict[int, list[float]], one: float, other: float) -> None:
    found = [
        effective_length_of({key: LengthScores(scores) for key, scores in lengths.items()}, w) for w in (one, other)
    ]
    low, high = sorted(zip((one, other), found, strict=True), key=lambda pair: pair[0])

    assert low[1] is not None
    assert high[1] is not None
    assert low[1].tokens >= high[1].tokens


@pytest.mark.parametrize(
    ("score", "band"),
    [
        (1, "excellent"),
        (0.95, "excellent"),
        (0.9499, "good"),
        (0.8, "good"),
        (0.7999, "fair"),
        (0.6, "fair"),
        (0.5999, "poor"),
        (0.4, "poor"),
        (0.3999, "failing"),
        (0, "failing"),
        (0.1 + 0.7, "good"),
        (0.1 * 3 + 0.5, "good"),
        (None, None),
    ],
)
def test_each_score_has_its_band(score: float | None, band: str | None) -> None:
    assert band_of_score(score) == band
