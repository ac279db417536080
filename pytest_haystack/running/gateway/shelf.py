"""The store of answers as the gateway uses it: beside its event loop, and in its way when nothing can be kept."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from pytest_haystack.errors import ModelError
from pytest_haystack.models.model import Completion
from pytest_haystack.running.store.kept import KeepSettings
from pytest_haystack.running.store.place import open_store
from pytest_haystack.running.store.store import AnswerStore, Stored, StoreError
from pytest_haystack.scoring.outcomes import classify

_Found = TypeVar("_Found")


class Shelf:
    """One thread that reads and writes the store in turn. Without ``settings`` nothing is kept."""

    def __init__(self, settings: KeepSettings | None) -> None:
        self._settings = settings
        self._store: AnswerStore | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="answer-store")
        self._failure: StoreError | None = None

    async def find(self, key: str) -> Completion | None:
        """The answer that an earlier run left, where such answers are wanted and this one still counts.

        Raises ModelError where the store cannot be read, or failed before: what could not be kept is not sent for.
        """
        settings = self._settings
        if settings is None:
            return None
        try:
            if self._failure is not None:
                raise self._failure
            if self._store is None:
                await self._do(self._opened)
            found = await self._do(lambda: self._opened().get(key)) if settings.resume else None
        except StoreError as error:
            self._failure = error
            raise ModelError("config_error", f"not sent, because {error}") from None
        return found.completion if found is not None and classify(found.completion).scored else None

    async def keep(self, key: str, completion: Completion) -> None:
        """Keep an answer that counts. Where that fails it is answered all the same, and nothing more is sent."""
        settings = self._settings
        if settings is None or not classify(completion).scored:
            return
        stored = Stored(completion, settings.run)
        try:
            # Once begun it is not called off: it has been paid.
            await asyncio.shield(asyncio.ensure_future(self._do(lambda: self._opened().put(key, stored))))
        except StoreError as error:
            self._failure = error

    def close(self) -> None:
        """Finish what is being written, and close the store."""
        self._thread.shutdown(wait=True)
        if self._store is not None:
            self._store.close()

    def _opened(self) -> AnswerStore:
        if self._store is None:
            assert self._settings is not None
            self._store = open_store(self._settings.place)
        return self._store

    async def _do(self, work: Callable[[], _Found]) -> _Found:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)
