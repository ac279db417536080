"""Where asks arrive and answers are kept: the same request is sent once."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from pytest_haystack.errors import ModelError
from pytest_haystack.models.model import Completion
from pytest_haystack.running.gateway.ahead import Ahead
from pytest_haystack.running.gateway.budgets import Ledger
from pytest_haystack.running.gateway.first_asked import FirstAsked
from pytest_haystack.running.gateway.lanes import Lane
from pytest_haystack.running.gateway.offers import Offer
from pytest_haystack.running.gateway.prefixes import group_of
from pytest_haystack.running.gateway.provider import Provider
from pytest_haystack.running.gateway.sending import send
from pytest_haystack.running.gateway.settings import ModelSettings
from pytest_haystack.running.gateway.shelf import Shelf
from pytest_haystack.running.gateway.warm_up import WarmUp
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
            name: Lane(settings, under_way, account=accounts.account(name, settings), room=partial(self._room, name))
            for name, settings in models.items()
        }
        self._provider = provider
        self._shelf = shelf
        self._answers: dict[str, Completion] = {}
        self._asked: dict[str, tuple[Lane, asyncio.Task[Completion]]] = {}
        self._chance = random.Random()
        self._warm_up = {name: WarmUp() for name in models}
        self._ahead = {
            name: Ahead(lane, self._warm_up[name], partial(self._send_ahead, name))
            for name, lane in self._lanes.items()
        }
        #: Answers by model that are being kept at the moment.
        self._keeping: Counter[str] = Counter()
        self._never: set[tuple[str, str]] = set()

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
        lane, key = self._named(model, messages, trial)
        ahead = self._ahead[model]
        ahead.asked(cell, trial, key)
        taken = partial(ahead.taken, cell, trial, key) if cell and ahead.waits else None
        answer = await self._asked_for(key, model, lane, messages, tokens, cell, afresh, taken)
        ahead.answered(cell, trial, key, answer)
        return answer

    async def first_asked(self, model: str, number: int) -> FirstAsked | None:
        """What cells asked a model first, see `Ahead.first_asked`; None where it is not known."""
        ahead = self._ahead.get(model)
        return None if ahead is None else await ahead.first_asked(number)

    async def offer(
        self, model: str, messages: Sequence[dict[str, str]], tokens: int, trial: int, cell: str
    ) -> tuple[bool, list[tuple[str, int, int]]]:
        """Take a request that a cell is going to make; returns what `Ahead.offer` does, when that does."""
        if (model, cell) in self._never:
            return True, []
        _, key = self._named(model, messages, trial)
        known = key in self._answers or key in self._asked
        return await self._ahead[model].offer(Offer(cell, trial, messages, tokens, key), known)

    def never(self, cells: Iterable[tuple[str, str]]) -> None:
        """These cells (by model and cell) are not going to ask, or perhaps not: nothing of theirs is sent ahead."""
        self._never.update(cells)

    def halt(self) -> None:
        """Send nothing more that nobody has asked for."""
        for ahead in self._ahead.values():
            ahead.halt()

    async def _asked_for(
        self,
        key: str,
        model: str,
        lane: Lane,
        messages: Sequence[dict[str, str]],
        tokens: int | None,
        cell: str,
        afresh: bool,
        taken: Callable[[], None] | None,
    ) -> Completion:
        while True:
            answer = self._answers.get(key)
            if answer is not None and not (afresh and answer.from_store):
                return answer
            if key not in self._asked:
                if tokens is None:
                    tokens = sum(len(message["content"]) for message in messages) // _CHARACTERS_PER_TOKEN
                self._send(key, model, messages, tokens, cell, afresh, taken=taken)
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

    async def finish(self, seconds: float | None) -> None:
        """Send nothing more, and give what is under way so long to be answered and kept: it may be paid already.

        None leaves it to the timeout of each request.
        """
        for lane in self._lanes.values():
            lane.close("infra_error", "not sent: the run has ended")
        tasks = [task for _, task in self._asked.values()]
        if tasks:
            await asyncio.wait(tasks, timeout=seconds)

    def _named(self, model: str, messages: Sequence[dict[str, str]], trial: int) -> tuple[Lane, str]:
        """A model's lane, and what its answer is called. Raises ModelError where there is no such model."""
        lane = self._lanes.get(model)
        if lane is None:
            raise ModelError("config_error", f"{model}: the gateway of this run was not told of this model")
        settings = lane.settings
        mark = settings.local_mark
        return lane, answer_key(settings.model, settings.api_base, settings.request, messages, trial, *mark)

    def _send_ahead(self, model: str, offer: Offer) -> asyncio.Task[Completion]:
        left = partial(self._ahead[model].left, offer)
        return self._send(offer.key, model, offer.messages, offer.tokens, offer.cell, False, left)

    def _send(
        self,
        key: str,
        model: str,
        messages: Sequence[dict[str, str]],
        tokens: int,
        cell: str,
        afresh: bool,
        left: Callable[[], None] | None = None,
        taken: Callable[[], None] | None = None,
    ) -> asyncio.Task[Completion]:
        task = asyncio.create_task(self._answer(key, model, messages, tokens, cell, afresh, left, taken))
        self._asked[key] = self._lanes[model], task
        return task

    async def _answer(
        self,
        key: str,
        model: str,
        messages: Sequence[dict[str, str]],
        tokens: int,
        cell: str,
        afresh: bool,
        left: Callable[[], None] | None,
        taken: Callable[[], None] | None,
    ) -> Completion:
        lane = self._lanes[model]
        try:
            answer = await self._shelf.find(key)
            if answer is None or afresh:
                group = group_of(messages) if lane.settings.warm_up else None
                async with self._warm_up[model].turn(group):
                    answer = await send(lane, self._provider, messages, tokens, self._chance, cell, left, taken)
                if group is not None:
                    self._room(model)  # the others of the group may leave now
                self._keeping[model] += 1
                try:
                    await self._shelf.keep(key, answer)
                finally:
                    self._keeping[model] -= 1
            self._answers[key] = answer
            return answer
        finally:
            del self._asked[key]
            self._pump()

    def _room(self, model: str) -> None:
        """An answer has come. Where those before are not kept yet, no more leaves: it would be lost with them."""
        if self._keeping[model] < max(1, self._lanes[model].settings.in_flight // 4):
            self._pump()

    def _pump(self) -> None:
        """See whether there is room for more of what nobody has asked for yet."""
        for ahead in self._ahead.values():
            ahead.pump()
