"""Who may send when: one lane a model, and what all lanes together may have under way."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from pytest_haystack.errors import ModelError
from pytest_haystack.running.gateway.budgets import Account, Ledger
from pytest_haystack.running.gateway.settings import ModelSettings
from pytest_haystack.running.gateway.throttle import Throttle

MINUTE = 60.0
#: Requests that find no server, before anything was heard of one, after which the others are not tried.
_NO_SERVER = 3


class Window:
    """A sliding minute: how many requests and tokens have left in it. Limits that are None do not limit."""

    def __init__(self, requests: int | None, tokens: int | None) -> None:
        self._requests = requests
        self._tokens = tokens
        self._sent: deque[tuple[float, int]] = deque()

    def wait(self, now: float, tokens: int) -> float:
        """Seconds until a request of so many tokens may leave; 0 is now.

        A request of more tokens than a minute may hold leaves alone in its minute: the provider has the last word.
        """
        while self._sent and self._sent[0][0] + MINUTE <= now:
            self._sent.popleft()
        too_many = 0
        if self._requests is not None:
            too_many = max(0, len(self._sent) + 1 - self._requests)
        if self._tokens is not None:
            spent = sum(size for _, size in self._sent) + tokens
            for index, (_, size) in enumerate(self._sent, start=1):
                if spent <= self._tokens:
                    break
                spent -= size
                too_many = max(too_many, index)
        return self._sent[too_many - 1][0] + MINUTE - now if too_many else 0.0

    def take(self, now: float, tokens: int) -> None:
        """Count a request that leaves."""
        if self._requests is not None or self._tokens is not None:
            self._sent.append((now, tokens))


class Lane:
    """The requests of one model: they wait here, and leave in the order in which they came."""

    def __init__(
        self,
        settings: ModelSettings,
        under_way: asyncio.Semaphore | None,
        clock: Callable[[], float] = time.monotonic,
        account: Account | None = None,
        room: Callable[[], None] = lambda: None,
    ) -> None:
        """``room`` is called when an answer has made room for another request."""
        self.settings = settings
        self.account = account or Ledger().account("", settings)
        self.clock = clock
        self._room = room
        self._under_way = under_way
        self._throttle = Throttle(settings.in_flight)
        self._window = Window(settings.requests_per_minute, settings.tokens_per_minute)
        self._turn = asyncio.Lock()
        self._flying = 0
        self._waiting = 0
        self._freed = asyncio.Event()
        self._paused_until = 0.0
        self._refusal: tuple[str, str] | None = None
        #: Requests that nobody was there to take; None once somebody was.
        self._serverless: int | None = 0
        self._stopped = asyncio.Event()

    @asynccontextmanager
    async def admitted(self, tokens: int, until: float | None = None) -> AsyncGenerator[float, None]:
        """Wait until a request may leave, and hold its place while it is under way; gives the time at which it left.

        Every request of every kind, each try of it, is admitted here and nowhere else. Raises ModelError where the
        lane is or gets closed, asyncio.TimeoutError where its turn has not come ``until`` then (on `clock`).
        """
        # A lane that closes is told of at once, also where it has no time left to wait.
        self.refuse_if_closed()
        left_at = await asyncio.wait_for(self._enter(tokens), None if until is None else until - self.clock())
        try:
            self.refuse_if_closed()
            yield left_at
        finally:
            self._flying -= 1
            self._freed.set()
            if self._under_way is not None:
                self._under_way.release()

    async def _enter(self, tokens: int) -> float:
        self._waiting += 1
        try:
            async with self._turn:
                while True:
                    self.refuse_if_closed()
                    if (seconds := self._wait(tokens)) > 0:
                        await self.sleep(seconds)
                    elif self._flying >= self._throttle.width:
                        self._freed.clear()
                        await self._freed.wait()
                    else:
                        break
                if self._under_way is not None:
                    await self._under_way.acquire()
                now = self.clock()
                self._window.take(now, tokens)
                self._throttle.take(now)
                self._flying += 1
                return now
        finally:
            self._waiting -= 1

    def seconds_until_free(self, tokens: int) -> float | None:
        """Seconds until a request of so many tokens could leave and keep nobody waiting; 0 is now.

        None where that is not until another one has come back.
        """
        full = self._flying >= self._throttle.width or (self._under_way is not None and self._under_way.locked())
        return None if full or self._waiting else self._wait(tokens)

    def answered(self) -> None:
        """A request was answered: the provider keeps up."""
        self.found_server()
        self._throttle.answered(self.clock())
        self._freed.set()
        self._room()

    def found_server(self) -> None:
        """Somebody was there, whatever he said."""
        self._serverless = None

    def found_no_server(self) -> bool:
        """A request found nobody, try after try; True where that was so of the first few, and of all: nobody will be
        there for the others either.
        """
        if self._serverless is not None:
            self._serverless += 1
        return self._serverless is not None and self._serverless >= _NO_SERVER

    def refused(self, left_at: float, seconds: float) -> None:
        """The provider had too much of a request that left then: less at once, and nothing for so many seconds."""
        self._throttle.refused(left_at, self.clock())
        self.pause(seconds)

    def pause(self, seconds: float) -> None:
        """Nothing more leaves for so many seconds."""
        self._paused_until = max(self._paused_until, self.clock() + seconds)

    def close(self, outcome: str, message: str) -> None:
        """Refuse from now on, with these words, what has not left: it would be in vain."""
        if self._refusal is None:
            self._refusal = outcome, message
            self._stopped.set()
            self._freed.set()

    @property
    def closed(self) -> tuple[str, str] | None:
        """Outcome and words of why nothing leaves any more, None where the lane is open."""
        return self._refusal

    def refuse_if_closed(self) -> None:
        """Raises ModelError where the lane is closed."""
        if self._refusal is not None:
            raise ModelError(*self._refusal)

    async def sleep(self, seconds: float) -> None:
        """Wait. Raises ModelError as soon as the lane is closed."""
        try:
            await asyncio.wait_for(self._stopped.wait(), seconds)
        except asyncio.TimeoutError:
            return
        self.refuse_if_closed()

    def _wait(self, tokens: int) -> float:
        now = self.clock()
        return max(self._paused_until - now, self._window.wait(now, tokens), self._throttle.wait(now))
