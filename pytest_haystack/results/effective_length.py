"""How long a context is used well: the headline of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

#: Least mean score where nothing is said: RULER's, which is that of Llama-2-7B-chat at 4K (arXiv 2404.06654).
RULER_THRESHOLD = 0.856
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class LengthScores:
    """The scores (0 to 1) at one context length, and how many more there would be had all cells been scored."""

    scores: Sequence[float]
    missing: int = 0

    @property
    def mean(self) -> float | None:
        """Mean of the scores that there are."""
        return sum(self.scores) / len(self.scores) if self.scores else None


@dataclass(frozen=True, slots=True)
class EffectiveLength:
    """The longest context length (tokens) that, with all shorter ones, has a mean score of at least ``wanted``.

    ``tokens`` is 0 where the shortest length has not. ``ended`` says why it is no longer: the mean ``fell`` below at
    the length ``at``, scores are ``missing`` there without which nothing can be said, or it is the ``longest`` that
    was asked.
    """

    tokens: int
    wanted: float
    ended: Literal["fell", "missing", "longest"]
    at: int
    mean: float | None
    missing: int = 0


def effective_length_of(lengths: Mapping[int, LengthScores], wanted: float = RULER_THRESHOLD) -> EffectiveLength | None:
    """The effective length of these scores; None where no length has one.

    A length with missing scores counts where they could not change on which side of ``wanted`` its mean is.
    """
    if not any(one.scores for one in lengths.values()):
        return None
    reached = 0
    for length in sorted(lengths):
        found = lengths[length]
        total, n = sum(found.scores), len(found.scores) + found.missing
        if n == 0:
            continue
        if total / n >= wanted - _ROUNDING:
            reached = length
        elif (total + found.missing) / n < wanted - _ROUNDING:
            return EffectiveLength(reached, wanted, "fell", length, found.mean, found.missing)
        else:
            return EffectiveLength(reached, wanted, "missing", length, found.mean, found.missing)
    return EffectiveLength(reached, wanted, "longest", reached, lengths[reached].mean)
