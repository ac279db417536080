"""Texts on disk that take seconds to write: one process writes them, the others of the machine read them.

A file is written whole under another name and then renamed, and begins with a hash of the rest. A damaged file is
written again. Without a folder to write to, every process writes its own text.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

from filelock import FileLock, Timeout

from pytest_haystack.cache import cache_folder, make_room, write_atomically

#: Bytes that all texts together may take; those unused for longest go first.
LARGEST_CACHE = 512_000_000
#: Seconds to wait for another process that writes a text.
_PATIENCE = 300
_HASH_BYTES = hashlib.sha256().digest_size


def cached_text(key: str, characters: int, write: Callable[[int], str], folder: Path | None = None) -> str:
    """The text of this key, at least ``characters`` characters or all there is; ``write`` writes so many."""
    folder = cache_folder("texts") if folder is None else folder
    path = folder / f"{key}.text"
    text = _read(path)
    if text is not None and len(text) >= characters:
        return text
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / "lock", timeout=_PATIENCE):
            text = _read(path)
            if text is None or len(text) < characters:
                text = write(characters)
                body = text.encode("utf-8")
                write_atomically(path, hashlib.sha256(body).digest() + body)
                make_room(folder, LARGEST_CACHE, path.suffix, path)
            return text
    except (OSError, Timeout):
        return write(characters)


def _read(path: Path) -> str | None:
    """The text, None where the file is missing or not what was written."""
    try:
        data = path.read_bytes()
        os.utime(path)
    except OSError:
        return None
    digest, body = data[:_HASH_BYTES], data[_HASH_BYTES:]
    return body.decode("utf-8") if hashlib.sha256(body).digest() == digest else None
