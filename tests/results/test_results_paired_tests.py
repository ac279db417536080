"""Paired tests and intervals, held to scipy, to published values and to what they promise."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from pytest_haystack.results.paired_tests import clustered_interval, holm, mcnemar, newcombe, sign_flip

COUNTS = st.integers(0, 400)


@given(COUNTS, COUNTS)
def test_mcnemar_is_the_binomial_test_of_the_pairs_that_differ(b: int, c: int) -> None:
    figures = mcnemar(b, c)

    expected = stats.binomtest(b, b + c, 0.5, alternative="greater").pvalue if b + c else 1.0
    half = stats.binom.pmf(b, b + c, 0.5) / 2 if b + c else 0
    assert figures.exact == pytest.approx(expected, abs=1e-9)
    assert figures.mid_p == pytest.approx(expected - half, abs=1e-9)


@pytest.mark.parametrize(("c", "exact", "mid"), [(0, 5, 4), (1, 7, 6), (2, 9, 8), (3, 10, 9), (4, 12, 11)])
def test_the_smallest_red_tables_at_five_percent(c: int, exact: int, mid: int) -> None:
    assert next(b for b in itertools.count() if mcnemar(b, c).exact <= 0.05) == exact
    assert next(b for b in itertools.count() if mcnemar(b, c).mid_p <= 0.05) == mid


@pytest.mark.parametrize(
    ("table", "low", "high"),
    [
        # Fagerland, Lydersen and Laake, Statistics in Medicine 33 (2014): airway hyper-responsiveness.
        ((1, 7, 1, 12), -0.507, -0.026),
        # Altman and others, Statistics with Confidence (2000), table 6.2, with the signs of new minus old.
        ((14, 5, 0, 22), -0.226, -0.011),
    ],
)
def test_newcombe_gives_the_published_intervals(table: tuple[int, int, int, int], low: float, high: float) -> None:
    assert newcombe(*table) == pytest.approx((low, high), abs=5e-4)


@given(st.tuples(COUNTS, COUNTS, COUNTS, COUNTS).filter(any))
def test_newcombe_holds_the_difference_and_mirrors_when_the_runs_change_places(table: tuple[int, ...]) -> None:
    both, b, c, neither = table
    low, high = newcombe(both, b, c, neither)

    assert -1 <= low <= (c - b) / sum(table) + 1e-12
    assert (c - b) / sum(table) - 1e-12 <= high <= 1
    assert newcombe(both, c, b, neither) == pytest.approx((-high, -low), abs=1e-9)


def test_newcombe_covers_the_true_difference_about_as_often_as_it_says() -> None:
    generator = random.Random(7)
    runs, covered = 2000, 0
    for _ in range(runs):
        table = [0, 0, 0, 0]
        for kind in generator.choices(range(4), (0.86, 0.09, 0.03, 0.02), k=100):
            table[kind] += 1
        low, high = newcombe(*table)
        covered += low <= -0.06 <= high

    assert 0.93 <= covered / runs <= 0.99


@given(st.lists(st.floats(-1, 1).map(lambda value: round(value, 3)), min_size=1, max_size=9))
@settings(deadline=None)
def test_sign_flips_of_few_cells_are_all_looked_at(differences: list[float]) -> None:
    moved = [difference for difference in differences if difference]
    sums = [
        math.fsum(sign * value for sign, value in zip(signs, moved, strict=True))
        for signs in itertools.product((1, -1), repeat=len(moved))
    ]
    expected = sum(value <= math.fsum(moved) + 1e-9 for value in sums) / len(sums) if moved else 1.0

    assert sign_flip(differences) == pytest.approx(expected, abs=1e-12)


def test_drawn_sign_flips_agree_with_scipy() -> None:
    generator = np.random.default_rng(3)
    differences = generator.normal(-0.08, 0.3, 60)
    reference = stats.permutation_test(
        (differences,), np.sum, permutation_type="samples", alternative="less", n_resamples=20_000
    )

    assert sign_flip(list(differences)) == pytest.approx(reference.pvalue, abs=0.01)


def test_drawn_sign_flips_are_the_same_on_every_call_and_never_give_nothing() -> None:
    differences = [-0.1, 0.05, -0.2] * 10

    assert sign_flip(differences) == sign_flip(differences) != sign_flip(differences, seed=1)
    assert sign_flip([-1.0] * 40) == pytest.approx(1 / 10_001)


def test_cells_without_a_difference_change_nothing() -> None:
    assert sign_flip([-0.5, -0.25, 0.1]) == sign_flip([0, -0.5, 0, -0.25, 0.1] + [0] * 30) < 1
    assert sign_flip([0.0] * 20) == 1


def test_single_pairs_have_the_interval_of_student() -> None:
    values = [0.1, -0.3, 0.0, -0.2, 0.05, -0.4]
    reference = stats.t.interval(0.95, len(values) - 1, np.mean(values), stats.sem(values))

    assert clustered_interval([[value] for value in values]) == pytest.approx(reference)
    assert clustered_interval([values]) is None


def test_trials_that_move_together_widen_the_interval() -> None:
    alone = clustered_interval([[value] for value in (-0.5, -0.5, 0.1, 0.1, -0.2, -0.2)])
    together = clustered_interval([[-0.5, -0.5], [0.1, 0.1], [-0.2, -0.2]])

    assert alone is not None
    assert together is not None
    assert together[0] < alone[0] < alone[1] < together[1]


def test_holm_multiplies_the_smallest_most_and_keeps_the_order() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []
    assert holm([0.9, 0.8]) == [1.0, 1.0]
