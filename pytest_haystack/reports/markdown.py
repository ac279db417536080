"""summary.md: a run as a page, for people and for the summary of a CI job.

Whatever comes from models or users stands in code spans: there nothing is markup, link or mention.
"""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from pytest_haystack.reports.cell_result import GateVerdict, State, SweepResults, rows_of
from pytest_haystack.reports.escape import markdown_code, printable, shorten
from pytest_haystack.reports.grid import Grid, Mark, Shown, grid_of
from pytest_haystack.reports.labels import (
    chance_label,
    counted,
    interval_labels,
    length_labels,
    rate_label,
    score_label,
    usd_label,
)
from pytest_haystack.reports.reproducibility import checklist_section
from pytest_haystack.reports.search_sections import search_section
from pytest_haystack.reports.sections import (
    comparison_sections,
    length_section,
    pattern_section,
    score_with_interval,
    tendency_sections,
)
from pytest_haystack.reports.summary import summary_data
from pytest_haystack.results.statistics import statistics_of

#: GitHub refuses the summary of a step beyond 1 MiB; something of it is left to other tools.
MOST_BYTES = 900_000
_MOST_GRID_BYTES = 500_000
_MOST_LISTED = 20
#: Up to so many grids stand open, more are folded.
_MOST_OPEN = 4

_SIGNS: dict[State, str] = {
    "passed": "✅",
    "failed": "❌",
    "error": "⚠️",
    "skipped": "➖",
    "xfailed": "🔸",
    "xpassed": "🔹",
    "not_run": "·",
}
_WORDS: dict[State, str] = {
    "passed": "passed",
    "failed": "failed",
    "error": "error",
    "skipped": "skipped",
    "xfailed": "known failure (xfail)",
    "xpassed": "known failure that passed (xpass)",
    "not_run": "not run",
}


def summary_markdown(
    results: SweepResults, gates: Sequence[GateVerdict] = (), data: dict[str, Any] | None = None
) -> str:
    """The page, at most 900,000 bytes of UTF-8: headline, effective lengths, gates, means, patterns, grids, faults.

    ``data`` is what `summary_data` gives for these results, where that is known already.
    """
    data = summary_data(results, gates) if data is None else data
    before = [
        *_headline(results, data, gates),
        *length_section(results),
        *_gates(data),
        *search_section(results.searches, _SIGNS),
        *_means(results),
        *pattern_section(results),
        *comparison_sections(results),
        *tendency_sections(results),
    ]
    after = [
        *_listed(results, "failed", "Failed cells"),
        *_listed(results, "error", "Errors"),
        *_listed(results, "xpassed", "Known failures that passed"),
        *_listed(results, "skipped", "Skipped"),
        *_notes(results),
        *checklist_section(results),
    ]
    return _bounded([*before, *_grids(results), *after])


def _headline(results: SweepResults, data: dict[str, Any], gates: Sequence[GateVerdict]) -> list[str]:
    verdicts = [line for counts in (_gate_counts(gates), _search_counts(results)) if counts for line in (counts, "")]
    if not results.cells:
        return [f"# Context sweep {markdown_code(results.name)}", "", *verdicts, "No cell ran, only searches.", ""]
    cells = data["cells"]
    states = [f"{_SIGNS[state]} {_counted(state, cells[state])}" for state in _SIGNS if cells[state]]
    all_cells = counted(cells["total"], "cell")
    lines = [f"# Context sweep {markdown_code(results.name)}", "", f"{all_cells}: {', '.join(states)}", "", *verdicts]
    if data["interval_95"] is not None:
        low, high = interval_labels(*data["interval_95"])
        lines.append(
            f"**Mean score {rate_label(data['end_to_end_rate'])}** ({data['band']}) over "
            f"{counted(data['scored_trials'], 'trial')} (95% interval {low} to {high}), "
            f"retrieval rate {rate_label(data['retrieval_rate'])}."
        )
    lines.append(f"Outcomes: {_histogram(data['outcomes']) or 'none'}.")
    judging = data["judging"]
    judged = (
        ""
        if judging is None
        else f" (judging {counted(judging['requests'], 'answer')} {usd_label(judging['cost_usd'])})"
    )
    spent = [f"cost {usd_label(data['cost_usd'])}{judged}"]
    spent += [f"{data['tokens'][name]:,} {name.replace('_', ' ')}" for name in data["tokens"] if data["tokens"][name]]
    seconds = data["wall_seconds"]
    if seconds is not None:
        spent.append(f"{seconds:,.1f} s")
    return [*lines, f"{', '.join(spent).capitalize()}.", ""]


def _gate_counts(gates: Sequence[GateVerdict]) -> str:
    """How many gates passed and failed, and whether those that are undecided fail the run."""
    if not gates:
        return ""
    open_gates = sum(gate.outcome == "skipped" and gate.fails_run for gate in gates)
    counts = Counter[str](gate.outcome for gate in gates)
    words = {"passed": "✅ {} passed", "failed": "❌ {} failed", "warned": "⚠️ {} warned", "skipped": "➖ {} undecided"}
    told = [text.format(f"{counts[outcome]:,}") for outcome, text in words.items() if counts[outcome]]
    if open_gates:
        told.append(f"❌ {open_gates:,} of the undecided {'fails' if open_gates == 1 else 'fail'} the run")
    return f"{counted(len(gates), 'gate')}: {', '.join(told)}"


