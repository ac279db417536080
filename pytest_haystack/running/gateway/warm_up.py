"""The first of the requests that begin alike leaves alone, so that the others find its beginning kept."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager


class WarmUp:
    """Of one model. Groups are those of `prefixes.group_of`; without one nothing waits."""

    def __init__(self) -> None:
        self._warm: set[str] = set()
        self._warming: dict[str, asyncio.Event] = {}

    def waits(self, group: str | None) -> bool:
        """True while the first request of the group is on its way."""
        return group in self._warming

    @asynccontextmanager
    async def turn(self, group: str | None) -> AsyncGenerator[None, None]:
        """Held while a request of the group is under way; where its first one fails, the next is the first."""
        while group is not None and group in self._warming:
            await self._warming[group].wait()
        if group is None or group in self._warm:
            yield
            return
        answered = self._warming[group] = asyncio.Event()
        try:
            yield
            self._warm.add(group)
        finally:
            del self._warming[group]
            answered.set()
