"""Documents without filler: the whole text is records that a task wrote."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_haystack.documents.document import Document, Placement
from pytest_haystack.errors import DocumentError
from pytest_haystack.needles.needle import Needle
from pytest_haystack.tokens.encoding import Encoding


def composed_document(text: str, needles: Sequence[Needle], encoding: Encoding, tokens: int) -> Document:
    """The document of a text that a task composed, with the places of the needles that are asked about.

    Raises DocumentError where the text has more than ``tokens`` tokens, or lacks a needle.
    """
    total = encoding.count(text)
    if total > tokens:
        raise DocumentError(f"its records take {total:,} tokens, {tokens:,} are free; ask for fewer or more length")
    placements = [_placement(text, needle, encoding, total) for needle in needles if needle.role == "needle"]
    return Document(text, total, tuple(placements), {"tokenizer": encoding.name, "document_tokens": total})


def _placement(text: str, needle: Needle, encoding: Encoding, total: int) -> Placement:
    start = text.find(needle.statement)
    if start < 0:
        raise DocumentError(f"the document lacks its own record {needle.statement[:80]!r}")
    before = encoding.count(text[:start])
    own = encoding.count(text[: start + len(needle.statement)]) - before
    depth = 100.0 * before / max(1, total - own)
    asked = depth if needle.depth_percent is None else needle.depth_percent
    return Placement(needle.statement, asked, min(100.0, depth), before, start)
