"""Searches in summary.md and in the terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence

from pytest_haystack.reports.cell_result import State
from pytest_haystack.reports.escape import fit_width, markdown_code, printable
from pytest_haystack.reports.labels import counted, usd_label
from pytest_haystack.reports.search_result import SearchResult, details
from pytest_haystack.reports.terminal import Line, Span

_MOST_SHOWN = 40


def search_section(searches: Sequence[SearchResult], signs: Mapping[State, str]) -> list[str]:
    """A table of what was found, with the lengths on both sides and the path of the tests."""
    if not searches:
        return []
    lines = ["## Searches", "", "| search | | found | lengths | asked |", "|---|---|---|---|---:|"]
    for search in searches[:_MOST_SHOWN]:
        told = "<br>".join(markdown_code(line) for line in details(search)) or "-"
        name = markdown_code(f"{search.name}: {search.task} on {search.model}")
        sign = f"{signs[search.state]} {search.state.replace('_', ' ')}"
        asked = counted(len(search.rows), "trial")
        if search.cost_usd is not None:
            asked += f", {usd_label(search.cost_usd)}"
        lines.append(f"| {name} | {sign} | {markdown_code(search.text)} | {told} | {asked} |")
    return [*lines, *_rest(searches), ""]


def search_lines(searches: Sequence[SearchResult], width: int) -> list[Line]:
    """Lines for a terminal, none wider than ``width`` columns; none without searches."""
    colours = {"passed": "green", "failed": "red", "error": "red"}
    lines: list[Line] = []
    for search in searches[:_MOST_SHOWN]:
        name = f"search {search.name}: {search.task} on {search.model}: {search.state.replace('_', ' ')}"
        lines.append((Span(fit_width(printable(name), width), (colours.get(search.state, "yellow"),)),))
        for text in (search.text, *details(search)):
            wrapped = textwrap.wrap(printable(text), width, initial_indent="  ", subsequent_indent="    ")
            lines += [(Span(fit_width(line, width)),) for line in wrapped]
    return [*lines, *((Span(line),) for line in _rest(searches))]


def _rest(searches: Sequence[SearchResult]) -> list[str]:
    more = len(searches) - _MOST_SHOWN
    return [f"and {more} more in summary.json"] if more > 0 else []
