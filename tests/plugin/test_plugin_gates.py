"""Gates, from the sweep file to exit code, terminal and reports."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.plugin.conftest import BLIND, SMALL

Run = Callable[..., pytest.RunResult]

#: The one cell that fails is known: the run fails for nothing but its gates.
KNOWN = """
known_failures:
  - {model: reader, context_lengths: [4000], depth_percents: [50], reason: blind}
"""


def gated(*gates: str, base: str = SMALL + KNOWN) -> str:
    return base + "gates:\n" + "".join(f"  - {{{gate}}}\n" for gate in gates)


def verdicts(folder: Path) -> dict[str, tuple[str, str]]:
    summary = json.loads((folder / "haystack-report" / "summary.json").read_text())
    return {gate["name"]: (gate["outcome"], gate["text"]) for gate in summary["gates"]}


def junit_gates(folder: Path) -> dict[str, list[str]]:
    tree = ElementTree.parse(folder / "haystack-report" / "junit.xml")
    suite = next((suite for suite in tree.iter("testsuite") if suite.get("name") == "gates"), None)
    return (
        {} if suite is None else {str(case.get("name")): [part.tag for part in case] for case in suite.iter("testcase")}
    )


def test_a_gate_that_holds_is_one_more_passed_test(
    write: Any, run: Run, pytester: Any, workers: tuple[str, ...]
) -> None:
    write(gated("metric: mean_score, by: [model, task], min: 0.8"))

    result = run(*workers)

    result.assert_outcomes(passed=6, xfailed=1)
    assert result.ret == 0
    assert verdicts(pytester.path)["mean_score-reader-single"][0] == "passed"
    assert junit_gates(pytester.path) == {"mean_score-reader-single": []}
    result.stdout.fnmatch_lines(["haystack: 1 gate passed, see summary.md"])


def test_a_gate_that_fails_fails_the_run(write: Any, run: Run, pytester: Any, workers: tuple[str, ...]) -> None:
    write(gated("id: quality, metric: mean_score, min: 0.9"))

    result = run(*workers, "-rf")

    result.assert_outcomes(passed=5, xfailed=1, failed=1)
    assert result.ret == 1
    result.stdout.no_fnmatch_line("haystack: * passed, see summary.md")
    result.stdout.fnmatch_lines(["FAILED haystack.yaml::gate?quality? - mean score 0.8333 over 6 trials*below 0.9*"])
    outcome, text = verdicts(pytester.path)["quality"]
    assert (outcome, text.endswith("which is below 0.9")) == ("failed", True)
    assert junit_gates(pytester.path) == {"quality": ["failure"]}
    assert "❌ failed" in (pytester.path / "haystack-report" / "summary.md").read_text()


def test_pytests_own_junit_has_the_gates_too(write: Any, run: Run, pytester: Any) -> None:
    write(gated("id: quality, metric: mean_score, min: 0.9"))

    run("--junitxml=own.xml")

    cases = ElementTree.parse(pytester.path / "own.xml").iter("testcase")
    (gate,) = [case for case in cases if "gate[" in str(case.get("name"))]
    assert [part.tag for part in gate] == ["failure"]


def test_known_failures_may_be_left_out(write: Any, run: Run, pytester: Any) -> None:
    write(gated("metric: mean_score, min: 1, known_failures: exclude"))

    assert run().ret == 0
    assert "over 5 trials" in verdicts(pytester.path)["mean_score"][1]


def test_a_warning_never_fails_the_run(write: Any, run: Run, pytester: Any, workers: tuple[str, ...]) -> None:
    write(gated("metric: mean_score, min: 0.9, severity: warn"))

    result = run(*workers)

    assert result.ret == 0
    result.stdout.fnmatch_lines(["haystack: warning: gate mean_score: mean score 0.8333*below 0.9"])
    assert verdicts(pytester.path)["mean_score"][0] == "warned"
    assert junit_gates(pytester.path) == {"mean_score": ["skipped"]}


@pytest.mark.parametrize("selection", [("-k", "len1000"), ("--haystack-sample", "3"), ("--deselect", BLIND)])
def test_what_the_user_left_out_leaves_a_gate_undecided_and_the_run_alone(
    selection: tuple[str, str], write: Any, run: Run, pytester: Any, workers: tuple[str, ...]
) -> None:
    write(gated("metric: mean_score, min: 0.9", base=SMALL.replace("lost-in-the-middle", "perfect")))

    result = run(*selection, *workers, "-rs")

    assert result.ret == 0
    outcome, text = verdicts(pytester.path)["mean_score"]
    assert (outcome, "not selected" in text) == ("skipped", True)
    result.stdout.fnmatch_lines(["SKIPPED * undecided: *not selected*"])


def test_a_selection_that_cannot_change_the_verdict_is_decided(write: Any, run: Run, pytester: Any) -> None:
    write(gated("id: low, metric: mean_score, min: 0.3", "id: high, metric: mean_score, min: 0.8"))

    run("-k", "len1000 or depth50")

    found = verdicts(pytester.path)
    assert found["low"] == ("passed", found["low"][1])
    assert "cannot change the verdict" in found["low"][1]
    assert found["high"][0] == "skipped"


def test_a_single_node_id_fails_no_gate(write: Any, run: Run, pytester: Any) -> None:
    write(gated("metric: mean_score, min: 0.9", "metric: error_rate, max: 0", "metric: cost_usd, max: 1"))

    result = pytester.runpytest(BLIND.replace("depth50", "depth0"))

    assert result.ret == 0
    assert {outcome for outcome, _ in verdicts(pytester.path).values()} == {"skipped"}


def test_a_group_that_was_not_selected_at_all_shows_no_gate(write: Any, run: Run, pytester: Any) -> None:
    two = SMALL.replace("lost-in-the-middle}", "lost-in-the-middle}\n  - {id: other, model: simulated/perfect}")
    write(gated("metric: mean_score, by: [model], min: 0.9", base=two))

    result = run("--haystack-model", "other")

    assert result.ret == 0
    assert list(verdicts(pytester.path)) == ["mean_score-other"]


FAILING_MODEL = """
def answer(prompt):
    if len(prompt) > 10000:
        raise RuntimeError("no answer today")
    return "I do not know."
