"""One trial: ask the model, score the answer, leave a row."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, replace
from typing import Any

import pytest

from pytest_haystack.errors import HaystackError, ModelError
from pytest_haystack.models.model import Completion
from pytest_haystack.needles.needle import Needle
from pytest_haystack.results.rows import make_row
from pytest_haystack.running.asking import Asked, as_completion, ask, classified
from pytest_haystack.running.workbench import Material, Workbench
from pytest_haystack.scoring.outcomes import Outcome
from pytest_haystack.scoring.reasoning import split_reasoning
from pytest_haystack.scoring.score import Complete, Reference, Score, Scorer
from pytest_haystack.sweep import Cell
from pytest_haystack.tasks.task import Ask


@dataclass(frozen=True, slots=True)
class Trial:
    """A trial that was asked: ``score`` (0 to 1) is None where ``outcome`` is an error or a skip.

    It holds neither the document nor the needles that are mere records: trials of every cell are kept in case of a
    rerun.
    """

    number: int
    outcome: Outcome
    score: float | None
    completion: Completion | None
    needles: tuple[Needle, ...]
    ask: Ask
    error: str | None
    row: MutableMapping[str, Any]

    @property
    def answer(self) -> str:
        """The answer's text, or an empty string."""
        return (self.completion.text if self.completion else None) or ""

    def require_score(self) -> float:
        """The score. Raises ModelError where the trial has none."""
        if self.score is None:
            raise ModelError(str(self.outcome), f"{self.outcome}: {self.error}")
        return self.score


def run_trial(
    bench: Workbench,
    cell: Cell,
    number: int,
    material: Material,
    model: Any,
    nodeid: str,
    complete: Complete | None = None,
) -> Trial:
    """Ask ``model`` (anything with ``complete(prompt)``, or a callable) and score what it says.

    ``complete`` asks the model that the scorer needs, if it needs one. Raises nothing that a provider did: errors
    are outcomes of the trial.
    """
    asked = ask(bench, cell, material.prompt, model, nodeid)
    return score_trial(bench, cell, number, material, asked, nodeid, complete)


def score_answer(
    bench: Workbench,
    cell: Cell,
    material: Material,
    answer: Any,
    nodeid: str,
    complete: Complete | None = None,
    number: int = 0,
) -> Trial:
    """Score an answer that a test got for itself. Raises ModelError where it is no text or Completion."""
    asked = classified(bench, cell, material.prompt, as_completion(answer))
    return score_trial(bench, cell, number, material, asked, nodeid, complete)


def score_trial(
    bench: Workbench,
    cell: Cell,
    number: int,
    material: Material,
    asked: Asked,
    nodeid: str,
    complete: Complete | None = None,
) -> Trial:
    """Score an answer whose outcome is known. Where its scorer cannot tell, the trial is an error."""
    score, scorer = None, scorer_of(bench, cell)
    kept: Mapping[str, Any] = {}
    completion, outcome, error = asked.completion, asked.outcome, asked.error
    if outcome == Outcome.answered and completion is not None:
        answer, _ = split_reasoning(completion.text or "")
        wanted = material.ask
        options = {**wanted.options, **scorer[2]}
        statements = tuple(needle.statement for needle in material.needles if needle.role == "needle")
        reference = Reference(wanted.expected, wanted.question, wanted.alternatives, options, statements, complete)
        try:
            score = labelled(apply_scorer(scorer[0], scorer[1], answer or "", reference), wanted.labels)
        except ModelError as failure:
            outcome, error, kept = Outcome(failure.outcome), str(failure), failure.details
    elif outcome.scored:
        score = Score(0.0, "wrong")
    row = make_row(
        bench=bench,
        cell=cell,
        trial=number,
        seed=bench.base_seed(cell, number),
        nodeid=nodeid,
        material=material,
        completion=completion,
        outcome=str(outcome),
        scorer=scorer[0],
        score=score,
        error=error,
        kept=kept,
    )
    value = None if score is None else score.value
    # The records around the needles are as large as the document.
    needles = tuple(needle for needle in material.needles if needle.role != "record")
    return Trial(number, outcome, value, completion, needles, material.ask, error, row)


def apply_scorer(name: str, scorer: Scorer, answer: str, reference: Reference) -> Score:
    """What a scorer says. Raises ModelError where it fails, or says neither a Score nor a number from 0 to 1."""
    try:
        score: Any = scorer(answer, reference)
    except (HaystackError, pytest.exit.Exception):
        raise
    except Exception as error:  # a user's scorer may raise anything: no score then, not a score of 0
        raise ModelError("config_error", f"scorer {name!r} raised {type(error).__name__}: {error}") from error
    if isinstance(score, Score) and 0 <= score.value <= 1:
        return score
    if isinstance(score, (int, float)) and 0 <= score <= 1:
        return Score(float(score), "right" if score == 1 else "wrong")
    raise ModelError("config_error", f"scorer {name!r} returned {score!r}; return a Score, or a number from 0 to 1")


def labelled(score: Score, labels: Mapping[str, str]) -> Score:
    """The score with the label of the planted wrong answer that was given, where it has one."""
    given = score.details.get("distractors", ())
    label = next((labels[value] for value in given if value in labels), None)
    if label is None or "label" in score.details:
        return score
    return replace(score, details={**score.details, "label": label})


def scorer_of(bench: Workbench, cell: Cell) -> tuple[str, Scorer, Mapping[str, Any]]:
    """Name, function and options of the cell's scorer: the config's, else the task's own."""
    entry = bench.entries[cell.task].scorer
    name = entry.name if entry else bench.tasks[cell.task].scorer
    return name, bench.registry.scorers[name], entry.options if entry else {}
