from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from pytest_haystack.config.axes import expand_depths, expand_lengths, sigmoid_share
from pytest_haystack.config.ranges import DepthRange, Depths, LengthRange, Lengths
from pytest_haystack.errors import ConfigError

LENGTHS: TypeAdapter[Lengths] = TypeAdapter(Lengths)
DEPTHS: TypeAdapter[Depths] = TypeAdapter(Depths)
SCALES = ["linear", "log", "sigmoid"]


def test_sigmoid_depths_are_those_of_the_contract():
    depths = expand_depths(DEPTHS.validate_python({"min": 0, "max": 100, "num": 11, "scale": "sigmoid"}))
    assert depths == (0, 3.95, 10.43, 20.33, 33.91, 50, 66.09, 79.67, 89.57, 96.05, 100)


def test_a_depth_range_left_empty_is_every_ten_percent():
    assert expand_depths(DepthRange()) == tuple(range(0, 101, 10))


def test_sigmoid_is_symmetric_and_reaches_both_ends():
    assert sigmoid_share(0) == 0
    assert sigmoid_share(1) == 1
    assert sigmoid_share(0.25) == pytest.approx(1 - sigmoid_share(0.75))


def test_log_lengths_grow_by_the_same_factor():
    lengths = expand_lengths(LENGTHS.validate_python({"min": 1000, "max": 128000, "num": 8, "scale": "log"}))
    assert lengths == (1000, 2000, 4000, 8000, 16000, 32000, 64000, 128000)


def test_log_depths_start_at_zero_and_multiply_one_plus_depth():
    depths = expand_depths(DEPTHS.validate_python({"min": 0, "max": 99, "num": 3, "scale": "log"}))
    assert depths == (0, 9, 99)


def test_linear_lengths_are_rounded_to_whole_tokens():
    assert expand_lengths(LengthRange(min=1, max=2, num=2)) == (1, 2)
    assert expand_lengths(LengthRange(min=1000, max=2000, num=4)) == (1000, 1333, 1667, 2000)


def test_values_that_are_equal_once_rounded_appear_once():
    assert expand_lengths(LengthRange(min=1, max=3, num=9)) == (1, 2, 3)
    assert expand_depths(DepthRange(min=50, max=50, num=3)) == (50,)


def test_a_range_of_no_width_is_one_value_on_every_scale():
    for scale in SCALES:
        assert len(set(expand_depths(DepthRange(min=0.005, max=0.005, num=3, scale=scale)))) == 1


@pytest.mark.parametrize("scale", SCALES)
def test_one_point_is_the_minimum(scale):
    assert expand_lengths(LengthRange(min=500, max=900, num=1, scale=scale)) == (500,)
    assert expand_depths(DepthRange(min=0, max=90, num=1, scale=scale)) == (0,)


def test_a_list_keeps_its_order():
    assert expand_lengths([4000, 1000, 2000]) == (4000, 1000, 2000)
    assert expand_depths([50, 0.125, 100]) == (50, 0.12, 100)


def test_a_minimum_above_the_maximum_is_an_error():
    with pytest.raises(ConfigError, match=r"^min 2000000 is more than max 5$"):
        expand_lengths(LengthRange(min=2_000_000, max=5, num=3))
    with pytest.raises(ConfigError, match=r"^min 60 is more than max 40$"):
        expand_depths(DepthRange(min=60, max=40))


def test_a_repeated_value_is_an_error():
    with pytest.raises(ConfigError, match=r"^1000000 is listed twice$"):
        expand_lengths([1_000_000, 5, 1_000_000])
    with pytest.raises(ConfigError, match=r"^33.33 is listed twice$"):
        expand_depths([33.331, 33.329])


@given(st.integers(1, 10**9), st.integers(1, 10**9), st.integers(1, 300), st.sampled_from(SCALES))
@settings(max_examples=150, deadline=None)
def test_lengths_rise_from_minimum_to_maximum(one, other, num, scale):
    low, high = sorted((one, other))
    lengths = expand_lengths(LengthRange(min=low, max=high, num=num, scale=scale))
    assert list(lengths) == sorted(set(lengths))
    assert lengths[0] == low
    assert lengths[-1] == (high if num > 1 else low)
    assert len(lengths) <= num
    assert all(type(length) is int for length in lengths)


@given(st.floats(0, 100), st.floats(0, 100), st.integers(1, 300), st.sampled_from(SCALES))
@settings(max_examples=150, deadline=None)
def test_depths_rise_within_the_document(one, other, num, scale):
    low, high = sorted((one, other))
    depths = expand_depths(DepthRange(min=low, max=high, num=num, scale=scale))
    assert list(depths) == sorted(set(depths))
    assert depths[0] == round(low, 2)
    assert depths[-1] == (round(high, 2) if num > 1 else round(low, 2))
    assert 0 <= depths[0] <= depths[-1] <= 100
