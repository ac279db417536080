"""Two runs of one sweep compared, and their rows exported, from the command line."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.plugin.planned import CONFTEST, SWEEP, plan, wrong

Run = Callable[..., pytest.RunResult]


@pytest.fixture
def two_runs(write: Any, run: Run, pytester: pytest.Pytester) -> Path:
    """A run in which all is right, and one that lost the middle of the longest texts."""
    pytester.makeconftest(CONFTEST)
    write(SWEEP)
    run("--haystack-report-dir", "old")
    plan(pytester.path, wrong([1000, 2000], [25, 50]) | wrong([500], [0], "error"))
    run("--haystack-report-dir", "new")
    return pytester.path


def test_a_comparison_names_the_cells_and_the_evidence_and_draws_the_difference(two_runs: Path, command: Any) -> None:
    result = command("compare", "old", "new/results.jsonl")

    assert (result.returncode, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert re.fullmatch(r"old old/results\.jsonl \(run \S+, 15 rows, 15 with a score\)", lines[0])
    assert lines[2] == "reader: single"
    assert lines[3] == (
        "  mean score 1.00 -> 0.71 over 14 pairs (-0.29, 95 % -0.55 to -0.01); "
        "4 worse, 0 better; McNemar mid-p 0.031, exact 0.062: REGRESSION"
    )
    assert lines[4].split(": ")[1].split(", ") == [
        f"len{length}-depth{depth} 1 -> 0" for length in (1000, 2000) for depth in (25, 50)
    ]
    assert lines[5] == "  without partner: 1 no score in this run"
    assert lines[6] == "REGRESSION: reader: single (alpha 0.05 over 14 pairs)"
    assert lines[7] == "wrote new: difference.png"
    assert (two_runs / "new" / "difference.png").stat().st_size > 10_000
    assert command("compare", "old", "new", "--out", "pictures").stdout.endswith("wrote pictures: difference.png\n")
    assert sorted(path.name for path in two_runs.glob("**/difference*")) == ["difference.png"] * 2


def test_the_exit_code_tells_a_regression_only_where_it_is_asked_to(two_runs: Path, command: Any) -> None:
    asked = ("--no-pictures", "--fail-on-regression")

    assert command("compare", "old", "new", *asked).returncode == 1
    assert command("compare", "new", "old", *asked).returncode == 0
    assert command("compare", "old", "new", *asked, "--alpha", "0.01").returncode == 0
    assert not list(two_runs.glob("**/difference*.png"))


def test_another_seed_is_refused_with_its_reason(two_runs: Path, run: Run, command: Any) -> None:
    run("--haystack-report-dir", "seed", "--haystack-set", "sweep.seed=7")

    result = command("compare", "old", "seed")

    assert result.returncode == 0
    assert "  no pair to compare: 15 seed changed (42, now 7)\n" in result.stdout
    assert result.stdout.count("seed changed") == 1
    assert result.stdout.splitlines()[-1] == "nothing was compared: no prompt has a score in both runs"
    assert not list(two_runs.glob("**/difference*.png"))


def test_a_comparison_of_nothing_is_no_pass(two_runs: Path, run: Run, command: Any) -> None:
    plan(two_runs, wrong([500, 1000, 2000], [0, 25, 50, 75, 100], "error"))
    run("--haystack-report-dir", "broken")

    result = command("compare", "old", "broken", "--fail-on-regression", "--no-pictures")

    assert result.returncode == 1
    assert "  no pair to compare: 15 no score in this run\nnothing was compared" in result.stdout


def test_a_model_that_is_held_against_another_meets_that_one_alone(two_runs: Path, command: Any) -> None:
    """Both runs have both models: the old rows of the second must not take the place of the first one's."""
    right, other = ((two_runs / name / "results.jsonl").read_text() for name in ("old", "new"))
    (two_runs / "both.jsonl").write_text(right + other.replace("reader", "next"))

    result = command("compare", "both.jsonl", "both.jsonl", "--model", "reader=next", "--no-pictures")

    # `reader` is right everywhere in the old run; what is called `next` is wrong at four cells and an error at one.
    assert "next: single\n  mean score 1.00 -> 0.71 over 14 pairs" in result.stdout
    twice = command("compare", "both.jsonl", "both.jsonl", "--model", "reader=next", "--model", "next=next")
    assert (twice.returncode, "a model is held against one other" in twice.stderr) == (4, True)


def test_runs_of_two_models_are_held_against_each_other(two_runs: Path, run: Run, command: Any) -> None:
    run("--haystack-report-dir", "next", "--haystack-set", "models.0.id=next")

    result = command("compare", "old", "next", "--no-pictures")
    assert "model reader is held against next\n" in result.stdout
    assert "over 14 pairs" in result.stdout
    assert command("compare", "old", "next", "--model", "reader=next", "--no-pictures").stdout == result.stdout
    mistaken = command("compare", "old", "next", "--model", "reader=other", "--no-pictures")
    assert mistaken.returncode == 4
    assert mistaken.stderr == "--model reader=other: the second run has no model 'other'; it has next\n"


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("missing.jsonl", None, "missing.jsonl: no such file; name the results.jsonl of an earlier run"),
        ("empty.jsonl", "", "empty.jsonl: has no rows"),
        ("notes.txt", "hello\n", "notes.txt:1: not a row of results"),
        ("folder", "", "folder: the folder has no results.jsonl"),
    ],
)
def test_what_is_no_run_is_told_in_a_line(
    two_runs: Path, command: Any, name: str, content: str | None, words: str
) -> None:
    if name == "folder":
        (two_runs / name).mkdir()
    elif content is not None:
        (two_runs / name).write_text(content, encoding="utf-8")

    result = command("compare", "old", name)

    assert result.returncode == 4
    assert result.stderr.startswith(words)
    assert result.stderr.count("\n") == 1


def test_rows_and_aggregates_are_exported(two_runs: Path, command: Any) -> None:
    written = command("export", "new", "--what", "aggregates", "--format", "json")
    lines = json.loads(written.stdout)
    by_length = {line["context_length"]: line for line in lines if line["by"] == "context_length"}
    assert [by_length[length]["mean_score"] for length in (500, 1000, 2000)] == [1.0, 0.6, 0.6]
    assert [by_length[length]["n"] for length in (500, 1000, 2000)] == [4, 5, 5]

    assert command("export", "new/results.jsonl", "--out", "rows.csv").stdout == ""
    with (two_runs / "rows.csv").open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    assert len(table) == 15
    assert sum(line["outcome"] == "answered" and line["score"] == "1.0" for line in table) == 10
