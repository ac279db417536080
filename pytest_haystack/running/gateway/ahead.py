"""Looking ahead: what a cell is going to ask is sent while nobody asks, up to a window."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from pytest_haystack.errors import ModelError
from pytest_haystack.models.model import Completion
from pytest_haystack.running.gateway.first_asked import FirstAsked
from pytest_haystack.running.gateway.lanes import Lane
from pytest_haystack.running.gateway.offers import Offer, Offers
from pytest_haystack.running.gateway.warm_up import WarmUp

#: Characters of offers that wait to be sent: prompts of a million tokens take 4 MB each.
MOST_CHARACTERS = 64_000_000
#: Requests after which nobody will make anything of the next one either.
_MOST_FIRSTS = 1000


class Ahead:
    """Of one model. ``start`` sends an offer; its task ends when there is an answer or an error.

    Nothing is offered until the first request of a cell has been answered, or has been on its way for so long that it
    cannot have been refused: a model that cannot answer is asked once, and whoever offers can compare what he would
    have offered with what was asked. The window counts what was offered
    and has not been asked for: what turns out not to be asked for takes its room for good, so that no more than a
    window of requests is ever sent in vain.
    """

    def __init__(self, lane: Lane, warm_up: WarmUp, start: Callable[[Offer], asyncio.Task[Completion]]) -> None:
        self._lane = lane
        self._warm_up = warm_up
        self._start = start
        self._offers = Offers(lane.settings.order == "prefix")
        self._asked: dict[tuple[str, int], str] = {}
        self._predicted: dict[tuple[str, int], str] = {}
        #: Keys that were offered and not yet asked for.
        self._uncollected: set[str] = set()
        #: Errors of those among them that were sent.
        self._errors: dict[str, ModelError] = {}
        #: What was asked and taken or answered before anything was offered, in that order.
        self._firsts: list[FirstAsked] = []
        self._seen: list[tuple[str, int, int]] = []
        self._leaving: Offer | None = None
        self._over = lane.settings.look_ahead == 0
        self._later: asyncio.TimerHandle | None = None
        self._changed = asyncio.Event()

    async def first_asked(self, number: int) -> FirstAsked | None:
        """What was asked and answered, or taken, as the first of all (number 0), or as one of the next.

        Waits for it; None where nothing can be offered, and where so many were of no use to whoever offers.
        """
        while len(self._firsts) <= number < _MOST_FIRSTS and not self._closed:
            await self._changed.wait()
        return None if self._closed or number >= _MOST_FIRSTS else self._firsts[number]

    async def offer(self, offer: Offer, known: bool) -> tuple[bool, list[tuple[str, int, int]]]:
        """Take an offer; ``known`` is True where its answer is there or under way.

        Returns as soon as there is room for another: whether one is welcome, and the provider's count of input tokens
        of requests (cell, trial) that were answered since.
        """
        request = offer.cell, offer.trial
        asked = self._asked.get(request)
        if asked is not None:
            self._compare(asked, offer.key)
        elif not self._closed:
            self._predicted[request] = offer.key
            if not known and offer.key not in self._uncollected:
                self._uncollected.add(offer.key)
                self._offers.add(offer)
                self.pump()
        while not self._closed and self._full:
            await self._changed.wait()
        seen, self._seen = self._seen, []
        return not self._closed, seen

    def asked(self, cell: str, trial: int, key: str) -> None:
        """Somebody asks. Raises ModelError where the request was sent ahead and failed; it is told once."""
        self._offers.take(key)
        self._uncollected.discard(key)
        if cell:
            self._asked[cell, trial] = key
            predicted = self._predicted.pop((cell, trial), None)
            if predicted is not None:
                self._compare(key, predicted)
        self._notify()
        error = self._errors.pop(key, None)
        if error is not None:
            raise error

    @property
    def waits(self) -> bool:
        """True where offers wait for a first request."""
        return not self._firsts and not self._closed

    def taken(self, cell: str, trial: int, key: str) -> None:
        """What was asked has not been refused, and its answer takes time."""
        self._firsts.append(FirstAsked(cell, trial, key, None, answered=False))
        self._notify()

    def answered(self, cell: str, trial: int, key: str, answer: Completion) -> None:
        """What was asked has an answer."""
        if cell and len(self._firsts) < _MOST_FIRSTS:
            self._firsts.append(FirstAsked(cell, trial, key, answer.usage.input_tokens))
            self._notify()

    def halt(self) -> None:
        """Send nothing more that nobody has asked for."""
        self._over = True
        self._uncollected.difference_update(self._offers.keys())
        self._offers.clear()
        self._notify()

    def pump(self) -> None:
        """Send the next offer if there is room that nobody else waits for.

        One at a time: the next one follows when it has left.
        """
        if self._closed:
            if self._offers.size:
                self.halt()
            self._notify()
            return
        if self._leaving is not None:
            return
        offer = self._offers.next(lambda one: not self._warm_up.waits(one.group))
        seconds = None if offer is None else self._lane.seconds_until_free(offer.tokens)
        if offer is None or seconds is None:
            return
        if seconds > 0:
            if self._later is not None:
                self._later.cancel()
            self._later = asyncio.get_running_loop().call_later(seconds, self.pump)
            return
        self._offers.take(offer.key)
        self._leaving = offer
        self._start(offer).add_done_callback(lambda task: self._done(offer, task))
        self._notify()

    def left(self, offer: Offer) -> None:
        """An offer has left, perhaps once more; the first time it makes way for the next."""
        if self._leaving is offer:
            self._leaving = None
            self.pump()

    def _done(self, offer: Offer, task: asyncio.Task[Completion]) -> None:
        self.left(offer)
        if task.cancelled():
            return
        error = task.exception()
        if error is None:
            tokens = task.result().usage.input_tokens
            if tokens is not None:
                self._seen.append((offer.cell, offer.trial, tokens))
        elif isinstance(error, ModelError) and error.outcome != "budget" and offer.key in self._uncollected:
            # A budget is asked again: what may be spent is known better by then.
            self._errors[offer.key] = error

    def _compare(self, asked: str, predicted: str) -> None:
        if asked != predicted:
            self.halt()

    @property
    def _closed(self) -> bool:
        return self._over or self._lane.closed is not None

    @property
    def _full(self) -> bool:
        return len(self._uncollected) >= self._lane.settings.look_ahead or self._offers.size >= MOST_CHARACTERS

    def _notify(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()
