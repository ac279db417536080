"""Finding the place in the haystack for a group of inserts."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pytest_haystack.documents.boundaries import Level, nearest_insertion_point, separators
from pytest_haystack.documents.draft import Block, Draft
from pytest_haystack.documents.layout import Group

#: By how many tokens an insert's depth may differ from what the haystack's index tells: merges at its edges.
_EDGE = 2

#: A word's start this near (tokens) is taken even where the tolerance is smaller; only a longer word is cut.
_NEAR = 10

#: How far a word's start is looked for outside the tolerance, in characters.
_FAR = 512

_LADDER = (Level.PARAGRAPH, Level.SENTENCE, Level.LINE, Level.WORD)


def insertion_point(draft: Draft, group: Group, limit: float) -> int:
    """The position in the haystack where a group is inserted, not before the draft's own position.

    The coarsest boundary that keeps every member within the tolerance; where none does, because the inserts leave
    no room or the words are long, the nearest word's start or, in endless words, the nearest character. At most
    ``limit`` haystack tokens stand before it, as far as that can be.
    """
    text, index = draft.haystack.text, draft.haystack.index
    shift = group.before - draft.added
    low, high = group.low + shift + _EDGE, group.high + shift - _EDGE
    first = draft.position
    last = max(index.position_of(math.floor(limit)), first)
    target = index.position_of(round(group.aim + shift))
    if low <= high:
        start = max(index.position_of(math.ceil(low)), first)
        stop = min(index.position_of(math.floor(high)), last)
        for level in _LADDER:
            point = nearest_insertion_point(text, level, target, start, stop) if start <= stop else None
            if point is not None and low <= index.tokens_before(point) <= high:
                return point
    target = max(first, min(target, last))
    near = max(first, target - _FAR), min(last, target + _FAR)
    word = nearest_insertion_point(text, Level.WORD, target, *near)
    if word is not None and abs(index.tokens_before(word) - group.aim - shift) <= _NEAR:
        return word
    character = nearest_insertion_point(text, Level.CHARACTER, target, *near)
    return first if character is None else character


def inserted_block(text: str, point: int, inserts: Sequence[str]) -> Block:
    """The inserts with white space around and between them that suits this place of the haystack."""
    left, right = separators(text, point)
    return Block(inserts, left, right, right)


def closing_block(inserts: Sequence[str]) -> Block:
    """The inserts that end a document, each a paragraph of its own: the text before them may stop anywhere."""
    return Block(inserts, "\n\n", "\n\n", "")
