"""Trials that stop when the verdict is known, from the sweep file to exit code and reports."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from pytest_haystack.running import workbench

Run = Callable[..., pytest.RunResult]

#: Answers right or wrong as a script says, trial by trial; counts what it was asked.
MODEL = """
import re

SCRIPT = {script!r}

def answer(prompt):
    right = SCRIPT[prompt.trial % len(SCRIPT)]
    if right == "!":
        raise RuntimeError("no answer")
    code = re.search(r"[A-Z]{{2}}-\\d{{4}}", prompt.document).group()
    return code if right == "1" else "I do not know."
"""
SWEEP = """\
models: [{{id: script, model: "python:scripted:answer"}}]
haystack: {{source: synthetic}}
sweep: {{context_lengths: [400], depth_percents: [50], trials: {trials}}}
threshold: {threshold}
tasks: [{task}]
"""


@pytest.fixture
def sweep(write: Callable[..., Path], pytester: pytest.Pytester) -> Callable[..., None]:
    """A cell whose answers a script decides: 1 right, 0 wrong, ! no answer."""

    def make(script: str, trials: str, threshold: float = 0.9, task: str = "single") -> None:
        (pytester.path / "scripted.py").write_text(MODEL.format(script=script))
        write(SWEEP.format(trials=trials, threshold=threshold, task=task))

    return make


def decision_of(rows: list[dict[str, Any]]) -> dict[str, Any]:
    *before, last = rows
    assert all("decision" not in row["score_details"] for row in before)
    decision: dict[str, Any] = last["score_details"]["decision"]
    assert decision["trials"] == len(rows)
    return decision


CASES = [
    # A mean of .9 over 10 is settled by the ninth right answer, or the second wrong one.
    ("1", "{max: 10}", 0.9, "pass", 9, False),
    ("1010", "{max: 10}", 0.9, "fail", 4, False),
    ("1", "{max: 100, stop: sprt}", 0.9, "pass", 27, False),
    ("1", "{max: 30, stop: sprt, indifference: [0.89, 0.91]}", 0.9, "pass", 27, True),
    ("0", "{max: 100, stop: sprt}", 0.9, "fail", 3, False),
    ("1", "{max: 29, stop: certify}", 0.9, "pass", 29, False),
    ("1110", "{max: 29, stop: certify}", 0.9, "fail", 4, False),
    ("0", "{max: 60, stop: fail_on_evidence}", 0.9, "fail", 2, False),
    ("1110111111", "{max: 60, stop: fail_on_evidence}", 0.9, "pass", 52, False),
]


@pytest.mark.parametrize(("script", "trials", "threshold", "verdict", "asked", "fallback"), CASES)
def test_a_rule_stops_when_it_knows(
    script: str,
    trials: str,
    threshold: float,
    verdict: str,
    asked: int,
    fallback: bool,
    sweep: Any,
    run: Run,
    rows: Any,
) -> None:
    sweep(script, trials, threshold)

    result = run()

    decision = decision_of(rows())
    assert (decision["verdict"], decision["fallback"]) == (verdict, fallback)
    assert decision["trials"] == pytest.approx(asked, abs=3 if "fail_on_evidence" in trials else 0)
    assert result.ret == (verdict == "fail")


def test_the_verdict_is_the_same_with_workers(sweep: Any, run: Run, rows: Any) -> None:
    sweep("1110111111", "{max: 100, stop: sprt}")
    found = []
    for workers in ((), ("-n", "2")):
        found.append((run(*workers).ret, decision_of(rows())))

    assert found[0] == found[1]


def test_a_failed_certificate_is_told_with_its_figures(sweep: Any, run: Run) -> None:
    sweep("11111111110", "{max: 29, stop: certify}")

    result = run()

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*BelowThreshold: score 0.91 against 0.90; certify: fail after 11 trials, 95 % interval * to 1.000: *"]
    )


def test_junit_tells_verdict_trials_and_interval(sweep: Any, run: Run, pytester: pytest.Pytester) -> None:
    sweep("1", "{max: 30, stop: sprt, indifference: [0.89, 0.91]}")

    run()

    tree = ElementTree.parse(pytester.path / "haystack-report" / "junit.xml")
    found = {str(part.get("name")): str(part.get("value")) for part in tree.iter("property")}
    assert found["verdict"] == "sprt: pass (fallback)"
    assert found["trials"] == "27 of 30"
    assert found["interval_95"].endswith(" to 1")


def test_fractional_scores_are_bet_on(sweep: Any, run: Run, rows: Any) -> None:
    sweep("1", "{max: 60, stop: fail_on_evidence}", task="{type: multi, needles: 4}")

    assert run().ret == 1
    # One of four codes each time: evidence against a mean of .9 long before 60 trials.
    assert {row["score"] for row in rows()} == {0.25}
    assert decision_of(rows())["trials"] < 8


def test_an_error_is_no_failure_and_decides_nothing(sweep: Any, run: Run, rows: Any) -> None:
    sweep("1!1", "{max: 4, stop: point}")

    result = run()

    result.assert_outcomes(errors=1)
    assert all("decision" not in row["score_details"] for row in rows())


def test_a_known_failure_covers_a_verdict_by_evidence(sweep: Any, run: Run, pytester: pytest.Pytester) -> None:
    sweep("0", "{max: 60, stop: fail_on_evidence}")
    path = pytester.path / "haystack.yaml"
    path.write_text(path.read_text() + "known_failures: [{model: script, reason: it is}]\n")

    run().assert_outcomes(xfailed=1)


@pytest.mark.parametrize(
    ("script", "trials", "failed"),
    [("11111111110", "{max: 29, stop: certify}", 1), ("0111", "{max: 5, stop: fail_on_evidence}", 0)],
)
def test_rows_alone_tell_the_verdict_of_the_rule(
    script: str, trials: str, failed: int, sweep: Any, run: Run, command: Any, pytester: pytest.Pytester
) -> None:
    # A mean above the threshold that certifies nothing, and one below it that is no evidence.
    sweep(script, trials)
    assert run().ret == failed
    rows = pytester.path / "haystack-report" / "results.jsonl"

    result = command("report", rows, "--config", pytester.path / "haystack.yaml", "--dir", pytester.path / "again")

    assert result.returncode == 0, result.stderr
    cells = json.loads((pytester.path / "again" / "summary.json").read_text())["cells"]
    assert (cells["failed"], cells["passed"]) == (failed, 1 - failed)


def test_a_rerun_asks_on_where_an_answer_is_missing(sweep: Any, run: Run, rows: Any, pytester: Any) -> None:
    sweep("0", "{max: 5, stop: point}")

    result = run("--reruns", "1")

    assert result.ret == 1
    assert [row["trial"] for row in rows()] == [0]


def test_a_task_may_have_a_rule_of_its_own(sweep: Any, run: Run, rows: Any) -> None:
    sweep("1", "2", task="single, {id: sure, type: single, trials: {max: 3, stop: point}}")

    run()

    assert [row["task"] for row in rows()] == ["single", "single", "sure", "sure", "sure"]
    assert "decision" not in rows()[1]["score_details"]
    assert rows()[-1]["score_details"]["decision"]["verdict"] == "pass"


@pytest.mark.parametrize(
    ("trials", "threshold", "words"),
    [
        ("{max: 20, stop: certify}", 0.9, "*trials: 20 trials cannot certify a rate of 0.9*at least 29*"),
        ("{max: 20, stop: certify}", 1, "*cannot certify a rate of 1 *lower the threshold*"),
        ("{max: 20, stop: certfy}", 0.9, "*'certfy' is not one of*did you mean 'certify'?*"),
        ("{max: 20, indifference: [0.8, 0.9]}", 0.9, "*indifference belongs to stop: sprt*"),
        ("{max: 20, stop: sprt, indifference: [0.9, 0.8]}", 0.9, "*0 < low < high < 1*"),
        ("{max: 0}", 0.9, "*sweep.trials*"),
        ("{stop: sprt}", 0.9, "*missing key 'max'*"),
    ],
)
def test_what_cannot_be_is_told_before_anything_is_asked(
    trials: str, threshold: float, words: str, sweep: Any, run: Run
) -> None:
    sweep("1", trials, threshold)

    result = run()

    assert result.ret == 4
    result.stderr.fnmatch_lines([f"*haystack.yaml:3*{words}"])


def test_seeds_and_a_rule_do_not_go_together(write: Any, run: Run) -> None:
    write(SWEEP.format(trials="{max: 3}, seeds: [1, 2, 3]", threshold=1, task="single"))

    result = run()

    assert result.ret == 4
    result.stderr.fnmatch_lines(["*sweep.trials: sweep.seeds gives one trial each*"])


def test_the_resolved_config_runs_as_the_original(sweep: Any, run: Run, rows: Any, pytester: pytest.Pytester) -> None:
    sweep("1", "{max: 100, stop: sprt}")
    run()
    first = decision_of(rows())

    (pytester.path / "haystack.yaml").write_text(
        (pytester.path / "haystack-report" / "config.resolved.yaml").read_text()
    )
    run()

    assert decision_of(rows()) == first
    assert json.loads((pytester.path / "haystack-report" / "summary.json").read_text())["scored_trials"] == 27


def test_trials_of_long_documents_differ_as_those_of_short_ones(
    write: Any, run: Run, rows: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(
        "models: [{id: m, model: simulated/perfect}]\nhaystack: {source: synthetic}\ntasks: [single]\n"
        "sweep: {context_lengths: [2000], depth_percents: [50], seeds: [1, 2, 3, 4]}\n"
    )
    run().assert_outcomes(passed=1)
    short = [row["prompt_sha256"] for row in rows()]
    # So long that no more than one is kept.
    monkeypatch.setattr(workbench, "_LARGE", 1000)

    run().assert_outcomes(passed=1)

    assert [row["prompt_sha256"] for row in rows()] == short
    assert len(set(short)) == 4


def test_trials_of_long_documents_ask_about_what_a_fixture_put_in_their_place(
    write: Any, run: Run, rows: Any, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workbench, "_LARGE", 1000)
    write(
        "models: [{id: m, model: simulated/perfect}]\nhaystack: {source: synthetic}\ntasks: [single]\n"
        "sweep: {context_lengths: [2000], depth_percents: [50], trials: 3}\n"
    )
    pytester.makeconftest(
        """
        import pytest

        @pytest.fixture
        def haystack(haystack):
            return haystack.text.upper()
        """
    )

    run()

    assert len({row["question"] for row in rows()}) == len({row["prompt_sha256"] for row in rows()}) == 1
