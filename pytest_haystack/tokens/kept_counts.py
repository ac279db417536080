"""Token counts of short texts on disk: a plan needs a few of them, and loading a vocabulary takes longer than the plan.

One file a vocabulary, written whole and only by who had to count; a damaged one is made again.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from functools import cached_property
from pathlib import Path

from pytest_haystack.cache import cache_folder, write_atomically
from pytest_haystack.tokens.encoding import Encoding

#: Counts that a file holds, those that were put in first going first, and that a process adds.
_MOST = 5000


class KeptCounts:
    """The counts of one encoding. Those of a tokenizer file are not kept: it has been read in any case."""

    def __init__(self, encoding: Encoding, folder: Path | None = None) -> None:
        self._encoding = encoding
        self._path = None if encoding.sha256 else (folder or cache_folder("counts")) / f"{encoding.name}.json"
        self._added: dict[str, int] = {}

    def count(self, text: str) -> int:
        """Number of tokens of a text. Raises what counting raises."""
        if self._path is None or len(self._added) >= _MOST:
            return self._encoding.count(text)
        # A prompt may be nobody else's business, so its hash stands for it.
        key = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        tokens = self._known.get(key)
        if tokens is None:
            tokens = self._known[key] = self._added[key] = self._encoding.count(text)
        return tokens

    def write(self) -> None:
        """Let others have what had to be counted, as far as the disk allows."""
        if self._path is None or not self._added:
            return
        # Another process may have written since.
        known = dict(list({**_read(self._path), **self._added}.items())[-_MOST:])
        self._added = {}
        with suppress(OSError):
            write_atomically(self._path, json.dumps({"counts": known, "sha256": _digest(known)}).encode("ascii"))

    @cached_property
    def _known(self) -> dict[str, int]:
        return {} if self._path is None else _read(self._path)


def _read(path: Path) -> dict[str, int]:
    try:
        found = json.loads(path.read_bytes())
        counts: dict[str, int] = found["counts"]
        return counts if isinstance(counts, dict) and found["sha256"] == _digest(counts) else {}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return {}


def _digest(counts: object) -> str:
    return hashlib.sha256(json.dumps(counts).encode("ascii")).hexdigest()
