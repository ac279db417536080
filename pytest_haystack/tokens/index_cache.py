"""Token indexes on disk: a haystack is tokenised once per content and vocabulary, whichever process needs it first.

A file is written whole under another name and then renamed, ends with a hash of all before it, and is mapped into
memory by those who read it. A damaged file is made again. Without a folder to write to, every process makes its own.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import sys
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from pytest_haystack.cache import cache_folder, make_room, write_atomically
from pytest_haystack.long_text import utf8_sha256
from pytest_haystack.tokens.encoding import Encoding
from pytest_haystack.tokens.index import STRIDE, TokenIndex
from pytest_haystack.tokens.safe_points import RULES

#: Shorter texts (characters) are indexed faster than looked up.
SHORTEST = 200_000
#: Bytes that all indexes together may take; those unused for longest go first.
LARGEST_CACHE = 256_000_000
#: Changes with the format.
_FORMAT = b"haystack-index-1"
_HASH_BYTES = hashlib.sha256().digest_size
#: Seconds to wait for another process that makes the same index.
_PATIENCE = 60


def cached_index(text: str, encoding: Encoding, folder: Path | None = None) -> TokenIndex:
    """The index of a text: from disk, else made and kept there. Raises what encoding the text raises."""
    if len(text) < SHORTEST:
        return TokenIndex.of(text, encoding)
    folder = cache_folder("indexes") if folder is None else folder
    path = folder / f"{_key(text, encoding)}.index"
    entries = _read(path)
    if entries is not None:
        return TokenIndex(text, encoding, *entries)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / "lock", timeout=_PATIENCE):
            entries = _read(path)
            if entries is not None:
                return TokenIndex(text, encoding, *entries)
            index = TokenIndex.of(text, encoding)
            write_atomically(path, _whole_file(index))
            make_room(folder, LARGEST_CACHE, path.suffix, path)
            return index
    except (OSError, Timeout):
        return TokenIndex.of(text, encoding)


def _key(text: str, encoding: Encoding) -> str:
    """What an index depends on: the text, the vocabulary, where its entries may be, the machine's numbers."""
    digest = utf8_sha256(text, "surrogatepass")
    parts = (encoding.name, encoding.sha256, STRIDE, RULES, sys.byteorder, array("I").itemsize)
    digest.update("".join(f"\0{part}" for part in parts).encode())
    return digest.hexdigest()


def _read(path: Path) -> tuple[Sequence[int], Sequence[int]] | None:
    """Positions and counts, mapped into memory; None where the file is missing or not what was written."""
    try:
        with path.open("rb") as file:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        os.utime(path)
    except (OSError, ValueError):
        return None
    view = memoryview(data)
    body, digest = view[:-_HASH_BYTES], view[-_HASH_BYTES:]
    entries = body[len(_FORMAT) :]
    size = array("I").itemsize
    whole = bytes(body[: len(_FORMAT)]) == _FORMAT and hashlib.sha256(body).digest() == digest
    if not whole or not entries or len(entries) % (2 * size):
        return None
    numbers: Any = entries.cast("I")
    half = len(numbers) // 2
    return numbers[:half], numbers[half:]


def _whole_file(index: TokenIndex) -> bytes:
    body = _FORMAT + array("I", index.positions).tobytes() + array("I", index.counts).tobytes()
    return body + hashlib.sha256(body).digest()
