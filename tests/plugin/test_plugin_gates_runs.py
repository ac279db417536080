"""Gates in runs that are stopped, narrowed, repeated or broken, and in runs of several sweeps."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.plugin.conftest import SMALL
from tests.plugin.test_plugin_gates import KNOWN, gated, junit_gates, verdicts
from tests.support.runs import LEFT_OUT

Run = Callable[..., pytest.RunResult]


def test_four_workers_judge_alike(write: Any, run: Run, pytester: Any) -> None:
    write(gated("id: quality, metric: mean_score, min: 0.9", "id: length, metric: effective_context_length, min: 1000"))
    alone = run()
    seen = verdicts(pytester.path)

    many = run("-n", "4")

    assert (alone.ret, many.ret) == (1, 1)
    many.assert_outcomes(passed=6, xfailed=1, failed=1)
    assert verdicts(pytester.path) == seen
    assert junit_gates(pytester.path) == {"quality": ["failure"], "length": []}


def test_gates_have_lines_of_their_own(write: Any, run: Run) -> None:
    write(
        gated(
            "id: quality, metric: mean_score, by: [model], min: 0.9",
            "id: length, metric: effective_context_length, min: 1000",
            "id: hint, metric: worst_depth_mean, min: 0.9, severity: warn",
        )
    )

    result = run("-v", "-rA", "-p", "no:cacheprovider")

    result.stdout.fnmatch_lines(
        [
            "haystack.yaml::gate?quality-reader? FAILED*",
            "haystack.yaml::gate?length? PASSED*",
            "haystack.yaml::gate?hint? SKIPPED*warning: worst depth 50*",
            "*haystack: warning: gate hint: worst depth 50 %: mean score 0.5 over 2 trials, which is below 0.9",
            "PASSED haystack.yaml::gate?length?",
            "SKIPPED * warning: worst depth 50*",
            "FAILED haystack.yaml::gate?quality-reader? - mean score 0.8333*",
        ]
    )
    # The progress goes on to the end with the gates, and not beyond.
    shares = [int(share) for share in re.findall(r"\[ *(\d+)%\]", result.stdout.str())]
    assert max(shares) == 100


def test_several_sweeps_keep_their_gates_apart(write: Any, run: Run, pytester: Any, workers: tuple[str, ...]) -> None:
    write(gated("id: quality, metric: mean_score, min: 0.9"))
    perfect = SMALL.replace("name: small", "name: other").replace("lost-in-the-middle", "perfect")
    write(gated("id: quality, metric: mean_score, min: 0.9", base=perfect), "other.yaml")

    result = run("--haystack-config", "other.yaml", *workers, "-rA")

    assert result.ret == 1
    result.stdout.fnmatch_lines(["PASSED other.yaml::gate?quality?", "FAILED haystack.yaml::gate?quality? - *"])
    reports = pytester.path / "haystack-report"
    assert "❌ failed" in (reports / "small" / "summary.md").read_text()
    assert "❌ failed" not in (reports / "other" / "summary.md").read_text()


def test_what_failed_last_can_be_run_again(write: Any, run: Run, pytester: Any) -> None:
    write(gated("id: open, metric: mean_score, min: 0.8", "id: lost, metric: mean_score, min: 0.9", base=SMALL))
    run().assert_outcomes(passed=6, failed=2)

    run("--lf", "-rs").assert_outcomes(failed=2, skipped=1)

    found = verdicts(pytester.path)
    # With one of six wrong, .9 is out of reach whatever the others score.
    assert {name: outcome for name, (outcome, _) in found.items()} == {"open": "skipped", "lost": "failed"}
    assert "5 cells are not selected" in found["open"][1]
    assert "5 cells are not selected, which cannot change the verdict" in found["lost"][1]


def test_a_gate_that_failed_alone_lets_all_cells_run_again(write: Any, run: Run, pytester: Any) -> None:
    write(gated("metric: mean_score, min: 0.9"))
    run()

    again = run("--lf")

    again.assert_outcomes(passed=5, xfailed=1, failed=1)


def test_too_many_failures_stop_the_run_before_the_gates(write: Any, run: Run, pytester: Any) -> None:
    write(
        gated(
            "metric: mean_score, min: 0.1",
            "metric: error_rate, max: 0",
            base=SMALL.replace("[single]", "[single, uuid]"),
        )
    )

    result = run("--maxfail", "1")

    assert result.ret == 1
    found = verdicts(pytester.path)
    assert {name: outcome for name, (outcome, _) in found.items()} == {"mean_score": "passed", "error_rate": "skipped"}
    assert "cannot change the verdict" in found["mean_score"][1]
    assert "as the run was stopped" in found["error_rate"][1]


def test_a_gate_that_fails_last_stops_nothing(write: Any, run: Run, pytester: Any, workers: tuple[str, ...]) -> None:
    write(gated("id: one, metric: mean_score, min: 0.9", "id: two, metric: mean_score, min: 0.95"))

    result = run("-x", *workers)

    assert result.ret == 1
    result.assert_outcomes(passed=5, xfailed=1, failed=2)


INTERRUPTED = """
import pytest

@pytest.fixture
def model(haystack_cell):
    if haystack_cell.context_length == 4000:
        raise KeyboardInterrupt
    return lambda prompt: "nothing"
