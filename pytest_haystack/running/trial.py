"""One trial: ask the model, classify the outcome, score the answer, leave a row."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pytest_haystack.errors import ConfigError, ModelError
from pytest_haystack.models.model import Completion, Prompt
from pytest_haystack.needles.needle import Needle
from pytest_haystack.results.rows import make_row
from pytest_haystack.running.sizing import context_window
from pytest_haystack.running.workbench import Material, Workbench
from pytest_haystack.scoring.outcomes import Outcome, classify
from pytest_haystack.scoring.reasoning import split_reasoning
from pytest_haystack.scoring.score import Reference, Score, Scorer
from pytest_haystack.sweep import Cell, trial_seed
from pytest_haystack.tasks.task import Ask

#: A provider that counts fewer than this share of our tokens has cut the input. Vocabularies differ in how many
#: tokens they need for the same text (by up to a third for Chinese), so only a gross difference is proof.
CUT_BELOW = 0.6


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
    completion, error, outcome = _ask(bench, cell, material.prompt, model)
    if completion is not None:
        outcome, error = classify_completion(bench, material.prompt, completion)
    return score_trial(bench, cell, number, material, completion, outcome, error, nodeid)


def score_answer(bench: Workbench, cell: Cell, material: Material, answer: Any, nodeid: str) -> Trial:
    """Score an answer that a test got for itself, as trial 0. Raises ModelError where it is no text or Completion."""
    completion = as_completion(answer)
    outcome, error = classify_completion(bench, material.prompt, completion)
    return score_trial(bench, cell, 0, material, completion, outcome, error, nodeid)


def score_trial(
    bench: Workbench,
    cell: Cell,
    number: int,
    material: Material,
    completion: Completion | None,
    outcome: Outcome,
    error: str | None,
    nodeid: str,
) -> Trial:
    """Score an answer whose outcome is known."""
    score, scorer = None, scorer_of(bench, cell)
    if outcome == Outcome.answered and completion is not None:
        answer, _ = split_reasoning(completion.text or "")
        ask = material.ask
        reference = Reference(ask.expected, ask.question, ask.alternatives, scorer[2])
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


def as_completion(answer: Any) -> Completion:
    """What a model returned, as a Completion. Raises ModelError where it is neither that nor a text."""
    if isinstance(answer, Completion):
        return answer
    if answer is None or isinstance(answer, str):
        return Completion(answer)
    raise ModelError("config_error", f"the model returned {type(answer).__name__}; return a str or a Completion")


def _ask(bench: Workbench, cell: Cell, prompt: Prompt, model: Any) -> tuple[Completion | None, str | None, Outcome]:
    started = time.perf_counter()
    try:
        _refuse_overflow(bench, cell, prompt)
        completion = as_completion(_complete(model)(prompt))
    except ModelError as error:
        return None, str(error), Outcome(error.outcome)
    except ConfigError as error:
        return None, str(error), Outcome.config_error
    except Exception as error:  # a user's own model may raise anything: the cell is an error, not a wrong answer
        return None, f"{type(error).__name__}: {error}", Outcome.infra_error
    if completion.latency_seconds is None:
        completion = replace(completion, latency_seconds=time.perf_counter() - started)
    return completion, None, Outcome.answered


def _complete(model: Any) -> Any:
    complete = getattr(model, "complete", None)
    if callable(complete):
        return complete
    if callable(model):
        return model
    raise ModelError(
        "config_error",
        f"the fixture `model` is a {type(model).__name__}, which neither has complete(prompt) nor is callable; "
        "if another plugin has a fixture of that name, write in a conftest: "
        "`@pytest.fixture` `def model(haystack_model): return haystack_model`",
    )


def _refuse_overflow(bench: Workbench, cell: Cell, prompt: Prompt) -> None:
    window = context_window(bench, cell.model)
    if window is not None and cell.context_length > window:
        raise ModelError("context_overflow", f"{cell.context_length:,} tokens exceed the model's window of {window:,}")


def classify_completion(bench: Workbench, prompt: Prompt, completion: Completion) -> tuple[Outcome, str | None]:
    """Outcome of an answer that came back, with the words for it where it is an error."""
    seen = completion.usage.input_tokens
    if seen is not None and seen > 0:
        sent = bench.encoding.count(prompt)
        if seen < CUT_BELOW * sent:
            words = f"the provider counted {seen:,} input tokens of a prompt of about {sent:,}"
            return Outcome.silent_truncation, f"{words}: it cut the input; raise its context window"
    outcome = classify(completion)
    if outcome == Outcome.answered:
        # What the prompt began may have opened a block of reasoning.
        outcome = classify(replace(completion, text=prompt.turn(completion.text or "")))
    if outcome.scored or outcome == Outcome.answered:
        return outcome, None
    return outcome, f"finish reason {completion.finish_reason!r}"
