"""Documents without filler: the whole text is records that a task wrote."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_haystack.documents.document import Document, Placement, recorded
from pytest_haystack.errors import DocumentError
from pytest_haystack.needles.needle import Needle
from pytest_haystack.tokens.encoding import Encoding, facts_of
from pytest_haystack.tokens.index import TokenIndex


def composed_document(text: str, needles: Sequence[Needle], encoding: Encoding, tokens: int) -> Document:
    """The document of a text that a task composed, with the places of the needles that are asked about.

    Raises DocumentError where the text has more than ``tokens`` tokens, or lacks a needle.
    """
    index = TokenIndex.of(text, encoding)
    total = index.tokens_before(len(text))
    if encoding.whole is not None and encoding.whole.count(text) != total:
        return composed_document(text, needles, encoding.whole, tokens)
    if total > tokens:
        raise DocumentError(f"its records take {total:,} tokens, {tokens:,} are free; ask for fewer or more length")
    placements = tuple(_placement(index, needle, total) for needle in needles if needle.role == "needle")
    recipe = {
        **facts_of(encoding),
        "placements": [recorded(placement) for placement in placements],
        "document_tokens": total,
    }
    return Document(text, total, placements, recipe)


def _placement(index: TokenIndex, needle: Needle, total: int) -> Placement:
    start = index.text.find(needle.statement)
    if start < 0:
        raise DocumentError(f"the document lacks its own record {needle.statement[:80]!r}")
    before = index.tokens_before(start)
    own = index.tokens_before(start + len(needle.statement)) - before
    depth = min(100.0, 100.0 * before / max(1, total - own))
    asked = depth if needle.depth_percent is None else needle.depth_percent
    return Placement(needle.statement, asked, depth, before, start)
