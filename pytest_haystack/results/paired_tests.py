"""Is a new run worse than an old one, on the same prompts? One-sided tests of paired scores, and intervals."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

from pytest_haystack.results.statistics import Interval, wilson

#: Up to so many clusters that differ every pattern of signs is looked at: 2^14 are about as many as are drawn else.
MOST_EXACT_CLUSTERS = 14
RESAMPLES = 10_000
_AT_ONCE = 1_000


@dataclass(frozen=True, slots=True)
class McNemar:
    """The pairs that differ: ``b`` were right and are wrong, ``c`` were wrong and are right.

    ``exact`` is P(Bin(b + c, 1/2) >= b) (Q. McNemar, 1947; exact and one-sided), ``mid_p`` the same with half of
    P(Bin(b + c, 1/2) = b). Both are 1 where no pair differs.
    """

    b: int
    c: int
    exact: float
    mid_p: float


def mcnemar(b: int, c: int) -> McNemar:
    """The one-sided test of ``b`` pairs that became wrong against ``c`` that became right."""
    from scipy.special import bdtrc

    if b + c == 0:
        return McNemar(0, 0, 1.0, 1.0)
    # bdtrc(k, n, p) is the probability of more than k successes.
    at_least, more = float(bdtrc(b - 1, b + c, 0.5)), float(bdtrc(b, b + c, 0.5))
    return McNemar(b, c, at_least, (at_least + more) / 2)


def newcombe(both: int, b: int, c: int, neither: int, confidence: float = 0.95) -> Interval:
    """Two-sided interval of new minus old success rate from paired answers.

    Of the pairs, ``both`` were right in both runs, ``b`` only in the old one, ``c`` only in the new one, ``neither``
    in none. The method joins the Wilson intervals of the two rates by their correlation (R. G. Newcombe, 1998, paired
    data, method 10). Raises ValueError for no pairs.
    """
    n = both + b + c + neither
    new, old = (both + c) / n if n else 0.0, (both + b) / n if n else 0.0
    new_low, new_high = wilson(new, n, confidence)
    old_low, old_high = wilson(old, n, confidence)
    correlation = _correlation(both, b, c, neither)

    def reach(up: float, down: float) -> float:
        return math.sqrt(max(0.0, up * up - 2 * correlation * up * down + down * down))

    low = new - old - reach(new - new_low, old_high - old)
    high = new - old + reach(new_high - new, old - old_low)
    return max(-1.0, low), min(1.0, high)


def _correlation(both: int, b: int, c: int, neither: int) -> float:
    """Phi of the fourfold table, drawn towards 0 by a correction for continuity where it is positive."""
    margins = (both + b) * (c + neither) * (both + c) * (b + neither)
    if margins == 0:
        return 0.0
    cross = float(both * neither - b * c)
    if cross > 0:
        cross = max(0.0, cross - (both + b + c + neither) / 2)
    return cross / math.sqrt(margins)


def sign_flip(differences: Sequence[float], seed: int = 0) -> float:
    """One-sided p that the sum of the differences (new minus old, one a cluster) is as low as it is by chance.

    Without a change each difference is as likely to have the other sign. All patterns of signs are tried up to
    `MOST_EXACT_CLUSTERS` that differ, else `RESAMPLES` drawn ones, and p = (1 + as low) / (1 + drawn). The same
    ``seed`` draws the same patterns on every machine. 1 where nothing differs.
    """
    import numpy as np

    moved = np.array([difference for difference in differences if difference != 0])
    count = len(moved)
    if count == 0:
        return 1.0
    # Sums of the same numbers in another order may differ in their last bits.
    low = moved.sum() + 1e-9
    if count <= MOST_EXACT_CLUSTERS:
        flips = (np.arange(2**count)[:, None] >> np.arange(count)) & 1
        return float(np.count_nonzero((1 - 2 * flips) @ moved <= low) / 2**count)
    # Of this generator alone the bytes are the same in every version; the signs of many clusters take memory.
    generator, width, as_low = random.Random(seed), -(-count // 8), 0
    for _ in range(0, RESAMPLES, _AT_ONCE):
        drawn = np.frombuffer(generator.randbytes(_AT_ONCE * width), dtype=np.uint8).reshape(_AT_ONCE, width)
        flips = np.unpackbits(drawn, axis=1)[:, :count].astype(np.int8)
        as_low += int(np.count_nonzero((1 - 2 * flips) @ moved <= low))
    return (1 + as_low) / (1 + RESAMPLES)


def clustered_interval(clusters: Sequence[Sequence[float]], confidence: float = 0.95) -> Interval | None:
    """Two-sided interval of the mean difference over all pairs, with errors that may depend within a cluster.

    The standard error is that of sums by cluster (E. Miller, 2024, section on clustered questions), the quantile
    Student's with a degree of freedom less than there are clusters. None for fewer than two clusters.
    """
    from scipy.special import stdtrit

    count, n = len(clusters), sum(len(cluster) for cluster in clusters)
    if count < 2:
        return None
    mean = math.fsum(value for cluster in clusters for value in cluster) / n
    squares = math.fsum(math.fsum(value - mean for value in cluster) ** 2 for cluster in clusters)
    error = math.sqrt(squares * count / (count - 1)) / n
    reach = float(stdtrit(count - 1, (1 + confidence) / 2)) * error
    return max(-1.0, mean - reach), min(1.0, mean + reach)


def holm(p_values: Sequence[float]) -> list[float]:
    """The p values adjusted for being several (S. Holm, 1979): each at most alpha keeps the whole's error at alpha."""
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=lambda index: p_values[index])):
        highest = max(highest, min(1.0, p_values[index] * (len(p_values) - rank)))
        adjusted[index] = highest
    return adjusted
