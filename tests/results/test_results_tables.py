"""Tables of rows, cells and aggregates: nothing lost, nothing that a spreadsheet would run."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_haystack.results.statistics import wilson
from pytest_haystack.results.tables import AGGREGATE_COLUMNS, CELL_COLUMNS, ROW_COLUMNS, as_csv, as_json, table_of
from tests.reports.sweeps import ANY_TEXT
from tests.results.pairs import row


def read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def joined(text: str) -> str:
    """The text as JSON gives it back: two halves of a surrogate pair that meet are one character."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def sample() -> list[dict[str, Any]]:
    return [
        row(score, context_length=length, depth_percent=depth, trial=trial, run_id="r1", cost_usd=0.5)
        for length, score in ((2000, 1.0), (1000, 0.0))
        for depth in (100, 0)
        for trial in range(2)
    ]


def test_every_row_is_a_line_with_one_header() -> None:
    lines = read(as_csv(table_of(sample(), "rows")))

    assert tuple(lines[0]) == ROW_COLUMNS
    assert [(line["context_length"], line["depth_percent"], line["trial"], line["score"]) for line in lines][:3] == [
        ("2000", "100", "0", "1.0"),
        ("2000", "100", "1", "1.0"),
        ("2000", "0", "0", "1.0"),
    ]
    assert len(lines) == 8


def test_cells_stand_in_the_order_of_the_grid_with_their_figures() -> None:
    table = table_of([*sample(), row(None, context_length=1000, depth_percent=0, trial=2)], "cells")

    assert table.columns == CELL_COLUMNS
    assert [(line["context_length"], line["depth_percent"]) for line in table.lines] == [
        (1000, 0),
        (1000, 100),
        (2000, 0),
        (2000, 100),
    ]
    first = table.lines[0]
    assert (first["trials"], first["n"], first["mean_score"], first["cost_usd"]) == (3, 2, 0, 1.0)
    assert (first["outcome_answered"], first["outcome_infra_error"]) == (2, 1)
    assert (first["low"], first["high"]) == wilson(0, 2)


def test_aggregates_pool_over_lengths_over_depths_and_over_both() -> None:
    table = table_of([*sample(), row(1.0, task="other")], "aggregates")

    assert table.columns == AGGREGATE_COLUMNS
    found = [
        (line["by"], line["task"], line["context_length"], line["depth_percent"], line["n"], line["mean_score"])
        for line in table.lines
    ]
    assert found == [
        ("task", "single", None, None, 8, 0.5),
        ("task", "other", None, None, 1, 1.0),
        ("context_length", "single", 1000, None, 4, 0.0),
        ("context_length", "single", 2000, None, 4, 1.0),
        ("context_length", "other", 1000, None, 1, 1.0),
        ("depth_percent", "single", None, 0, 4, 0.5),
        ("depth_percent", "single", None, 100, 4, 0.5),
        ("depth_percent", "other", None, 50.0, 1, 1.0),
    ]


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "＝1+1", "=cmd|' /C calc'!A0"])
def test_a_text_that_a_spreadsheet_would_run_stays_text(text: str) -> None:
    (line,) = read(as_csv(table_of([row(response=text, nodeid="=x[1]")], "rows")))

    assert line["response"] == "'" + text
    assert line["nodeid"] == "'=x[1]"


def test_numbers_below_zero_stay_numbers() -> None:
    (line,) = read(as_csv(table_of([row(seed=-7)], "rows")))

    assert line["seed"] == "-7"


@given(ANY_TEXT, ANY_TEXT, st.none() | ANY_TEXT)
def test_whatever_was_written_both_forms_read_again(question: str, response: str, error: str | None) -> None:
    rows = [row(question=question, response=response, error=error, expected=[response, "b"])]

    (line,) = read(as_csv(table_of(rows, "rows")).encode("utf-8").decode("utf-8"))
    assert line["trial"] == "0"
    assert not line["response"].startswith(("=", "+", "-", "@"))
    (parsed,) = json.loads(as_json(table_of(rows, "rows")).encode("ascii"))
    wanted = [None if text is None else joined(text) for text in (question, response, error)]
    assert [parsed["question"], parsed["response"], parsed["error"]] == wanted
    assert parsed["expected"] == [joined(response), "b"]
    assert tuple(parsed) == ROW_COLUMNS
