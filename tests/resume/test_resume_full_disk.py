"""A write that fails ends with one clear line, and loses nothing that was written."""

from __future__ import annotations

import sys
from collections import deque
from pathlib import Path

import pytest

from pytest_haystack.results.rows import dump_row
from pytest_haystack.results.store import RowWriter, read_rows
from tests.resume.conftest import Project
from tests.support.rows import ROW

if sys.platform == "win32":
    pytest.skip("limits the size of files as POSIX has it", allow_module_level=True)
import resource


def limited(size: int) -> object:
    """No file may grow beyond so many bytes, in the process to start and in its children."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def test_answers_that_cannot_be_kept_stop_the_asking(project: Project) -> None:
    code, said = project.run(preexec_fn=limited(40_000))

    assert code == 1, said
    assert "config_error: not sent, because the answer store" in said
    assert "Traceback" not in said
    sent = project.asked()
    assert 0 < len(sent) < 6
    answered = [row for row in project.rows() if row["score"] is not None]
    # The answer that could not be kept is paid, and counts.
    assert len(answered) == len(sent)

    code, said = project.run("--haystack-resume")

    assert code == 0, said
    asked = project.asked()
    assert len(asked) == 6
    # Only the one that could not be kept is asked again.
    assert sorted(asked.values()) == [1] * 5 + [2]


def test_a_store_that_cannot_be_opened_is_told_before_anything_is_sent(project: Project) -> None:
    code, said = project.run(preexec_fn=limited(3_000))

    assert code == 4, said
    errors = [line for line in said.splitlines() if "ERROR" in line]
    assert len(errors) == 1
    assert "answers.sqlite cannot be opened" in errors[0]
    assert "--haystack-store" in errors[0]
    assert not project.asked()


def test_a_row_that_cannot_be_written_ends_the_run(project: Project) -> None:
    project.write_own()
    assert project.run("--haystack-store", "other")[0] == 0
    whole = project.reports()
    size = len((project.report / "results.jsonl").read_bytes()) // 2 + 100
    # The store of SQLite needs more room than three rows: it is filled beforehand.
    assert project.run()[0] == 0
    (project.path / "asked.log").unlink()

    code, said = project.run("--haystack-resume", preexec_fn=limited(size))

    assert code == 2, said
    assert "results.jsonl: a row could not be written" in said
    assert "run again with --haystack-resume" in said
    assert "Traceback" not in said
    assert project.run("--haystack-resume")[0] == 0
    assert project.reports() == whole
    assert not project.own_asked()


def test_a_row_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    row = {**ROW, "nodeid": "haystack.yaml::test_cell[a]"}
    writer = RowWriter(tmp_path, "run")
    writer.append(row)
    whole = writer.path.read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(whole) + 10, limits[1]))
    try:
        with pytest.raises(OSError, match="File too large"):
            writer.append(row | {"trial": 1})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)

    assert writer.path.read_bytes() == whole
    writer.append(row | {"trial": 2})
    writer.close()
    assert [row["trial"] for row in read_rows(writer.path)] == [0, 2]


def test_of_rows_that_are_written_together_those_that_fit_are_there(tmp_path: Path) -> None:
    rows = [{**ROW, "nodeid": "haystack.yaml::test_cell[a]", "trial": n, "latency_seconds": 0.001} for n in range(300)]
    writer = RowWriter(tmp_path, "run")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(dump_row({**rows[0], "run_id": "run"})) * 250, limits[1]))
    try:
        with pytest.raises(OSError, match="File too large"):
            deque(map(writer.append, rows))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    writer.close()

    there = [row["trial"] for row in read_rows(writer.path)]
    assert there == list(range(len(there)))
    assert 240 <= len(there) <= 250
