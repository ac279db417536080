"""--haystack-baseline: a run that is worse than an earlier one on the same prompts fails."""

from __future__ import annotations

import json
import shutil
import subprocess
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.plugin.planned import CONFTEST, SWEEP, plan, wrong
from tests.support.runs import own_process

Run = Callable[..., pytest.RunResult]
#: No cell fails by itself, so that the exit code is the gate's.
OPEN = SWEEP + "threshold: 0\n"
MIDDLE = wrong([1000, 2000], [25, 50])
RED = (
    "mean score 1.00 -> 0.73 over 15 pairs (-0.27, 95 % -0.52 to -0.01); 4 worse, 0 better; "
    "McNemar mid-p 0.031, exact 0.062; turned red: len1000-depth25 1 -> 0, len1000-depth50 1 -> 0, "
    "len2000-depth25 1 -> 0, len2000-depth50 1 -> 0"
)


@pytest.fixture(scope="module")
def all_right(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report folder of a run in which all was right."""
    folder = tmp_path_factory.mktemp("before")
    (folder / "conftest.py").write_text(CONFTEST, encoding="utf-8")
    (folder / "haystack.yaml").write_text(OPEN, encoding="utf-8")
    command, environment = own_process()
    subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
    return folder / "haystack-report"


@pytest.fixture
def old(write: Any, pytester: pytest.Pytester, all_right: Path) -> Path:
    """That folder, beside the sweep that it is of."""
    pytester.makeconftest(CONFTEST)
    write(OPEN)
    folder: Path = shutil.copytree(all_right, pytester.path / "old")
    return folder


def gates(folder: Path) -> dict[str, tuple[str, str]]:
    """Outcome and text of each gate in junit.xml."""
    found = {}
    for suite in ET.parse(folder / "junit.xml").getroot().iter("testsuite"):
        for case in suite.iter("testcase") if suite.get("name") == "gates" else ():
            marks = [mark for mark in case if mark.tag in ("failure", "skipped", "error")]
            text = (marks[0].get("message") or "") if marks else ""
            found[str(case.get("name"))] = (marks[0].tag if marks else "passed", text)
    return found


def test_a_regression_fails_the_run_and_names_the_cells(
    old: Path, run: Run, pytester: Any, workers: tuple[str, ...]
) -> None:
    plan(pytester.path, MIDDLE)

    result = run("--haystack-baseline", "old", *workers)

    assert result.ret == 1
    assert result.parseoutcomes() == {"passed": 15, "failed": 1}
    assert RED in result.stdout.str()
    result.stdout.fnmatch_lines(["FAILED haystack.yaml::gate[[]regression-reader-single] - mean score 1.00 -> 0.73 *"])
    assert gates(pytester.path / "haystack-report") == {"regression-reader-single": ("failure", RED)}
    summary = json.loads((pytester.path / "haystack-report" / "summary.json").read_text(encoding="utf-8"))
    assert "turned red" in json.dumps(summary)


def test_what_became_better_or_stayed_passes(old: Path, run: Run, pytester: Any, workers: tuple[str, ...]) -> None:
    plan(pytester.path, MIDDLE)
    run("--haystack-report-dir", "worse")
    plan(pytester.path, {})

    result = run("--haystack-baseline", "worse/results.jsonl", *workers)

    assert result.ret == 0
    assert result.parseoutcomes() == {"passed": 16}
    ((outcome, _),) = gates(pytester.path / "haystack-report").values()
    assert outcome == "passed"


def test_a_loss_that_chance_explains_passes(old: Path, run: Run, pytester: Any) -> None:
    plan(pytester.path, wrong([1000], [0, 25, 50]))

    assert run("--haystack-baseline", "old").ret == 0


def test_a_part_of_the_sweep_is_compared_with_the_same_part(
    old: Path, run: Run, pytester: Any, workers: tuple[str, ...]
) -> None:
    plan(pytester.path, MIDDLE)

    part = run("--haystack-baseline", "old", "-k", "len1000- or len2000-", *workers)
    assert part.ret == 1
    assert "over 10 pairs" in part.stdout.str()
    few = run("--haystack-baseline", "old", "-k", "len1000-depth25 or len1000-depth50", *workers)
    assert few.ret == 0
    assert few.parseoutcomes()["skipped"] == 1
    ((outcome, text),) = gates(pytester.path / "haystack-report").values()
    assert outcome == "skipped"
    assert text.startswith(
        "undecided: 2 pairs cannot show a regression: at alpha 0.05 at least 4 must become worse; mean score 1.00"
    )


def test_errors_leave_the_verdict_open_only_where_they_could_change_it(old: Path, run: Run, pytester: Any) -> None:
    plan(pytester.path, wrong([1000], [0, 25, 50]) | wrong([2000], [0], "error"))
    run("--haystack-baseline", "old")
    ((outcome, text),) = gates(pytester.path / "haystack-report").values()
    assert outcome == "skipped"
    assert text.startswith("undecided: 1 of the baseline's trials have no score now (error); so far mean score 1.00")

    # Four wrong are enough, whatever the fifth answer would have been.
    plan(pytester.path, MIDDLE | wrong([500], [0], "error"))
    run("--haystack-baseline", "old")
    assert next(iter(gates(pytester.path / "haystack-report").values()))[0] == "failure"

    # One error alone is no regression.
    plan(pytester.path, wrong([500], [0], "error"))
    run("--haystack-baseline", "old")
    assert next(iter(gates(pytester.path / "haystack-report").values()))[0] == "passed"


def test_a_run_that_stops_early_does_not_pass_the_gate(old: Path, run: Run, write: Any, pytester: Any) -> None:
    write(SWEEP)
    plan(pytester.path, wrong([500], [0]))

    result = run("--haystack-baseline", "old", "-x")

    assert result.ret == 1
    ((outcome, text),) = gates(pytester.path / "haystack-report").values()
    assert outcome == "skipped"
    assert "14 of the baseline's trials have no score now (stop)" in text


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("sweep.seed=7", "15 seed changed (42, now 7)"),
        ("tokenizer=o200k_base", "15 tokenizer changed (cl100k_base, now o200k_base)"),
        ("haystack.source=essays", "15 haystack changed (synthetic@2, now essays@2)"),
        ("haystack.seed=5", "15 haystack changed (text of synthetic@2)"),
        ("prompt=close-reading", "15 wording of the prompt changed"),
        ("tasks.0.id=other", "it has none of the cells of this run (its models: reader; its tasks: single)"),
    ],
)
def test_a_baseline_of_other_prompts_is_refused_before_anything_is_asked(
    old: Path, run: Run, pytester: Any, change: str, reason: str
) -> None:
    result = run("--haystack-baseline", "old", "--haystack-set", change)

    assert result.ret == 4
    lines = result.stderr.lines
    assert len([line for line in lines if line]) == 1
    assert reason in lines[0]
    assert not (pytester.path / "haystack-report" / "results.jsonl").exists()


def test_workers_do_not_start_asking_for_a_baseline_that_is_refused(old: Path, run: Run, pytester: Any) -> None:
    result = run("--haystack-baseline", "old", "--haystack-set", "sweep.seed=7", "-n", "2")

    assert result.ret == 4
    assert not (pytester.path / "haystack-report" / "results.jsonl").exists()


def test_prompts_that_only_the_answers_tell_apart_fail_the_run_with_the_reason(
    old: Path, run: Run, pytester: Any
) -> None:
    path = old / "results.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for row in rows:
        row["prompt_sha256"], row["question"] = "0" * 64, "Another question?"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")

    result = run("--haystack-baseline", "old")

    assert result.ret == 1
    assert gates(pytester.path / "haystack-report") == {
        "regression-reader-single": ("skipped", "undecided: no pair to compare: 15 needles or question changed")
    }
    result.stdout.fnmatch_lines(
        ["haystack: gate regression-reader-single is undecided, which fails the run*: no pair *"]
    )


def test_a_task_that_the_baseline_does_not_know_is_not_held_against_it(
    old: Path, run: Run, write: Any, pytester: Any
) -> None:
    write(OPEN.replace("[single]", "[single, uuid]"))

    result = run("--haystack-baseline", "old")

    assert result.ret == 0
    found = gates(pytester.path / "haystack-report")
    assert found["regression-reader-single"][0] == "passed"
    assert found["regression-reader-uuid"] == ("skipped", "undecided: no pair to compare: 15 only in this run")


def test_the_baseline_may_be_the_very_file_that_this_run_replaces(old: Path, run: Run, pytester: Any) -> None:
    plan(pytester.path, MIDDLE)

    result = run("--haystack-report-dir", "old", "--haystack-baseline", "old/results.jsonl")

    assert result.ret == 1
    assert RED in result.stdout.str()


def test_it_may_stand_in_the_sweep_file_the_environment_or_the_ini_file(
    old: Path, run: Run, write: Any, pytester: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan(pytester.path, MIDDLE)
    write(OPEN + "baseline: ../old/results.jsonl\n", "sweeps/haystack.yaml")
    assert "over 15 pairs" in run(config="sweeps/haystack.yaml").stdout.str()

    pytester.makeini("[pytest]\nhaystack_baseline = old\n")
    assert "over 15 pairs" in run().stdout.str()

    monkeypatch.setenv("PYTEST_HAYSTACK_BASELINE", "nowhere")
    result = run()
    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: --haystack-baseline: *nowhere: no such file; *"])
    assert "over 15 pairs" in run("--haystack-baseline", "old").stdout.str()


def test_a_baseline_of_the_sweep_file_that_is_missing_is_told_with_its_line(old: Path, run: Run, write: Any) -> None:
    write(OPEN + "baseline: gone.jsonl\n")

    result = run()

    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: haystack.yaml:8: baseline: *gone.jsonl: no such file; *"])


def test_a_gate_of_ones_own_takes_the_place_of_the_usual_one(old: Path, run: Run, write: Any, pytester: Any) -> None:
    plan(pytester.path, MIDDLE)

    def outcome(gate: str) -> tuple[int, list[str]]:
        write(OPEN + f"gates:\n  - {{metric: regression, {gate}}}\n")
        ret = int(run("--haystack-baseline", "old").ret)
        return ret, [found[0] for found in gates(pytester.path / "haystack-report").values()]

    assert outcome("by: [model, task], min: -0.26") == (1, ["failure"])
    # A drop of 27 points is tolerated, one of 26 is not.
    assert outcome("min: -0.27") == (0, ["passed"])
    assert outcome("severity: warn")[0] == 0


def test_a_gate_on_a_regression_needs_a_baseline(old: Path, run: Run, write: Any, command: Any) -> None:
    write(OPEN + "gates:\n  - {metric: regression}\n")

    result = run()
    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: haystack.yaml:9: gates.0: regression needs the rows of an earlier run: *"])
    path = write(OPEN + "gates:\n  - {metric: regression, max: 0.1}\n")
    checked = command("validate", path)
    assert checked.returncode == 4
    assert "gates.0: regression takes alpha, and min for a drop that is tolerated" in checked.stderr


def test_fractional_scores_are_compared_cell_by_cell(old: Path, run: Run, write: Any, pytester: Any) -> None:
    write(OPEN.replace("[single]", "[{id: m, type: multi, needles: 4, placement: centered}]"))
    run("--haystack-report-dir", "multi")
    plan(pytester.path, wrong([1000, 2000], [0, 25, 50, 75, 100], [0.5], "m"))

    result = run("--haystack-baseline", "multi")

    assert result.ret == 1
    assert "sign flips by cell: p 0.00098; turned red: len1000-depth0 1 -> 0.50" in result.stdout.str()
    assert gates(pytester.path / "haystack-report")["regression-reader-m"][0] == "failure"


def test_known_failures_count_unless_the_gate_leaves_them_out(old: Path, run: Run, write: Any, pytester: Any) -> None:
    plan(pytester.path, MIDDLE)
    known = "known_failures: [{context_lengths: {min: 1000}, depth_percents: [25, 50], reason: known, strict: false}]\n"
    write(SWEEP + known)
    assert run("--haystack-baseline", "old").ret == 1

    write(SWEEP + known + "gates: [{metric: regression, known_failures: exclude}]\n")
    assert run("--haystack-baseline", "old").ret == 0


def test_tests_of_ones_own_are_compared_too(old: Path, run: Run, pytester: Any) -> None:
    pytester.makepyfile(
        test_rag="def test_rag(haystack, needles, haystack_model, haystack_score, haystack_cell):\n"
        "    from pathlib import Path\n"
        "    bad = Path('bad').exists() and haystack_cell.context_length > 500\n"
        "    haystack_score('no idea' if bad else needles[0].expected)\n"
    )
    pytester.makeini("[pytest]\nhaystack_config = haystack.yaml\n")
    assert run("test_rag.py", "--haystack-report-dir", "mine", config=None).ret == 0
    (pytester.path / "bad").touch()

    result = run("test_rag.py", "--haystack-baseline", "mine", config=None)

    assert result.ret == 1
    assert "over 15 pairs" in result.stdout.str()
    assert "10 worse, 0 better" in result.stdout.str()


def test_several_sweeps_find_their_rows_in_one_folder(old: Path, run: Run, write: Any, pytester: Any) -> None:
    write(OPEN.replace("planned", "other"), "other.yaml")
    two = ("--haystack-config", "other.yaml")
    run(*two, "--haystack-report-dir", "both")
    plan(pytester.path, MIDDLE)

    result = run(*two, "--haystack-baseline", "both")

    assert result.ret == 1
    assert result.parseoutcomes() == {"passed": 30, "failed": 2}
