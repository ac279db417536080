"""Named patterns in the scores of one model and task, each found by a rule that noise does not meet.

A rule wants an effect of a stated size, and a permutation test that says how often chance alone would show as much:
scores are dealt anew among the depths of the same length, so that a length may be as hard as it likes. What is dealt
are the scores of prompts: two answers to one prompt say little more than one, and count as their mean. Rules about
depths look only at tasks in which the cell's depth is that of the one thing asked for.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from pytest_haystack.results.bounds import clopper_pearson_lower
from pytest_haystack.results.depth_patterns import BandPattern, Split, band_pattern, diagonal_split, step_is_steep
from pytest_haystack.results.statistics import Row

#: Tasks with several needles of which one is asked for, that at the cell's depth.
_ONE_OF_SEVERAL = frozenset({"distractor", "key_value"})
#: A perfect square claims at least this rate, wrong in 5 % of cases at most: it needs 29 trials.
PERFECT_RATE, _ALPHA = 0.9, 0.05
#: Least fall of the mean score over the edge of a cliff, and the factor between neighbouring lengths from which on
#: a steady decay would look like one.
CLIFF_FALL, MOST_STEP = 0.5, 4.0


class Pattern(NamedTuple):
    """A pattern's name, and its figures in one line."""

    name: str
    text: str


class Unit(NamedTuple):
    """The score of one prompt: the mean over its answers."""

    context_length: int
    depth_percent: float
    score: float


def patterns_of(rows: Iterable[Row]) -> list[Pattern]:
    """The patterns in these rows of one model and task, the plainest first. Most runs show none."""
    listed = list(rows)
    whole = all(row.get("score") is not None for row in listed)
    return list(_found(tuple(_units(listed)), whole, bool(listed) and all(_at_one_depth(row) for row in listed)))


@lru_cache(maxsize=512)
def _found(units: tuple[Unit, ...], whole: bool, by_depth: bool) -> tuple[Pattern, ...]:
    rules = [perfect_square(units) if whole else None, context_cliff(units)]
    if by_depth:
        rules += [lost_in_the_middle(units), lost_at_the_end(units), end_advantage(units), diagonal_fade(units)]
    return tuple(pattern for pattern in rules if pattern is not None)


def perfect_square(units: Iterable[Unit]) -> Pattern | None:
    """Every trial of at least two lengths and two depths is right, and there are enough of them to claim 0.9.

    That is 29: with fewer, a model that is right nine times of ten would often look perfect.
    """
    listed = list(units)
    lengths, depths = _axes(listed)
    if len(lengths) < 2 or len(depths) < 2 or any(unit.score < 1 for unit in listed):
        return None
    bound = clopper_pearson_lower(len(listed), len(listed), _ALPHA)
    if bound < PERFECT_RATE:
        return None
    text = (
        f"all {len(listed):,} prompts right from {lengths[0]:,} to {lengths[-1]:,} tokens at {len(depths)} depths "
        f"(the rate is above {bound:.3f} with 95 % confidence)"
    )
    return Pattern("perfect square", text)


def context_cliff(units: Iterable[Unit]) -> Pattern | None:
    """The mean score falls by at least 0.5 from one length to the next, and stays down.

    Every length before the edge is that much better than every length behind it, and no other neighbours differ by
    half as much. The two lengths at the edge differ at the level .01 by themselves, and all before from all behind at
    .001. They must lie within a factor of 4: over more, a steady decay cannot be told from a cliff.
    """
    listed = list(units)
    lengths, _ = _axes(listed)
    scores = {length: [unit.score for unit in listed if unit.context_length == length] for length in lengths}
    means = {length: _mean(found) for length, found in scores.items()}
    for last, first in pairwise(lengths):
        before, behind = [x for x in lengths if x <= last], [x for x in lengths if x >= first]
        fall = min(means[x] for x in before) - max(means[x] for x in behind)
        others = [abs(means[x] - means[y]) for part in (before, behind) for x, y in pairwise(part)]
        if fall < CLIFF_FALL or first > MOST_STEP * last or max(others, default=0.0) > fall / 2:
            continue
        high, low = [s for x in before for s in scores[x]], [s for x in behind for s in scores[x]]
        if step_is_steep(scores[last], scores[first], 0.01) and step_is_steep(high, low, 0.001):
            text = (
                f"mean {_mean(high):.2f} up to {last:,} tokens (n {len(high):,}), "
                f"{_mean(low):.2f} from {first:,} on (n {len(low):,})"
            )
            return Pattern("context cliff", text)
    return None


