"""Somebody tidies up the report folder while a sweep runs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

if sys.platform == "win32":
    pytest.skip("no open file can be deleted there", allow_module_level=True)

#: Deletes the report folder after so many tests.
TIDY = """\
import shutil

left = [{after}]


def pytest_runtest_logreport(report):
    if report.when == "teardown":
        left[0] -= 1
        if left[0] == 0:
            shutil.rmtree("haystack-report")
"""


def test_rows_are_written_anew_and_the_run_ends_where_the_next_one_could_not_be(
    pytester: pytest.Pytester,
    small: Path,
    run: Callable[..., pytest.RunResult],
    rows: Callable[..., list[dict[str, Any]]],
) -> None:
    pytester.makeconftest(TIDY.format(after=2))
    broken_off = run("-p", "no:xdist")

    assert broken_off.ret == pytest.ExitCode.INTERRUPTED
    told = broken_off.stdout.str()
    assert "the file was deleted while the run went on. The rows before it are there" in told
    assert "see to it and run again with --haystack-resume" in told
    # Two were written before it was deleted; the third was made, and not written.
    assert len(rows()) == 2


def test_rows_are_there_where_the_folder_was_deleted_after_the_last_test(
    pytester: pytest.Pytester,
    small: Path,
    run: Callable[..., pytest.RunResult],
    rows: Callable[..., list[dict[str, Any]]],
    workers: tuple[str, ...],
) -> None:
    pytester.makeconftest(TIDY.format(after=6))
    result = run(*workers)

    assert result.ret == pytest.ExitCode.TESTS_FAILED  # one cell is beyond the reader
    result.stdout.fnmatch_lines(["*results.jsonl: was deleted while the run went on, and written anew"])
    assert len(rows()) == 6
    assert (pytester.path / "haystack-report" / "junit.xml").exists()
