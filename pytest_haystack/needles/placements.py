"""Depths of several needles.

A placement gets the number of needles, the cell's depth percent, the trial's random generator and the task's
options, and returns one depth (percent, 0 to 100) a needle, ascending.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

Placement: TypeAlias = Callable[[int, float, random.Random, Mapping[str, Any]], "list[float]"]

#: Placements that do not follow the cell's depth where there is more than one needle.
DEPTHLESS = frozenset({"uniform", "bookends"})


def uniform(count: int, depth_percent: float, rng: random.Random, options: Mapping[str, Any]) -> list[float]:
    """Needle k of N at 5 + 90(k-1)/(N-1) percent, whatever the cell's depth; one needle at that depth.

    ``bookends`` (first at 5, last at 95, the others evenly between) comes to the same: it is this function.
    """
    if count == 1:
        return [depth_percent]
    return [5 + 90 * k / (count - 1) for k in range(count)]


def centered(count: int, depth_percent: float, rng: random.Random, options: Mapping[str, Any]) -> list[float]:
    """Evenly over [depth - delta, depth + delta] (``delta`` in percentage points), clipped to 0..100."""
    if count == 1:
        return [depth_percent]
    delta = float(options.get("delta", 10))
    low, high = max(0.0, depth_percent - delta), min(100.0, depth_percent + delta)
    return [low + (high - low) * k / (count - 1) for k in range(count)]


def scattered(count: int, depth_percent: float, rng: random.Random, options: Mapping[str, Any]) -> list[float]:
    """Uniformly random in 5..95, sorted, new in each cell and trial; one needle at the cell's depth."""
    if count == 1:
        return [depth_percent]
    return sorted(5 + 90 * rng.random() for _ in range(count))


def even_spread(count: int, depth_percent: float, rng: random.Random, options: Mapping[str, Any]) -> list[float]:
    """First at the cell's depth d, then steps of (100 - d)/N: ten needles at 40 stand at 40, 46, ... 94."""
    return [depth_percent + (100 - depth_percent) * k / count for k in range(count)]
