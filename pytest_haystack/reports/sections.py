"""Sections of summary.md: effective lengths and patterns, variants, contradictory facts, unanswerable questions."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_haystack.reports.cell_result import SweepResults, rows_of
from pytest_haystack.reports.comparisons import Comparison, comparisons_of, levels_text
from pytest_haystack.reports.escape import markdown_code
from pytest_haystack.reports.findings import (
    effective_length,
    effective_length_label,
    effective_length_words,
    effective_lengths,
    patterns_by_group,
)
from pytest_haystack.reports.labels import interval_labels, rate_label, signed_label
from pytest_haystack.results.bands import band_of_score
from pytest_haystack.results.effective_length import EffectiveLength
from pytest_haystack.results.statistics import Statistics
from pytest_haystack.results.tendencies import abstention_rates, conflict_rates


def comparison_sections(results: SweepResults) -> list[str]:
    """A table for each axis, its levels side by side."""
    return [line for comparison in comparisons_of(results) for line in _comparison(comparison)]


def tendency_sections(results: SweepResults) -> list[str]:
    """What answers lean to, where there are rows that tell."""
    return [*_conflicts(results), *_abstentions(results)]


def score_with_interval(figures: Statistics) -> str:
    """``**0.83** good (0.36 to 0.98, n 4)``, - without a score."""
    if figures.interval is None:
        return "-"
    low, high = interval_labels(*figures.interval)
    band = band_of_score(figures.end_to_end_rate)
    return f"**{rate_label(figures.end_to_end_rate)}** {band} ({low} to {high}, n {figures.n})"


def length_section(results: SweepResults) -> list[str]:
    """The effective context length of each model over all tasks, and for each task: the headline."""
    found = effective_lengths(results)
    if not found:
        return []
    wanted = next(iter(found.values())).wanted
    lines = ["## Effective context length", ""]
    lines += [f"- {markdown_code(model)}: {_lengths(one)}" for model, one in found.items()]
    rule = f"The longest length that, with all shorter ones, has a mean score of at least {wanted:g} over all depths"
    groups = results.by_model_and_task()
    if len(results.tasks) == 1:
        return [*lines, "", f"{rule}.", ""]
    lines += ["", f"{rule} and tasks. Of each task by itself, in tokens:", ""]
    rows = []
    for model in results.models:
        shown = [effective_length_label(effective_length(groups.get((model, task), []))) for task in results.tasks]
        rows.append([markdown_code(model), *shown])
    lines.append(f"| model | {' | '.join(markdown_code(task) for task in results.tasks)} |")
    lines.append("|---|" + "---:|" * len(results.tasks))
    return [*lines, *(f"| {' | '.join(row)} |" for row in rows), ""]


def _lengths(found: EffectiveLength) -> str:
    words, bracket, why = effective_length_words(found).partition(" (")
    return f"**{words}**{bracket}{why}"


def pattern_section(results: SweepResults) -> list[str]:
    """What the scores of a model and task have in common, with the figures."""
    rows = [
        [markdown_code(model), markdown_code(task), f"**{pattern.name}**", pattern.text]
        for (model, task), patterns in patterns_by_group(results).items()
        for pattern in patterns
    ]
    if not rows:
        return []
    lines = ["## Patterns", "", "| model | task | pattern | |", "|---|---|---|---|"]
    return [*lines, *(f"| {' | '.join(row)} |" for row in rows), ""]


def _comparison(comparison: Comparison) -> list[str]:
    if comparison.of_prompts:
        lines = ["## Misses by prompt", "", "Scored trials with a score below 1, and the mean score.", ""]
    else:
        lines = [f"## Mean score by {markdown_code(comparison.axis)}", ""]
    rows = []
    for row in comparison.rows:
        cells = []
        for misses, figures in zip(row.misses, row.figures, strict=True):
            if not comparison.of_prompts or figures.interval is None:
                cells.append(score_with_interval(figures))
            else:
                cells.append(f"**{misses}** of {figures.n} ({rate_label(figures.end_to_end_rate)})")
        rows.append([markdown_code(row.model), markdown_code(row.task), *cells])
    levels = [markdown_code(text) for level in comparison.levels for text in levels_text({comparison.axis: level})]
    return [*lines, *_table(["model", "task", *levels], rows), ""]


def _conflicts(results: SweepResults) -> list[str]:
    rows = []
    for (model, task), cells in results.by_model_and_task().items():
        rates = conflict_rates(rows_of(cells))
        if rates is not None:
            shares = [rates.primacy_bias, rates.recency_bias, rates.both, rates.neither]
            rows.append([markdown_code(model), markdown_code(task), *map(rate_label, shares), f"{rates.n:,}"])
    if not rows:
        return []
    lines = ["## Contradictory facts", "", "Shares of all scored trials: which of the two values the answer gave.", ""]
    head = ["model", "task", "first (primacy bias)", "last (recency bias)", "both", "neither", "trials"]
    return [*lines, *_table(head, rows), ""]


def _abstentions(results: SweepResults) -> list[str]:
    rows = []
    for (model, task), cells in results.by_model_and_task().items():
        rates = abstention_rates(rows_of(cells))
        if rates is not None:
            hit, abstained = rate_label(rates.hit_rate), rate_label(rates.true_abstain_rate)
            shown = [
                f"{hit} (n {rates.answerable})",
                f"{abstained} (n {rates.unanswerable})",
                signed_label(rates.youden_j),
            ]
            rows.append([markdown_code(model), markdown_code(task), *shown])
    if not rows:
        return []
    words = "Youden's J is hit rate + true-abstain rate - 1: 0 for a model that always answers, or never does."
    head = ["model", "task", "hit rate", "true-abstain rate", "Youden's J"]
    return ["## Unanswerable questions", "", words, "", *_table(head, rows), ""]


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Two columns of names, the others of figures."""
    lines = [f"| {' | '.join(head)} |", "|---|---|" + "---:|" * (len(head) - 2)]
    return [*lines, *(f"| {' | '.join(row)} |" for row in rows)]
