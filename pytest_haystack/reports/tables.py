"""Comparisons as plain lines for a terminal."""

from __future__ import annotations

import textwrap

from pytest_haystack.reports.cell_result import SweepResults
from pytest_haystack.reports.comparisons import Compared, Comparison, comparisons_of, levels_text
from pytest_haystack.reports.escape import fit_width, printable, shorten, width_of
from pytest_haystack.reports.labels import counted, rate_label

_MOST_ROWS = 40
_LEAST_NAME = 16


def comparison_lines(results: SweepResults, width: int) -> list[tuple[str, list[str]]]:
    """Title and lines of each comparison, none wider than ``width`` columns."""
    return [(fit_width(_title(one), width), _lines(one, width)) for one in comparisons_of(results)]


def _title(comparison: Comparison) -> str:
    if comparison.of_prompts:
        return "misses by prompt (scored trials below 1)"
    return f"mean score by {printable(comparison.axis)}"


def _lines(comparison: Comparison, width: int) -> list[str]:
    """A table, or where its columns do not fit a paragraph for each row."""
    heads = [printable(text) for level in comparison.levels for text in levels_text({comparison.axis: level})]
    rows = [(printable(f"{row.model}: {row.task}"), _figures(comparison, row)) for row in comparison.rows]
    shown = rows[:_MOST_ROWS]
    widths = [
        2 + max([width_of(head), *(len(figures[column]) for _, figures in shown)]) for column, head in enumerate(heads)
    ]
    room = min(width - sum(widths), 2 + max(width_of(name) for name, _ in shown))
    lines: list[str] = []
    if room >= _LEAST_NAME or room == 2 + max(width_of(name) for name, _ in shown):
        lines.append(" " * room + "".join(_right(head, size) for head, size in zip(heads, widths, strict=True)))
        for name, figures in shown:
            name = fit_width(shorten(name, room - 2), room - 2)
            cells = "".join(_right(figure, size) for figure, size in zip(figures, widths, strict=True))
            lines.append(f"  {name}{' ' * (room - 2 - width_of(name))}{cells}")
    else:
        for name, figures in shown:
            listed = ", ".join(f"{head} {figure}" for head, figure in zip(heads, figures, strict=True))
            wrapped = textwrap.wrap(f"{name}: {listed}", width, initial_indent="  ", subsequent_indent="    ")
            lines += [fit_width(line, width) for line in wrapped]
    if len(rows) > len(shown):
        lines.append(f"  and {counted(len(rows) - len(shown), 'row')} more in summary.md")
    return lines


def _right(text: str, size: int) -> str:
    return " " * (size - width_of(text)) + text


def _figures(comparison: Comparison, row: Compared) -> list[str]:
    if not comparison.of_prompts:
        return [rate_label(figures.end_to_end_rate) for figures in row.figures]
    return [
        f"{misses}/{figures.n}" if figures.n else "-" for misses, figures in zip(row.misses, row.figures, strict=True)
    ]
