"""The gate `regression`: red, green or open, and never open where what is missing could not matter."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_haystack.config.gates import GateEntry
from pytest_haystack.results.gates import GatedCell, GateResult, judge_gate
from pytest_haystack.results.regression import compare_runs
from pytest_haystack.results.regression_gate import Regression
from tests.results.pairs import row, run


def entry(**fields: Any) -> GateEntry:
    return GateEntry(id="regression", metric="regression", **{"by": ["model", "task"], **fields})


def cells(scores: Sequence[float | None], lack: Any = "error", task: str = "single") -> list[GatedCell]:
    """A cell of one trial for each score; those without one lack it for this reason."""
    return [
        GatedCell(
            model="reader",
            task=task,
            family=task,
            task_type="single",
            prompt="default",
            context_length=1000 * number,
            depth_percent=50.0,
            trials=1,
            known=False,
            rows=() if score is None else (row(score, context_length=1000 * number, task=task),),
            lack=lack if score is None else None,
        )
        for number, score in enumerate(scores, start=1)
    ]


def judged(old: Sequence[float | None], new: Sequence[float | None], lack: Any = "error", **fields: Any) -> GateResult:
    (result,) = judge_gate(entry(**fields), Regression(run(old)), cells(new, lack))
    return result


@pytest.mark.parametrize(
    ("fields", "outcome"),
    [
        ({}, "failed"),
        ({"alpha": 0.04}, "failed"),
        ({"alpha": 0.01}, "passed"),
        ({"min": -0.39}, "failed"),
        ({"min": -0.4}, "passed"),
        ({"context_lengths": {"min": 5000}}, "passed"),
    ],
)
def test_red_takes_evidence_and_a_drop_that_is_not_tolerated(fields: dict[str, Any], outcome: str) -> None:
    # 4 of 10 are lost; at alpha 0.01 ten pairs could show a regression, but these do not.
    result = judged([1] * 10, [0] * 4 + [1] * 6, **fields)

    assert result.outcome == outcome
    assert result.value == pytest.approx(0 if "context_lengths" in fields else -0.4)


@given(
    st.lists(st.tuples(st.sampled_from([0.0, 1.0]), st.sampled_from([0.0, 1.0, None])), min_size=4, max_size=12).filter(
        lambda pairs: sum(new is None for _, new in pairs) <= 4
    )
)
@settings(deadline=None)
def test_a_gate_is_open_just_where_the_missing_answers_could_turn_it(pairs: list[tuple[float, float | None]]) -> None:
    old, new = [old for old, _ in pairs], [new for _, new in pairs]
    result = judged(old, new)

    missing = [index for index, score in enumerate(new) if score is None]
    verdicts = set()
    for answers in itertools.product((0.0, 1.0), repeat=len(missing)):
        filled = [*new]
        for index, answer in zip(missing, answers, strict=True):
            filled[index] = answer
        verdicts.add(bool(compare_runs(run(old), run(filled)).regressions))
    if verdicts == {True}:
        assert result.outcome == "failed"
    elif verdicts == {True, False}:
        assert (result.outcome, result.neutral) == ("undecided", False)
    else:
        assert result.outcome == ("passed" if sum(score is not None for score in new) >= 4 else "undecided")


@pytest.mark.parametrize("lack", ["selection", "skip", "known"])
def test_what_the_user_left_out_is_not_compared(lack: str) -> None:
    result = judged([1] * 10, [0] * 4 + [None] * 6, lack)

    assert (result.outcome, result.n) == ("failed", 4)


@pytest.mark.parametrize("lack", ["error", "stop", "budget", "overflow"])
def test_what_went_wrong_leaves_it_open_where_it_matters(lack: str) -> None:
    result = judged([1] * 10, [0] * 3 + [1] * 6 + [None], lack)

    assert (result.outcome, result.fails_run) == ("undecided", True)
    assert f"1 of the baseline's trials have no score now ({lack})" in result.text


def test_what_had_no_score_in_the_baseline_either_is_not_missed() -> None:
    assert judged([1] * 9 + [None], [0] * 3 + [1] * 6 + [None]).outcome == "passed"


def test_too_few_pairs_are_open_without_failing_the_run() -> None:
    result = judged([1] * 3, [0] * 3)

    assert (result.outcome, result.fails_run) == ("undecided", False)
    assert result.text.startswith(
        "undecided: 3 pairs cannot show a regression: at alpha 0.05 at least 4 must become worse"
    )


def test_other_prompts_are_open_and_fail_the_run_where_nothing_is_left_to_compare() -> None:
    old = [dict(one, prompt_sha256="another", question="Another?") for one in run([1] * 6)]
    (result,) = judge_gate(entry(), Regression(old), cells([1] * 6))

    assert (result.outcome, result.fails_run) == ("undecided", True)
    assert result.text == "undecided: no pair to compare: 6 needles or question changed"


def test_groups_are_corrected_for_each_other_except_those_that_see_nothing() -> None:
    def outcomes(others: int, size: int) -> list[str]:
        names = [f"t{number}" for number in range(others)]
        old = [*run([1] * 20), *(one for name in names for one in run([1] * size, task=name))]
        new = [*cells([0] * 4 + [1] * 16), *(one for name in names for one in cells([1] * size, task=name))]
        return [result.outcome for result in judge_gate(entry(), Regression(old), new)]

    assert outcomes(0, 20) == ["failed"]
    assert outcomes(1, 20) == ["passed", "passed"]
    assert outcomes(5, 2) == ["failed", *["undecided"] * 5]


def test_one_group_of_all_tasks_names_the_task_of_each_cell() -> None:
    old = [*run([1] * 3), *run([1] * 3, task="other")]
    new = [*cells([0, 0, 1]), *cells([0, 0, 1], task="other")]

    (result,) = judge_gate(entry(by=[]), Regression(old), new)

    assert (result.outcome, result.n) == ("failed", 6)
    assert "turned red: single-reader-len1000-depth50 1 -> 0, other-reader-len1000-depth50 1 -> 0" in result.text


def test_a_gate_tells_of_trials_that_the_baseline_does_not_know() -> None:
    result = judged([1] * 6, [1] * 10)

    assert result.outcome == "passed"
    assert result.text.endswith("; not compared: 4 only in this run")


def test_a_significant_drop_within_what_is_allowed_is_named() -> None:
    assert judged([1] * 10, [0] * 4 + [1] * 6, min=-0.4).text.startswith(
        "a significant drop that is within the 0.4 allowed; mean score 1.00 -> 0.60"
    )
