"""Where answers are kept, and opening what is there."""

from __future__ import annotations

import os
from pathlib import Path

from pytest_haystack.running.store.redis_store import SCHEMES, RedisStore, without_password
from pytest_haystack.running.store.sqlite_store import FILE, SqliteStore
from pytest_haystack.running.store.store import AnswerStore, StoreError

#: The folder in the project's root, beside pytest's own cache.
FOLDER = ".haystack"


def place_of(named: str, base: Path) -> str:
    """A place as it was named, absolute: the URL of a Redis server, or a folder relative to ``base``."""
    return named if "://" in named else os.path.abspath(base / Path(named).expanduser())


def open_store(place: str) -> AnswerStore:
    """The store there, made where it is missing. Raises StoreError."""
    if place.startswith(SCHEMES):
        return RedisStore(place)
    if "://" in place:
        raise StoreError(f"no answer store: {without_password(place)}; name a folder, or a URL {SCHEMES[0]}...")
    return SqliteStore(Path(place))


def open_existing(place: str) -> AnswerStore | None:
    """The store there, None where there is none; makes nothing. Raises StoreError."""
    if "://" in place or (Path(place) / FILE).is_file():
        return open_store(place)
    return None
