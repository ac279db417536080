"""Functions and fixtures may cost money too: the process that asks them keeps their answers."""

from __future__ import annotations

import os
import signal

import pytest

from tests.resume.conftest import Project

Workers = tuple[str, ...]
FIXTURE = """\
import pytest
import answers

@pytest.fixture
def model():
    return answers.answer
"""


def test_ctrl_c_within_a_cell_loses_no_trial(project: Project) -> None:
    project.write_own(trials=3)
    assert project.run("--haystack-store", "other")[0] == 0
    undisturbed = project.reports()
    (project.path / "asked.log").unlink()
    # The fifth ask is the second trial of the second cell; it never comes back.
    project.write_own(trials=3, hook="number == 5 and (LOG.with_name('now').touch(), time.sleep(60))")
    process = project.start()
    project.until(lambda: (project.path / "now").exists())
    os.kill(process.pid, signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 2
    assert project.own_asked().total() == 5
    project.write_own(trials=3)

    assert project.run("--haystack-resume")[0] == 0

    # Twelve trials, and only the one that was cut off is asked twice.
    assert sorted(project.own_asked().values()) == [1] * 11 + [2]
    assert project.reports() == undisturbed


def test_without_resume_everything_is_asked_afresh_and_kept_anew(project: Project) -> None:
    project.write_own()
    for times in (1, 2):
        assert project.run()[0] == 0
        assert set(project.own_asked().values()) == {times}
    assert len(list(project.report.glob("results-*.jsonl"))) == 1

    assert project.run("--haystack-resume")[0] == 0

    assert set(project.own_asked().values()) == {2}
    assert (project.path / ".haystack" / ".gitignore").read_text().splitlines()[-1] == "*"


def test_a_fixture_is_kept_apart_from_the_model_that_it_replaces(project: Project) -> None:
    project.write_own()
    assert project.run()[0] == 0
    (project.path / "conftest.py").write_text(FIXTURE)

    for _ in range(2):
        code, said = project.run("--haystack-resume")
        assert code == 0, said
    assert set(project.own_asked().values()) == {2}
    assert {row["provider_model"] for row in project.rows()} == {"fixture answer"}


def test_functions_of_one_name_do_not_answer_for_each_other(project: Project) -> None:
    project.write_own()
    (project.path / "conftest.py").write_text(
        FIXTURE.replace("@pytest.fixture", "@pytest.fixture(params=['left', 'right'])")
        .replace("def model()", "def model(request)")
        .replace("answers.answer", "lambda prompt: answers.answer(prompt).text + ' ' + request.param")
    )
    for _ in range(2):
        code, said = project.run("--haystack-resume")
        assert code == 0, said
        for row in project.rows():
            side = "left" if "left" in row["nodeid"] else "right"
            assert row["response"].endswith(side)
    assert project.own_asked().total() == 8


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["one process", "two workers"])
def test_an_error_is_asked_again_and_an_answer_is_not(project: Project, workers: Workers) -> None:
    project.write_own(hook="if int(prompt.sha256, 16) % 3: raise OSError('gone')")
    code, said = project.run(*workers)
    assert code == 1, said
    failed = [row["nodeid"] for row in project.rows() if row["score"] is None]
    assert 0 < len(failed) < 4
    project.write_own()

    code, said = project.run("--haystack-resume", *workers)

    assert code == 0, said
    assert f"haystack: {4 - len(failed)} of 4 answers were there already, and not asked for" in said
    assert project.own_asked().total() == 4 + len(failed)
    assert [row["outcome"] for row in project.rows()] == ["answered"] * 4


def test_what_is_told_of_an_answer_comes_back_as_it_was(project: Project) -> None:
    project.write_own()
    assert project.run()[0] == 0
    first = (project.report / "results.jsonl").read_text()

    assert project.run("--haystack-resume")[0] == 0

    again = (project.report / "results.jsonl").read_text()
    assert [line.partition('"latency_seconds"')[2][:30] for line in again.splitlines()] == [
        line.partition('"latency_seconds"')[2][:30] for line in first.splitlines()
    ]
    assert {row["cost_usd"] for row in project.rows()} == {0.25}


def test_rows_of_cells_that_are_not_selected_stay_and_are_reported(project: Project) -> None:
    project.write_own()
    assert project.run()[0] == 0
    whole = project.reports()

    code, said = project.run("--haystack-resume", "-k", "len400-")

    assert code == 0, said
    assert "2 passed, 2 deselected" in said
    assert project.reports() == whole
    # Without it, a run of two cells reports two.
    assert project.run("-k", "len400-")[0] == 0
    assert len(project.rows()) == 2


def test_rows_of_another_sweep_file_are_not_reported(project: Project) -> None:
    project.write_own()
    assert project.run()[0] == 0

    code, said = project.run("--haystack-resume", "-k", "len400-", "--haystack-set", "sweep.seed=7")

    assert code == 0, said
    assert "2 of the rows that were there are not of haystack.yaml as it is now" in said
    assert (project.report / "junit.xml").read_text().count("<testcase") == 2
    assert len(project.rows()) == 4


def test_a_line_that_was_cut_off_is_repaired(project: Project) -> None:
    project.write_own()
    assert project.run()[0] == 0
    whole = project.reports()
    path = project.report / "results.jsonl"
    path.write_bytes(path.read_bytes()[:-700])

    code, said = project.run("--haystack-resume", "-k", "len400-")
    assert code == 0, said
    assert len(project.rows()) == 3

    assert project.run("--haystack-resume")[0] == 0
    assert project.reports() == whole
    assert set(project.own_asked().values()) == {1}


def test_every_state_of_a_cell_that_is_not_selected_is_told_from_its_rows(project: Project) -> None:
    hook = "if int(prompt.sha256, 16) % 2: raise OSError('gone')"
    project.write_own(hook=hook, more='known_failures: [{task: single, context_lengths: [600], reason: "hard"}]\n')
    (project.path / "answers.py").write_text(
        (project.path / "answers.py").read_text().replace("Completion(find(prompt)", "Completion('none of it'")
    )
    more = ("--haystack-set", "sweep.depth_percents=[0, 20, 40, 60, 80, 100]")
    project.run(*more)
    whole = project.reports()
    assert all(f"<{state}" in whole["junit"] for state in ("failure", "error", "skipped"))

    code, said = project.run("--haystack-resume", "-k", "len400-depth0", *more)

    assert code in (0, 1), said
    assert project.reports() == whole
