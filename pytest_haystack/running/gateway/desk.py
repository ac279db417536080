"""Where asks arrive and answers are kept: the same request is sent once."""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
from collections.abc import Mapping, Sequence
from typing import Any

from pytest_haystack.errors import ModelError
from pytest_haystack.models.model import Completion
from pytest_haystack.running.gateway.budgets import Ledger
from pytest_haystack.running.gateway.lanes import Lane
from pytest_haystack.running.gateway.provider import Provider
from pytest_haystack.running.gateway.sending import send
from pytest_haystack.running.gateway.settings import ModelSettings

#: Characters that make a token, about; for an ask that brought no count.
_CHARACTERS_PER_TOKEN = 3


class Desk:
    """Takes asks for the models it knows.

    ``concurrency`` is how many requests may be under way over all models; None leaves it to each model's own limit.
    Used from one event loop.
    """

    def __init__(
        self,
        models: Mapping[str, ModelSettings],
        concurrency: int | None,
        provider: Provider,
        ledger: Ledger | None = None,
    ) -> None:
        under_way = asyncio.Semaphore(concurrency) if concurrency is not None else None
        accounts = ledger or Ledger()
        self._lanes = {
            name: Lane(settings, under_way, account=accounts.account(name, settings))
            for name, settings in models.items()
        }
        self._provider = provider
        self._answers: dict[str, Completion] = {}
        self._asked: dict[str, asyncio.Task[Completion]] = {}
        self._chance = random.Random()

    async def ask(
        self, model: str, messages: Sequence[dict[str, str]], tokens: int | None, trial: int, cell: str = ""
    ) -> Completion:
        """The answer to this request: kept from before, on its way already, or sent for. Raises ModelError.

        ``cell`` names who asks, in what others are told of an error.

        Whoever asks and then goes away does not take the request back: it may be paid by then, and another may
        want its answer. An error is told to all who wait for it and then forgotten.
        """
        lane = self._lanes.get(model)
        if lane is None:
            raise ModelError("config_error", f"{model}: the gateway of this run was not told of this model")
        key = _key(model, lane.settings, messages, trial)
        if key in self._answers:
            return self._answers[key]
        if key not in self._asked:
            if tokens is None:
                tokens = sum(len(message["content"]) for message in messages) // _CHARACTERS_PER_TOKEN
            self._asked[key] = asyncio.create_task(self._send(key, lane, messages, tokens, cell))
        return await asyncio.shield(self._asked[key])

    async def _send(
        self, key: str, lane: Lane, messages: Sequence[dict[str, str]], tokens: int, cell: str
    ) -> Completion:
        try:
            answer = await send(lane, self._provider, messages, tokens, self._chance, cell)
            self._answers[key] = answer
            return answer
        finally:
            del self._asked[key]


def _key(model: str, settings: ModelSettings, messages: Sequence[dict[str, str]], trial: int) -> str:
    """What makes two requests the same: model, messages, parameters and trial."""
    what: list[Any] = [model, settings.request, list(messages), trial]
    return hashlib.sha256(json.dumps(what, sort_keys=True).encode("ascii")).hexdigest()
