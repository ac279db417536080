"""Two runs compared on the prompts that both asked: what became worse, and whether chance explains it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pytest_haystack.results.paired_tests import (
    clustered_interval,
    holm,
    mcnemar,
    newcombe,
    sign_flip,
)
from pytest_haystack.results.pairing import ONLY_BASELINE, ONLY_NEW, Group, Pair, Unpaired, pair_rows
from pytest_haystack.results.statistics import Interval, Row

ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class CellChange:
    """A cell's mean scores (0 to 1) over its ``n`` pairs, before and after. ``task`` is as reports name it."""

    model: str
    task: str
    context_length: int
    depth_percent: float
    n: int
    old: float
    new: float

    @property
    def difference(self) -> float:
        """New minus old, -1 to 1."""
        return self.new - self.old


@dataclass(frozen=True, slots=True)
class GroupComparison:
    """One model and task, or another group of cells, in both runs.

    ``n`` counts the pairs, ``old`` and ``new`` are their mean scores (0 to 1), ``interval`` is the two-sided 95 %
    interval of the difference. ``worse`` and ``better`` count the pairs whose score fell and rose; where all scores
    are 0 or 1 they are McNemar's b and c. ``p`` is one-sided: McNemar's mid-p for scores of 0 and 1; for others, and
    where a cell has more trials in one run than in the other, that of flipped signs by cell. ``p_exact`` is McNemar's
    exact one, None where signs are flipped. ``p_adjusted`` is ``p`` after Holm's correction over the groups that were
    compared together, see `adjusted`. ``unpaired`` counts the reasons of rows without partner, ``refused`` those that
    had other prompts.
    """

    model: str
    task: str
    n: int
    old: float | None
    new: float | None
    interval: Interval | None
    worse: int
    better: int
    test: Literal["mcnemar", "sign_flip"]
    p: float
    p_exact: float | None
    p_adjusted: float
    cells: tuple[CellChange, ...]
    unpaired: Mapping[str, int]
    refused: Mapping[str, int]

    @property
    def difference(self) -> float | None:
        """Mean new score minus mean old one, -1 to 1."""
        return None if self.old is None or self.new is None else self.new - self.old

    @property
    def reddened(self) -> tuple[CellChange, ...]:
        """Cells whose mean fell, the worst first: with one 0/1 trial those that were right and are wrong."""
        return tuple(sorted((cell for cell in self.cells if cell.difference < -1e-9), key=_by_change))

    @property
    def greened(self) -> tuple[CellChange, ...]:
        """Cells whose mean rose, the most first."""
        risen = (cell for cell in self.cells if cell.difference > 1e-9)
        return tuple(sorted(risen, key=lambda cell: (-_by_change(cell)[0], *_by_change(cell)[1:])))

    def units(self) -> int:
        """What the test counts: pairs, or cells where signs are flipped by cell."""
        return self.n if self.test == "mcnemar" else len(self.cells)

    def is_blind(self, alpha: float = ALPHA) -> bool:
        """True where not even every pair becoming wrong would be significant, so that no regression can be seen."""
        return self.units() < least_units(self.test, alpha)


@dataclass(frozen=True, slots=True)
class Comparison:
    """All groups of both runs in the order of the new one, ``alpha`` being the chance that any is red by mistake."""

    groups: tuple[GroupComparison, ...]
    unpaired: tuple[Unpaired, ...]
    alpha: float = ALPHA

    @property
    def family(self) -> int:
        """How many groups the correction is for."""
        return max(1, sum(group.n > 0 and not group.is_blind(self.alpha) for group in self.groups))

    @property
    def regressions(self) -> tuple[GroupComparison, ...]:
        """The groups that are significantly worse."""
        return tuple(group for group in self.groups if group.p_adjusted <= self.alpha)

    @property
    def uncompared(self) -> tuple[GroupComparison, ...]:
        """The groups that both runs have and that have no pair: errors, or other prompts, took them all."""
        shared = {one.place.group for one in self.unpaired if one.reason not in (ONLY_BASELINE, ONLY_NEW)}
        return tuple(group for group in self.groups if not group.n and (group.model, group.task) in shared)