def _search_counts(results: SweepResults) -> str:
    counts = Counter(search.state for search in results.searches)
    states = [f"{_SIGNS[state]} {_counted(state, counts[state])}" for state in _SIGNS if counts[state]]
    number = len(results.searches)
    return f"{number:,} {'search' if number == 1 else 'searches'}: {', '.join(states)}" if states else ""


def _counted(state: State, count: int) -> str:
    return counted(count, "error") if state == "error" else f"{count:,} {_WORDS[state]}"


def _histogram(outcomes: dict[str, int]) -> str:
    return ", ".join(f"{markdown_code(name)} {count}" for name, count in outcomes.items())


def _gates(data: dict[str, Any]) -> list[str]:
    if not data["gates"]:
        return []
    signs = {"passed": "✅", "failed": "❌", "warned": "⚠️", "skipped": "➖"}
    lines = ["## Gates", "", "| gate | verdict | figures |", "|---|---|---|"]
    for gate in data["gates"]:
        sign = f"{signs[gate['outcome']]} {gate['outcome']}"
        lines.append(f"| {markdown_code(gate['name'])} | {sign} | {markdown_code(gate['text'])} |")
    return [*lines, ""]


def _means(results: SweepResults) -> list[str]:
    """Models down, tasks across, and what blind guessing reaches."""
    if not results.cells:
        return []
    groups = results.by_model_and_task()
    lines = ["## Mean scores", "", f"| model | {' | '.join(markdown_code(task) for task in results.tasks)} |"]
    lines.append("|---|" + "---:|" * len(results.tasks))
    for model in results.models:
        shown = [score_with_interval(statistics_of(rows_of(groups.get((model, task), [])))) for task in results.tasks]
        lines.append(f"| {markdown_code(model)} | {' | '.join(shown)} |")
    if results.chance:
        chances = [chance_label(results.chance[task]) if task in results.chance else "-" for task in results.tasks]
        lines.append(f"| *blind guessing* | {' | '.join(chances)} |")
    return [*lines, ""]


def _grids(results: SweepResults) -> list[str]:
    """A table for each model and task, as many as there is room for."""
    if not results.cells:
        return []
    groups = results.by_model_and_task()
    folded = len(groups) > _MOST_OPEN
    lines = ["## Grids", "", "Context length in tokens to the right, depth of the needle downwards.", ""]
    used = 0
    for number, ((model, task), cells) in enumerate(groups.items()):
        name = printable(f"{model}: {task}")
        table = _table(grid_of(cells))
        used += sum(len(line.encode("utf-8", "backslashreplace")) + 1 for line in table)
        if used > _MOST_GRID_BYTES:
            return [*lines, f"{counted(len(groups) - number, 'more grid')} in the pictures.", ""]
        if folded:
            title = f"<code>{html.escape(shorten(name, 200))}</code>"
            lines += [f"<details><summary>{title}</summary>", "", *table, "", "</details>", ""]
        else:
            lines += [f"### {markdown_code(name)}", "", *table, ""]
    signs = [f"{_SIGNS[state]} {_WORDS[state]}" for state in _SIGNS if any(c.state == state for c in results.cells)]
    return [*lines, ", ".join(signs), ""]


def _table(grid: Grid) -> list[str]:
    lines = [f"| depth | {' | '.join(length_labels(grid.lengths))} |", "|---:|" + ":---:|" * len(grid.lengths)]
    for depth, places in zip(grid.depths, grid.places, strict=True):
        shown = [_cell(place) for place in places]
        lines.append(f"| {markdown_code(f'{depth}%')} | {' | '.join(shown)} |")
    return lines


def _cell(shown: Shown) -> str:
    if shown.mark is Mark.NO_CELL:
        return ""
    sign = _SIGNS[shown.state]
    if shown.score is not None:
        return f"{sign} {score_label(shown.score)}"
    return f"{sign} n/a" if shown.mark is Mark.UNSUPPORTED else sign


def _listed(results: SweepResults, state: State, title: str) -> list[str]:
    """The first cells in this state with their messages."""
    cells = [cell for cell in results.cells if cell.state == state]
    if not cells:
        return []
    lines = [f"## {title}", ""]
    for cell in cells[:_MOST_LISTED]:
        message = markdown_code(cell.message)
        lines.append(f"- {markdown_code(cell.nodeid)}{': ' if message else ''}{message}")
    if len(cells) > _MOST_LISTED:
        lines.append(f"- and {len(cells) - _MOST_LISTED:,} more")
    return [*lines, ""]


def _notes(results: SweepResults) -> list[str]:
    lines = ["## About this run", ""]
    lines += [f"- {markdown_code(note)}" for note in results.notes]
    about = {
        "config": results.config_path,
        "haystack": results.haystack,
        "tokenizer": results.tokenizer,
        "run": results.run_id,
        "started": results.started_utc,
        "pytest-haystack": results.plugin_version,
    }
    return [*lines, *(f"- {name}: {markdown_code(value)}" for name, value in about.items() if value), ""]


def _bounded(lines: Iterable[str]) -> str:
    """The lines as a text of at most `MOST_BYTES`; a cut is told."""
    told = "\n\nThe rest did not fit.\n"
    kept: list[str] = []
    room = MOST_BYTES - len(told)
    for line in lines:
        room -= len(line.encode("utf-8", "backslashreplace")) + 1
        if room < 0:
            return "\n".join(kept) + told
        kept.append(line)
    return "\n".join(kept) + "\n"
