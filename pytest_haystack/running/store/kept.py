"""What a process keeps of the answers that it gets itself: those of functions, fixtures and registered models."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from pytest_haystack.errors import HaystackError, ModelError
from pytest_haystack.models.model import Completion, Model, Prompt
from pytest_haystack.models.prompt_cache import sent_messages
from pytest_haystack.running.store.answer_key import answer_key
from pytest_haystack.running.store.place import open_store
from pytest_haystack.running.store.store import AnswerStore, Stored, StoreError
from pytest_haystack.scoring.outcomes import classify
from pytest_haystack.writing_together import WritingTogether


@dataclass(frozen=True, slots=True)
class KeepSettings:
    """``place`` of the store, id of this ``run``, and whether answers of earlier runs are used (``resume``).

    ``alone``: no other process keeps answers of this run.
    """

    place: str
    run: str
    resume: bool
    alone: bool = False


class KeptAnswers:
    """The store as one process uses it; opened when it is first needed.

    ``settings`` are asked for when they are first needed, and may raise HaystackError.
    An answer of this very run is used again in any case: it may come from a worker that has died since.
    """

    def __init__(self, settings: Callable[[], KeepSettings]) -> None:
        self._ask_settings = settings
        self._process = os.getpid()
        self._store: AnswerStore | None = None
        self._failure: HaystackError | None = None
        self._own: set[str] = set()
        self._gathered: dict[str, Stored] = {}
        self._together = WritingTogether()

    def find(self, key: str, afresh: bool = False) -> Completion | None:
        """The answer of this name that may stand for asking; none where it is to be asked ``afresh``.

        Raises ModelError where the store failed, now or before: nothing is asked whose answer could not be kept.
        """
        if key in self._gathered or self._together.overdue:
            self._write_gathered()
        try:
            if self._failure is not None:
                raise self._failure
            # Opened in any case: where it cannot be, nothing is asked.
            store = self._opened()
            others = self._settings.resume or not self._settings.alone
            found = store.get(key) if others or key in self._own else None
        except HaystackError as error:
            self._failure = error
            raise ModelError("config_error", f"not asked, because {error}") from None
        usable = found is not None and not afresh and (self._settings.resume or found.run == self._settings.run)
        return found.completion if found is not None and usable else None

    def keep(self, key: str, completion: Completion) -> None:
        """Keep an answer. Where that fails the answer still counts, and the next `find` says so."""
        self._own.add(key)
        self._gathered[key] = Stored(completion, self._settings.run)
        # Other processes may be waiting for it; a fork, such as one that runs a single test, may end without a word.
        lonely = self._settings.alone and os.getpid() == self._process
        if self._together.add(completion.latency_seconds) or not lonely:
            self._write_gathered()

    def close(self) -> None:
        """Close the store, if it was opened."""
        if self._gathered:
            self._write_gathered()
        store, self._store = self._store, None
        if store is not None:
            store.close()

    def _write_gathered(self) -> None:
        gathered, self._gathered = self._gathered, {}
        self._together.done()
        try:
            self._opened().put_all(gathered)
        except StoreError as error:
            self._failure = error

    @cached_property
    def _settings(self) -> KeepSettings:
        return self._ask_settings()

    def _opened(self) -> AnswerStore:
        if self._store is None:
            self._store = open_store(self._settings.place)
        return self._store


def asked_by_itself(model: object) -> bool:
    """True where this process asks a model, and its answer is worth keeping. What is paid goes through the gateway."""
    return not getattr(model, "paid", False) and getattr(model, "worth_keeping", True)


def key_of(entry: object, prompt: Prompt, *asker: str) -> str:
    """The name of an entry's answer; ``asker`` as in `answer_key`."""
    model, api_base, request = (getattr(entry, name) for name in ("model", "api_base", "request"))
    messages = sent_messages(prompt, getattr(entry, "prompt_cache", ""))
    return answer_key(model, api_base, request, messages, prompt.trial, *asker)


def keeping(model: Model, kept: KeptAnswers) -> Callable[[str], Completion]:
    """Asks a model, such as a judge, unless its answer is there already; keeps what it says."""

    def complete(prompt: str) -> Completion:
        asked = prompt if isinstance(prompt, Prompt) else Prompt(prompt)
        key = key_of(model.entry, asked)
        found = kept.find(key, asked.afresh)
        if found is not None and classify(found).scored:
            return found
        completion = model.complete(asked)
        if classify(completion).scored:
            kept.keep(key, completion)
        return completion

    return complete
