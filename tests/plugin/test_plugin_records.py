"""Sweeps of documents without filler: planned, run, rebuilt, shown and drawn like any other."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., pytest.RunResult]

RECORDS = """\
name: records
models: [{id: reader, model: simulated/perfect}]
threshold: 0
sweep: {context_lengths: [1000, 3000], depth_percents: [0, 100], trials: 2}
tasks:
  - ancestry
  - {id: json, type: key_value, format: json, items: 20}
"""


@pytest.fixture
def ran(write: Any, run: Run) -> pytest.RunResult:
    """The sweep, run."""
    write(RECORDS)
    return run()


def test_rows_say_how_long_the_document_is_and_where_the_needles_stand(ran: pytest.RunResult, rows: Any) -> None:
    assert ran.parseoutcomes() == {"passed": 6}
    found = rows()
    assert len(found) == 12
    for row in found:
        places = row["recipe"]["placements"]
        assert len(places) == (3 if row["task"] == "ancestry" else 1)
        assert row["recipe"]["document_tokens"] <= row["context_length"]
        if row["task"] == "json":
            assert row["score"] == 1
            assert places[0]["actual_depth_percent"] == pytest.approx(row["depth_percent"], abs=1)
        assert len(json.dumps(row)) < 4000


def test_every_row_is_rebuilt_byte_for_byte(ran: pytest.RunResult, rows: Any, pytester: Any, command: Any) -> None:
    for number in (1, 12):
        result = command("reconstruct", "haystack-report/results.jsonl", "--row", str(number), "--out", "prompt.txt")
        assert result.returncode == 0, result.stderr
        prompt = (pytester.path / "prompt.txt").read_bytes()
        assert hashlib.sha256(prompt).hexdigest() == rows()[number - 1]["prompt_sha256"]


def test_show_marks_each_relation_that_leads_to_the_answer(ran: pytest.RunResult, command: Any) -> None:
    shown = command("show", "haystack.yaml::test_cell[ancestry-reader-len1000-depth50]").stdout

    assert len(re.findall(r">>>[A-Z][^<\n]*\.<<<", shown)) == 3


def test_records_of_a_fixture_of_ones_own_are_said_to_be_that(
    write: Any, run: Run, pytester: Any, command: Any
) -> None:
    write(RECORDS)
    pytester.makeconftest(
        """
        import dataclasses, pytest

        @pytest.fixture
        def needles(needles):
            if len(needles) != 20:
                return needles
            return [dataclasses.replace(n, statement=n.statement.replace(n.expected, "own")) for n in needles]
        """
    )
    run("-k", "json-reader-len1000-depth0")
    result = command("reconstruct", "haystack-report/results.jsonl", "--row", "1")

    assert result.returncode == 4
    assert "its records came from a fixture of the test's own" in result.stderr


def test_the_plan_counts_the_documents_as_long_as_they_are(write: Any, command: Any, run: Run, rows: Any) -> None:
    path: Path = write(RECORDS)
    planned = {}
    for line in command("plan", path).stdout.splitlines():
        if line.startswith("reader"):
            _, task, cells, calls, tokens, _ = line.split()
            planned[task] = (int(cells), int(calls), int(tokens.replace(",", "")))
    run()

    assert [planned[task][:2] for task in ("ancestry", "json")] == [(2, 4), (4, 8)]
    for task, (_, _, tokens) in planned.items():
        sent = sum(row["usage"]["input_tokens"] for row in rows() if row["task"] == task)
        assert tokens == pytest.approx(sent, rel=0.02)


def test_a_task_without_depth_has_one_row_of_cells_in_its_heatmap(ran: pytest.RunResult, pytester: Any) -> None:
    grid = ran.stdout.str().partition("reader: ancestry\n")[2].partition("\n\n")[0]

    assert re.findall(r"^ +(\d+%)", grid, re.MULTILINE) == ["50%"]
    assert (pytester.path / "haystack-report" / "heatmap-reader-ancestry.png").stat().st_size > 5000
