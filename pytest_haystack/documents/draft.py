"""A document while it is written, with its exact number of tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from pytest_haystack.documents.haystack_text import HaystackText

#: Characters after an insert that are looked at to tell which tokens are its own.
_LOOK_AHEAD = 32


class Span(NamedTuple):
    """Where a text came to stand: tokens before it, tokens that hold its characters, its first character."""

    token_index: int
    tokens: int
    char_index: int


class Block(NamedTuple):
    """Texts that are inserted at one place, with the white space around and between them."""

    texts: Sequence[str]
    left: str
    between: str
    right: str

    @property
    def text(self) -> str:
        """All of it as it stands in the document; nothing where there are no texts."""
        return self.left + self.between.join(self.texts) + self.right if self.texts else ""


@dataclass(eq=False)
class Draft:
    """The beginning of a document: haystack text up to ``position``, with inserts. It is not changed: each step makes
    another one (so many that freezing them would take a noticeable time).

    ``pending`` is the text since the last safe point, ``settled`` and ``written`` are the tokens and characters
    before it. Only pending text is ever encoded: what stands between safe points of the haystack is known from its
    index. A safe point is decided by the two characters around it, so those next to an insert do not count.
    """

    haystack: HaystackText
    position: int = 0
    settled: int = 0
    written: int = 0
    pending: str = ""

    @cached_property
    def tokens(self) -> int:
        """Number of tokens, were this the whole document."""
        return self.settled + self.haystack.encoding.count(self.pending)

    @property
    def characters(self) -> int:
        """Number of characters."""
        return self.written + len(self.pending)

    @cached_property
    def added(self) -> int:
        """Tokens that the inserts so far add to the haystack's own."""
        return self.tokens - self.haystack.index.tokens_before(self.position)

    def advanced(self, position: int) -> Draft:
        """The draft with haystack text up to this position (not before the present one)."""
        if position == self.position:
            return self
        text, index = self.haystack.text, self.haystack.index
        last = index.before(position - 1)
        first = index.before(0) if self.characters == 0 else index.after(self.position + 1)
        if first is None or first.position > last.position:
            pending = self.pending + text[self.position : position]
            return Draft(self.haystack, position, self.settled, self.written, pending)
        bridge = self.pending + text[self.position : first.position]
        return Draft(
            self.haystack,
            position,
            settled=self.settled + self.haystack.encoding.count(bridge) + last.tokens - first.tokens,
            written=self.characters + last.position - self.position,
            pending=text[last.position : position],
        )

    def inserted(self, block: Block) -> Draft:
        """The draft with a block inserted at its end."""
        return self.continued(block.text)

    def continued(self, text: str) -> Draft:
        """The draft with a text at its end that is neither haystack nor insert."""
        return Draft(self.haystack, self.position, self.settled, self.written, self.pending + text)

    def spans(self, block: Block, following: str) -> list[Span]:
        """Where each text of a block stands that is inserted at the draft's end, before the following text."""
        if not block.texts:
            return []
        encode = self.haystack.encoding.encode
        # Up to the safe point where `advanced` goes on, if there is one: that much has been counted already.
        next_point = self.haystack.index.after(self.position + 1)
        ahead = _LOOK_AHEAD if next_point is None else next_point.position - self.position
        window = self.pending + block.text + following[: ahead if ahead <= len(following) else _LOOK_AHEAD]
        ids = encode(window)
        spans, offset = [], len(self.pending) + len(block.left)
        for text in block.texts:
            end = offset + len(text)
            before = _common_length(ids, encode(window[:offset]))
            after = _common_length(ids[::-1], encode(window[end:])[::-1])
            tokens = max(len(ids) - before - after, 0)
            spans.append(Span(self.settled + before, tokens, self.written + offset))
            offset = end + len(block.between)
        return spans


def _common_length(left: Sequence[int], right: Sequence[int]) -> int:
    """Number of leading items that two sequences share.

    A token that reaches over the edge of an insert differs from what the text beyond the edge is encoded to, so
    comparing tells which tokens lie wholly outside.
    """
    length = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        length += 1
    return length
