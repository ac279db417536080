"""What a run comes to in a few words: effective context lengths and patterns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pytest_haystack.reports.cell_result import CellResult, SweepResults, rows_of
from pytest_haystack.reports.labels import counted, rate_label
from pytest_haystack.results.effective_length import EffectiveLength, LengthScores, effective_length_of
from pytest_haystack.results.patterns import Pattern, patterns_of
from pytest_haystack.results.statistics import scores


def effective_lengths(results: SweepResults) -> dict[str, EffectiveLength]:
    """The effective context length of each model over all its tasks; models without a score have none.

    Tasks are those of the sweep file; where only tests of the user's own ran, theirs.
    """
    own = [cell for cell in results.cells if not cell.group] or results.cells
    lengths = {
        model: effective_length([cell for cell in own if cell.model == model])
        for model in dict.fromkeys(cell.model for cell in own)
    }
    return {model: found for model, found in lengths.items() if found is not None}


def effective_length(cells: Iterable[CellResult]) -> EffectiveLength | None:
    """The effective context length of these cells together, None without a score."""
    groups: dict[int, list[CellResult]] = {}
    for cell in cells:
        groups.setdefault(cell.context_length, []).append(cell)
    return effective_length_of(
        {length: LengthScores(scores(rows_of(group)), sum(map(_missing, group))) for length, group in groups.items()}
    )


def effective_length_words(found: EffectiveLength) -> str:
    """``4,000 tokens (mean score 0.67 at 8,000)``."""
    reached = f"{found.tokens:,} tokens"
    if found.ended == "longest":
        return f"at least {reached} (the longest asked)"
    if found.ended == "fell":
        mean = f"mean score {rate_label(found.mean)} at {found.at:,}"
        return f"{reached} ({mean})" if found.tokens else f"below {found.at:,} tokens ({mean})"
    lack = f"{counted(found.missing, 'score')} missing at {found.at:,}"
    return f"at least {reached} ({lack})" if found.tokens else f"unknown ({lack})"


def effective_length_label(found: EffectiveLength | None) -> str:
    """The same without the reason: ``4,000``, ``at least 16,000``, ``below 1,000``; - without a score."""
    if found is None:
        return "-"
    if found.ended == "fell":
        return f"{found.tokens:,}" if found.tokens else f"below {found.at:,}"
    return f"at least {found.tokens:,}" if found.tokens else "unknown"


def effective_length_data(found: EffectiveLength | None) -> dict[str, Any] | None:
    """JSON values: tokens, the mean score asked for, why it is no longer, at which length, and its mean score."""
    if found is None:
        return None
    return {
        "tokens": found.tokens,
        "wanted_mean": found.wanted,
        "ended": found.ended,
        "at": found.at,
        "mean_at": found.mean,
        "missing_scores": found.missing,
    }


def patterns_by_group(results: SweepResults) -> dict[tuple[str, str], list[Pattern]]:
    """The patterns of each (model, task) that shows any."""
    found = {group: patterns_in(cells) for group, cells in results.by_model_and_task().items()}
    return {group: patterns for group, patterns in found.items() if patterns}


def patterns_in(cells: Iterable[CellResult]) -> list[Pattern]:
    """The patterns of the cells of one model and task."""
    return patterns_of(rows_of(cells))


def _missing(cell: CellResult) -> int:
    """How many scores a cell lacks, as far as its rows tell: of a cell that did not run, one at least."""
    without = sum(row.get("score") is None for row in cell.rows)
    return without or (not cell.rows)
