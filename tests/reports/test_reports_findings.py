"""Effective lengths and patterns in summary.json, summary.md and the terminal."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_haystack.reports.cell_result import CellResult, SweepResults
from pytest_haystack.reports.findings import effective_length, effective_length_label, effective_length_words
from pytest_haystack.reports.markdown import summary_markdown
from pytest_haystack.reports.summary import summary_data
from pytest_haystack.reports.terminal import plain, render_grid, render_headline
from tests.reports.sweeps import cell, grid, sweep

DEPTHS = [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100]


def blind(length: int, depth: float) -> dict[str, Any]:
    missed = length >= 4000 and 35 < depth < 65
    return {"state": "failed", "score": 0.0} if missed else {}


LOST = sweep([*grid([1000, 2000, 4000, 8000], DEPTHS, blind), *grid([1000, 2000], DEPTHS, blind, model="other")])
WORDS = [
    ({4000: 0.0}, "1,000 tokens (mean score 0.00 at 4,000)", "1,000"),
    ({4000: 1.0}, "at least 4,000 tokens (the longest asked)", "at least 4,000"),
    ({1000: 0.5, 4000: 1.0}, "below 1,000 tokens (mean score 0.50 at 1,000)", "below 1,000"),
]


@pytest.mark.parametrize(("scores", "words", "label"), WORDS)
def test_lengths_are_told_in_words(scores: dict[int, float], words: str, label: str) -> None:
    cells = [cell(score=score, length=length) for length, score in ({1000: 1.0} | scores).items()]
    found = effective_length(cells)

    assert found is not None
    assert effective_length_words(found) == words
    assert effective_length_label(found) == label


@pytest.mark.parametrize(
    "lacking", [cell("not_run", None), cell("error", None), cell("skipped", None, outcome="budget")]
)
def test_a_length_without_all_scores_is_no_claim(lacking: CellResult) -> None:
    whole, alone = effective_length([cell(length=500), cell(), lacking]), effective_length([cell(), lacking])

    assert whole is not None
    assert effective_length_words(whole) == "at least 500 tokens (1 score missing at 1,000)"
    assert alone is not None
    assert effective_length_words(alone) == "unknown (1 score missing at 1,000)"
    assert effective_length_label(alone) == "unknown"


def test_the_page_opens_with_the_effective_length() -> None:
    page = summary_markdown(LOST)

    assert page.index("## Effective context length") < page.index("## Mean scores") < page.index("## Patterns")
    assert "- `reader`: **2,000 tokens** (mean score 0.73 at 4,000)" in page
    assert "- `other`: **at least 2,000 tokens** (the longest asked)" in page
    assert "a mean score of at least 0.856 over all depths." in page
    assert (
        "| `reader` | `single` | **lost in the middle** | from 4,000 tokens on mean 0.00 in the middle third (n 6), "
        "1.00 in the first third (n 8) and 1.00 in the last third (n 8) |" in page
    )
    assert "| `reader` | **0.86** good (0.73 to 0.94, n 44) |" in page


def test_tasks_stand_beside_each_other() -> None:
    cells = [cell(task="a"), cell(task="b", score=0.0), cell(task="b", length=2000), cell("error", None, model="m")]
    page = summary_markdown(sweep(cells))

    assert "| `reader` | at least 1,000 | below 1,000 |" in page
    assert "- `reader`: **below 1,000 tokens** (mean score 0.50 at 1,000)" in page


def test_the_summary_has_lengths_bands_and_patterns() -> None:
    data = summary_data(LOST)
    reader, other = data["results"]

    assert data["effective_context_length"]["reader"] == {
        "tokens": 2000,
        "wanted_mean": 0.856,
        "ended": "fell",
        "at": 4000,
        "mean_at": pytest.approx(8 / 11),
        "missing_scores": 0,
    }
    assert reader["effective_context_length"]["tokens"] == 2000
    assert [pattern["name"] for pattern in reader["patterns"]] == ["lost in the middle"]
    assert (data["band"], reader["band"], other["band"]) == ("good", "good", "excellent")
    assert other["patterns"] == []


def test_the_terminal_tells_lengths_first_and_patterns_by_their_grid() -> None:
    headline = [plain(line) for line in render_headline(LOST)]
    grids = [plain(line) for line in render_grid(LOST, 200)]

    assert headline == [
        "effective context length (mean score of 0.856 or more at it and all below):",
        "  reader: 2,000 tokens (mean score 0.73 at 4,000)",
        "  other: at least 2,000 tokens (the longest asked)",
        "",
    ]
    assert grids[:3] == [
        "reader: single",
        "  mean 0.86 (good) [0.73, 0.94] over 44 trials; 38 passed, 6 failed",
        (
            "  lost in the middle: from 4,000 tokens on mean 0.00 in the middle third (n 6), "
            "1.00 in the first third (n 8) and 1.00 in the last third (n 8)"
        ),
    ]


def test_a_run_without_a_score_has_no_headline() -> None:
    nothing = sweep([cell("error", None)])

    assert render_headline(nothing) == []
    assert "## Effective context length" not in summary_markdown(nothing)
    assert summary_data(nothing)["effective_context_length"] == {}
    assert summary_data(nothing)["band"] is None


def test_very_many_models_end_in_a_count() -> None:
    lines = [plain(line) for line in render_headline(sweep([cell(model=f"m{number}") for number in range(40)]))]

    assert len(lines) == 15
    assert lines[-2] == "  and 28 models more in summary.md"


def test_tests_of_ones_own_ask_again_and_change_no_headline() -> None:
    own, users = cell(), cell(score=0.0, task="test_rag:single", group="test_rag")

    def tokens(results: SweepResults) -> int:
        return int(summary_data(results)["effective_context_length"]["reader"]["tokens"])

    assert tokens(sweep([own, users])) == 1000
    assert tokens(sweep([users])) == 0
