"""Placements, against figures worked out by hand."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_haystack.needles.placements import DEPTHLESS, centered, even_spread, scattered, uniform
from pytest_haystack.registry import Registry

RNG = random.Random(1)
NAMES = tuple(Registry().placements)


def test_uniform_is_from_5_to_95_in_equal_steps() -> None:
    assert uniform(2, 40, RNG, {}) == [5, 95]
    assert uniform(4, 40, RNG, {}) == [5, 35, 65, 95]
    assert uniform(5, 90, RNG, {}) == [5, 27.5, 50, 72.5, 95]
    assert uniform(10, 0, RNG, {}) == [5, 15, 25, 35, 45, 55, 65, 75, 85, 95]


def test_bookends_stand_at_5_and_95_with_the_others_evenly_between() -> None:
    bookends = Registry().placements["bookends"]

    assert bookends(3, 40, RNG, {}) == [5, 50, 95]
    assert bookends(7, 40, RNG, {}) == [5, 20, 35, 50, 65, 80, 95]


def test_centered_spreads_over_delta_on_both_sides() -> None:
    assert centered(3, 50, RNG, {}) == [40, 50, 60]
    assert centered(5, 50, RNG, {"delta": 4}) == [46, 48, 50, 52, 54]
    assert centered(2, 50, RNG, {"delta": 0}) == [50, 50]


def test_centered_is_clipped_to_the_document() -> None:
    assert centered(3, 0, RNG, {}) == [0, 5, 10]
    assert centered(3, 96, RNG, {"delta": 20}) == [76, 88, 100]


def test_even_spread_of_ten_needles_at_40() -> None:
    assert even_spread(10, 40, RNG, {}) == [40, 46, 52, 58, 64, 70, 76, 82, 88, 94]
    assert even_spread(4, 0, RNG, {}) == [0, 25, 50, 75]
    assert even_spread(3, 100, RNG, {}) == [100, 100, 100]


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32), st.integers(2, 60), st.floats(0, 100))
def test_random_depths_are_sorted_within_5_and_95_and_new_each_time(seed: int, count: int, depth: float) -> None:
    rng = random.Random(seed)

    first, second = scattered(count, depth, rng, {}), scattered(count, depth, rng, {})

    assert len(first) == count
    assert first == sorted(first)
    assert all(5 <= place <= 95 for place in first)
    assert first != second
    assert first == scattered(count, depth, random.Random(seed), {})


@pytest.mark.parametrize("name", NAMES)
@given(depth=st.floats(0, 100))
@settings(max_examples=20, deadline=None)
def test_one_needle_stands_at_the_depth_of_the_cell(name: str, depth: float) -> None:
    assert Registry().placements[name](1, depth, random.Random(0), {}) == [depth]


@pytest.mark.parametrize("name", NAMES)
@given(depth=st.floats(0, 100), count=st.integers(1, 40), delta=st.floats(0, 100))
@settings(max_examples=40, deadline=None)
def test_depths_ascend_within_the_document(name: str, depth: float, count: int, delta: float) -> None:
    depths = Registry().placements[name](count, depth, random.Random(0), {"delta": delta})

    assert len(depths) == count
    assert all(0 <= place <= 100 + 1e-9 for place in depths)
    assert all(one <= other + 1e-9 for one, other in pairwise(depths))


def test_only_placements_called_depthless_ignore_the_depth() -> None:
    for name in NAMES:
        place = Registry().placements[name]
        same = place(4, 20, random.Random(0), {}) == place(4, 70, random.Random(0), {})
        assert same == (name in DEPTHLESS or name == "random")