"""


def test_an_interrupted_run_writes_that_its_gates_are_undecided(write: Any, run: Run, pytester: Any) -> None:
    pytester.makeconftest(INTERRUPTED)
    write(gated("metric: mean_score, max: 0.3", base=SMALL + "threshold: 0\n"))

    result = pytester.runpytest_subprocess("--haystack-config", "haystack.yaml", *LEFT_OUT)

    assert result.ret == 2
    outcome, text = verdicts(pytester.path)["mean_score"]
    assert (outcome, "not run, as the run was stopped" in text) == ("skipped", True)
    result.stdout.fnmatch_lines(["haystack: the run was stopped before 1 gate could be decided"])


KILLED = """
import os, signal
import pytest

@pytest.fixture
def model(haystack_cell):
    if haystack_cell.id == "single-reader-len4000-depth50":
        os.kill(os.getpid(), signal.SIGKILL)
    return lambda prompt: "nothing"
"""


def test_a_cell_that_killed_its_worker_leaves_a_gate_undecided(write: Any, run: Run, pytester: Any) -> None:
    pytester.makeconftest(KILLED)
    write(gated("metric: mean_score, max: 0.1", base=SMALL + "threshold: 0\n"))

    result = pytester.runpytest_subprocess("--haystack-config", "haystack.yaml", "-n", "2", *LEFT_OUT)

    assert result.ret == 1
    outcome, text = verdicts(pytester.path)["mean_score"]
    assert (outcome, "1 cell is without a score because of an error" in text) == ("skipped", True)
    result.stdout.fnmatch_lines(
        ["haystack: gate mean_score is undecided, which fails the run (see `undecided:`): 1 cell*"]
    )


FLAKY = """
import pytest
asked = []

@pytest.fixture
def model(haystack_cell, needles):
    asked.append(haystack_cell.id)
    if asked.count(haystack_cell.id) == 1:
        raise RuntimeError("not now")
    return lambda prompt: needles[0].expected
"""


def test_what_was_repaired_by_a_rerun_is_no_lack(write: Any, run: Run, pytester: Any, workers: tuple[str, ...]) -> None:
    pytester.makeconftest(FLAKY)
    write(gated("metric: mean_score, min: 1", "metric: error_rate, max: 0", base=SMALL))

    result = run("--reruns", "1", *workers)

    assert result.ret == 0
    assert result.parseoutcomes() == {"passed": 8, "rerun": 6}
    assert {outcome for outcome, _ in verdicts(pytester.path).values()} == {"passed"}


@pytest.mark.parametrize(("min_score", "verdict"), [(0.8, "passed"), (0.9, "skipped"), (1, "skipped")])
def test_known_failures_that_are_not_run_leave_a_gate_undecided(
    min_score: float, verdict: str, write: Any, run: Run, pytester: Any
) -> None:
    write(gated(f"metric: mean_score, min: {min_score}", base=SMALL + KNOWN.replace("}", ", run: false}")))

    result = run()

    # Five of six are right: whether it is .83 or 1 nobody knows, and nobody wanted to.
    assert result.ret == 0
    outcome, text = verdicts(pytester.path)["mean_score"]
    assert outcome == verdict
    assert "1 cell is known to fail and not run" in text


def test_rows_of_own_tests_do_not_count_where_the_sweep_itself_runs(write: Any, run: Run, pytester: Any) -> None:
    write(gated("metric: mean_score, max: 0.9"))
    pytester.makepyfile(
        test_own="""
        def test_it(haystack_score):
            haystack_score("nothing")
        """
    )

    result = run("test_own.py")

    assert result.ret == 0
    assert "over 6 trials" in verdicts(pytester.path)["mean_score"][1]


def test_the_step_summary_has_the_gates(
    write: Any, run: Run, pytester: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "step.md"))
    write(gated("metric: mean_score, min: 0.9"))

    run()

    assert "| `mean_score` | ❌ failed | `mean score 0.8333 over 6 trials" in (tmp_path / "step.md").read_text()


def test_plans_name_the_gates_and_those_that_cannot_pass(write: Any, run: Run, command: Any) -> None:
    write(
        gated(
            "id: quality, metric: mean_score, by: [model, context_length], min: 0.9",
            "id: proof, metric: lower_bound, min: 0.9",
            "metric: effective_context_length, min: 8000, severity: warn",
            base=SMALL,
        )
    )
    named = [
        "gate quality: mean_score of at least 0.9 by model, context_length: 2 groups",
        "gate proof: lower_bound of at least 0.9",
        "gate effective_context_length: effective_context_length of at least 8,000, warns only",
    ]
    hopeless = [
        "*gate proof cannot pass: with every answer right, 95 % lower bound 0.607*; it takes 29 trials to show 0.9",
        "*gate effective_context_length cannot pass: *effective context length 4,000 tokens*",
    ]

    for name in ("validate", "plan"):
        lines = command(name).stdout.splitlines()
        assert [line for line in lines if line in named] == named
        pytest.LineMatcher(lines).fnmatch_lines(hopeless)
    planned = run("--haystack-dry-run")
    planned.stdout.fnmatch_lines([*named, *hopeless])
    assert planned.ret == 0
    run("-k", "depth0]").stdout.fnmatch_lines([f"haystack: note: {hopeless[0]}"])
