"""Requests that may be sent before anyone asks for them, and which of them is next."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, KeysView, Sequence
from dataclasses import dataclass
from functools import cached_property

from pytest_haystack.running.gateway.prefixes import group_of, shared, text_of


@dataclass(frozen=True)
class Offer:
    """A request that a cell will ask: ``trial`` from 0, ``tokens`` as in `Desk.ask`, ``key`` names its answer."""

    cell: str
    trial: int
    messages: Sequence[dict[str, str]]
    tokens: int
    key: str

    @cached_property
    def text(self) -> str:
        """All that is read before the answer."""
        return text_of(self.messages)

    @cached_property
    def group(self) -> str | None:
        """Those that begin alike."""
        return group_of(self.messages)

    @property
    def size(self) -> int:
        """Characters that it takes in memory."""
        return sum(len(message["content"]) for message in self.messages)


class Offers:
    """Those of one model that have not been sent. ``by_prefix`` sends next what begins most like the one before."""

    def __init__(self, by_prefix: bool) -> None:
        self._by_prefix = by_prefix
        self._offers: dict[str, Offer] = {}
        self._size = 0
        self._last = ""

    @property
    def size(self) -> int:
        """Characters that they take in memory."""
        return self._size

    def add(self, offer: Offer) -> None:
        """One more, unless it is there."""
        if offer.key not in self._offers:
            self._offers[offer.key] = offer
            self._size += offer.size

    def take(self, key: str) -> Offer | None:
        """Remove the one of this name, if it is there; others follow it as what was sent last."""
        offer = self._offers.pop(key, None)
        if offer is not None:
            self._size -= offer.size
            if self._by_prefix:
                self._last = offer.text
        return offer

    def keys(self) -> KeysView[str]:
        """Their names."""
        return self._offers.keys()

    def clear(self) -> None:
        """Remove all."""
        self._offers.clear()
        self._size = 0

    def next(self, may_leave: Callable[[Offer], bool]) -> Offer | None:
        """The one to send, of those that may leave; it stays until it is taken."""
        free = [offer for offer in self._offers.values() if may_leave(offer)]
        if not free or not self._by_prefix:
            return free[0] if free else None
        # Of all texts, a neighbour in the order of the alphabet has most in common with one.
        free.sort(key=lambda offer: offer.text)
        place = bisect_left(free, self._last, key=lambda offer: offer.text)
        return max(free[max(place - 1, 0) : place + 1], key=lambda offer: shared(offer.text, self._last))
