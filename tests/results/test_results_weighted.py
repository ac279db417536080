"""The gate on several tasks' mean scores put together by weights."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_haystack.config.loader import load_config
from pytest_haystack.errors import ConfigError
from pytest_haystack.registry import Registry
from pytest_haystack.results.gates import GatedCell, GateResult, judge_gate
from pytest_haystack.running.prompts import PRESETS
from tests.results.test_results_gates import METRICS, entry

WEIGHTS = {"one": 0.4, "many": 0.3, "joined": 0.3}


def cell(task: str, score: float = 1, family: str | None = None, lack: Any = None) -> GatedCell:
    values = {"model_id": "m", "task": task, "family": family or task, "context_length": 1000, "depth_percent": 50}
    rows = () if lack else ({**values, "score": score, "outcome": "answered", "score_details": {}},)
    return GatedCell("m", task, family or task, "single", "default", 1000, 50, 1, False, rows, lack)


def judged(*cells: GatedCell, **keys: Any) -> GateResult:
    (result,) = judge_gate(entry("weighted_score", **{"weights": WEIGHTS, **keys}), METRICS["weighted_score"](), cells)
    return result


def test_each_task_counts_by_its_weight_and_not_by_its_cells() -> None:
    result = judged(cell("one", 1), *[cell("many", 0)] * 9, cell("joined", 0.5), cell("other", 0))

    assert result.value == pytest.approx(0.55)
    assert result.n == 11
    assert result.text == "weighted score 0.55 (one 1 x 0.4, many 0 x 0.3, joined 0.5 x 0.3)"


def test_the_variants_of_a_family_are_one_task_and_weights_are_shares_of_their_sum() -> None:
    cells = [cell("one", 1), cell("many", 1), cell("joined-n2", 1, "joined"), cell("joined-n3", 0, "joined")]
    tenfold = {name: 10 * weight for name, weight in WEIGHTS.items()}

    assert judged(*cells).value == pytest.approx(0.85)
    assert judged(*cells, weights=tenfold).value == pytest.approx(0.85)


def test_a_task_without_scores_leaves_it_undecided_unless_nothing_could_change_the_verdict() -> None:
    lost = cell("joined", lack="error")
    assert judged(cell("one"), cell("many"), lost, min=0.8).outcome == "undecided"
    assert judged(cell("one"), cell("many"), lost, min=0.7).outcome == "passed"
    assert judged(cell("one", 0), cell("many"), lost, min=0.7).outcome == "failed"
    assert judged(cell("one"), cell("many")).text == "there is no score of joined"


@pytest.mark.parametrize(
    ("gate", "problem"),
    [
        ("metric: weighted_score", "weighted_score needs weights"),
        ("metric: mean_score, weights: {single: 1}", "mean_score has no weights"),
        ("metric: weighted_score, weights: {}", "weights"),
        ("metric: weighted_score, weights: {single: 0}", "weights.single"),
        ("metric: weighted_score, weights: {singel: 1}", "there is no task 'singel'; did you mean 'single'"),
        ("metric: weighted_score, weights: {single: 1}, by: [task]", "remove task"),
        ("metric: weighted_score, weights: {single: 1}, task: single", "remove task"),
    ],
)
def test_weights_that_mean_nothing_are_told_with_their_place(tmp_path: Any, gate: str, problem: str) -> None:
    file = tmp_path / "haystack.yaml"
    file.write_text(
        "models: [{id: m, model: simulated/perfect}]\n"
        "sweep: {context_lengths: [1000], depth_percents: [0]}\n"
        f"tasks: [single]\ngates:\n  - {{{gate}, min: 0.5}}\n"
    )
    with pytest.raises(ConfigError) as error:
        load_config(file, Registry(), presets=PRESETS)

    (only,) = error.value.problems
    assert problem in only
    assert "gates[0]" in only or "gates.0" in only
