"""Signs of life: those who wait are told every second that the event loop still turns."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from multiprocessing.connection import Connection
from typing import TypeVar

from pytest_haystack.running.gateway.wire import pack

#: Seconds between two signs, well below `pytest_haystack.running.gateway.client.PATIENCE`.
BEAT = 1.0
#: Seconds after which a loop that has not turned is stuck. An import of litellm holds it up for a few.
_STUCK = 20.0

_Result = TypeVar("_Result")


class Pulse:
    """`beat` runs in the event loop, `wait` in the threads that serve a caller each."""

    def __init__(self) -> None:
        self._turned = time.monotonic()

    async def beat(self) -> None:
        """Show that the loop turns, until cancelled."""
        while True:
            self._turned = time.monotonic()
            await asyncio.sleep(BEAT / 2)

    def wait(self, result: Future[_Result], connection: Connection) -> _Result:
        """The result, with signs of life to the caller until it is there; none while the loop is stuck.

        Raises what the result raises, and OSError where the caller has hung up.
        """
        while True:
            try:
                return result.result(BEAT)
            except NotYet:
                if result.done():
                    return result.result()
            if time.monotonic() - self._turned < _STUCK:
                connection.send_bytes(pack({"alive": True}))