"""
UNSURE = SMALL.replace("simulated/lost-in-the-middle", '"python:answers:answer"') + "threshold: 0\n"


@pytest.mark.parametrize(("undecided", "status"), [("fail", 1), ("pass", 1)])
def test_errors_leave_a_gate_undecided(
    undecided: str, status: int, write: Any, run: Run, pytester: Any, workers: tuple[str, ...]
) -> None:
    (pytester.path / "answers.py").write_text(FAILING_MODEL)
    write(gated(f"metric: mean_score, min: 0.3, undecided: {undecided}", "metric: error_rate, max: 0.1", base=UNSURE))

    result = run(*workers)

    assert result.ret == status  # the cells themselves are errors
    found = verdicts(pytester.path)
    assert found["mean_score"][0] == "skipped"
    assert "3 cells are without a score because of an error" in found["mean_score"][1]
    assert found["error_rate"] == ("failed", "error rate 0.5: 3 of 6 trials, which is above 0.1")


@pytest.mark.parametrize(("undecided", "status"), [("fail", 1), ("pass", 0)])
def test_cells_beyond_the_window_fail_a_run_that_needs_them(
    undecided: str, status: int, write: Any, run: Run, pytester: Any, workers: tuple[str, ...]
) -> None:
    windowed = SMALL.replace("lost-in-the-middle}", "perfect, context_window: 2000}")
    write(gated(f"metric: effective_context_length, min: 4000, undecided: {undecided}", base=windowed))

    result = run(*workers)

    assert result.ret == status
    outcome, text = verdicts(pytester.path)["effective_context_length"]
    assert (outcome, "3 cells are longer than the model's window" in text) == ("skipped", True)
    shown = "which fails the run" in result.stdout.str()
    assert shown == (status == 1)


def test_a_stop_decides_nothing_and_says_so(write: Any, run: Run, pytester: Any, workers: tuple[str, ...]) -> None:
    text = gated("metric: mean_score, min: 0.8", base=SMALL.replace("tasks: [single]", "tasks: [single, multi]"))
    write(text)

    result = run("-x", *workers)

    assert result.ret in (1, 2)
    outcome, text = verdicts(pytester.path)["mean_score"]
    assert outcome == "skipped"
    assert "as the run was stopped" in text
    assert list(junit_gates(pytester.path)) == ["mean_score"]
    result.stdout.fnmatch_lines(["haystack: the run was stopped before 1 gate could be decided"])


def test_collecting_and_planning_judge_nothing(write: Any, run: Run, pytester: Any) -> None:
    write(gated("metric: mean_score, min: 0.9"))

    for option in ("--collect-only", "--haystack-dry-run"):
        result = run(option)
        assert result.ret == 0
        assert "gate[" not in result.stdout.str()


def test_gates_of_a_sweep_that_only_own_tests_run(write: Any, pytester: Any) -> None:
    path = write(gated("metric: mean_score, min: 0.9"))
    pytester.makeini(f"[pytest]\nhaystack_config = {path.name}")
    pytester.makepyfile(
        test_own="""
        def test_it(haystack_answer, haystack_score):
            haystack_score(haystack_answer)
        """
    )

    result = pytester.runpytest("test_own.py")

    assert result.ret == 1
    assert verdicts(pytester.path)["mean_score"][0] == "failed"


TASKS = SMALL.replace("tasks: [single]", "tasks: [conflicting, {type: unanswerable, paired: true}]").replace(
    "lost-in-the-middle", "recency"
)


def test_biases_and_abstention_are_gated_on_their_own_tasks(write: Any, run: Run, pytester: Any) -> None:
    write(
        gated(
            "metric: recency_bias_rate, max: 0.4",
            "metric: primacy_bias_rate, max: 0.9",
            "metric: abstention, by: [model], min: 0.5",
            base=TASKS + "threshold: 0\n",
        )
    )

    run()

    found = verdicts(pytester.path)
    # Both facts are within what it reads, and it gives the first that it meets.
    assert found["recency_bias_rate"] == ("passed", "recency bias 0 of 6 trials")
    assert found["primacy_bias_rate"] == ("failed", "primacy bias 1 of 6 trials, which is above 0.9")
    assert found["abstention-reader"][0] == "passed"
    assert "hit rate 1 of 6, true abstentions 1 of 6" in found["abstention-reader"][1]


def test_groups_can_be_made_of_lengths_bands_and_prompts(write: Any, run: Run, pytester: Any) -> None:
    write(
        gated(
            "id: third, metric: mean_score, by: [depth_band], min: 0.5",
            "id: size, metric: mean_score, by: [context_length, prompt], min: 0.5",
            base=SMALL + "prompts: [default, close-reading]\n" + "threshold: 0\n",
        )
    )

    run()

    assert list(verdicts(pytester.path)) == [
        "third-start",
        "third-middle",
        "third-end",
        "size-1000-default",
        "size-4000-default",
        "size-1000-close-reading",
        "size-4000-close-reading",
    ]


OWN_METRIC = """
import statistics
from pytest_haystack.results.gates import GateMetric, Measurement

