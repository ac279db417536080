"""One trial: ask the model, score the answer, leave a row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pytest_haystack.errors import ModelError
from pytest_haystack.models.model import Completion
from pytest_haystack.needles.needle import Needle
from pytest_haystack.results.rows import make_row
from pytest_haystack.running.asking import Asked, as_completion, ask, classified
from pytest_haystack.running.workbench import Material, Workbench
from pytest_haystack.scoring.outcomes import Outcome
from pytest_haystack.scoring.reasoning import split_reasoning
from pytest_haystack.scoring.score import Reference, Score, Scorer
from pytest_haystack.sweep import Cell, trial_seed
from pytest_haystack.tasks.task import Ask


@dataclass(frozen=True, slots=True)
class Trial:
    """A trial that was asked: ``score`` (0 to 1) is None where ``outcome`` is an error or a skip.

    It does not hold the document: trials of every cell are kept in case of a rerun.
    """

    number: int
    outcome: Outcome
    score: float | None
    completion: Completion | None
    needles: tuple[Needle, ...]
    ask: Ask
    error: str | None
    row: Mapping[str, Any]

    @property
    def answer(self) -> str:
        """The answer's text, or an empty string."""
        return (self.completion.text if self.completion else None) or ""

    def require_score(self) -> float:
        """The score. Raises ModelError where the trial has none."""
        if self.score is None:
            raise ModelError(str(self.outcome), f"{self.outcome}: {self.error}")
        return self.score


def run_trial(bench: Workbench, cell: Cell, number: int, material: Material, model: Any, nodeid: str) -> Trial:
    """Ask ``model`` (anything with ``complete(prompt)``, or a callable) and score what it says.

    Raises nothing that a provider did: errors are outcomes of the trial.
    """
    asked = ask(bench, cell, material.prompt, model)
    return score_trial(bench, cell, number, material, asked, nodeid)


def score_answer(bench: Workbench, cell: Cell, material: Material, answer: Any, nodeid: str) -> Trial:
    """Score an answer that a test got for itself, as trial 0. Raises ModelError where it is no text or Completion."""
    asked = classified(bench, material.prompt, as_completion(answer))
    return score_trial(bench, cell, 0, material, asked, nodeid)


def score_trial(
    bench: Workbench,
    cell: Cell,
    number: int,
    material: Material,
    asked: Asked,
    nodeid: str,
) -> Trial:
    """Score an answer whose outcome is known."""
    score, scorer = None, scorer_of(bench, cell)
    completion, outcome, error = asked.completion, asked.outcome, asked.error
    if outcome == Outcome.answered and completion is not None:
        answer, _ = split_reasoning(completion.text or "")
        wanted = material.ask
        reference = Reference(wanted.expected, wanted.question, wanted.alternatives, scorer[2])
        score = scorer[1](answer or "", reference)
    elif outcome.scored:
        score = Score(0.0, "wrong")
    base_seed, _ = trial_seed(bench.config, cell, number)
    row = make_row(
        bench=bench,
        cell=cell,
        trial=number,
        seed=base_seed,
        nodeid=nodeid,
        material=material,
        completion=completion,
        outcome=str(outcome),
        scorer=scorer[0],
        score=score,
        error=error,
    )
    value = None if score is None else score.value
    return Trial(number, outcome, value, completion, material.needles, material.ask, error, row)


def scorer_of(bench: Workbench, cell: Cell) -> tuple[str, Scorer, Mapping[str, Any]]:
    """Name, function and options of the cell's scorer: the config's, else the task's own."""
    entry = bench.entries[cell.task].scorer
    name = entry.name if entry else bench.tasks[cell.task].scorer
    return name, bench.registry.scorers[name], entry.options if entry else {}
