"""The store that several machines share: a Redis server, by its URL."""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any

from pytest_haystack.running.store.store import Stored, StoreError, dump_stored, load_stored

SCHEMES = ("redis://", "rediss://", "unix://")
_PREFIX = "haystack:answer:"
#: Seconds to wait for the server.
_PATIENCE = 10.0


class RedisStore:
    """Answers under ``haystack:answer:KEY``. They stay until someone removes them; keeping them over the server's
    restart is the server's business.
    """

    def __init__(self, url: str) -> None:
        """Raises StoreError where the client is not installed or no server answers."""
        self._shown = without_password(url)
        try:
            import redis
        except ImportError:
            raise StoreError(
                f"the answer store {self._shown} needs the client: pip install 'pytest-haystack[redis]'"
            ) from None
        self._redis = redis
        with self._told("reached"):
            self._client: Any = redis.Redis.from_url(
                url, socket_timeout=_PATIENCE, socket_connect_timeout=_PATIENCE, health_check_interval=30
            )
            self._client.ping()

    def get(self, key: str) -> Stored | None:
        """The answer of this name, None where there is none."""
        with self._told("read"):
            found = self._client.get(_PREFIX + key)
            return None if found is None else load_stored(found)

    def put(self, key: str, stored: Stored) -> None:
        """Keep an answer."""
        self.put_all({key: stored})

    def put_all(self, answers: Mapping[str, Stored]) -> None:
        """Keep answers; the server takes all of them or none."""
        with self._told("written"):
            self._client.mset({_PREFIX + key: dump_stored(stored) for key, stored in answers.items()})

    def close(self) -> None:
        """Hang up."""
        self._client.close()

    @contextmanager
    def _told(self, done: str) -> Generator[None, None, None]:
        try:
            yield
        except (self._redis.RedisError, OSError, ValueError) as error:
            said = without_password(" ".join(str(error).split()))
            raise StoreError(
                f"the answer store {self._shown} cannot be {done}: {said}; see to that server, "
                "or name another place with --haystack-store"
            ) from None


def without_password(text: str) -> str:
    """The text with user and password taken out of every URL in it."""
    return re.sub(r"(?<=://)[^/\s]*@", "***@", text)
