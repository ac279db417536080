"""Counting the tokens of a long text on all cores."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_haystack.tokens.vocabularies import TiktokenEncoding

#: Safe points whose text one thread encodes at a time: some 128,000 characters.
_POINTS_AT_A_TIME = 2000


def counts_in_bulk(text: str, encoding: TiktokenEncoding, positions: Sequence[int]) -> list[int]:
    """Number of tokens before each of these safe points of the text; the first is 0, they ascend.

    The text between safe points some way apart is encoded as a whole, one stretch a thread: tiktoken lets others run
    meanwhile. Raises SourceError where the text cannot be encoded.
    """
    firsts = range(0, len(positions), _POINTS_AT_A_TIME)
    stretches = [positions[first : first + _POINTS_AT_A_TIME + 1] for first in firsts]

    def counted(stretch: Sequence[int]) -> list[int]:
        return _counted(text[stretch[0] : stretch[-1]], [point - stretch[0] for point in stretch], encoding)

    with ThreadPoolExecutor(os.cpu_count()) as threads:
        parts = list(threads.map(counted, stretches))
    before = accumulate((part[-1] for part in parts), initial=0)
    # Each stretch ends where the next one begins; the last has no next one.
    shared = [part[:-1] for part in parts[:-1]] + [part[: len(positions) - firsts[-1]] for part in parts[-1:]]
    return [start + count for start, part in zip(before, shared, strict=False) for count in part]


def _counted(text: str, points: Sequence[int], encoding: TiktokenEncoding) -> list[int]:
    """Number of tokens of ``text`` before each of these safe points, of which the last is its end."""
    import numpy

    ends = encoding.token_ends(text)
    offsets: Any = numpy.asarray(points)
    if not text.isascii():
        data = numpy.frombuffer(text.encode("utf-8"), dtype=numpy.uint8)
        # Every byte but the continuing ones (10xxxxxx) begins a character.
        starts = numpy.flatnonzero((data & 0xC0) != 0x80)
        offsets = numpy.append(starts, len(data))[offsets]
    counts: list[int] = numpy.searchsorted(ends, offsets, side="right").tolist()
    return counts
