"""Files of rows that people and other programs have had in their hands."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from pytest_haystack.errors import HaystackError
from pytest_haystack.results.store import RowWriter, read_rows
from tests.support.rows import ROW

LINE = json.dumps(ROW)


def read(path: Path, data: str | bytes) -> list[dict[str, Any]]:
    """The rows in a file of this content."""
    file = path / "results.jsonl"
    file.write_bytes(data.encode() if isinstance(data, str) else data)
    return read_rows(file)


@pytest.mark.parametrize(
    "data",
    [f"{LINE}\n", f"{LINE}\r\n", f"\ufeff{LINE}\n", f"\n{LINE}\n\n", f"{LINE}\n{LINE[:50]}", f"{LINE}\n{LINE}\n"],
    ids=["plain", "CRLF", "mark of its encoding", "empty lines", "torn", "twice"],
)
def test_what_editors_and_kills_do_to_a_file_of_rows_does_not_matter(tmp_path: Path, data: str) -> None:
    assert read(tmp_path, data) == [ROW]


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("score", "high", "score: must be a number from 0 to 1, or null"),
        ("score", 7, "score: must be a number from 0 to 1, or null"),
        ("score", float("nan"), "score: must be a number from 0 to 1, or null"),
        ("score", True, "score: must be a number from 0 to 1, or null"),
        ("trial", "0", "trial: must be a whole number from 0"),
        ("nodeid", None, "nodeid: must be a text"),
        ("schema_version", "1", "schema_version: must be a whole number from 1"),
        ("context_length", 10**400, "context_length: must be a whole number from 1"),
        ("depth_percent", -1, "depth_percent: must be a number from 0 to 100"),
        ("usage", [], "usage: must be a mapping"),
        ("usage", {"input_tokens": "many"}, "usage.input_tokens: must be a number, or null"),
        ("cost_usd", float("inf"), "cost_usd: must be a number, or null"),
        ("outcome", "great", "outcome: must be an outcome, such as answered or infra_error"),
        ("outcome", ["answered"], "outcome: must be an outcome, such as answered or infra_error"),
        ("response", 7, "response: must be a text, or null"),
    ],
)
def test_a_row_that_was_edited_wrongly_is_told_with_its_line(
    tmp_path: Path, field: str, value: object, words: str
) -> None:
    with pytest.raises(HaystackError) as told:
        read(tmp_path, f"{LINE}\n{json.dumps({**ROW, field: value})}\n")
    assert str(told.value).endswith(f"results.jsonl:2: {words}; name a results.jsonl, or take that line out")


@pytest.mark.parametrize("line", ["[]", "null", "7", "{}", '{"a": 1}', "[" * 100_000, "text"])
def test_what_is_no_row_is_told_with_its_line(tmp_path: Path, line: str) -> None:
    with pytest.raises(HaystackError, match=r"results\.jsonl:1: .*name a results\.jsonl"):
        read(tmp_path, f"{line}\n")


def test_every_field_that_is_read_back_is_missed(tmp_path: Path) -> None:
    for field in ("nodeid", "trial", "score", "outcome", "usage", "context_length", "task"):
        rest = {name: value for name, value in ROW.items() if name != field}
        with pytest.raises(HaystackError, match=f":1: {field}: missing"):
            read(tmp_path, f"{json.dumps(rest)}\n")


def test_rows_that_came_quickly_are_written_together_where_there_are_many(tmp_path: Path) -> None:
    writer = RowWriter(tmp_path, "run")

    for trial in range(200):
        writer.append({**ROW, "trial": trial, "latency_seconds": 0.0001})
        there = len(read_rows(writer.path))
        # The first few at once; never does more than an eighth wait.
        assert there >= trial + 1 - trial / 8
    assert there < 200

    writer.flush()

    assert [row["trial"] for row in read_rows(writer.path)] == list(range(200))
    writer.close()


@pytest.mark.parametrize("seconds", [0.2, None])
def test_a_row_that_took_its_time_is_written_at_once_with_all_that_wait(tmp_path: Path, seconds: float | None) -> None:
    writer = RowWriter(tmp_path, "run")
    quick = {**ROW, "latency_seconds": 0.0001}
    for trial in range(200):
        writer.append(quick | {"trial": trial})

    writer.append(quick | {"trial": 200, "latency_seconds": seconds})

    assert len(read_rows(writer.path)) == 201
    writer.close()


@pytest.mark.skipif(sys.platform == "win32", reason="no open file can be deleted there")
def test_a_row_is_not_written_into_a_file_that_somebody_has_deleted(tmp_path: Path) -> None:
    writer = RowWriter(tmp_path, "run")
    writer.append(ROW)
    writer.path.unlink()

    with pytest.raises(FileNotFoundError, match="the file was deleted while the run went on"):
        writer.append({**ROW, "trial": 1})
    writer.close()
