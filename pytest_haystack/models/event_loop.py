"""Waiting for a coroutine from code that is not one."""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Awaitable
from concurrent.futures import ThreadPoolExecutor
from typing import Any


class EventLoop:
    """One event loop for all calls of a model, closed with it; calls from several threads take turns."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._turn = threading.Lock()
        weakref.finalize(self, self._loop.close)

    def run(self, answer: Awaitable[Any]) -> Any:
        """What the awaitable gives, waited for here, whether or not a loop is running in this thread."""
        with self._turn:
            if not _in_a_loop():
                return self._loop.run_until_complete(answer)
            # Asked from within a coroutine: a thread that runs one loop cannot run another.
            with ThreadPoolExecutor(1) as other:
                return other.submit(self._loop.run_until_complete, answer).result()


def _in_a_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
