"""One-sided confidence bounds of a mean: what a pass or fail claim may rest on."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

#: How far a bet may go towards ruin (I. Waudby-Smith and A. Ramdas, 2024, section 4).
_CAUTION = 0.75
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


def clopper_pearson_upper(successes: int, n: int, alpha: float) -> float:
    """One-sided upper bound of a proportion: above it with probability alpha at most. Raises ValueError."""
    _check(successes, n, alpha)
    return 1 - clopper_pearson_lower(n - successes, n, alpha)


def betting_lower(scores: Sequence[float], alpha: float) -> float:
    """One-sided lower bound of the mean of scores from 0 to 1, whatever their distribution.

    It is the largest mean against which a gambler, who bets on higher scores, has not made 1/alpha of his stake at
    any time (I. Waudby-Smith and A. Ramdas, 2024: the hedged capital process with predictable plug-in bets). Scores
    are taken in a seeded random order, since those of a sweep come sorted by depth. 0 without scores.
    """
    if not scores:
        return 0.0
    drawn = list(scores)
    random.Random(len(drawn)).shuffle(drawn)
    low, high = 0.0, min(1.0, math.fsum(drawn) / len(drawn))
    if not _is_refuted(drawn, high / 2**_HALVINGS, alpha):
        return 0.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if _is_refuted(drawn, middle, alpha):
            low = middle
        else:
            high = middle
    return low


def _is_refuted(scores: Sequence[float], mean: float, alpha: float) -> bool:
    """True where a bet on more than this mean reaches 1/alpha at some time."""
    if mean <= 0:
        return any(scores)
    log_capital, total, squares, wanted = 0.0, 0.5, 0.25, math.log(1 / alpha)
    variance = 0.25
    for number, score in enumerate(scores, start=1):
        bet = min(math.sqrt(2 * wanted / (variance * number * math.log(1 + number))), _CAUTION / mean)
        log_capital += math.log1p(bet * (score - mean))
        if log_capital >= wanted:
            return True
        total += score
        squares += (score - total / (number + 1)) ** 2
        variance = squares / (number + 1)
    return False


def _check(successes: int, n: int, alpha: float) -> None:
    if not 0 <= successes <= n or n < 1 or not 0 < alpha < 1:
        raise ValueError(f"no bound for {successes} successes of {n} with alpha {alpha}")
