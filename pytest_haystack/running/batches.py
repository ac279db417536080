"""Materials of the cells that come next, made together with that of the one that is asked for.

What making a document touches (vocabulary, index, patterns) does not stay in the processor's caches over a test, so
documents that are made one after the other take half as long as the same with a test between them. The cost is that
of a few documents in vain where a run stops early.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Callable, Sequence
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
        self._order = tuple(cells)
        #: Where each cell stands in it: several tests may ask for one.
        self._places: dict[Cell, list[int]] = {}
        for place, cell in enumerate(self._order):
            self._places.setdefault(cell, []).append(place)
        self._turn = 0
        self._made: dict[Cell, T] = {}

    def get(self, cell: Cell, make: Callable[[Cell], T]) -> T:
        """What ``make`` gives for a cell. Raises what that raises: for the cells behind it when it is their turn."""
        places = self._places.get(cell, ())
        later = bisect_left(places, self._turn)
        self._turn = (places[later if later < len(places) else -1] if places else len(self._order)) + 1
        if cell in self._made:
            return self._made.pop(cell)
        made = make(cell)
        upcoming = self._order[self._turn : self._turn + _BATCH - 1]
        # One that is asked for twice comes in between; whoever asks out of turn has passed over the others.
        self._made = {other: there for other, there in self._made.items() if other in upcoming}
        if self._made:
            return made
        started = time.perf_counter()
        for following in upcoming:
            if following.context_length > _LONGEST:
                break
            if following is cell or following in self._made:
                continue
            if time.perf_counter() - started > _PATIENCE:
                break
            try:
                self._made[following] = make(following)
            except (KeyboardInterrupt, SystemExit):
                raise
            except BaseException:  # told to the test whose cell it is, where it ends that too: a skip, a failure
                break
        return made
