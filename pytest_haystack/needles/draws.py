"""Draws from a random generator that come out the same on every Python version.

Only `random.Random.random` is promised to give the same numbers for ever; everything here is built on it.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def whole(rng: random.Random, low: int, high: int) -> int:
    """An integer from ``low`` to ``high``, both included."""
    return min(high, low + int(rng.random() * (high - low + 1)))


def pick(rng: random.Random, items: Sequence[T]) -> T:
    """One of the items."""
    return items[whole(rng, 0, len(items) - 1)]


def shuffled(rng: random.Random, items: Sequence[T]) -> list[T]:
    """The items in random order (Fisher and Yates)."""
    order = list(items)
    for last in range(len(order) - 1, 0, -1):
        other = whole(rng, 0, last)
        order[last], order[other] = order[other], order[last]
    return order


def uuid_text(rng: random.Random) -> str:
    """A random UUID of version 4 in its usual form, lower case."""
    digits = [whole(rng, 0, 15) for _ in range(32)]
    digits[12], digits[16] = 4, 8 + digits[16] % 4
    text = "".join(f"{digit:x}" for digit in digits)
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))
