"""Failing cells as ranges: nothing that passed is covered, everything that failed is covered or named."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from pytest_haystack.results.failing_ranges import Range, Spot, cover, fails

LENGTHS, DEPTHS = (1000, 2000, 4000, 8000), (0.0, 25.0, 50.0, 75.0, 100.0)
GRID = tuple(itertools.product(LENGTHS, DEPTHS))
SPOTS = st.sets(st.sampled_from(GRID))


def held(ranges: tuple[Range, ...]) -> set[Spot]:
    return {spot for spot in GRID for one in ranges if one.holds(spot)}


@given(SPOTS)
def test_every_failing_cell_is_covered_and_no_other(failing: set[Spot]) -> None:
    ranges, uncovered = cover(failing, failing, GRID)

    assert held(ranges) == failing
    assert not uncovered


@given(SPOTS, SPOTS)
def test_allowed_cells_may_be_held_and_others_never(required: set[Spot], allowed: set[Spot]) -> None:
    ranges, uncovered = cover(required, allowed, GRID)

    assert required <= held(ranges) <= required | allowed
    assert not uncovered


@given(SPOTS, SPOTS)
def test_places_without_a_cell_are_reached_over_but_never_asked_for(failing: set[Spot], missing: set[Spot]) -> None:
    cells = set(GRID) - missing
    failing &= cells
    ranges, _ = cover(failing, failing, cells)

    assert held(ranges) & cells == failing
    assert len(ranges) <= len(cover(failing, failing, GRID)[0])


@given(SPOTS.flatmap(lambda spots: st.permutations(sorted(spots))))
def test_the_order_in_which_cells_came_changes_nothing(failing: list[Spot]) -> None:
    assert cover(failing, failing, GRID) == cover(sorted(failing), set(failing), list(reversed(GRID)))


@pytest.mark.parametrize(
    "planted",
    [
        [Range(1000, 8000, 0, 100)],
        [Range(4000, 8000, 25, 75)],
        [Range(1000, 1000, 0, 0), Range(4000, 8000, 50, 100)],
        [Range(1000, 1000, 0, 100), Range(4000, 4000, 0, 25), Range(4000, 8000, 75, 100)],
        # A cross, whose bars overlap.
        [Range(1000, 8000, 50, 50), Range(4000, 4000, 0, 100)],
        # A staircase: the deeper, the shorter.
        [Range(1000, 8000, 100, 100), Range(2000, 8000, 75, 100), Range(8000, 8000, 0, 100)],
    ],
)
def test_planted_ranges_are_found_again(planted: list[Range]) -> None:
    failing = held(tuple(planted))

    assert cover(failing, failing, GRID)[0] == tuple(sorted(planted))


@given(st.sets(st.sampled_from([(x, y) for x in (1, 2, 3) for y in (0.0, 1.0, 2.0)])))
@settings(deadline=None, max_examples=60)
def test_on_small_grids_no_smaller_list_of_ranges_exists(failing: set[Spot]) -> None:
    cells = [(x, y) for x in (1, 2, 3) for y in (0.0, 1.0, 2.0)]
    every = [
        Range(a, b, c, d)
        for a, b in itertools.combinations_with_replacement((1, 2, 3), 2)
        for c, d in itertools.combinations_with_replacement((0.0, 1.0, 2.0), 2)
    ]
    clean = [one for one in every if all(spot in failing for spot in cells if one.holds(spot))]
    ranges, _ = cover(failing, failing, cells)

    for some in itertools.combinations(clean, len(ranges) - 1) if ranges else ():
        assert {spot for spot in cells for one in some if one.holds(spot)} != failing


def test_what_is_not_evident_is_named_and_the_rest_is_covered() -> None:
    scores = {spot: [0.0] for spot in GRID if spot[0] == 8000} | {(1000, 0.0): [0.0]}

    ranges, uncovered = cover(
        scores, scores, GRID, lambda spots: fails([s for spot in spots for s in scores[spot]], 0.9)
    )

    # Five of five are wrong by chance in 1 of 100,000 runs, one of one in 1 of 10.
    assert ranges == (Range(8000, 8000, 0, 100),)
    assert uncovered == ((1000, 0.0),)


def test_evidence_is_not_lost_in_a_range_that_as_a_whole_has_none() -> None:
    clear, doubtful = (1000, 0.0), (2000, 0.0)
    scores = {clear: [0.0] * 4, doubtful: [1.0] * 80 + [0.0] * 9}

    ranges, uncovered = cover(
        scores, scores, GRID, lambda spots: fails([s for spot in spots for s in scores[spot]], 0.9)
    )

    assert (ranges, uncovered) == ((Range(1000, 1000, 0, 0),), (doubtful,))


@given(SPOTS, st.integers(1, 6))
@settings(deadline=None)
def test_each_range_is_accepted_and_each_cell_covered_or_named(failing: set[Spot], least: int) -> None:
    ranges, uncovered = cover(failing, failing, GRID, lambda spots: len(spots) >= least)

    assert held(ranges) | set(uncovered) == failing
    assert not held(ranges) & set(uncovered)
    for one in ranges:
        assert sum(one.holds(spot) for spot in GRID) >= least


@given(st.integers(0, 30), st.integers(0, 30), st.floats(0.05, 0.95))
def test_scores_of_zero_and_one_fail_by_the_exact_binomial_test(right: int, wrong: int, threshold: float) -> None:
    scores = [1.0] * right + [0.0] * wrong
    if not scores:
        assert not fails(scores, threshold)
        return
    p = stats.binomtest(right, right + wrong, threshold, alternative="less").pvalue
    below = right / len(scores) < threshold - 1e-9

    if abs(p - 0.05) > 1e-9:
        assert fails(scores, threshold) == (below and p <= 0.05)


def test_any_miss_fails_a_threshold_of_one_and_a_score_at_the_threshold_never_fails() -> None:
    assert fails([0.0], 1.0)
    assert fails([0.8], 1.0)
    assert not fails([1.0, 1.0], 1.0)
    assert not fails([0.8] * 1000, 0.8)


def test_fractional_scores_fail_only_beyond_what_hoeffding_allows() -> None:
    def bound(n: int) -> float:
        return math.exp(-n * (0.5 * math.log(0.5 / 0.8) + 0.5 * math.log(0.5 / 0.2)))

    least = next(n for n in itertools.count(1) if bound(n) <= 0.05)

    assert fails([0.5] * least, 0.8)
    assert not fails([0.5] * (least - 1), 0.8)
