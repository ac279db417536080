"""Lines of descent: who stands directly above whom, and questions with exactly one answer about it.

People are numbers here. A `Family` is one connected piece with a question of its own; a document holds as many
families of one kind as fit, and asks the first one's question.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import count, pairwise
from typing import Literal, TypeAlias

from pytest_haystack.needles.draws import whole

Structure: TypeAlias = Literal["chain", "tree", "dag"]
Sought: TypeAlias = Literal["ancestor", "relative", "common_ancestor"]
#: (above, below)
Edge: TypeAlias = tuple[int, int]

#: What has a unique answer in which structure.
SOUGHT_IN: dict[Structure, tuple[Sought, ...]] = {
    "chain": ("ancestor",),
    "tree": ("ancestor", "relative", "common_ancestor"),
    "dag": ("common_ancestor",),
}


@dataclass(frozen=True, slots=True)
class Family:
    """``edges``, of which the first ``core`` lead from those ``asked`` about to the ``answer``.

    ``up`` and ``down`` are steps: from the first asked upwards; then, for a relative, down again to the answer, for a
    common ancestor, down to the second asked.
    """

    sought: Sought
    asked: tuple[int, ...]
    answer: int
    up: int
    down: int
    edges: tuple[Edge, ...]
    core: int


class FamilyMaker:
    """Makes families of one structure, everyone in them new."""

    def __init__(self, rng: random.Random, structure: Structure, hops: int) -> None:
        self._rng = rng
        self._structure = structure
        self._hops = hops
        self._numbers = count()

    def family(self, sought: Sought) -> Family:
        """A family whose question takes all hops."""
        if sought == "ancestor":
            return self._straight()
        down = self._hops // 2 if sought == "relative" else whole(self._rng, 1, self._hops - 1)
        return self._forked(sought, self._hops - down, down)

    def _line(self, start: int, steps: int) -> list[int]:
        """From ``start`` to a new person each step."""
        return [start, *(next(self._numbers) for _ in range(steps))]

    def _straight(self) -> Family:
        line = self._line(next(self._numbers), self._hops)
        edges = _upwards(line)
        edges += _upwards(self._line(line[-1], whole(self._rng, 1, 2)))
        edges += _downwards(self._line(line[0], whole(self._rng, 0, 2)))
        if self._structure == "tree":
            edges += self._branches(line[1:])
        return Family("ancestor", (line[0],), line[-1], self._hops, 0, tuple(edges), self._hops)

    def _forked(self, sought: Sought, up: int, down: int) -> Family:
        """Two lines from one person at the top, of ``up`` and ``down`` steps."""
        top = next(self._numbers)
        left, right = self._line(top, up), self._line(top, down)
        edges = _downwards(left) + _downwards(right)
        above = self._line(top, whole(self._rng, 1, 2))
        edges += _upwards(above)
        for end in (left[-1], right[-1]):
            edges += _downwards(self._line(end, whole(self._rng, 0, 1)))
        if self._structure == "dag":
            edges += self._second_parents([above[1], *left]) + self._second_parents([above[1], *right])
        else:
            # A further branch on the way down to a relative would make a second one.
            edges += self._branches(left[1:-1] if sought == "relative" else [top, *left[1:-1], *right[1:-1]])
        asked, answer = ((left[-1],), right[-1]) if sought == "relative" else ((left[-1], right[-1]), top)
        return Family(sought, asked, answer, up, down, tuple(edges), up + down)

    def _branches(self, people: Iterable[int]) -> list[Edge]:
        """More descendants of some of these."""
        edges: list[Edge] = []
        for person in people:
            if self._rng.random() < 0.6:
                edges += _downwards(self._line(person, whole(self._rng, 1, 2)))
        return edges

    def _second_parents(self, line: list[int]) -> list[Edge]:
        """A second person above each but the first two, half of whom stand below the one two steps up the line.

        So everyone has several ancestors and lines meet again, but nobody becomes an ancestor of both lines, nor is
        anyone fewer steps away by another way.
        """
        edges: list[Edge] = []
        for upper, lower in zip(line, line[2:], strict=False):
            second = next(self._numbers)
            edges.append((second, lower))
            if self._rng.random() < 0.5:
                edges.append((upper, second))
        return edges


def _upwards(line: list[int]) -> list[Edge]:
    return [(upper, lower) for lower, upper in pairwise(line)]


def _downwards(line: list[int]) -> list[Edge]:
    return list(pairwise(line))


def answers(family: Family, edges: Iterable[Edge]) -> set[int]:
    """Everyone who answers the family's question by these edges, found from them alone."""
    parents, children = defaultdict(set), defaultdict(set)
    for upper, lower in edges:
        parents[lower].add(upper)
        children[upper].add(lower)
    if family.sought == "common_ancestor":
        first, second = (_beyond(person, parents.__getitem__) for person in family.asked)
        common = first & second
        return common - {person for other in common for person in _beyond(other, parents.__getitem__)}
    here, below = set(family.asked), set()
    for _ in range(family.up):
        below, here = here, {upper for person in here for upper in parents[person]}
    for step in range(family.down):
        here = {lower for person in here for lower in children[person]} - (below if step == 0 else set())
    return here


def _beyond(person: int, following: Callable[[int], set[int]]) -> set[int]:
    """Everyone who is reached in one step or more."""
    reached: set[int] = set()
    waiting = [person]
    while waiting:
        new = following(waiting.pop()) - reached
        reached |= new
        waiting += new
    return reached