def lost_in_the_middle(units: tuple[Unit, ...]) -> Pattern | None:
    """From some length on, the middle third of the depths is worse than the first and than the last (see `_band`)."""
    return _band("lost in the middle", units, "middle", worse=True)


def lost_at_the_end(units: tuple[Unit, ...]) -> Pattern | None:
    """From some length on, the last third of the depths is worse than the first and than the middle (see `_band`)."""
    return _band("lost at the end", units, "end", worse=True)


def end_advantage(units: tuple[Unit, ...]) -> Pattern | None:
    """From some length on, the last third of the depths is better than the first and than the middle (see `_band`)."""
    return _band("end advantage", units, "end", worse=False)


def diagonal_fade(units: tuple[Unit, ...]) -> Pattern | None:
    """What counts is the distance in tokens from one end: the longer the text, the more of its depths are lost.

    The scores split best by tokens from the start, or from the end, with at least 0.4 between the means of the two
    sides; the split explains at least 5 % more of the variance than any rectangle of lengths from one on and
    neighbouring depths does (a cliff, a lost third); it runs through at least two of three or more lengths; and
    chance gives as sharp a split in 3 of 10,000 deals at most.
    """
    found = diagonal_split(units)
    return None if found is None else Pattern("diagonal fade", _split_text(found))


def _band(name: str, units: tuple[Unit, ...], band: str, *, worse: bool) -> Pattern | None:
    """A third of the depths differs from both others by at least 0.2, and from their union at the level .0003.

    The length from which on it does is the one at which the difference stands out most; the test takes into account
    that it was looked for.
    """
    found = band_pattern(units, band, worse=worse)
    return None if found is None else Pattern(name, _band_text(found, band))


def _band_text(found: BandPattern, band: str) -> str:
    others = " and ".join(
        f"{value:.2f} {_WHERE[key]} (n {n:,})" for key, (value, n) in found.means.items() if key != band
    )
    value, n = found.means[band]
    return f"from {found.onset:,} tokens on mean {value:.2f} {_WHERE[band]} (n {n:,}), {others}"


_WHERE = {"start": "in the first third", "middle": "in the middle third", "end": "in the last third"}


def _split_text(found: Split) -> str:
    end = "end" if found.from_end else "start"
    return (
        f"mean {found.near:.2f} up to {found.tokens:,} tokens from the {end} (n {found.near_n:,}), "
        f"{found.far:.2f} beyond (n {found.far_n:,})"
    )


def _units(rows: Iterable[Row]) -> list[Unit]:
    groups: dict[tuple[int, float, object], list[float]] = {}
    for number, row in enumerate(rows):
        if row.get("score") is not None:
            prompt = row.get("prompt_sha256") or number
            groups.setdefault((row["context_length"], row["depth_percent"], prompt), []).append(float(row["score"]))
    return [Unit(length, depth, _mean(found)) for (length, depth, _), found in groups.items()]


def _at_one_depth(row: Row) -> bool:
    placements = (row.get("recipe") or {}).get("placements") or ()
    return len(placements) == 1 or row.get("task_type") in _ONE_OF_SEVERAL


def _axes(units: Iterable[Unit]) -> tuple[list[int], list[float]]:
    listed = list(units)
    return sorted({unit.context_length for unit in listed}), sorted({unit.depth_percent for unit in listed})


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)
