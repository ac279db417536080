"""Rectangles that touch, put together."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

#: Left, top, width and height.
Rectangle: TypeAlias = "tuple[float, float, float, float]"

#: Edges this near each other are one, in the unit of the rectangles.
_NEAR = 1e-6


def joined(rectangles: Iterable[Rectangle]) -> list[Rectangle]:
    """The same area in fewer rectangles: neighbours in a row first, then rows of one width below each other.

    ``rectangles`` do not overlap.
    """
    runs: list[Rectangle] = []
    for left, top, width, height in sorted(rectangles, key=lambda box: (_place(box[1]), box[0])):
        last = runs[-1] if runs else None
        if last and _same(last[1], top) and _same(last[3], height) and _same(last[0] + last[2], left):
            runs[-1] = (last[0], last[1], left + width - last[0], last[3])
        else:
            runs.append((left, top, width, height))
    blocks: list[Rectangle] = []
    for left, top, width, height in sorted(runs, key=lambda box: (_place(box[0]), _place(box[2]), box[1])):
        last = blocks[-1] if blocks else None
        if last and _same(last[0], left) and _same(last[2], width) and _same(last[1] + last[3], top):
            blocks[-1] = (last[0], last[1], last[2], top + height - last[1])
        else:
            blocks.append((left, top, width, height))
    return blocks


def _place(edge: float) -> int:
    return round(edge / _NEAR)


def _same(one: float, other: float) -> bool:
    return abs(one - other) < _NEAR
