"""Where asks arrive and answers are kept: the same request is sent once."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping, Sequence

from pytest_haystack.errors import ModelError
from pytest_haystack.models.model import Completion
from pytest_haystack.running.gateway.budgets import Ledger
from pytest_haystack.running.gateway.lanes import Lane
from pytest_haystack.running.gateway.provider import Provider
from pytest_haystack.running.gateway.sending import send
from pytest_haystack.running.gateway.settings import ModelSettings
from pytest_haystack.running.gateway.shelf import Shelf
from pytest_haystack.running.store.answer_key import answer_key

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
        shelf: Shelf,
        ledger: Ledger | None = None,
    ) -> None:
        under_way = asyncio.Semaphore(concurrency) if concurrency is not None else None
        accounts = ledger or Ledger()
        self._lanes = {
            name: Lane(settings, under_way, account=accounts.account(name, settings))
            for name, settings in models.items()
        }
        self._provider = provider
        self._shelf = shelf
        self._answers: dict[str, Completion] = {}
        self._asked: dict[str, tuple[Lane, asyncio.Task[Completion]]] = {}
        self._chance = random.Random()

    async def ask(
        self,
        model: str,
        messages: Sequence[dict[str, str]],
        tokens: int | None,
        trial: int,
        cell: str = "",
        afresh: bool = False,
    ) -> Completion:
        """The answer to this request: kept from before, on its way already, or sent for. Raises ModelError.

        ``cell`` names who asks, in what others are told of an error.

        Whoever asks and then goes away does not take the request back: it may be paid by then, and another may
        want its answer. An error is told to all who wait for it and then forgotten. ``afresh`` passes over what was
        kept by an earlier run.
        """
        lane = self._lanes.get(model)
        if lane is None:
            raise ModelError("config_error", f"{model}: the gateway of this run was not told of this model")
        settings = lane.settings
        key = answer_key(settings.model, settings.api_base, settings.request, messages, trial)
        while True:
            answer = self._answers.get(key)
            if answer is not None and not (afresh and answer.from_store):
                return answer
            if key not in self._asked:
                if tokens is None:
                    tokens = sum(len(message["content"]) for message in messages) // _CHARACTERS_PER_TOKEN
                task = asyncio.create_task(self._answer(key, lane, messages, tokens, cell, afresh))
                self._asked[key] = lane, task
            asker, task = self._asked[key]
            try:
                answer = await asyncio.shield(task)
            except ModelError:
                # What went wrong for another entry of the same model, such as its key, need not go wrong for this.
                if asker is lane:
                    raise
                continue
            if not (afresh and answer.from_store):
                return answer

    async def finish(self, seconds: float) -> None:
        """Send nothing more, and give what is under way so long to be answered and kept: it may be paid already."""
        for lane in self._lanes.values():
            lane.close("infra_error", "not sent: the run has ended")
        tasks = [task for _, task in self._asked.values()]
        if tasks:
            await asyncio.wait(tasks, timeout=seconds)

    async def _answer(
        self, key: str, lane: Lane, messages: Sequence[dict[str, str]], tokens: int, cell: str, afresh: bool
    ) -> Completion:
        try:
            answer = await self._shelf.find(key)
            if answer is None or afresh:
                answer = await send(lane, self._provider, messages, tokens, self._chance, cell)
                await self._shelf.keep(key, answer)
            self._answers[key] = answer
            return answer
        finally:
            del self._asked[key]
