"""The longest context length that holds, found with few tests: halving, an audit, and climbing where that fails.

Halving takes for granted that scores fall with length. Two lengths below the answer that it did not test are
therefore sampled; where one is far below the threshold, every length is tested from the shortest on.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

#: Lengths that the audit samples, and how far below the threshold their mean must be to disprove that scores fall
#: with length.
AUDITED = 2
FAR_BELOW = 0.15


@dataclass(frozen=True, slots=True)
class FoundLength:
    """The longest length (tokens) that passed with all shorter ones taken to; 0 where not even the shortest did.

    ``tested`` has whether each tested length passed, in the order of the tests, ``audited`` the mean scores of the
    audit. ``monotone`` is False where the audit found scores that do not fall with length.
    """

    length: int
    tested: Mapping[int, bool]
    audited: Mapping[int, float]
    monotone: bool

    def bounds(self, lengths: Sequence[int]) -> tuple[int | None, int | None]:
        """The lengths on both sides of the answer: itself, and the next longer one; None where there is none."""
        longer = [length for length in sorted(lengths) if length > self.length]
        return self.length or None, longer[0] if longer else None


def find_effective_length(
    lengths: Sequence[int],
    threshold: float,
    passes: Callable[[int], bool],
    sample: Callable[[int], float],
    rng: random.Random,
) -> FoundLength:
    """Find the longest of ``lengths`` (tokens) such that it and all shorter ones have a mean of ``threshold``.

    ``passes`` tests one length; ``sample`` is the mean score (0 to 1) of a few trials at one. ``rng`` draws the
    lengths of the audit.
    """
    lengths = sorted(lengths)
    tested: dict[int, bool] = {}

    def test(length: int) -> bool:
        if length not in tested:
            tested[length] = passes(length)
        return tested[length]

    low, high = 0, len(lengths)
    while low < high:
        middle = (low + high) // 2
        if test(lengths[middle]):
            low = middle + 1
        else:
            high = middle
    unseen = [length for length in lengths[:low] if length not in tested]
    audited: dict[int, float] = {}
    for length in rng.sample(unseen, min(AUDITED, len(unseen))):
        audited[length] = sample(length)
        if audited[length] < threshold - FAR_BELOW - 1e-9:
            return FoundLength(_climb(lengths, test), tested, audited, monotone=False)
    return FoundLength(lengths[low - 1] if low else 0, tested, audited, monotone=True)


def _climb(lengths: Sequence[int], test: Callable[[int], bool]) -> int:
    """The last length before the first that fails."""
    reached = 0
    for length in lengths:
        if not test(length):
            break
        reached = length
    return reached
