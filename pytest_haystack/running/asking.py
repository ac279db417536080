"""One request: ask the model and decide the outcome, before anything is scored."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pytest

from pytest_haystack.errors import ConfigError, ModelError, NoRowError
from pytest_haystack.models.completion_numbers import with_numbers
from pytest_haystack.models.model import Completion, Model, Prompt
from pytest_haystack.models.raised import told
from pytest_haystack.running.preflight import refuse_overflow
from pytest_haystack.running.sizing import tokens_of
from pytest_haystack.running.store.kept import KeptAnswers, asked_by_itself, key_of
from pytest_haystack.running.workbench import Workbench
from pytest_haystack.scoring.outcomes import Outcome, classify
from pytest_haystack.sweep import Cell
from pytest_haystack.tokens.vocabularies import VOCABULARIES, load_encoding

#: A provider that counts fewer than this share of the tokens that the leanest known vocabulary needs has cut the
#: input: its own vocabulary may be leaner by some, but not by a third.
CUT_BELOW = 0.7


@dataclass(frozen=True, slots=True)
class Asked:
    """What came of a request; ``error`` says in words what an outcome without a score means."""

    completion: Completion | None
    outcome: Outcome
    error: str | None = None


def ask(bench: Workbench, cell: Cell, prompt: Prompt, model: Any, nodeid: str = "") -> Asked:
    """Ask ``model``: anything with ``complete(prompt)``, or a callable, sync or async. An empty answer is asked for
    once more. Raises nothing that the model raised: it is an outcome.

    An answer that is kept stands for asking, if it is one that counts; a replay asks nobody, and raises NoRowError
    where it has no row for the test ``nodeid``.
    """
    if bench.replay is not None:
        replayed = partial(bench.replay.answer, nodeid, bench.models[cell.model])
        return _attempt(bench, cell, prompt, replayed, reads_whole(bench, cell, model))
    if bench.kept is not None and asked_by_itself(model):
        return _ask_or_find(bench, bench.kept, cell, prompt, model, nodeid)
    asked = _ask_twice(bench, cell, prompt, model)
    if asked.completion is not None and asked.completion.from_store and not asked.outcome.scored:
        # The gateway kept what it cannot know to be none: input that was cut, or what counts as an error since.
        asked = _ask_twice(bench, cell, prompt.anew(), model)
    return asked


def _ask_or_find(bench: Workbench, kept: KeptAnswers, cell: Cell, prompt: Prompt, model: Any, nodeid: str) -> Asked:
    """Ask what runs in this process, unless its answer is there; keep what it says, before it is scored."""
    # One name may stand for several functions, one in each test: the test is part of what is asked.
    asker = () if isinstance(model, Model) else ("fixture", nodeid, _name(model))
    key = key_of(bench.models[cell.model], prompt, *asker)
    try:
        found = kept.find(key)
    except ModelError as error:
        return Asked(None, Outcome(error.outcome), bench.redact(str(error)))
    if found is not None:
        asked = classified(bench, cell, prompt, found, reads_whole(bench, cell, model))
        if asked.outcome.scored:
            return asked
    asked = _ask_twice(bench, cell, prompt, model)
    if asked.completion is not None and asked.outcome.scored:
        kept.keep(key, asked.completion)
    return asked


def _ask_twice(bench: Workbench, cell: Cell, prompt: Prompt, model: Any) -> Asked:
    asked = _ask_once(bench, cell, prompt, model)
    # The gateway has its own second try, under the limits of the provider.
    if asked.outcome == Outcome.empty and not getattr(model, "paid", False):
        asked = _ask_once(bench, cell, prompt, model)
    return asked


def reads_whole(bench: Workbench, cell: Cell, model: Any) -> bool:
    """True where the model itself gets the prompt. A pipeline, which may send it a part, is a callable or fixture."""
    return isinstance(model, Model) and not bench.models[cell.model].model.startswith("python:")


def classified(bench: Workbench, cell: Cell, prompt: Prompt, completion: Completion, whole: bool = True) -> Asked:
    """An answer that came back, with its outcome. Where the ``whole`` prompt was sent, its usage teaches how the
    provider counts, and tells input that was cut.
    """
    seen = completion.usage.input_tokens
    if whole and seen is not None and seen > 0:
        ratio, ours = bench.ratios.of(cell.model, cell.task), tokens_of(bench, prompt)
        least = ratio.least(ours)
        if seen < ours:
            least = max(least, int(CUT_BELOW * least_tokens(prompt)))
        if seen < least:
            words = f"the provider counted {seen:,} input tokens of a prompt of at least {least:,}"
            return Asked(completion, Outcome.silent_truncation, f"{words}: it cut the input; raise its context window")
        ratio.observe(ours, seen)
    outcome = classify(completion)
    if outcome == Outcome.answered and prompt.prefill:
        # What the prompt began may have opened a block of reasoning.
        outcome = classify(replace(completion, text=prompt.turn(completion.text or "")))
    return Asked(completion, outcome, None if outcome.scored else f"finish reason {completion.finish_reason!r}")


def least_tokens(prompt: str) -> int:
    """Tokens of a prompt in the vocabulary that needs fewest: they differ by up to three times in Hindi or Arabic."""
    text = prompt.contents if isinstance(prompt, Prompt) else prompt
    return min(load_encoding(name).count(text) for name in VOCABULARIES)


def as_completion(answer: Any) -> Completion:
    """What a model returned, as a Completion. Raises ModelError where it is neither that nor a text."""
    if isinstance(answer, Completion):
        for name in ("text", "reasoning", "refusal", "finish_reason", "provider_model"):
            value = getattr(answer, name)
            if value is not None and not isinstance(value, str):
                raise ModelError("config_error", f"the model returned a Completion whose {name} is {value!r}, no str")
        return with_numbers(answer)
    if answer is None or isinstance(answer, str):
        return Completion(answer)
    raise ModelError("config_error", f"the model returned {type(answer).__name__}; return a str or a Completion")


def _ask_once(bench: Workbench, cell: Cell, prompt: Prompt, model: Any) -> Asked:
    def complete(prompt: Prompt) -> Completion:
        started = time.perf_counter()
        refuse_overflow(bench, cell, prompt, model)
        answer = _function(model)(prompt)
        if not isinstance(answer, (str, Completion)) and inspect.isawaitable(answer):
            answer = bench.loop.run(answer)
        completion = as_completion(answer)
        if completion.provider_model is None and not isinstance(model, Model):
            # Rows name the model of the config; who answered in its place is told too.
            completion = replace(completion, provider_model=f"fixture {_name(model)}")
        if completion.latency_seconds is None:
            completion = replace(completion, latency_seconds=time.perf_counter() - started)
        return completion

    return _attempt(bench, cell, prompt, complete, reads_whole(bench, cell, model))


def _attempt(
    bench: Workbench, cell: Cell, prompt: Prompt, complete: Callable[[Prompt], Completion], whole: bool
) -> Asked:
    try:
        completion = complete(prompt)
    except (NoRowError, pytest.exit.Exception):  # the latter ends the whole run
        raise
    except ModelError as error:
        return Asked(None, Outcome(error.outcome), bench.redact(str(error)))
    except ConfigError as error:
        return Asked(None, Outcome.config_error, bench.redact(str(error)))
    except Exception as error:  # a user's own model may raise anything: the cell is an error, not a wrong answer
        return Asked(None, Outcome.infra_error, bench.redact(told(error)))
    return classified(bench, cell, prompt, completion, whole)


def _name(model: Any) -> str:
    return str(getattr(model, "__qualname__", type(model).__qualname__))


def _function(model: Any) -> Callable[[Prompt], Any]:
    complete = getattr(model, "complete", model)
    if callable(complete):
        return complete  # type: ignore[no-any-return]
    raise ModelError(
        "config_error",
        f"the fixture `model` is a {type(model).__name__}, which neither has complete(prompt) nor is callable; "
        "if another plugin has a fixture of that name, write in a conftest: "
        "`@pytest.fixture` `def model(haystack_model): return haystack_model`",
    )
