"""One-sided confidence bounds of a mean: what a pass or fail claim may rest on."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

from pytest_haystack.results.betting import Bettor

#: Halvings of the interval in which a bound is looked for: to 1e-9.
_HALVINGS = 30


def clopper_pearson_lower(successes: int, n: int, alpha: float) -> float:
    """One-sided lower bound of a proportion (C. J. Clopper and E. S. Pearson, 1934): below it with probability alpha.

    The rate under which this many successes or more have the probability ``alpha``. Raises ValueError for values out
    of range.
    """
    _check(successes, n, alpha)
    if successes == 0:
        return 0.0
    from scipy.special import betaincinv

    return float(betaincinv(successes, n - successes + 1, alpha))


def betting_lower(scores: Sequence[float], alpha: float) -> float:
    """One-sided lower bound of the mean of scores from 0 to 1, whatever their distribution. 0 without scores.

    It is the largest mean against which a `Bettor` has not made 1/alpha of his stake at any time. Scores are taken
    in a seeded random order, since those of a sweep come sorted by depth.
    """
    drawn = list(scores)
    random.Random(len(drawn)).shuffle(drawn)
    return _lower(drawn, alpha)


def confidence_sequence(scores: Sequence[float], alpha: float) -> tuple[float, float]:
    """Two-sided interval of the mean that holds at every number of scores at once, in the order they came.

    So it may be read wherever a test has stopped. It misses the mean with a probability of ``alpha`` at most.
    """
    return _lower(scores, alpha / 2), 1 - _lower([1 - score for score in scores], alpha / 2)


def _lower(scores: Sequence[float], alpha: float) -> float:
    low, high = 0.0, math.fsum(scores) / max(len(scores), 1)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        bettor = Bettor(middle, alpha)
        if any(bettor.add(score) for score in scores):
            low = middle
        else:
            high = middle
    return low


def _check(successes: int, n: int, alpha: float) -> None:
    if not 0 <= successes <= n or n < 1 or not 0 < alpha < 1:
        raise ValueError(f"no bound for {successes} successes of {n} with alpha {alpha}")
