"""Named patterns: found where they are, and nowhere else."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from pytest_haystack.results.depth_patterns import step_is_steep
from pytest_haystack.results.patterns import patterns_of

LENGTHS = [1000, 2000, 4000, 8000, 16000, 32000]
DEPTHS = [0, 3.95, 10.43, 20.33, 33.91, 50, 66.09, 79.67, 89.57, 96.05, 100]


def rows(
    score: Callable[[int, float], float],
    lengths: Sequence[int] = LENGTHS,
    depths: Sequence[float] = DEPTHS,
    trials: int = 1,
    **fields: Any,
) -> list[dict[str, Any]]:
    """A row a trial; ``score`` is asked for each."""
    return [
        {
            "context_length": length,
            "depth_percent": depth,
            "score": score(length, depth),
            "task_type": "single",
            "recipe": {"placements": [{"text": "x"}]},
            **fields,
        }
        for length in lengths
        for depth in depths
        for _ in range(trials)
    ]


def names(found: Sequence[dict[str, Any]]) -> list[str]:
    return [pattern.name for pattern in patterns_of(found)]


SHAPES: dict[str, tuple[Callable[[int, float], float], list[str], str]] = {
    "all right": (
        lambda length, depth: 1,
        ["perfect square"],
        "all 66 prompts right from 1,000 to 32,000 tokens at 11 depths (the rate is above 0.956 with 95 % confidence)",
    ),
    "a blind middle": (
        lambda length, depth: length < 4000 or not 30 < depth < 70,
        ["lost in the middle"],
        (
            "from 4,000 tokens on mean 0.00 in the middle third (n 12), 1.00 in the first third (n 16) "
            "and 1.00 in the last third (n 16)"
        ),
    ),
    "a blind end": (
        lambda length, depth: length < 8000 or depth < 70,
        ["lost at the end"],
        (
            "from 8,000 tokens on mean 0.00 in the last third (n 12), 1.00 in the first third (n 12) "
            "and 1.00 in the middle third (n 9)"
        ),
    ),
    "eyes for the end": (
        lambda length, depth: length < 8000 or depth > 70 or 0.2,
        ["context cliff", "end advantage"],
        (
            "from 8,000 tokens on mean 1.00 in the last third (n 12), 0.20 in the first third (n 12) "
            "and 0.20 in the middle third (n 9)"
        ),
    ),
    "nothing from a length on": (
        lambda length, depth: length <= 8000,
        ["context cliff"],
        "mean 1.00 up to 8,000 tokens (n 44), 0.00 from 16,000 on (n 22)",
    ),
    "the first tokens": (
        lambda length, depth: length * depth <= 400_000,
        ["lost at the end", "diagonal fade"],
        "mean 1.00 up to 4,000 tokens from the start (n 46), 0.00 beyond (n 20)",
    ),
    "the last tokens": (
        lambda length, depth: length * (100 - depth) <= 200_000,
        ["end advantage", "diagonal fade"],
        "mean 1.00 up to 2,000 tokens from the end (n 37), 0.00 beyond (n 29)",
    ),
    "nothing at all": (lambda length, depth: 0, [], ""),
    "all alike": (lambda length, depth: 0.6, [], ""),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_plain_shape_has_its_name(shape: str) -> None:
    score, wanted, text = SHAPES[shape]
    found = patterns_of(rows(score))

    assert [pattern.name for pattern in found] == wanted
    assert not found or found[-1].text == text


@pytest.mark.parametrize("shape", SHAPES)
def test_few_cells_have_no_name(shape: str) -> None:
    assert names(rows(SHAPES[shape][0], [1000, 16000], [0, 50, 100])) == []


@pytest.mark.parametrize("shape", SHAPES)
def test_rows_in_any_order_say_the_same(shape: str) -> None:
    listed = rows(SHAPES[shape][0])
    shuffled = random.Random(3).sample(listed, len(listed))

    assert patterns_of(shuffled) == patterns_of(listed)


@pytest.mark.parametrize("share", [0.02, 0.1])
@pytest.mark.parametrize("shape", ["a blind middle", "a blind end", "nothing from a length on", "the first tokens"])
def test_a_shape_is_known_in_spite_of_noise(shape: str, share: float) -> None:
    chance, (score, wanted, _) = random.Random(1), SHAPES[shape]

    noisy = rows(lambda *place: chance.random() < 0.5 if chance.random() < share else score(*place), trials=3)

    # A fade is a loss at the end too, if only just.
    assert {wanted[-1]} <= set(names(noisy)) <= set(wanted)


def coin(rate: float) -> Callable[[random.Random], float]:
    return lambda chance: float(chance.random() < rate)


def five_needles(chance: random.Random) -> float:
    return sum(chance.random() < 0.7 for _ in range(5)) / 5


NOISE = {"p .5": coin(0.5), "p .7": coin(0.7), "p .9": coin(0.9), "p .95": coin(0.95), "five of .7": five_needles}
GRIDS = [([1000, 4000, 16000], [0, 25, 50, 75, 100], 1), (LENGTHS, DEPTHS, 1), ([1000, 8000, 32000], [0, 50, 100], 10)]


@pytest.mark.parametrize("noise", NOISE)
def test_noise_has_no_name(noise: str) -> None:
    chance, seen = random.Random(noise), Counter[str]()
    for number in range(150):
        lengths, depths, trials = GRIDS[number % len(GRIDS)]
        seen.update(names(rows(lambda *_: NOISE[noise](chance), lengths, depths, trials)))

    # That all of many answers are right is no noise, however it came about: the bound beside it tells.
    del seen["perfect square"]
    assert sum(seen.values()) <= 1, seen


def test_lengths_that_are_harder_are_no_pattern_of_depths() -> None:
    chance, seen = random.Random(5), Counter[str]()
    for _ in range(60):
        seen.update(names(rows(lambda length, _: float(chance.random() > length / (length + 64_000)), trials=2)))

    del seen["perfect square"]
    assert sum(seen.values()) <= 1, seen


def test_the_same_prompt_asked_again_is_no_further_evidence() -> None:
    def asked(again: int, **fields: Any) -> list[dict[str, Any]]:
        return rows(lambda _, depth: depth != 50, [4000, 8000], [0, 25, 50, 75, 100], again, **fields)

    repeated = [{**row, "prompt_sha256": f"{row['context_length']} {row['depth_percent']}"} for row in asked(20)]

    assert names(asked(20)) == ["lost in the middle"]
    assert names(repeated) == []


def test_depths_say_nothing_where_several_needles_are_asked_for() -> None:
    blind = SHAPES["a blind middle"][0]
    several = {"placements": [{"text": "x"}, {"text": "y"}]}

    assert names(rows(blind, recipe=several, task_type="multi")) == []
    assert names(rows(blind, recipe=several, task_type="distractor")) == ["lost in the middle"]
    assert names(rows(SHAPES["nothing from a length on"][0], recipe=several)) == ["context cliff"]


def test_a_perfect_square_has_no_holes_and_no_luck() -> None:
    right = rows(lambda *_: 1)

    assert names([*right, {**right[0], "score": None}]) == []
    assert names(rows(lambda *_: 1, [1000, 2000], [0, 50], trials=7)) == []
    assert names(rows(lambda *_: 1, [1000, 2000], [0, 50], trials=8)) == ["perfect square"]
    assert names(rows(lambda *_: 1, [1000], DEPTHS, trials=8)) == []


def test_a_cliff_between_lengths_far_apart_may_be_a_slope() -> None:
    def falls(length: int, _: float) -> float:
        return length <= 2000

    assert names(rows(falls, [1000, 2000, 8000])) == ["context cliff"]
    assert names(rows(falls, [1000, 2000, 10_000])) == []


def test_no_rows_have_no_pattern() -> None:
    assert patterns_of([]) == []
    assert names(rows(lambda *_: 1, [1000], [50])) == []


def test_a_dip_that_recovers_is_no_cliff() -> None:
    dip = {1000: 1, 2000: 1, 4000: 0, 8000: 0.5, 16000: 1}

    assert names(rows(lambda length, _: dip[length], list(dip))) == []


def test_one_length_alone_makes_no_diagonal() -> None:
    def near(length: int, depth: float) -> float:
        return length * depth <= 90_000

    assert "diagonal fade" not in names(rows(near, [1000, 2000, 4000], [30, 60, 90], 20))
    assert "diagonal fade" in names(rows(near, [1000, 1500, 2000, 4000], [20, 40, 60, 90], 20))


@pytest.mark.parametrize("level", [0.01, 0.001])
@pytest.mark.parametrize("size", [12, 40, 300])
def test_a_step_between_right_and_wrong_is_steep_where_the_exact_test_says_so(level: float, size: int) -> None:
    from scipy.stats import hypergeom

    decided = set()
    for right in range(size // 2, size + 1):
        exact = hypergeom.sf(right - 1, 2 * size, right + size // 4, size)
        if 0.5 < exact / level < 2:
            continue  # the deals that are drawn cannot tell
        high, low = [float(i < right) for i in range(size)], [float(i < size // 4) for i in range(size)]
        assert step_is_steep(high, low, level) == (exact < level)
        decided.add(bool(exact < level))
    assert True in decided