def compare_runs(
    old: Iterable[Row], new: Iterable[Row], models: Mapping[str, str] | None = None, alpha: float = ALPHA
) -> Comparison:
    """Compare the rows of two runs for each model and task.

    ``models`` maps model ids of the old run to ids of the new one, see `pair_rows`. Each group has its own test, and
    the probability that any group is red without a change stays within ``alpha`` (0 to 1).
    """
    pairing = pair_rows(old, new, models)
    pairs: dict[Group, list[Pair]] = {}
    for pair in pairing.pairs:
        pairs.setdefault(pair.place.group, []).append(pair)
    unpaired: dict[Group, list[Unpaired]] = {}
    for one in pairing.unpaired:
        unpaired.setdefault(one.place.group, []).append(one)
    groups = [compare_pairs(group, pairs.get(group, []), unpaired.get(group, [])) for group in {**pairs, **unpaired}]
    return Comparison(adjusted(groups, alpha), pairing.unpaired, alpha)


def least_units(test: Literal["mcnemar", "sign_flip"], alpha: float = ALPHA) -> int:
    """The fewest pairs (cells) that can be red at ``alpha``: all of them worse, none better.

    McNemar's mid-p is then 2^-(n+1), that of flipped signs 2^-n.
    """
    if alpha >= 0.5:
        return 1
    # One least bit is forgiven, for 2^-n may be alpha itself.
    return max(1, math.ceil(-math.log2(alpha) - 1e-12) - (test == "mcnemar"))


def adjusted(groups: Sequence[GroupComparison], alpha: float = ALPHA) -> tuple[GroupComparison, ...]:
    """The groups with Holm's correction over those that can be red at all (see `GroupComparison.is_blind`).

    One that cannot has a p above ``alpha`` whatever its scores, so it takes nothing of what the others may err.
    """
    seeing = [group for group in groups if not group.is_blind(alpha)]
    corrected = dict(zip(map(id, seeing), holm([group.p for group in seeing]), strict=True))
    return tuple(replace(group, p_adjusted=corrected.get(id(group), group.p)) for group in groups)


def compare_pairs(group: Group, pairs: Sequence[Pair], unpaired: Sequence[Unpaired] = ()) -> GroupComparison:
    """The comparison of these pairs, alone; ``group`` names them, ``unpaired`` are the rows that belong to them."""
    by_cell: dict[tuple[str, str, int, float], list[Pair]] = {}
    for pair in pairs:
        by_cell.setdefault((*pair.place.group, *pair.place.cell), []).append(pair)
    clusters = list(by_cell.values())
    binary = all(score in (0, 1) for pair in pairs for score in (pair.old, pair.new))
    # Where a run stopped asking because of its answers, how many pairs a cell has depends on them: then only whole
    # cells can be exchanged between the runs.
    cut = any(
        one.reason in (ONLY_BASELINE, ONLY_NEW) and (*one.place.group, *one.place.cell) in by_cell for one in unpaired
    )
    by_pair = binary and not cut
    worse = sum(pair.new < pair.old for pair in pairs)
    better = sum(pair.new > pair.old for pair in pairs)
    interval: Interval | None = None
    p, exact = 1.0, None
    if by_pair and pairs:
        figures = mcnemar(worse, better)
        p, exact = figures.mid_p, figures.exact
        both = sum(pair.old == pair.new == 1 for pair in pairs)
        interval = newcombe(both, worse, better, len(pairs) - both - worse - better)
    elif pairs:
        differences = [[pair.difference for pair in cluster] for cluster in clusters]
        p = sign_flip([math.fsum(cluster) / len(cluster) for cluster in differences])
        interval = clustered_interval(differences)
    return GroupComparison(
        model=group[0],
        task=group[1],
        n=len(pairs),
        old=_mean([pair.old for pair in pairs]),
        new=_mean([pair.new for pair in pairs]),
        interval=interval,
        worse=worse,
        better=better,
        test="mcnemar" if by_pair else "sign_flip",
        p=p,
        p_exact=exact,
        p_adjusted=p,
        cells=tuple(map(_change, clusters)),
        unpaired=Counter(one.reason for one in unpaired if not one.refused),
        refused=Counter(one.reason for one in unpaired if one.refused),
    )


def _change(pairs: Sequence[Pair]) -> CellChange:
    old, new = (math.fsum(values) / len(pairs) for values in zip(*((p.old, p.new) for p in pairs), strict=True))
    return CellChange(*pairs[0].place[:4], len(pairs), old, new)


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None


def _by_change(cell: CellChange) -> tuple[float, int, float]:
    # Equal changes of means may differ in their last bits.
    return round(cell.difference, 9), cell.context_length, cell.depth_percent
