"""Context lengths and depths as lists of values, from lists or ranges."""

from __future__ import annotations

import math
from collections.abc import Callable

from pytest_haystack.config.ranges import DepthRange, Depths, LengthRange, Lengths
from pytest_haystack.errors import ConfigError

#: Decimals of a depth percent, here and in test ids.
DEPTH_DECIMALS = 2


def expand_lengths(lengths: Lengths) -> tuple[int, ...]:
    """Context lengths in whole tokens.

    A list keeps its order. A range has ``num`` values, both ends among them (``num: 1`` is ``min`` alone): evenly
    spaced (linear), each the same multiple of the one before (log), or denser at both ends (sigmoid). Values
    that are equal once rounded appear once. Raises ConfigError where a list repeats a value or ``min`` is more
    than ``max``.
    """
    if isinstance(lengths, LengthRange):
        low, high = float(lengths.min), float(lengths.max)
        values = _spread(lengths, low, high, lambda share: low * (high / low) ** share)
        return tuple(dict.fromkeys(round(value) for value in values))
    _refuse_repeats(lengths)
    return tuple(lengths)


def expand_depths(depths: Depths) -> tuple[float, ...]:
    """Depths in percent, with at most two decimals.

    Like `expand_lengths`; as a depth may be 0, the log scale multiplies 1 + depth.
    """
    if isinstance(depths, DepthRange):
        low, high = float(depths.min), float(depths.max)
        values = _spread(depths, low, high, lambda share: (1 + low) * ((1 + high) / (1 + low)) ** share - 1)
        return tuple(dict.fromkeys(round(value, DEPTH_DECIMALS) for value in values))
    rounded = [round(float(depth), DEPTH_DECIMALS) for depth in depths]
    _refuse_repeats(rounded)
    return tuple(rounded)


def sigmoid_share(share: float) -> float:
    """``f(t) = (s(6(t - 1/2)) - s(-3)) / (s(3) - s(-3))`` with the logistic function s: 0 at 0, 1 at 1."""
    low, high = _logistic(-3), _logistic(3)
    return (_logistic(6 * (share - 0.5)) - low) / (high - low)


def _logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def _spread(
    axis: LengthRange | DepthRange, low: float, high: float, geometric: Callable[[float], float]
) -> list[float]:
    if low > high:
        raise ConfigError(f"min {axis.min:.12g} is more than max {axis.max:.12g}")
    if axis.num == 1:
        return [low]
    shares = [index / (axis.num - 1) for index in range(axis.num)]
    if axis.scale == "log":
        inner = [geometric(share) for share in shares[1:-1]]
    elif axis.scale == "sigmoid":
        inner = [low + (high - low) * sigmoid_share(share) for share in shares[1:-1]]
    else:
        inner = [low + (high - low) * share for share in shares[1:-1]]
    # A range of no width must not come out of order by the last bit of a power.
    return [low, *sorted(min(max(value, low), high) for value in inner), high]


def _refuse_repeats(values: list[int] | list[float]) -> None:
    seen: set[float] = set()
    for value in values:
        if value in seen:
            raise ConfigError(f"{value:.12g} is listed twice")
        seen.add(value)
