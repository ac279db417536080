"""Rows of an earlier run scored again: nobody is asked, no key is needed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.resume.conftest import Project
from tests.support.openai_server import Received, Reply, answer

REPLAY = ("--haystack-replay", "rows.jsonl")


@pytest.fixture
def ran(project: Project) -> Project:
    """A project that has been run; its rows are in rows.jsonl and its store is gone."""
    project.write_own(trials=2)
    assert project.run()[0] == 0
    shutil.move(project.report / "results.jsonl", project.path / "rows.jsonl")
    shutil.rmtree(project.path / ".haystack")
    (project.path / "answers.py").write_text("raise SystemExit('asked')")
    return project


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["one process", "two workers"])
def test_a_replay_says_what_the_run_said(ran: Project, workers: tuple[str, ...]) -> None:
    (ran.path / "rows.jsonl").rename(ran.report / "results.jsonl")
    whole = ran.reports()

    # The very file that makes room for the rows of this run.
    code, said = ran.run("--haystack-replay", "haystack-report/results.jsonl", *workers)

    assert code == 0, said
    assert "haystack: 8 of 8 answers were replayed from rows, and not asked for" in said
    assert ran.reports() == whole
    assert not (ran.path / ".haystack").exists()


def test_a_worker_that_takes_another_s_place_replays_the_same_rows(ran: Project) -> None:
    shutil.copy(ran.path / "rows.jsonl", ran.report / "results.jsonl")
    (ran.path / "conftest.py").write_text(
        "import os, pathlib, signal, pytest\n"
        "DIED = pathlib.Path(__file__).with_name('died')\n"
        "@pytest.hookimpl(trylast=True)\n"
        "def pytest_runtest_setup(item):\n"
        "    if 'len600-depth0' in item.nodeid and not DIED.exists():\n"
        "        DIED.touch()\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
    )

    code, said = ran.run("--haystack-replay", "haystack-report/results.jsonl", "-n", "1")

    assert code == 0, said
    assert "4 passed, 1 rerun" in said
    assert len(ran.rows()) == 8


def test_today_s_scorers_and_thresholds_count(ran: Project) -> None:
    rows = [json.loads(line) for line in (ran.path / "rows.jsonl").read_text().splitlines()]
    for row in rows[:2]:
        row["response"] = f"It is {row['response']}."
    (ran.path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert ran.run(*REPLAY)[0] == 0

    code, said = ran.run(*REPLAY, "--haystack-set", "tasks.0.scorer=equality")

    assert code == 1, said
    assert "1 failed, 3 passed" in said
    assert [row["score"] for row in ran.rows()] == [0, 0, 1, 1, 1, 1, 1, 1]


def test_a_cell_without_a_row_is_skipped_and_says_why(ran: Project) -> None:
    lines = (ran.path / "rows.jsonl").read_text().splitlines(keepends=True)
    first = json.loads(lines[0])
    other = json.loads(lines[4]) | {"prompt_sha256": "0" * 64}
    strange = json.loads(lines[6]) | {"model": "python:other:answer"}
    kept = [json.dumps(other) + "\n", lines[5], json.dumps(strange) + "\n", lines[7], *lines[2:4]]
    (ran.path / "rows.jsonl").write_text("".join(kept))

    code, said = ran.run(*REPLAY, "-rs")

    assert code == 0, said
    assert "1 passed, 3 skipped" in said
    assert "not replayed: there is no row of trial 0 of this cell" in said
    assert "its row answers another prompt" in said
    assert "its row is an answer of python:other:answer, not of python:answers:answer" in said
    assert first["nodeid"] not in {row["nodeid"] for row in ran.rows()}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("--haystack-set", "sweep.seed=7"), "nothing could be replayed, so nothing was tested: not replayed: its row"),
        (("--haystack-set", "models.0.id=other"), "no row of "),
        (("--haystack-resume",), "asks for what is missing: give one of them"),
    ],
    ids=["another seed", "another model", "resume too"],
)
def test_a_replay_of_nothing_is_a_mistake(ran: Project, change: tuple[str, ...], words: str) -> None:
    code, said = ran.run(*REPLAY, *change)

    assert code == 4, said
    assert words in said


def test_a_file_of_rows_that_is_none_is_named(ran: Project) -> None:
    code, said = ran.run("--haystack-replay", "haystack.yaml")
    assert code == 4
    assert "haystack.yaml:1: not a row of results" in said

    code, said = ran.run("--haystack-replay", "gone.jsonl")
    assert code == 4
    assert "gone.jsonl: no such file; name the results.jsonl" in said


def declines(request: Received) -> Reply:
    """Refuses the first half of the cells, and is cut off by a filter in the others."""
    if len(request.text) < 2700:
        return answer(None, refusal="I will not.", usage=None)
    return answer("?", finish_reason="content_filter")


def test_paid_rows_are_replayed_without_key_or_gateway(project: Project) -> None:
    project.server.base(project.name, declines)
    assert project.run("-k", "depth0")[0] == 1
    whole = project.reports()
    assert [row["outcome"] for row in project.rows()] == ["refused", "content_filter"]
    before = project.asked()
    path = project.path / "haystack.yaml"
    path.write_text(path.read_text().replace("RESUME_KEY", "NOT_THERE"))

    code, said = project.run("--haystack-replay", "haystack-report/results.jsonl", "-k", "depth0")

    assert code == 1, said
    assert project.reports() == whole
    assert project.asked() == before


def test_a_verdict_of_the_row_stands_as_long_as_the_judge_would_be_asked_the_same(project: Project) -> None:
    judge = f"{project.name}-judge"
    base = project.server.base(judge, answer("YES. It does."))
    scorer = f'{{name: judge, model: openai/judge, api_base: "{base}", api_key_env: RESUME_KEY}}'
    project.write_own(more=f"  - {{id: judged, type: single, scorer: {scorer}}}\n")
    path = project.path / "haystack.yaml"
    path.write_text(path.read_text().replace("tasks: [single]\n", "tasks:\n"))
    assert project.run()[0] == 0
    whole = project.reports()
    asked = project.server.count(judge)
    shutil.rmtree(project.path / ".haystack")
    rows = project.path / "rows.jsonl"
    shutil.copy(project.report / "results.jsonl", rows)

    assert project.run(*REPLAY)[0] == 0
    assert project.reports() == whole

    changed = [json.loads(line) for line in rows.read_text().splitlines()]
    changed[0]["response"] = "Something else."
    rows.write_text("".join(json.dumps(row) + "\n" for row in changed))
    code, said = project.run(*REPLAY)
    assert code == 1, said
    assert "1 error" in said
    assert "openai/judge needs asking, for it has not judged this answer to this question before" in said
    assert project.server.count(judge) == asked


def test_an_own_test_that_asks_by_itself_is_skipped(ran: Project) -> None:
    (ran.path / "test_mine.py").write_text(
        "def test_mine(haystack_model, haystack):\n    haystack_model.complete(haystack.text)\n"
        "def test_theirs(haystack_answer, haystack_score):\n    assert haystack_score(haystack_answer) == 1\n"
    )
    rows = (ran.path / "rows.jsonl").read_text()
    (ran.path / "rows.jsonl").write_text(rows + rows.replace("haystack.yaml::test_cell", "test_mine.py::test_theirs"))

    code, said = ran.run(*REPLAY, "test_mine.py", "-rs")

    assert code == 0, said
    assert "8 passed, 4 skipped" in said
    assert "this test asks mine itself, and a replay asks nobody" in said
    assert Path(ran.report / "results.jsonl").exists()
