"""Which requests of a model come next, by where the tests are."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Condition

from pytest_haystack.sweep import Cell


class Upcoming:
    """The requests of one model in the order of the tests; threads may share it.

    Several workers are at several places. The next request is the one that the fewest requests part from a place: what
    a worker will come to soonest, as far as anyone can tell who does not know which tests are whose.
    """

    def __init__(self, cells: Sequence[Cell]) -> None:
        #: Where the trials of a stop rule end is not known before they are scored.
        self._requests = [(cell, trial) for cell in cells for trial in range(1 if cell.stop else cell.trials)]
        self._first: dict[str, int] = {}
        for index, (cell, _) in enumerate(self._requests):
            self._first.setdefault(cell.id, index)
        self._taken = bytearray(len(self._requests))
        #: By the request that a worker was last seen to begin a test with, the first one behind it that nobody took.
        self._places: dict[int, int] = {}
        self._changed = Condition()
        self._over = False

    def started(self, cell_id: str) -> None:
        """A test of the cell has begun, and will ask its first trial itself."""
        index = self._first.get(cell_id)
        if index is None:
            return
        with self._changed:
            self._taken[index] = True
            before = [place for place, cursor in self._places.items() if place < index <= cursor]
            # A worker that was at the nearest place before it has gone on.
            cursor = self._places.pop(max(before)) if before else index
            self._places[index] = max(cursor, index + 1)
            self._changed.notify_all()

    def stop(self) -> None:
        """Nothing comes next any more."""
        with self._changed:
            self._over = True
            self._changed.notify_all()

    def next(self) -> tuple[Cell, int] | None:
        """Cell and trial (from 0), once there is one that a worker is on its way to; None when that is all."""
        with self._changed:
            while not self._over:
                place = self._nearest()
                if place is not None:
                    index = self._places[place]
                    self._taken[index] = True
                    return self._requests[index]
                if all(self._taken):
                    break
                self._changed.wait()
            return None

    def _nearest(self) -> int | None:
        """The place from which the next request is nearest; places that lead to the same one become one."""
        ends: dict[int, int] = {}
        for place, cursor in sorted(self._places.items()):
            while cursor < len(self._taken) and self._taken[cursor]:
                cursor += 1
            ends[cursor] = place
        self._places = {place: cursor for cursor, place in ends.items()}
        open_ends = {place: cursor for cursor, place in ends.items() if cursor < len(self._taken)}
        return min(open_ends, key=lambda place: open_ends[place] - place, default=None)
