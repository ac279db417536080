"""Where in the text scores change: differences between thirds of the depths, and splits by distance in tokens.

Tests are by permutation within each context length, seeded, with the maximum over everything that was looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from pytest_haystack.results.gates import BANDS, band_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[Any]

#: Deals of the scores in a test, the level it is held to, and the seed. Four rules: one grid of noise in 1,000 at most
#: shows a pattern.
DEALS, LEVEL, SEED = 9_999, 0.0003, 0
#: Fewer deals for very many scores, which need no close decision: so many are enough for the level.
_MANY, _FEWER_DEALS = 2_000, 3_999
#: A test deals no more scores than these, drawn from all where there are more: they are plenty for the differences that
#: count, and its time stays the same however many there are.
_MOST_DEALT = 4_000
#: Least difference of means between a third of the depths and each of the others.
BAND_DIFFERENCE = 0.2
#: Least difference of means over a split by distance, and what it must explain more of the variance than a rectangle.
SPLIT_DIFFERENCE, SPLIT_MARGIN = 0.4, 0.05
#: So many distances, or lengths, are tried, evenly picked from those that occur.
MOST_CUTS = 120
#: So many numbers are dealt at a time (8 bytes each).
_CHUNK = 4_000_000


class Scored(Protocol):
    """A score with its place."""

    @property
    def context_length(self) -> int: ...
    @property
    def depth_percent(self) -> float: ...
    @property
    def score(self) -> float: ...


@dataclass(frozen=True, slots=True)
class BandPattern:
    """From ``onset`` tokens on, the mean score of each third of the depths with its number of scores."""

    onset: int
    means: dict[str, tuple[float, int]]


@dataclass(frozen=True, slots=True)
class Split:
    """Mean scores up to so many tokens from the start, or from the end, and beyond."""

    from_end: bool
    tokens: int
    near: float
    near_n: int
    far: float
    far_n: int


class _Table:
    """Scores as arrays, and what the deals need of each length."""

    def __init__(self, units: Sequence[Scored]) -> None:
        import numpy as np

        ordered = sorted(units, key=lambda unit: (unit.context_length, unit.depth_percent, unit.score))
        self.units = ordered
        self.lengths: Matrix = np.array([unit.context_length for unit in ordered])
        self.depths: Matrix = np.array([unit.depth_percent for unit in ordered])
        self.scores: Matrix = np.array([unit.score for unit in ordered])
        self.bands: Matrix = np.array([BANDS.index(band_of(unit.depth_percent)) for unit in ordered])
        #: Distinct lengths, the column range of each.
        self.steps: Matrix = np.unique(self.lengths)
        self.spans = [np.flatnonzero(self.lengths == length) for length in self.steps]
        self.centred: Matrix = np.array(self.scores)
        for span in self.spans:
            self.centred[span] -= self.scores[span].mean()

    def deviations(self, masks: Matrix, centred: Matrix) -> Matrix:
        """How far the scores in each mask are above what their lengths would give them, in standard deviations.

        ``masks`` is scores by masks, ``centred`` deals by scores; the result is deals by masks. A mask that splits no
        length has no deviation.
        """
        import numpy as np

        variance = np.zeros(masks.shape[1])
        for span in self.spans:
            n = len(span)
            inside = masks[span].sum(axis=0)
            if n > 1:
                spread = (self.centred[span] ** 2).sum() / (n - 1)
                variance += spread * inside * (n - inside) / n
        divisor = np.where(variance > 1e-12, np.sqrt(np.maximum(variance, 1e-12)), np.inf)
        result: Matrix = (centred @ masks) / divisor
        return result

    def is_chance(self, masks: Matrix, sign: int) -> bool:
        """True where dealing the scores anew within lengths gives as extreme a mask too often."""
        import numpy as np

        if len(self.scores) > _MOST_DEALT:
            drawn = _drawn(len(self.scores), _MOST_DEALT)
            return _Table([self.units[place] for place in drawn]).is_chance(masks[drawn], sign)
        seen = (sign * self.deviations(masks, self.centred[None, :])).max()
        chance = np.random.default_rng(SEED)
        all_deals = DEALS if len(self.scores) < _MANY else _FEWER_DEALS
        beaten, left = 0, all_deals
        while left:
            deals = min(left, max(1, _CHUNK // len(self.scores)))
            dealt = np.empty((deals, len(self.scores)))
            for span in self.spans:
                dealt[:, span] = chance.permuted(np.tile(self.centred[span], (deals, 1)), axis=1)
            beaten += int(((sign * self.deviations(masks, dealt)).max(axis=1) >= seen - 1e-9).sum())
            left -= deals
            if (1 + beaten) / (1 + all_deals) > LEVEL:
                return True
        return False


def band_pattern(units: Sequence[Scored], band: str, *, worse: bool) -> BandPattern | None:
    """A third of the depths that is worse, or better, than both others from some length on; None where none is."""
    if {band_of(unit.depth_percent) for unit in units} != set(BANDS):
        return None
    import numpy as np

    table, number, sign = _Table(units), BANDS.index(band), -1 if worse else 1
    onsets = table.steps[:: -(-len(table.steps) // MOST_CUTS)]
    masks = np.stack([(table.lengths >= onset) & (table.bands == number) for onset in onsets], axis=1).astype(float)
    deviations = sign * table.deviations(masks, table.centred[None, :])[0]
    # Of onsets that stand out alike, the last: lengths at which all is right, or all wrong, say nothing.
    onset = onsets[np.flatnonzero(deviations >= deviations.max() - 1e-9)[-1]]
    means: dict[str, tuple[float, int]] = {}
    for index, name in enumerate(BANDS):
        scores = table.scores[(table.lengths >= onset) & (table.bands == index)]
        if not len(scores):
            return None
        means[name] = (float(scores.mean()), len(scores))
    differences = [sign * (means[band][0] - value) for name, (value, _) in means.items() if name != band]
    if min(differences) < BAND_DIFFERENCE or table.is_chance(masks, sign):
        return None
    return BandPattern(int(onset), means)


def diagonal_split(units: Sequence[Scored]) -> Split | None:
    """The best split by tokens from one end, where it explains the scores better than any rectangle does."""
    if len({unit.context_length for unit in units}) < 3 or len({unit.score for unit in units}) < 2:
        return None
    import numpy as np

    table = _Table(units)
    found: Split | None = None
    best = _best_rectangle(table) + SPLIT_MARGIN
    for from_end in (False, True):
        share = 100 - table.depths if from_end else table.depths
        tokens = np.round(table.lengths * share / 100)
        cuts = np.unique(tokens)[:-1]
        cuts = cuts[:: -(-len(cuts) // MOST_CUTS)]
        masks = (tokens[:, None] <= cuts[None, :]).astype(float)
        explained = _explained((table.scores - table.scores.mean()) @ masks, masks.sum(axis=0), table.scores)
        place = int(np.argmax(explained))
        near = masks[:, place] > 0
        split_lengths = sum(0 < near[span].sum() < len(span) for span in table.spans)
        high, low = table.scores[near].mean(), table.scores[~near].mean()
        if explained[place] < best or high - low < SPLIT_DIFFERENCE or split_lengths < 2 or table.is_chance(masks, 1):
            continue
        best = explained[place]
        found = Split(from_end, int(cuts[place]), float(high), int(near.sum()), float(low), int((~near).sum()))
    return found


def step_is_steep(high: Sequence[float], low: Sequence[float], level: float) -> bool:
    """Whether two groups of scores differ at this level: by how many deals of all of them differ as much."""
    import numpy as np

    if len(high) + len(low) > _MOST_DEALT:
        share = _MOST_DEALT / (len(high) + len(low))
        high, low = ([own[i] for i in _drawn(len(own), max(1, round(share * len(own))))] for own in (high, low))
    scores: Matrix = np.array([*high, *low])
    chance = np.random.default_rng(SEED)
    deals = min(DEALS, max(1, 5 * _CHUNK // len(scores)))
    best = scores.max()
    if len(np.unique(scores)) <= 2:
        # Right and wrong: how many right ones a deal gives the first group is all that its means depend on.
        right = int((scores == best).sum())
        dealt = chance.hypergeometric(right, len(scores) - right, len(high), deals)
        beaten = (dealt >= (np.array(high) == best).sum()).sum()
    else:
        seen = np.mean(high) - np.mean(low)
        dealt = chance.permuted(np.tile(scores, (deals, 1)), axis=1)
        differences = dealt[:, : len(high)].mean(axis=1) - dealt[:, len(high) :].mean(axis=1)
        beaten = (differences >= seen - 1e-9).sum()
    return float((1 + beaten) / (1 + deals)) <= level


def _drawn(count: int, wanted: int) -> list[int]:
    """So many of ``count`` places, in order, always the same."""
    import numpy as np

    return sorted(np.random.default_rng(SEED).choice(count, wanted, replace=False).tolist())


def _best_rectangle(table: _Table) -> float:
    """The largest share of the variance that lengths from one on by neighbouring depths explain."""
    import numpy as np

    depths, columns = np.unique(table.depths, return_inverse=True)
    rows = np.searchsorted(table.steps, table.lengths)
    shape = (len(table.steps), len(depths))
    sums, counts = np.zeros(shape), np.zeros(shape)
    np.add.at(sums, (rows, columns), table.scores - table.scores.mean())
    np.add.at(counts, (rows, columns), 1)
    # Sums over all lengths from one on, and over all depths before one: a rectangle is a difference of two.
    above, inside = (
        np.concatenate([np.zeros((shape[0], 1)), np.cumsum(np.cumsum(one[::-1], axis=0)[::-1], axis=1)], axis=1)
        for one in (sums, counts)
    )
    first, last = np.triu_indices(shape[1] + 1, 1)
    return float(
        _explained(above[:, last] - above[:, first], inside[:, last] - inside[:, first], table.scores).max(initial=0.0)
    )


def _explained(above: Matrix, inside: Matrix, scores: Matrix) -> Matrix:
    """The share of the variance of the scores that groups explain.

    ``inside`` is how many scores each group has, ``above`` the sum of how far they are above the mean of all.
    """
    import numpy as np

    n = len(scores)
    between = above**2 * n / np.maximum(inside * (n - inside), 1)
    total = ((scores - scores.mean()) ** 2).sum()
    result: Matrix = np.where((inside > 0) & (inside < n), between / total, 0.0)
    return result
