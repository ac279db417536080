"""A source's text in another order, or with something else between its documents."""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from pytest_haystack.errors import SourceError
from pytest_haystack.haystacks.source import Source

#: What stands between paragraphs, and between documents where nothing else is asked for.
GAP = "\n\n"


class Arranged(Source):
    """Another source's documents, joined by a separator; shuffled where ``unit`` is given.

    Its hash is that of the source's own text, whatever the order.
    """

    def __init__(self, source: Source, separator: str, unit: str | None = None, seed: int = 42) -> None:
        """``unit`` is ``documents`` or ``paragraphs``."""
        super().__init__(source.options, getattr(source, "base_dir", Path()))
        self._source = source
        self._separator = separator
        self._unit = unit
        self._seed = seed

    @property
    def name(self) -> str:  # type: ignore[override]
        """The source's own."""
        return self._source.name

    @property
    def order(self) -> dict[str, Any]:
        """The shuffling; and that the separator stands between documents, where that matters."""
        order: dict[str, Any] = {}
        if self._unit is not None:
            order["shuffle"] = {"unit": self._unit, "seed": self._seed}
        if self._separator != GAP and self.documents() is not None:
            order["parts"] = "documents"
        return order

    @property
    def sha256(self) -> str:
        """Hash of the source's own text."""
        return self._source.sha256

    def documents(self) -> Sequence[str] | None:
        """The documents in the source's own order."""
        # What a plugin registers need not be a subclass of Source.
        documents = getattr(self._source, "documents", None)
        return documents() if documents is not None else None

    def read(self, characters: int) -> str:
        """The text. Raises SourceError where there is nothing to shuffle, and whatever the source raises."""
        if self._unit is None and self._separator == GAP:
            return self._source.read(characters)
        if self._text is None:
            return self._source.read(characters)
        return self._text

    @cached_property
    def _text(self) -> str | None:
        """The text in its order, None where the source has no parts."""
        documents = self.documents()
        if documents is None:
            if self._unit is not None:
                raise SourceError(
                    f"the text of {self.name} has no {self._unit} to shuffle; leave out `haystack.shuffle`, and give "
                    "its `seed` another value if it has one"
                )
            return None
        if self._unit == "documents":
            return self._separator.join(shuffled(documents, self._seed))
        if self._unit == "paragraphs":
            paragraphs = [part for text in documents for part in re.split(r"\n(?:[^\S\n]*\n)+", text) if part.strip()]
            return GAP.join(shuffled(paragraphs, self._seed))
        return self._separator.join(documents)


def shuffled(parts: Sequence[str], seed: int) -> list[str]:
    """The parts in an order of the seed, the same in every Python version (Fisher and Yates)."""
    digest = hashlib.sha256(f"shuffle {seed}".encode()).digest()
    draw = random.Random(int.from_bytes(digest[:8], "big")).random
    order = list(parts)
    for last in range(len(order) - 1, 0, -1):
        other = int(draw() * (last + 1))
        order[last], order[other] = order[other], order[last]
    return order
