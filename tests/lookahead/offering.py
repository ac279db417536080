"""What the gateway is offered in these tests, and who offers and asks."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from pytest_haystack.models.model import Completion
from pytest_haystack.running.gateway.client import GatewayClient
from pytest_haystack.running.gateway.first_asked import FirstAsked
from pytest_haystack.running.gateway.process import GatewayProcess
from tests.gateway.entries import entry, say
from tests.support.openai_server import OpenAIServer, Received, Reply, answer

#: Seconds in which a request that should not leave would have left.
MOMENT = 0.3


def looking(
    name: str,
    server: OpenAIServer,
    script: Any,
    *,
    look_ahead: int = 4,
    order: str = "config",
    warm_up: bool = False,
    **limits: Any,
) -> dict[str, Any]:
    """The entry of a model that is a path of the server."""
    base = server.base(name, script)
    return looking_entry(name, base, look_ahead=look_ahead, order=order, warm_up=warm_up, **limits)


def looking_entry(
    name: str,
    base: str | None = None,
    *,
    look_ahead: int,
    order: str = "config",
    warm_up: bool = False,
    **limits: Any,
) -> dict[str, Any]:
    """An entry as the gateway gets it."""
    sending = {"order": order, "warm_up": warm_up, "look_ahead": look_ahead}
    return {**entry(name, base, **limits), "sending": sending}


def echo(request: Received) -> Reply:
    return answer(request.text)


class Held:
    """A script that answers nothing but the first request until it is let go."""

    def __init__(self) -> None:
        self._freed = {"first"}
        self._all = False

    def __call__(self, request: Received) -> Reply:
        until(lambda: self._all or request.text in self._freed)
        return answer(request.text)

    def release(self, text: str | None = None) -> None:
        """Answer this one, or all."""
        if text is None:
            self._all = True
        else:
            self._freed.add(text)


def until(true: Callable[[], object]) -> None:
    """Wait for what must come."""
    end = time.monotonic() + 60
    while not true():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


class Scene:
    """One model at the gateway: a client that offers, and tests that ask."""

    def __init__(self, gateway: GatewayProcess, server: OpenAIServer, model: str) -> None:
        self.gateway, self.server, self.model = gateway, server, model
        self.client = GatewayClient(gateway.address, gateway.authkey)
        self._threads = ThreadPoolExecutor(16)

    def ask(self, text: str, cell: str | None = None, trial: int = 0) -> Completion:
        """A test asks; its cell is called like its prompt."""
        return self.client.complete(self.model, say(text), 10, trial, text if cell is None else cell)

    def asking(self, text: str, cell: str | None = None) -> Future[Completion]:
        """The same in a thread."""
        return self._threads.submit(self.ask, text, cell)

    def begin(self) -> None:
        """The first test has its answer, so that more may be offered."""
        self.ask("first")
        first = self.client.first_asked(self.model)
        assert first is not None
        assert first.cell == "first"

    def first(self, number: int = 0) -> Future[FirstAsked | None]:
        """What tells that more may be offered, in a thread."""
        return self._threads.submit(self.client.first_asked, self.model, number)

    def offer(self, *texts: str, cells: Sequence[str] = ()) -> Future[bool]:
        """Offer these, one after the other, in a thread; whether more are welcome after the last one."""
        named = cells or texts

        def offers() -> bool:
            more = True
            for text, cell in zip(texts, named, strict=True):
                more, _ = self.client.offer(self.model, say(text), 10, 0, cell)
            return more

        return self._threads.submit(offers)

    @property
    def sent(self) -> list[str]:
        """What arrived at the server, in order."""
        return [got.text for got in self.server.received(self.model)]

    def stays(self, count: int) -> None:
        """So many requests arrive, and no more."""
        until(lambda: len(self.sent) >= count)
        time.sleep(MOMENT)
        assert len(self.sent) == count

    def close(self) -> None:
        """Let go of threads and lines."""
        self._threads.shutdown(wait=True)
        self.client.close()
