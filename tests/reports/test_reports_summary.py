"""summary.json and summary.md."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_haystack.reports import markdown
from pytest_haystack.reports.cell_result import STATES, GateVerdict
from pytest_haystack.reports.markdown import MOST_BYTES, summary_markdown
from pytest_haystack.reports.summary import summary_data
from tests.reports.sweeps import ANY_TEXT, MIXED, cell, grid, row, sweep

GATES = (GateVerdict("quality", "failed", "mean score 0.65 is below 0.9"),)


def test_the_summary_counts_states_and_trials() -> None:
    data = summary_data(MIXED)

    assert data["cells"] == {
        "total": 8,
        "passed": 1,
        "failed": 1,
        "error": 1,
        "skipped": 2,
        "xfailed": 1,
        "xpassed": 1,
        "not_run": 1,
    }
    assert (data["trials"], data["scored_trials"], data["end_to_end_rate"]) == (7, 4, 0.5)
    assert data["outcomes"] == {"answered": 4, "budget": 1, "context_overflow": 1, "infra_error": 1}
    assert data["verdicts"] == {"right": 2, "wrong": 2}
    assert data["test_seconds"] == 4.0
    assert data["wall_seconds"] is None


def test_each_model_and_task_has_its_own_figures() -> None:
    cells = [
        *grid([1000, 2000], [0, 50], lambda length, _: {"score": float(length == 1000)}, trials=2),
        cell(task="multi", rows=(row(0.0, "truncated"), row(1.0))),
    ]
    single, multi = summary_data(sweep(cells, chance={"single": 0.25}))["results"]

    assert (single["model"], single["task"], single["chance"], multi["chance"]) == ("reader", "single", 0.25, None)
    assert single["by_context_length"] == [
        {
            "context_length": 1000,
            "trials": 4,
            "scored_trials": 4,
            "end_to_end_rate": 1.0,
            "interval_95": single["by_context_length"][0]["interval_95"],
        },
        {
            "context_length": 2000,
            "trials": 4,
            "scored_trials": 4,
            "end_to_end_rate": 0.0,
            "interval_95": single["by_context_length"][1]["interval_95"],
        },
    ]
    assert (multi["end_to_end_rate"], multi["retrieval_rate"], multi["retrieval_trials"]) == (0.5, 1.0, 1)


def test_costs_and_tokens_are_summed_and_unknown_stays_unknown() -> None:
    usage = {"input_tokens": 10, "output_tokens": None, "cached_tokens": 4}
    data = summary_data(sweep([cell(rows=(row(cost_usd=None, usage=usage), row(cost_usd=0.1, usage=usage)))]))
    unknown = summary_data(sweep([cell(rows=({"outcome": "infra_error", "score": None},))]))

    assert data["cost_usd"] == 0.1
    assert data["tokens"] == {"input_tokens": 20, "output_tokens": None, "cached_tokens": 8, "reasoning_tokens": None}
    assert unknown["cost_usd"] is None
    assert set(unknown["tokens"].values()) == {None}


@given(
    texts=st.lists(ANY_TEXT, min_size=6, max_size=6), state=st.sampled_from(STATES), score=st.floats(0, 1) | st.none()
)
@settings(max_examples=100, deadline=None)
def test_the_summary_is_plain_json_whatever_the_texts(texts: list[str], state: Any, score: float | None) -> None:
    model, task, note, outcome, gate, name = texts
    made = cell(state, score, model=model, task=task, outcome=outcome)
    results = sweep([made], notes=(note,), name=name, haystack=note)
    data = summary_data(results, [GateVerdict(gate, "failed", note)])

    assert json.loads(json.dumps(data, allow_nan=False)) == data
    # Strict readers refuse lone surrogates, escaped or not.
    json.dumps(data, ensure_ascii=False).encode()


def test_the_page_has_headline_means_grids_and_what_failed() -> None:
    page = summary_markdown(MIXED, GATES)

    assert page.startswith("# Context sweep `context-gate`\n\n8 cells: ✅ 1 passed, ❌ 1 failed, ⚠️ 1 error, ")
    assert "**Mean score 0.50** (poor) over 4 trials (95% interval 0.15 to 0.85), retrieval rate 0.50." in page
    assert "Cost $1.75, 7,000 input tokens, 35 output tokens." in page
    assert "| `quality` | ❌ failed | `mean score 0.65 is below 0.9` |" in page
    assert "| `reader` | **0.50** poor (0.15 to 0.85, n 4) |" in page
    assert "| depth | 1K | 2K | 4K | 8K | 16K | 32K | 64K | 128K |" in page
    assert "| `50%` | ✅ 1 | ❌ 0 | 🔸 0 | 🔹 1 | ⚠️ | ➖ n/a | ➖ | · |" in page
    assert (
        "## Failed cells\n\n- `haystack.yaml::test_cell[single-reader-len2000-depth50]`: "
        "``score 0 is below 1: expected QR-7749, answered 'no idea'``"
    ).replace("``", "`") in page
    assert "## Errors\n\n- `haystack.yaml::test_cell[single-reader-len16000-depth50]`: `infra_error: 503" in page
    assert "- tokenizer: `cl100k_base`" in page


def test_the_headline_counts_in_words() -> None:
    page = summary_markdown(sweep([cell("error", None, length=length) for length in (1000, 2000, 3000)]))

    assert "\n3 cells: ⚠️ 3 errors\n" in page
    assert "\n1 cell: ✅ 1 passed\n" in summary_markdown(sweep([cell()]))


def test_a_green_page_lists_no_failures() -> None:
    page = summary_markdown(sweep([cell()], chance={"single": 0.1}))

    assert "Failed" not in page
    assert "Errors" not in page
    assert "Gates" not in page
    assert "| *blind guessing* | 0.1 |" in page


def test_long_lists_are_cut_with_a_count() -> None:
    cells = grid(range(1000, 26_000, 1000), [50], lambda *_: {"state": "failed", "score": 0.0, "message": "no"})
    page = summary_markdown(sweep(cells))

    assert page.count("]`: `no`") == 20
    assert "- and 5 more\n" in page


def test_many_grids_are_folded() -> None:
    few = sweep(cell(task=f"t{number}") for number in range(4))
    many = sweep(cell(task=f"t{number}") for number in range(5))

    assert "<details>" not in summary_markdown(few)
    assert summary_markdown(many).count("<details>") == summary_markdown(many).count("</details>") == 5


def test_grids_that_do_not_fit_are_left_to_the_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    cells = [c for task in range(9) for c in grid(range(1000, 11_000, 1000), range(5), lambda *_: {}, task=f"t{task}")]
    monkeypatch.setattr(markdown, "_MOST_GRID_BYTES", 2000)
    page = summary_markdown(sweep(cells))

    shown = page.count("</details>")
    assert 0 < shown < 9
    assert f"\n{9 - shown} more grids in the pictures.\n" in page
    assert "- tokenizer: " in page


def test_a_page_that_would_still_be_too_long_is_cut_and_says_so() -> None:
    page = summary_markdown(sweep([cell()], notes=("é" * 300,) * 3000))

    assert MOST_BYTES - 1000 < len(page.encode()) <= MOST_BYTES
    assert page.endswith("\n\nThe rest did not fit.\n")


def without_code(line: str) -> str:
    """The line without its code spans, by the rule of CommonMark 6.1."""
    result, position = "", 0
    for fence in re.finditer("`+", line):
        if fence.start() < position:
            continue
        end = re.compile(f"(?<!`){fence.group()}(?!`)").search(line, fence.end())
        assert end, line
        result += line[position : fence.start()]
        position = end.end()
    return result + line[position:]


@given(texts=st.lists(ANY_TEXT, min_size=7, max_size=7), state=st.sampled_from(STATES))
@settings(max_examples=100, deadline=None)
def test_foreign_text_is_never_active_markup(texts: list[str], state: Any) -> None:
    model, task, message, note, outcome, name, nodeid = texts
    hostile = cell(state, 0.5, model=model, task=task, message=message, nodeid=nodeid, outcome=outcome)
    others = [cell(task=f"t{number}") for number in range(5)]
    results = sweep([hostile, *others], notes=(note,), name=name, haystack=note, config_path=message)
    page = summary_markdown(results, [GateVerdict(name, "passed", message)])

    page.encode()
    allowed = re.compile(r"</?details>|<summary><code>[^<>]*</code></summary>")
    for line in page.splitlines():
        if line.startswith("<details>"):
            assert re.fullmatch(r"<details><summary><code>[^<>]*</code></summary>", line)
        rest = allowed.sub("", without_code(line) if "<code>" not in line else "")
        assert not re.search(r"[<>`\[\]@\\]|://|www\.", rest), line
        if line.startswith("|"):
            assert line.endswith("|")
    assert page.count("<details>") == len({(model, task), *((c.model, c.task) for c in others)}) >= 5
