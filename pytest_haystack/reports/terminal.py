"""The grid of scores for a terminal.

A line is a tuple of spans; a span is a text with names of pytest's terminal markup (``green``, ``bold``, ...), so
that whoever prints it decides about colour: ``painted(line, terminal_writer.markup)`` or ``plain(line)``.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from pytest_haystack.reports.cell_result import CellResult, State, SweepResults, rows_of, state_counts
from pytest_haystack.reports.escape import fit_width, printable, shorten, width_of
from pytest_haystack.reports.findings import effective_length_words, effective_lengths, patterns_in
from pytest_haystack.reports.grid import Grid, Mark, Shown, grid_of
from pytest_haystack.reports.labels import (
    chance_label,
    counted,
    every_nth,
    interval_labels,
    length_labels,
    rate_label,
    score_label,
    signed_label,
)
from pytest_haystack.reports.tables import comparison_lines
from pytest_haystack.results.bands import band_of_score
from pytest_haystack.results.statistics import Row, statistics_of
from pytest_haystack.results.tendencies import abstention_rates, conflict_rates


class Span(NamedTuple):
    """A text and how it is marked up."""

    text: str
    style: tuple[str, ...] = ()


Line: TypeAlias = "tuple[Span, ...]"

#: Text and style of marks in place of a score.
_INSTEAD: dict[Mark, Span] = {
    Mark.FAILED: Span("F", ("red",)),
    Mark.XFAIL: Span("x", ("yellow",)),
    Mark.ERROR: Span("E", ("red", "bold")),
    Mark.UNSUPPORTED: Span("n/a", ("cyan",)),
    Mark.NOT_RUN: Span(".", ("light",)),
    Mark.NO_SCORE: Span("?", ("cyan",)),
}
_SUFFIXES = {Mark.FAILED: "F", Mark.XFAIL: "x", Mark.XPASS: "X"}
_SIGNS = {**{mark: span.text for mark, span in _INSTEAD.items()}, **_SUFFIXES}
#: Columns of a cell: a score, its suffix and air; without air; a single digit and its suffix.
_WIDE, _TIGHT, _NARROW = 5, 4, 2
#: Depths and lines beyond these are left to the files.
_MOST_DEPTHS = 50
_MOST_MODELS = 12


def render_grid(results: SweepResults, width: int = 80, most_lines: int = 160) -> list[Line]:
    """The scores of each model and task, no line wider than ``width`` columns (at least 40).

    Where the whole would take more than ``most_lines`` lines, first grids without a fault shrink to their heads,
    then those at the end.
    """
    width = max(40, width)
    groups = [(model, task, cells) for (model, task), cells in results.by_model_and_task().items()]
    heads = [_head(model, task, cells, results.chance.get(task), width) for model, task, cells in groups]
    grids = [grid_of(cells) for _, _, cells in groups]
    bodies = [_body(grid, width) for grid in grids]
    shown = _which_fit(groups, heads, bodies, most_lines)
    lines: list[Line] = []
    for number, (head, body) in enumerate(zip(heads, bodies, strict=True)):
        if len(lines) >= most_lines:
            lines.append((Span(f"... and {counted(len(heads) - number, 'grid')} more in summary.md"),))
            break
        lines += [*head, *body, ()] if number in shown else head
    for title, table in comparison_lines(results, width):
        lines += [(Span(title, ("bold",)),), *((Span(line),) for line in table), ()]
    return lines + _legend(results, grids, width)


def render_headline(results: SweepResults, width: int = 80) -> list[Line]:
    """The effective context length of each model, no line wider than ``width`` columns (at least 40)."""
    width = max(40, width)
    found = effective_lengths(results)
    if not found:
        return []
    wanted = next(iter(found.values())).wanted
    lines = _wrapped(f"effective context length (mean score of {wanted:g} or more at it and all below):", width, "")
    for model, one in [*found.items()][:_MOST_MODELS]:
        lines += [
            tuple(Span(span.text, ("bold",)) for span in line)
            for line in _wrapped(f"{printable(model)}: {effective_length_words(one)}", width)
        ]
    if len(found) > _MOST_MODELS:
        lines.append((Span(f"  and {counted(len(found) - _MOST_MODELS, 'model')} more in summary.md"),))
    return [*lines, ()]


def plain(line: Line) -> str:
    """The line without colour."""
    return "".join(span.text for span in line).rstrip()


def painted(line: Line, markup: Callable[..., str]) -> str:
    """The line through a function like ``TerminalWriter.markup``, which takes styles as keyword arguments."""
    return "".join(markup(span.text, **dict.fromkeys(span.style, True)) for span in line)


def _which_fit(
    groups: Sequence[tuple[str, str, list[CellResult]]],
    heads: Sequence[list[Line]],
    bodies: Sequence[list[Line]],
    most_lines: int,
) -> set[int]:
    """Numbers of the grids that are shown in full."""
    shown = set(range(len(groups)))
    total = sum(len(head) + len(body) + 1 for head, body in zip(heads, bodies, strict=True))
    faultless = [number for number, (_, _, cells) in enumerate(groups) if all(cell.state == "passed" for cell in cells)]
    for number in [*faultless, *reversed(range(len(groups)))]:
        if total <= most_lines:
            break
        if number in shown and len(shown) > 1:
            shown.remove(number)
            total -= len(bodies[number]) + 1
    return shown


def _head(model: str, task: str, cells: Sequence[CellResult], chance: float | None, width: int) -> list[Line]:
    model, task = printable(model), printable(task)
    rows = rows_of(cells)
    figures = statistics_of(rows)
    states = ", ".join(_counted(state, count) for state, count in state_counts(cells).items() if count)
    mean = "no score"
    if figures.interval is not None:
        low, high = interval_labels(*figures.interval)
        trials = counted(figures.n, "trial")
        band = band_of_score(figures.end_to_end_rate)
        mean = f"mean {rate_label(figures.end_to_end_rate)} ({band}) [{low}, {high}] over {trials}"
        if chance is not None:
            mean += f" (by guessing {chance_label(chance)})"
    half = width // 2 - 1
    name = (
        f"{model}: {task}" if len(model) + len(task) + 2 <= width else f"{shorten(model, half)}: {shorten(task, half)}"
    )
    lines: list[Line] = [(Span(fit_width(name, width), ("bold",)),)]
    lines += _wrapped(f"{mean}; {states}", width)
    if set(figures.outcomes) - {"answered"}:
        outcomes = ", ".join(f"{name} {count}" for name, count in figures.outcomes.items())
        rate = f"; retrieval rate {rate_label(figures.retrieval_rate)}" if figures.retrieval_n else ""
        lines += _wrapped(f"outcomes: {printable(outcomes)}{rate}", width)
    patterns = [f"{pattern.name}: {pattern.text}" for pattern in patterns_in(cells)]
    return lines + [line for words in [*_tendencies(rows), *patterns] for line in _wrapped(words, width)]


def _tendencies(rows: Sequence[Row]) -> list[str]:
    """What the answers lean to, in a line each."""
    conflict, abstention = conflict_rates(rows), abstention_rates(rows)
    lines = []
    if conflict is not None:
        primacy, recency = rate_label(conflict.primacy_bias), rate_label(conflict.recency_bias)
        lines.append(f"primacy bias {primacy}, recency bias {recency} of {counted(conflict.n, 'trial')}")
    if abstention is not None:
        hit, abstained = rate_label(abstention.hit_rate), rate_label(abstention.true_abstain_rate)
        lines.append(
            f"hit rate {hit} (n {abstention.answerable}), true-abstain rate {abstained} "
            f"(n {abstention.unanswerable}), Youden's J {signed_label(abstention.youden_j)}"
        )
    return lines


def _counted(state: State, count: int) -> str:
    return counted(count, "error") if state == "error" else f"{count:,} {state.replace('_', ' ')}"


def _wrapped(text: str, width: int, indent: str = "  ") -> list[Line]:
    lines = textwrap.wrap(text, width, initial_indent=indent, subsequent_indent=f"{indent}  ")
    return [(Span(fit_width(line, width)),) for line in lines]


def _body(grid: Grid, width: int) -> list[Line]:
    """Lengths as columns, in several blocks where one does not hold them all; depths as rows."""
    labels = length_labels(grid.lengths)
    label_width = 4 + max(width_of(depth) for depth in grid.depths)
    room = width - label_width
    step = max(_WIDE, 2 + max(len(label) for label in labels))
    if step * len(labels) > room:
        step = _TIGHT if _TIGHT * len(labels) <= room else _NARROW
    rows = every_nth(len(grid.depths), _MOST_DEPTHS)
    lines: list[Line] = []
    for start in range(0, len(labels), room // step):
        columns = range(start, min(len(labels), start + room // step))
        lines.append((Span(" " * label_width + _ruler(labels, columns, step), ("bold",)),))
        for row in rows:
            depth = f"  {grid.depths[row]}% "
            cells = [_cell(grid.places[row][column], step) for column in columns]
            lines.append((Span(" " * (label_width - width_of(depth)) + depth), *cells))
    if step == _NARROW:
        lines.append((Span("  # is a score of 1, a digit its tenths", ("light",)),))
    if len(rows) < len(grid.depths):
        lines.append((Span(f"  {len(rows)} of {len(grid.depths)} depths", ("light",)),))
    return lines


def _ruler(labels: Sequence[str], columns: range, step: int) -> str:
    """The lengths above their columns: the first, the last, and of the others those that stand apart."""
    ruler = [" "] * (step * len(columns))
    for number in dict.fromkeys((0, len(columns) - 1, *range(len(columns)))):
        label = labels[columns[number]]
        # The last character of a label stands above the last of a score; the suffix comes after it.
        end = number * step + step - 1
        begin = max(0, end - len(label))
        if "".join(ruler[max(0, begin - 1) : begin + len(label) + 1]).isspace():
            ruler[begin : begin + len(label)] = label
    return "".join(ruler).rstrip()


def _cell(shown: Shown, step: int) -> Span:
    mark, score = shown.mark, shown.score
    if score is None:
        text, style = _INSTEAD.get(mark, Span(" "))
        return Span(f"{text.rjust(step - 1) if step > _NARROW else text[0]} ", style)
    style = ("red",) if mark is Mark.FAILED else ("yellow",) if mark in _SUFFIXES else ("green",)
    digits = ("#" if score == 1 else f"{int(score * 10)}") if step == _NARROW else score_label(score)
    return Span(digits.rjust(step - 1) + _SUFFIXES.get(mark, " "), style)


def _legend(results: SweepResults, grids: Sequence[Grid], width: int) -> list[Line]:
    seen = {mark for grid in grids for mark in grid.marks()}
    signs = [f"{_SIGNS[mark]} {mark.value}" for mark in Mark if mark in seen and mark in _SIGNS]
    lines = _wrapped("; ".join(signs), width)
    for note in results.notes:
        lines += _wrapped(f"note: {printable(note)}", width)
    return lines
