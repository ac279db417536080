"""summary.json: a run in figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from pytest_haystack.reports.cell_result import (
    CellResult,
    GateVerdict,
    SweepResults,
    rows_of,
    state_counts,
    total,
)
from pytest_haystack.reports.comparisons import comparison_data, comparisons_of
from pytest_haystack.reports.escape import printable
from pytest_haystack.reports.findings import effective_length, effective_length_data, effective_lengths, patterns_in
from pytest_haystack.reports.reproducibility import checklist_data
from pytest_haystack.reports.search_result import searches_data
from pytest_haystack.results.bands import band_of_score
from pytest_haystack.results.judging import judging_of, whole_cost
from pytest_haystack.results.statistics import Row, Statistics, statistics_of
from pytest_haystack.results.tendencies import abstention_rates, conflict_rates

#: Raised when a key changes its meaning or goes.
SCHEMA_VERSION = 1
_TOKENS = ("input_tokens", "output_tokens", "cached_tokens", "reasoning_tokens")


def summary_data(results: SweepResults, gates: Sequence[GateVerdict] = ()) -> dict[str, Any]:
    """JSON values: counts, rates from 0 to 1, USD, tokens and seconds; null where something is not known.

    ``end_to_end_rate`` is the mean score over all scored trials, ``interval_95`` its two-sided Wilson interval,
    ``retrieval_rate`` the mean over those with an answer in the form asked for. ``test_seconds`` adds up what the
    cells took, each by itself; ``wall_seconds`` is how long the run took. ``comparisons`` has, for each axis of
    variants, its levels side by side; a miss is a scored trial with a score below 1. ``cost_usd`` holds the judging
    of answers, which ``judging`` has apart; ``tokens`` are those of the models under test alone. ``band`` is the word
    for a score (see `bands`), ``effective_context_length`` the longest length in tokens that with all shorter ones has
    the mean score ``wanted_mean``, ``patterns`` what `patterns` names. ``searches`` have figures and costs of their
    own, which no others hold. ``software`` has versions by name, ``reproducibility`` what `reproducibility` checks.
    """
    figures = _figures(results.cells)
    groups = results.by_model_and_task()
    return {
        "schema_version": SCHEMA_VERSION,
        "name": printable(results.name),
        "run_id": printable(results.run_id),
        "plugin_version": results.plugin_version,
        "started_utc": results.started_utc,
        "config_path": printable(results.config_path),
        "tokenizer": printable(results.tokenizer),
        "haystack": printable(results.haystack),
        "notes": [printable(note) for note in results.notes],
        "models": [printable(model) for model in results.models],
        "tasks": [printable(task) for task in results.tasks],
        **figures,
        "effective_context_length": {
            printable(model): effective_length_data(found) for model, found in effective_lengths(results).items()
        },
        "wall_seconds": results.wall_seconds,
        "gates": [_gate(gate) for gate in gates],
        "searches": searches_data(results.searches),
        "results": [
            {
                "model": printable(model),
                "task": printable(task),
                "family": printable(cells[0].family or task),
                "variant": dict(cells[0].variant),
                "chance": results.chance.get(task),
                **(figures if len(groups) == 1 else _figures(cells)),
                "effective_context_length": effective_length_data(effective_length(cells)),
                "patterns": [pattern._asdict() for pattern in patterns_in(cells)],
                "conflict": _conflict(cells),
                "abstention": _abstention(cells),
                "by_context_length": _by_length(cells),
            }
            for (model, task), cells in groups.items()
        ],
        "software": dict(results.record.software) if results.record else {},
        "reproducibility": checklist_data(results),
        "comparisons": [comparison_data(comparison) for comparison in comparisons_of(results)],
    }


def _gate(gate: GateVerdict) -> dict[str, Any]:
    return {
        "name": printable(gate.name),
        "outcome": gate.outcome,
        "text": printable(gate.text),
        "metric": printable(gate.metric),
        "value": gate.value,
        "fails_run": gate.fails_run,
    }


def _conflict(cells: Sequence[CellResult]) -> dict[str, Any] | None:
    rates = conflict_rates(rows_of(cells))
    if rates is None:
        return None
    return {
        "scored_trials": rates.n,
        "primacy_bias_rate": rates.primacy_bias,
        "recency_bias_rate": rates.recency_bias,
        "both_rate": rates.both,
        "neither_rate": rates.neither,
    }


def _abstention(cells: Sequence[CellResult]) -> dict[str, Any] | None:
    rates = abstention_rates(rows_of(cells))
    if rates is None:
        return None
    return {
        "answerable_trials": rates.answerable,
        "unanswerable_trials": rates.unanswerable,
        "hit_rate": rates.hit_rate,
        "true_abstain_rate": rates.true_abstain_rate,
        "youden_j": rates.youden_j,
    }


def _figures(cells: Sequence[CellResult]) -> dict[str, Any]:
    rows = rows_of(cells)
    figures = statistics_of(rows)
    return {
        "cells": {"total": len(cells), **state_counts(cells)},
        **_rates(figures),
        "band": band_of_score(figures.end_to_end_rate),
        "retrieval_rate": figures.retrieval_rate,
        "retrieval_trials": figures.retrieval_n,
        "outcomes": {printable(name): count for name, count in figures.outcomes.items()},
        "verdicts": {printable(name): count for name, count in figures.verdicts.items()},
        "cost_usd": whole_cost(rows),
        "judging": _judging(rows),
        "tokens": _tokens(rows),
        "test_seconds": round(sum(cell.duration_seconds for cell in cells), 3),
    }


def _judging(rows: Iterable[Row]) -> dict[str, Any] | None:
    """What scorers asked other models, which ``cost_usd`` holds and ``tokens`` does not."""
    judging = judging_of(rows)
    return None if judging is None else asdict(judging)


def _rates(figures: Statistics) -> dict[str, Any]:
    return {
        "trials": figures.trials,
        "scored_trials": figures.n,
        "end_to_end_rate": figures.end_to_end_rate,
        "interval_95": None if figures.interval is None else list(figures.interval),
    }


def _by_length(cells: Sequence[CellResult]) -> list[dict[str, Any]]:
    groups: dict[int, list[CellResult]] = {}
    for cell in cells:
        groups.setdefault(cell.context_length, []).append(cell)
    return [{"context_length": length, **_rates(statistics_of(rows_of(groups[length])))} for length in sorted(groups)]


def _tokens(rows: Iterable[Row]) -> dict[str, int | None]:
    """Sums of what providers counted, None where none of them said."""
    usages = [row.get("usage") or {} for row in rows]
    sums: dict[str, int | None] = {}
    for name in _TOKENS:
        known = total(usage.get(name) for usage in usages)
        sums[name] = None if known is None else int(known)
    return sums
