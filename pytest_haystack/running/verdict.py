"""What became of a cell, told from its rows alone: for cells that an earlier run asked."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from pytest_haystack.known_failures import known_failure_of
from pytest_haystack.models.model import Completion
from pytest_haystack.results.sequential import decide
from pytest_haystack.running.failure import error_text, failure_text
from pytest_haystack.running.trial import Trial
from pytest_haystack.running.workbench import Workbench
from pytest_haystack.scoring.outcomes import SKIPPED, Outcome
from pytest_haystack.sweep import Cell
from pytest_haystack.tasks.task import Ask

Row: TypeAlias = "Mapping[str, Any]"
State: TypeAlias = Literal["passed", "failed", "error", "skipped", "xfailed", "xpassed"]

#: What pytest writes before the words: the class of what was raised.
_ERROR, _FAILURE = "Failed: ", "BelowThreshold: "


def verdict_of(bench: Workbench, cell: Cell, rows: Sequence[Row], *, strict: bool = False) -> tuple[State, str]:
    """State and first line of the words of a cell, as today's thresholds and known failures have it.

    ``strict`` is what a known failure that passes means where its entry does not say. ``rows`` must not be empty.
    """
    trials = [_trial(row) for row in rows]
    unscored = [trial for trial in trials if trial.score is None]
    if unscored:
        skipped = all(trial.outcome in SKIPPED for trial in unscored)
        words = error_text(unscored)
        return ("skipped", _first_line(words)) if skipped else ("error", f"{_ERROR}{_first_line(words)}")
    score = math.fsum(trial.score for trial in trials if trial.score is not None) / len(trials)
    decision = None if cell.stop is None else decide(cell.stop, [trial.require_score() for trial in trials])
    passes = score >= cell.threshold - 1e-9 if decision is None else decision.verdict != "fail"
    known = known_failure_of(bench.config, cell)
    if known is None:
        if passes:
            return "passed", ""
        return "failed", _FAILURE + _first_line(failure_text(cell, trials, score, decision))
    if not passes:
        return "xfailed", known.reason
    if strict if known.strict is None else known.strict:
        return "failed", f"[XPASS(strict)] {known.reason}"
    return "xpassed", known.reason


def is_current(bench: Workbench, cell: Cell, row: Row) -> bool:
    """False where the row was left by another sweep than this one: other model, prompt, seed, tokenizer or source.

    What can be told without building the prompt: a text that changed under the same name is not noticed.
    """
    recipe, entry = row["recipe"], bench.entries[cell.task]
    source = (entry.haystack or bench.config.haystack).source
    return bool(
        row["model"] == bench.models[cell.model].model
        and row["task_type"] == entry.type
        and row["seed"] == bench.base_seed(cell, row["trial"])
        and recipe.get("template_sha256") == bench.templates[cell.task].sha256
        and recipe.get("tokenizer", bench.config.tokenizer) == bench.config.tokenizer
        and _mapping(recipe.get("haystack")).get("source", source) == source
    )


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _trial(row: Row) -> Trial:
    expected = row["expected"]
    ask = Ask(row["question"], tuple(expected) if isinstance(expected, list) else expected)
    completion = Completion(row["response"])
    return Trial(row["trial"], Outcome(row["outcome"]), row["score"], completion, (), ask, row["error"], dict(row))


def _first_line(text: str) -> str:
    return text.split("\n")[0]
