"""Bounds and gates as pure functions of rows."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from pytest_haystack.config.gates import GateEntry
from pytest_haystack.registry import Registry
from pytest_haystack.results.bounds import betting_lower, clopper_pearson_lower
from pytest_haystack.results.gates import GatedCell, GateResult, judge_gate

METRICS = Registry().metrics


def entry(metric: str, **keys: Any) -> GateEntry:
    return GateEntry(**{"id": metric, "metric": metric, "min": 0.5, **keys})


def cell(
    score: float | None = 1, *, length: int = 1000, depth: float = 50, lack: Any = None, trials: int = 1, **row: Any
) -> GatedCell:
    values = {"model_id": "m", "task": "t", "context_length": length, "depth_percent": depth}
    rows = () if lack else ({**values, "score": score, "outcome": "answered", "score_details": {}, **row},) * trials
    return GatedCell("m", "t", "t", "single", "default", length, depth, trials, False, rows, lack)


def judged(gate: GateEntry, *cells: GatedCell) -> GateResult:
    (result,) = judge_gate(gate, METRICS[gate.metric](), cells)
    return result


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.floats(0.001, 0.3))
@settings(max_examples=200, deadline=None)
def test_exact_bounds_are_those_of_scipy(counts: tuple[int, int], alpha: float) -> None:
    successes, n = counts
    test = binomtest(successes, n, alternative="greater").proportion_ci(1 - alpha, "exact")

    assert math.isclose(clopper_pearson_lower(successes, n, alpha), test.low, abs_tol=1e-9)


@pytest.mark.parametrize(("n", "bound"), [(3, 0.37), (5, 0.55), (10, 0.74), (20, 0.86), (29, 0.902), (59, 0.950)])
def test_all_right_proves_what_the_table_says(n: int, bound: float) -> None:
    assert clopper_pearson_lower(n, n, 0.05) == pytest.approx(bound, abs=0.005)


def test_the_betting_bound_is_wrong_no_more_often_than_promised() -> None:
    # Five needles each, a mean of .7: 1,000 runs of 60 trials; with alpha .1 some 100 may be wrong at most.
    chance = random.Random(7)
    runs = [[sum(chance.random() < 0.7 for _ in range(5)) / 5 for _ in range(60)] for _ in range(1000)]

    bounds = [betting_lower(run, 0.1) for run in runs]

    assert sum(bound > 0.7 for bound in bounds) <= 100
    assert sum(bounds) / 1000 > 0.58


@given(st.lists(st.sampled_from([0, 0.25, 0.5, 1]), min_size=1, max_size=60), st.floats(0.01, 0.3))
@settings(max_examples=60, deadline=None)
def test_the_betting_bound_is_below_the_mean(scores: list[float], alpha: float) -> None:
    assert 0 <= betting_lower(scores, alpha) <= sum(scores) / len(scores)


CELLS = st.lists(
    st.builds(
        cell,
        st.sampled_from([0, 0.5, 1]),
        length=st.sampled_from([1000, 2000, 4000]),
        depth=st.sampled_from([0, 50, 100]),
        lack=st.sampled_from([None, None, "error", "selection", "overflow", "stop"]),
        trials=st.integers(1, 3),
    ),
    min_size=1,
    max_size=12,
)
MONOTONE = ["mean_score", "lower_bound", "worst_depth_mean", "effective_context_length"]


@given(CELLS, st.sampled_from(MONOTONE), st.floats(0, 1), st.randoms(use_true_random=False))
@settings(max_examples=300, deadline=None)
def test_a_verdict_despite_missing_scores_is_the_verdict_whatever_they_are(
    cells: list[GatedCell], metric: str, bound: float, chance: random.Random
) -> None:
    gate = entry(metric, min=bound * 4000 if metric == "effective_context_length" else bound)
    results = judge_gate(gate, METRICS[metric](), cells)
    assert bool(results) == any(one.lack != "selection" for one in cells)
    for result in results:
        if result.outcome == "undecided":
            assert any(one.lack for one in cells)
            continue
        whole = [replace(one, lack=None, rows=_scored(one, chance)) if one.lack else one for one in cells]
        assert judged(gate, *whole).outcome == result.outcome


def _scored(one: GatedCell, chance: random.Random) -> tuple[dict[str, Any], ...]:
    values = {"model_id": "m", "task": "t", "context_length": one.context_length, "depth_percent": one.depth_percent}
    return tuple({**values, "score": chance.random(), "outcome": "answered"} for _ in range(one.trials))


@pytest.mark.parametrize(
    ("lacks", "undecided", "fails"),
    [
        (["selection"], "fail", False),
        (["known"], "fail", False),
        (["skip"], "fail", False),
        (["error"], "fail", True),
        (["selection", "error"], "fail", True),
        (["stop"], "fail", True),
        (["overflow"], "fail", True),
        (["budget"], "fail", True),
        (["budget"], "pass", False),
    ],
)
def test_why_scores_are_missing_decides_what_that_means(lacks: list[str], undecided: str, fails: bool) -> None:
    result = judged(entry("mean_score", min=0.9, undecided=undecided), cell(1), *(cell(lack=lack) for lack in lacks))

    assert result.outcome == "undecided"
    assert result.fails_run is fails


LADDER = [(1000, 1.0), (2000, 0.9), (4000, 0.86), (8000, 0.5), (16000, 0.9)]


@pytest.mark.parametrize(
    ("keys", "length"),
    [
        ({}, 4000),
        ({"absolute": 0.9}, 2000),
        ({"absolute": 0.5}, 16000),
        ({"relative": 0.88}, 2000),
        ({"relative": 0.9, "base_lengths": 2}, 4000),
    ],
)
def test_effective_length_stops_at_the_first_length_that_falls_short(keys: dict[str, Any], length: int) -> None:
    cells = [cell(score, length=tokens) for tokens, score in LADDER]

    assert judged(entry("effective_context_length", min=1, **keys), *cells).value == length


def test_a_model_that_fails_at_once_has_no_effective_length() -> None:
    result = judged(entry("effective_context_length", min=1), cell(0), cell(1, length=2000))

    assert (result.value, result.outcome) == (0, "failed")


def test_the_worst_depth_is_pooled_over_lengths() -> None:
    cells = [
        cell(score, length=length, depth=depth) for depth, length, score in [(0, 1000, 0), (0, 2000, 1), (50, 1000, 1)]
    ]

    result = judged(entry("worst_depth_mean"), *cells)

    assert (result.value, result.text) == (0.5, "worst depth 0 %: mean score 0.5 over 2 trials")


def test_costs_that_nobody_knows_are_not_taken_for_none() -> None:
    usage = {"input_tokens": 5}
    gate = GateEntry(id="c", metric="cost_usd", max=1)

    unknown = judged(gate, cell(cost_usd=0.2), cell(cost_usd=None, usage=usage))
    over = judged(gate, cell(cost_usd=1.2), cell(cost_usd=None, usage=usage))
    known = judged(gate, cell(cost_usd=0.2), cell(cost_usd=0.3))

    assert (unknown.outcome, over.outcome, known.outcome) == ("undecided", "failed", "passed")
    assert unknown.text == "the cost of 1 trial is not known; set `pricing` on the model"
    assert known.value == pytest.approx(0.5)


def test_a_cost_above_the_bound_is_failed_though_cells_are_missing() -> None:
    gate = GateEntry(id="c", metric="cost_usd", max=1)

    assert judged(gate, cell(cost_usd=1.2), cell(lack="stop")).outcome == "failed"
    assert judged(gate, cell(cost_usd=0.2), cell(lack="stop")).outcome == "undecided"


def test_the_95th_percentile_is_the_nearest_rank() -> None:
    gate = GateEntry(id="l", metric="p95_latency_seconds", max=19)
    cells = [cell(latency_seconds=seconds) for seconds in range(1, 21)]

    assert judged(gate, *cells).value == 19
    assert judged(gate, *cells).outcome == "passed"
    assert judged(gate, *cells[1:]).outcome == "failed"
