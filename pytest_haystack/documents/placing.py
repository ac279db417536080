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

    The coarsest boundary that keeps every member within the tolerance, near a place that documents of other lengths
    and depths choose too: so their prompts begin alike, up to the insert, and a provider's cache serves more of them.
    Where no boundary does, because the inserts leave no room or the words are long, the nearest word's start or, in
    endless words, the nearest character. At most ``limit`` haystack tokens stand before it, as far as that can be.
    """
    text, index = draft.haystack.text, draft.haystack.index
    shift = group.before - draft.added
    low, high = group.low + shift + _EDGE, group.high + shift - _EDGE
    first = draft.position
    last = max(index.position_of(math.floor(limit)), first)
    if low <= high:
        start = max(index.position_of(math.ceil(low)), first)
        stop = min(index.position_of(math.floor(high)), last)
        shared = index.position_of(shared_place(low, high))
        for level in _LADDER:
            point = nearest_insertion_point(text, level, shared, start, stop) if start <= stop else None
            if point is not None and low <= index.tokens_before(point) <= high:
                return point
    target = max(first, min(index.position_of(round(group.aim + shift)), last))
    near = max(first, target - _FAR), min(last, target + _FAR)
    word = nearest_insertion_point(text, Level.WORD, target, *near)
    if word is not None and abs(index.tokens_before(word) - group.aim - shift) <= _NEAR:
        return word
    character = nearest_insertion_point(text, Level.CHARACTER, target, *near)
    return first if character is None else character


def shared_place(low: float, high: float) -> int:
    """The whole number from ``low`` to ``high`` that the largest power of two divides; 0 where it is among them.

    Ranges that overlap often have it in common, whatever their ends. The nearest one where none lies between.
    """
    first, last = max(math.ceil(low), 0), math.floor(high)
    if first == 0 or first > last:
        return max(min(first, last), 0)
    # All from first to last have the bits above this one in common.
    bit = ((first - 1) ^ last).bit_length() - 1
    return last >> bit << bit


def inserted_block(text: str, point: int, inserts: Sequence[str]) -> Block:
    """The inserts with white space around and between them that suits this place of the haystack."""
    left, right = separators(text, point)
    return Block(inserts, left, right, right)


def closing_block(inserts: Sequence[str]) -> Block:
    """The inserts that end a document, each a paragraph of its own: the text before them may stop anywhere."""
    return Block(inserts, "\n\n", "\n\n", "")
