"""Variants side by side, in the summary, on the page and in the terminal."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_haystack.reports.comparisons import comparisons_of
from pytest_haystack.reports.escape import width_of
from pytest_haystack.reports.markdown import summary_markdown
from pytest_haystack.reports.summary import summary_data
from pytest_haystack.reports.terminal import plain, render_grid
from tests.reports.sweeps import ANY_TEXT, cell, row, sweep
from tests.reports.variants import NUMBERS, PROMPTS, variant

BOTH = sweep([*NUMBERS, *PROMPTS, cell(task="plain")], chance={"multi-2": 0.25, "plain": 2.0**-122})


def lines(results: Any, width: int = 100) -> list[str]:
    return [plain(line) for line in render_grid(results, width)]


def test_each_axis_is_compared_once_and_prompts_come_first() -> None:
    prompts, needles = comparisons_of(BOTH)

    assert (prompts.axis, prompts.levels) == ("prompt", ("default", "close-reading"))
    assert [(one.task, one.misses) for one in prompts.rows] == [("single", [3, 0]), ("uuid", [0, 0])]
    assert (needles.axis, needles.levels) == ("needles", (2, 5, 10))
    assert [(one.model, [figures.end_to_end_rate for figures in one.figures]) for one in needles.rows] == [
        ("good", [1.0, 1.0, None]),
        ("weak", [1.0, 0.8, 0.4]),
    ]


def test_other_axes_make_rows_of_their_own() -> None:
    cells = [
        variant("multi", score, {"needles": needles, "prompt": prompt})
        for needles, prompt, score in [(2, "a", 1.0), (2, "b", 0.0), (5, "a", 0.5), (5, "b", 0.25)]
    ]
    prompts, needles = comparisons_of(sweep(cells))

    assert [(one.task, one.misses) for one in prompts.rows] == [
        ("multi, needles 2", [0, 1]),
        ("multi, needles 5", [1, 1]),
    ]
    assert [(one.task, one.figures[1].end_to_end_rate) for one in needles.rows] == [
        ("multi, a", 0.5),
        ("multi, b", 0.25),
    ]


def test_a_sweep_without_variants_has_nothing_to_compare() -> None:
    results = sweep([cell()])

    assert summary_data(results)["comparisons"] == []
    assert "prompt" not in summary_markdown(results)
    assert not [line for line in lines(results) if "prompt" in line]


def test_the_summary_has_families_variants_misses_and_rates() -> None:
    data = json.loads(json.dumps(summary_data(BOTH)))

    first, last = data["results"][0], data["results"][-1]
    assert (first["task"], first["family"], first["variant"], first["chance"]) == (
        "multi-2",
        "multi",
        {"needles": 2},
        0.25,
    )
    assert (last["family"], last["variant"], last["conflict"], last["abstention"]) == ("plain", {}, None, None)
    prompts, needles = data["comparisons"]
    assert prompts["rows"][0]["levels"][0] == {
        "level": "default",
        "misses": 3,
        "scored_trials": 3,
        "end_to_end_rate": 0.0,
        "interval_95": pytest.approx([0.0, 0.5615], abs=1e-4),
    }
    assert needles["levels"] == [2, 5, 10]
    assert needles["rows"][0]["levels"][2]["end_to_end_rate"] is None


def test_the_page_shows_misses_by_prompt_and_scores_by_number() -> None:
    page = summary_markdown(BOTH)

    assert "## Misses by prompt" in page
    assert "| model | task | `default` | `close-reading` |" in page
    assert "| `reader` | `single` | **3** of 3 (0.00) | **0** of 3 (1.00) |" in page
    assert "## Mean score by `needles`" in page
    assert "| model | task | `needles 2` | `needles 5` | `needles 10` |" in page
    assert (
        "| `good` | `multi` | **1.00** excellent (0.34 to 1.00, n 2) | **1.00** excellent (0.34 to 1.00, n 2) | - |"
        in page
    )


def test_the_page_and_the_terminal_show_chance_beside_the_mean() -> None:
    assert "| *blind guessing* | 0.25 | - | - | - | - | - | - | <0.0001 |" in summary_markdown(BOTH)
    assert [line for line in lines(BOTH) if "over 2 trials (by guessing 0.25); 2 passed" in line]
    assert [line for line in lines(BOTH) if "over 1 trial (by guessing <0.0001); 1 passed" in line]


def test_the_terminal_shows_comparisons_as_tables() -> None:
    shown = lines(BOTH)
    start = shown.index("misses by prompt (scored trials below 1)")

    assert shown[start + 1 : start + 4] == [
        "                  default  close-reading",
        "  reader: single      3/3            0/3",
        "  reader: uuid        0/3            0/3",
    ]
    start = shown.index("mean score by needles")
    assert shown[start + 1 : start + 4] == [
        "               needles 2  needles 5  needles 10",
        "  good: multi       1.00       1.00           -",
        "  weak: multi       1.00       0.80        0.40",
    ]


def test_levels_that_do_not_fit_side_by_side_are_listed() -> None:
    cells = [variant("single", 1.0, {"prompt": f"prompt-number-{number}"}) for number in range(12)]
    shown = lines(sweep(cells), 60)
    start = shown.index("misses by prompt (scored trials below 1)")

    assert shown[start + 1].startswith("  reader: single: prompt-number-0 0/1, prompt-number-1 0/1,")
    assert sum(line.count("0/1") for line in shown[start:]) == 12


def test_very_many_rows_are_left_to_the_page() -> None:
    cells = [variant(f"t{number}", 1.0, {"prompt": "a"}) for number in range(50)]

    assert "  and 10 rows more in summary.md" in lines(sweep(cells))


@settings(max_examples=40, deadline=None)
@given(ANY_TEXT, ANY_TEXT, st.lists(ANY_TEXT, min_size=1, max_size=5, unique=True), st.integers(40, 120))
def test_any_names_make_valid_reports(model: str, family: str, levels: list[str], width: int) -> None:
    results = sweep(variant(family, 0.5, {"prompt": level, "needles": 2}, model=model) for level in levels)

    json.dumps(summary_data(results), allow_nan=False).encode()
    summary_markdown(results).encode("utf-8", "strict")
    assert all(width_of(line) <= width and "\x1b" not in line for line in lines(results, width))


def tendency(details: list[dict[str, Any]], task: str) -> Any:
    made = cell(task=task)
    rows = tuple(
        row(float(one.pop("score", 1)), score_details=one, task=task, trial=n) for n, one in enumerate(details)
    )
    return type(made)(**{name: getattr(made, name) for name in made.__slots__} | {"rows": rows})


def test_what_answers_lean_to_is_told_everywhere() -> None:
    conflicts = tendency([{"label": label} for label in ["chose_first"] * 3 + ["chose_last"]], "conflicting")
    asked = [(True, 1), (True, 1), (False, 0), (False, 0)]
    pairs = tendency([{"answerable": answerable, "score": score} for answerable, score in asked], "unanswerable")
    results = sweep([conflicts, pairs])
    data, page, shown = summary_data(results), summary_markdown(results), lines(results)

    assert data["results"][0]["conflict"] == {
        "scored_trials": 4,
        "primacy_bias_rate": 0.75,
        "recency_bias_rate": 0.25,
        "both_rate": 0.0,
        "neither_rate": 0.0,
    }
    assert data["results"][1]["abstention"] == {
        "answerable_trials": 2,
        "unanswerable_trials": 2,
        "hit_rate": 1.0,
        "true_abstain_rate": 0.0,
        "youden_j": 0.0,
    }
    assert "| `reader` | `conflicting` | 0.75 | 0.25 | 0.00 | 0.00 | 4 |" in page
    assert "| `reader` | `unanswerable` | 1.00 (n 2) | 0.00 (n 2) | 0.00 |" in page
    assert "  primacy bias 0.75, recency bias 0.25 of 4 trials" in shown
    assert "  hit rate 1.00 (n 2), true-abstain rate 0.00 (n 2), Youden's J 0.00" in shown
