"""What a store of answers does, whichever kind it is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from pytest_haystack.errors import HaystackError
from pytest_haystack.models.model import Completion
from pytest_haystack.results.rows import plain
from pytest_haystack.running.gateway.wire import completion_from, completion_values


class StoreError(HaystackError):
    """The store cannot be read or written; the message says which, why, and what to do."""


@dataclass(frozen=True, slots=True)
class Stored:
    """An answer as it was kept, and the run that it was kept in."""

    completion: Completion
    run: str


class AnswerStore(Protocol):
    """Answers by their `answer_key.answer_key`. Safe to be used by several processes at once.

    Each method raises StoreError where the store does not do as it is told.
    """

    def get(self, key: str) -> Stored | None:
        """The answer of this name, None where there is none."""

    def put(self, key: str, stored: Stored) -> None:
        """Keep an answer, in place of an earlier one of this name: whole and for good, or not at all."""

    def put_all(self, answers: Mapping[str, Stored]) -> None:
        """Keep several, each by its name: all of them or none."""

    def close(self) -> None:
        """Let go of it."""


def dump_stored(stored: Stored) -> str:
    """As one line of ASCII JSON."""
    # A user's own model may put numbers of other libraries into it.
    values = plain({**completion_values(stored.completion), "from_store": False})
    return json.dumps({"run": stored.run, "completion": values})


def load_stored(text: str | bytes) -> Stored:
    """The answer behind `dump_stored`. Raises ValueError for anything else."""
    try:
        values = json.loads(text)
        completion = completion_from(values["completion"])
        return Stored(replace(completion, from_store=True), str(values["run"]))
    except (KeyError, TypeError) as error:
        raise ValueError(f"not an answer: {error}") from None
