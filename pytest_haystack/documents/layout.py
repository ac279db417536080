"""Which inserts stand together, and how many haystack tokens before them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from pytest_haystack.documents.document import Insert

#: Tokens set aside for the white space around an insert and for merges at its edges.
SEPARATION = 4

#: Haystack tokens after a group of inserts that make it the end of the document.
_END = 1.0


class Group(NamedTuple):
    """Inserts that stand next to each other.

    All numbers are tokens. ``aim`` is how many of the haystack stand before the group, ``low`` and ``high`` are the
    least and the most that keep every member within the depth tolerance (``low > high`` where that is impossible);
    ``before`` is what the inserts before the group add to the document, ``width`` what the group adds.
    """

    members: tuple[int, ...]
    aim: float
    low: float
    high: float
    before: int
    width: int


class Layout(NamedTuple):
    """The groups of a document in their order; ``tail`` stands at the very end, ``tail_width`` tokens wide."""

    groups: tuple[Group, ...]
    tail: tuple[int, ...]
    tail_width: int


def lay_out(inserts: Sequence[Insert], sizes: Sequence[int], tokens: int, tolerance: float) -> Layout:
    """Place inserts of these sizes (tokens) in a document of this many tokens.

    Depth d of an insert of n tokens means d/100 x (tokens - n) tokens before it, those of other inserts included.
    Subtracting what stands before leaves haystack tokens, which must not decrease from one insert to the next:
    where they would, the smallest possible largest error is chosen, i.e. for each insert the mean of the largest
    number among those before it and the smallest among those after it. Equal numbers make a group.
    """
    order = sorted(range(len(inserts)), key=lambda member: inserts[member].depth_percent)
    widths = [sizes[member] + SEPARATION for member in order]
    before = [0, *accumulate(widths)]
    asked = [
        inserts[member].depth_percent / 100 * (tokens - sizes[member]) - start
        for member, start in zip(order, before, strict=False)
    ]
    highest = list(accumulate(asked, max))
    lowest = list(accumulate(reversed(asked), min))[::-1]
    room = tokens - before[-1]
    aims = [min(max((up + down) / 2, 0.0), room) for up, down in zip(highest, lowest, strict=True)]

    groups: list[Group] = []
    tail: list[int] = []
    for place, member in enumerate(order):
        if aims[place] > room - _END:
            tail.append(member)
            continue
        reach = tolerance / 100 * (tokens - sizes[member])
        low, high = asked[place] - reach, asked[place] + reach
        if groups and aims[place] - groups[-1].aim < 1.0:
            groups[-1] = _joined(groups[-1], member, low, high, before[place], widths[place])
        else:
            groups.append(Group((member,), aims[place], low, high, before[place], widths[place]))
    return Layout(tuple(groups), tuple(tail), sum(sizes[member] + SEPARATION for member in tail))


def _joined(group: Group, member: int, low: float, high: float, before: int, width: int) -> Group:
    """The group with one more member at its end."""
    return group._replace(
        members=(*group.members, member),
        low=max(group.low, low),
        high=min(group.high, high),
        width=before + width - group.before,
    )
