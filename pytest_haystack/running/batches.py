"""Materials of the cells that come next, made together with that of the one that is asked for.

What making a document touches (vocabulary, index, patterns) does not stay in the processor's caches over a test, so
documents that are made one after the other take half as long as the same with a test between them. The cost is that
of a few documents in vain where a run stops early.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Generic, TypeVar

from pytest_haystack.sweep import Cell

#: How many are made at once, the longest context length (tokens) of them, and the seconds after which no further one
#: is begun.
_BATCH, _LONGEST, _PATIENCE = 32, 16_384, 0.02

T = TypeVar("T")


class Batches(Generic[T]):
    """What was made for cells whose turn has not come."""

    def __init__(self, cells: Sequence[Cell] = ()) -> None:
        """``cells`` are in the order of their turns; without them nothing is made before its turn."""
        self._next = dict(pairwise(cells))
        self._made: dict[Cell, T] = {}

    def get(self, cell: Cell, make: Callable[[Cell], T]) -> T:
        """What ``make`` gives for a cell. Raises what that raises: for the cells behind it when it is their turn."""
        if cell in self._made:
            return self._made.pop(cell)
        self._made.clear()
        made = make(cell)
        started = time.perf_counter()
        for following in self._following(cell):
            if time.perf_counter() - started > _PATIENCE:
                break
            try:
                self._made[following] = make(following)
            except Exception:  # told to the test whose cell it is
                break
        return made

    def _following(self, cell: Cell) -> Iterator[Cell]:
        for _ in range(_BATCH - 1):
            following = self._next.get(cell)
            if following is None or following.context_length > _LONGEST:
                return
            cell = following
            yield cell