class Median(GateMetric):
    def measure(self, rows, entry):
        value = statistics.median(row["score"] for row in rows)
        return Measurement(value, len(rows), f"median {value:g}, asked for {entry.options['as']}")

def pytest_haystack_register(registry):
    registry.metrics.add("median", Median)
"""


def test_a_conftest_adds_a_metric(write: Any, run: Run, pytester: Any) -> None:
    pytester.makeconftest(OWN_METRIC)
    write(gated("metric: median, min: 1, options: {as: proof}"))

    assert run().ret == 0
    assert verdicts(pytester.path)["median"] == ("passed", "median 1, asked for proof")


@pytest.mark.parametrize(
    ("gate", "words"),
    [
        (
            "metric: mean_scor, min: 1",
            "gates.0.metric: 'mean_scor' is no known gate metric; did you mean 'mean_score'?",
        ),
        ("metric: mean_score", "give min or max"),
        ("metric: mean_score, min: 1, alpha: 0.1", "gates.0.alpha: mean_score has no alpha"),
        (
            "metric: lower_bound, min: 0.1, absolute: 0.5",
            "gates.0.absolute: lower_bound has no absolute; it has alpha",
        ),
        ("metric: mean_score, min: 2, max: 1", "min 2 is more than max 1"),
        (
            "metric: mean_score, min: 1, model: reade",
            "gates.0.model: there is no model 'reade'; did you mean 'reader'?",
        ),
        ("metric: mean_score, min: 1, by: [modell]", "did you mean 'model'?"),
        ("metric: abstention, min: 0", "gates.0: abstention needs a task of type unanswerable; add one"),
        ("metric: mean_score, min: 1, context_lengths: [2000]", "gates.0: no cell of the sweep has this"),
        ("metric: mean_score, min: 1, severty: warn", "did you mean 'severity'?"),
    ],
)
def test_a_mistake_in_a_gate_is_one_line(gate: str, words: str, write: Any, run: Run) -> None:
    write(gated(gate, base=SMALL))

    result = run()

    assert result.ret == 4
    result.stderr.fnmatch_lines([f"*haystack.yaml:*{words}*"])


def test_gates_alike_need_ids(write: Any, run: Run) -> None:
    write(gated("metric: mean_score, min: 0.5", "metric: mean_score, by: [model], min: 0.5"))

    result = run()

    assert result.ret == 4
    result.stderr.fnmatch_lines(["*gates.1*'mean_score' is already the id of gates.0*give each its own id"])
