"""Failing cells of a grid as few rectangles, none of which holds a cell that may not be in it."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple, TypeAlias

#: Context length in tokens and depth percent.
Spot: TypeAlias = "tuple[int, float]"

ALPHA = 0.05


class Range(NamedTuple):
    """Context lengths (tokens) and depths (percent), first and last included."""

    first_length: int
    last_length: int
    first_depth: float
    last_depth: float

    def holds(self, spot: Spot) -> bool:
        """True for a place in the range."""
        length, depth = spot
        return self.first_length <= length <= self.last_length and self.first_depth <= depth <= self.last_depth


class _Box(NamedTuple):
    """Indices on both axes, first and last included."""

    left: int
    right: int
    top: int
    bottom: int

    def spots(self) -> Iterator[tuple[int, int]]:
        for row in range(self.top, self.bottom + 1):
            for column in range(self.left, self.right + 1):
                yield column, row


def fails(scores: Sequence[float], threshold: float, alpha: float = ALPHA) -> bool:
    """True where pooled scores (0 to 1) show that the mean is below the threshold.

    Scores of 0 and 1 by the exact binomial test, P(Bin(n, threshold) <= right) <= alpha. For others
    exp(-n KL(mean, threshold)) bounds that probability (W. Hoeffding, 1963, theorem 1), which is careful: it never
    claims more than alpha allows.
    """
    n = len(scores)
    total = math.fsum(scores)
    if n == 0 or total / n >= threshold - 1e-9:
        return False
    if threshold >= 1:
        return True
    if all(score in (0, 1) for score in scores):
        from scipy.special import bdtr

        return float(bdtr(int(total), n, threshold)) <= alpha
    mean = total / n
    divergence = (1 - mean) * math.log((1 - mean) / (1 - threshold))
    divergence += mean * math.log(mean / threshold) if mean > 0 else 0
    return math.exp(-n * divergence) <= alpha


def cover(
    required: Collection[Spot],
    allowed: Collection[Spot],
    cells: Collection[Spot],
    accepted: Callable[[Sequence[Spot]], bool] = lambda spots: True,
) -> tuple[tuple[Range, ...], tuple[Spot, ...]]:
    """Few ranges that hold the ``required`` places and otherwise only ``allowed`` ones, and what no range holds.

    ``cells`` are all places of the grid; where there is none a range may reach over. ``accepted`` says of the allowed
    places in a range whether it may be used. The same input gives the same ranges, in the order of length and depth:
    those that alone hold some place, then always the one that holds most of what is left.
    """
    lengths, depths = (sorted(set(axis)) for axis in zip(*cells, strict=True)) if cells else ([], [])
    places = {
        (column, row): (lengths[column], depths[row]) for row in range(len(depths)) for column in range(len(lengths))
    }
    inside = {place for place, spot in places.items() if spot in allowed or spot in required}
    open_ground = {place for place, spot in places.items() if place in inside or spot not in cells}
    boxes = _largest_accepted(
        _largest_boxes(open_ground, len(lengths), len(depths)),
        inside,
        lambda within: accepted([places[place] for place in within]),
    )
    wanted = {place for place in inside if places[place] in required}
    chosen = _choose({box: wanted.intersection(box.spots()) for box in boxes}, wanted)
    held = {place for box in chosen for place in box.spots()}
    ranges = [Range(lengths[b.left], lengths[b.right], depths[b.top], depths[b.bottom]) for b in chosen]
    return tuple(sorted(ranges)), tuple(sorted(places[place] for place in wanted - held))


def _largest_boxes(ground: Collection[tuple[int, int]], columns: int, rows: int) -> Iterator[_Box]:
    """Every box of the ground that cannot grow on any side."""
    for top in range(rows):
        shared = [True] * columns
        for bottom in range(top, rows):
            shared = [shared[column] and (column, bottom) in ground for column in range(columns)]
            for left, right in _runs(shared):
                grows = any(
                    all((column, row) in ground for column in range(left, right + 1)) for row in (top - 1, bottom + 1)
                )
                if not grows:
                    yield _Box(left, right, top, bottom)


def _runs(flags: Sequence[bool]) -> Iterator[tuple[int, int]]:
    start: int | None = None
    for index, flag in enumerate([*flags, False]):
        if flag and start is None:
            start = index
        elif not flag and start is not None:
            yield start, index - 1
            start = None


def _largest_accepted(
    boxes: Iterator[_Box],
    inside: Collection[tuple[int, int]],
    accepted: Callable[[Sequence[tuple[int, int]]], bool],
) -> list[_Box]:
    """The boxes that are accepted, drawn in to what they hold; of the others the largest parts that are accepted."""
    waiting, seen, found = list(boxes), set(), set()
    while waiting:
        box = waiting.pop()
        within = [place for place in box.spots() if place in inside]
        if not within:
            continue
        box = _around(within)
        if box in seen:
            continue
        seen.add(box)
        if accepted(within):
            found.add(box)
        else:
            waiting += _parts(box)
    return sorted(found)


def _around(places: Sequence[tuple[int, int]]) -> _Box:
    columns, rows = zip(*places, strict=True)
    return _Box(min(columns), max(columns), min(rows), max(rows))


def _parts(box: _Box) -> Iterator[_Box]:
    """The box without its first or last column or row."""
    if box.left < box.right:
        yield box._replace(left=box.left + 1)
        yield box._replace(right=box.right - 1)
    if box.top < box.bottom:
        yield box._replace(top=box.top + 1)
        yield box._replace(bottom=box.bottom - 1)


def _choose(holds: dict[_Box, set[tuple[int, int]]], wanted: Collection[tuple[int, int]]) -> list[_Box]:
    """Few boxes that together hold all that any box holds."""
    holders: dict[tuple[int, int], list[_Box]] = {}
    for box, spots in holds.items():
        for spot in spots:
            holders.setdefault(spot, []).append(box)
    chosen = list(dict.fromkeys(holders[spot][0] for spot in sorted(wanted) if len(holders.get(spot, ())) == 1))
    left = set(holders).difference(*(holds[box] for box in chosen))
    while left:
        best = max(sorted(holds), key=lambda box: len(holds[box] & left))
        chosen.append(best)
        left -= holds[best]
    # What was taken early may be held by those that came later.
    for box in list(chosen):
        others = set[tuple[int, int]]().union(*(holds[other] for other in chosen if other is not box))
        if holds[box] <= others:
            chosen.remove(box)
    return chosen
