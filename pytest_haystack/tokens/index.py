"""A token index: how many tokens stand before which place of a text, without encoding the text again."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

from pytest_haystack.tokens.bulk import counts_in_bulk
from pytest_haystack.tokens.encoding import Encoding
from pytest_haystack.tokens.vocabularies import TiktokenEncoding

#: Least distance of two indexed safe points, in characters: far enough for a small index that is quick to make,
#: near enough that encoding from one to the next takes microseconds.
STRIDE = 64


class Anchor(NamedTuple):
    """A safe point of a text (a character position) and the number of tokens before it."""

    position: int
    tokens: int


#: Places of a text that are remembered with their tokens: cells of one sweep ask for the same ones again and again.
_REMEMBERED = 4096

#: Texts of more characters are worth more than one thread.
_LONG = 500_000


class TokenIndex:
    """Safe points of a text with the number of tokens before each.

    ``positions`` and ``counts`` are flat arrays of 32-bit numbers, ascending, first entry 0 and 0, so that an index
    can be written to disk as it is and be mapped into memory. The index of a text begins with the index of every
    prefix of that text.
    """

    def __init__(self, text: str, encoding: Encoding, positions: Sequence[int], counts: Sequence[int]) -> None:
        self.text = text
        self.encoding = encoding
        self.positions = positions
        self.counts = counts
        # No cache of functools: it would keep a text of megabytes alive, in a cycle, until the next collection.
        self._known_tokens: dict[int, int] = {}
        self._known_positions: dict[int, int] = {}

    @classmethod
    def of(cls, text: str, encoding: Encoding) -> TokenIndex:
        """Index a text; costs about as much as encoding it once, on all cores where the vocabulary allows it.

        Raises SourceError where the text cannot be encoded.
        """
        positions = array("I", [0])
        while (there := encoding.next_safe_point(text, positions[-1] + STRIDE)) is not None:
            positions.append(there)
        return cls(text, encoding, positions, array("I", _counts(text, encoding, positions)))

    def starting_at(self, position: int) -> TokenIndex:
        """The index of the text from this character position on, for which a few tokens are encoded.

        Every indexed safe point after it is one of the rest too; the tokens before the first are counted anew, since
        those at the start of a text are not those in the middle of one.
        """
        import numpy

        if position == 0:
            return self
        entry = bisect_right(self.positions, position)
        text = self.text[position:]
        positions, counts = array("I", [0]), array("I", [0])
        if entry < len(self.positions):
            first = self.positions[entry]
            before = self.encoding.count(self.text[position:first])
            kept: Any = numpy.asarray(self.positions[entry:], dtype=numpy.int64) - position
            known: Any = numpy.asarray(self.counts[entry:], dtype=numpy.int64) - self.counts[entry] + before
            positions.frombytes(kept.astype(numpy.dtype("I")).tobytes())
            counts.frombytes(known.astype(numpy.dtype("I")).tobytes())
        return TokenIndex(text, self.encoding, positions, counts)

    @property
    def last(self) -> Anchor:
        """The last indexed safe point; what follows it has to be encoded to be counted."""
        return Anchor(self.positions[-1], self.counts[-1])

    def before(self, position: int) -> Anchor:
        """The last indexed safe point at this character position or before it."""
        return self._anchor(bisect_right(self.positions, position) - 1)

    def after(self, position: int) -> Anchor | None:
        """The first indexed safe point at this character position or after it, None where there is none."""
        entry = bisect_left(self.positions, position)
        return self._anchor(entry) if entry < len(self.positions) else None

    def tokens_before(self, position: int) -> int:
        """Number of tokens of ``text[:position]``, exact. Encodes only from the last safe point on."""
        tokens = self._known_tokens.get(position)
        if tokens is None:
            anchor = self.before(position)
            tokens = anchor.tokens + self.encoding.count(self.text[anchor.position : position])
            _remember(self._known_tokens, position, tokens)
        return tokens

    def position_of(self, tokens: int) -> int:
        """The character position that this many tokens reach, within a character or two.

        Positions beyond the end of the text count as its end.
        """
        position = self._known_positions.get(tokens)
        if position is None:
            entry = max(bisect_right(self.counts, tokens) - 1, 0)
            start = self.positions[entry]
            end = self.positions[entry + 1] if entry + 1 < len(self.positions) else len(self.text)
            position = start + self._reach(start, end, tokens - self.counts[entry])
            _remember(self._known_positions, tokens, position)
        return position

    def _reach(self, start: int, end: int, tokens: int) -> int:
        """Number of characters of ``text[start:end]`` that its first ``tokens`` tokens cover."""
        width = 8 * max(tokens, 0) + STRIDE
        while True:
            window = self.text[start : min(start + width, end)]
            ids = self.encoding.encode(window)
            # Only the last tokens of a window depend on where it was cut off.
            if len(ids) > tokens + STRIDE or start + width >= end:
                break
            width *= 2
        return end - start if tokens >= len(ids) else self.encoding.reach(window, tokens, ids)

    def _anchor(self, entry: int) -> Anchor:
        return Anchor(self.positions[entry], self.counts[entry])


def _remember(known: dict[int, int], key: int, value: int) -> None:
    if len(known) >= _REMEMBERED:
        known.clear()
    known[key] = value


def _counts(text: str, encoding: Encoding, positions: Sequence[int]) -> Iterable[int]:
    """Number of tokens before each of these safe points of the text."""
    if len(text) > _LONG and isinstance(encoding, TiktokenEncoding):
        # Lone surrogates, which no file holds, are counted one stretch at a time.
        with suppress(UnicodeEncodeError):
            return counts_in_bulk(text, encoding, positions)
    return accumulate((encoding.count(text[here:there]) for here, there in pairwise(positions)), initial=0)
