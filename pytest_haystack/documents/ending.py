"""Ending a document at exactly the asked number of tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pytest_haystack.documents.boundaries import Level, insertion_points, word_ends
from pytest_haystack.documents.draft import Draft
from pytest_haystack.documents.fillers import SCRIPT_SAMPLE, certain_fillers, natural_fillers
from pytest_haystack.errors import DocumentError
from pytest_haystack.tokens.safe_points import next_safe_point

#: Cuts that are tried, from the longest that fits downwards.
_CUTS = 8

#: The stretch in which cuts are looked for at first, in characters before and after the expected one.
_BEFORE, _AFTER = 40, 20

#: How often that stretch is widened, fourfold, in search of a word's end: to 640 characters before.
_WIDENINGS = 2

#: Missing tokens that a filler may make up before a word is cut instead.
_LONGEST_FILLER = 24

#: Tokens after the last insert that are too few for anything but a stub; it goes to the very end then.
_STUB = 3


class Ending(NamedTuple):
    """Where the haystack text of a document ends (a position in it), and what fills up the rest."""

    cut: int
    filler: str


class _Cuts(NamedTuple):
    """Cuts that fit, ascending, and what they are measured with."""

    fitting: Sequence[int]
    measure: _Measure


class _Measure:
    """Counts documents that differ in their last words only."""

    def __init__(self, draft: Draft, start: int, tail: str) -> None:
        self._encoding = draft.haystack.encoding
        self._text = draft.haystack.text
        self._start = start
        self._near = draft.advanced(start)
        split = next_safe_point(tail, 1) or len(tail)
        self._tail = tail[:split]
        self._known = self._near.settled + self._encoding.count(tail[split:])

    def __call__(self, cut: int, filler: str = "") -> int:
        """Number of tokens of the document that is cut at this position of the haystack."""
        return self._known + self._encoding.count(
            self._near.pending + self._text[self._start : cut] + filler + self._tail
        )


def fit_ending(draft: Draft, tail: str, tokens: int) -> Ending | None:
    """The ending that gives ``draft + haystack text + filler + tail`` exactly this many tokens, None if none does.

    The longest haystack text that fits is taken. It ends with a whole word, unless the next word is so long that a
    filler in its stead would be a nuisance. Raises DocumentError where the haystack text is too short.
    """
    index = draft.haystack.index
    room = tokens - draft.tokens - draft.haystack.encoding.count(tail)
    if draft.characters and room < _STUB:
        return None
    expected = index.position_of(index.tokens_before(draft.position) + room)
    if expected + _AFTER >= len(index.text):
        raise DocumentError(
            f"the haystack text ends before the {tokens} tokens of the document; prepare it for that many"
        )
    for level in (Level.WORD, Level.CHARACTER):
        cuts = _fitting_cuts(draft, tail, tokens, expected, level)
        if cuts and (level is Level.CHARACTER or tokens - cuts.measure(cuts.fitting[-1]) <= _LONGEST_FILLER):
            ending = _filled(draft, cuts, tokens)
            if ending:
                return ending
    # Not even one character fits.
    nothing = _Cuts([draft.position], _Measure(draft, draft.position, tail))
    return _filled(draft, nothing, tokens)


def _fitting_cuts(draft: Draft, tail: str, tokens: int, expected: int, level: Level) -> _Cuts | None:
    """The last cuts of this level that leave the document no longer than asked, None where there are none."""
    text = draft.haystack.text
    before, after = _BEFORE, _AFTER
    for _ in range(_WIDENINGS + 1):
        start = max(draft.position + 1, expected - before)
        stop = min(len(text) - 1, expected + after)
        cuts = word_ends(text, start, stop) if level is Level.WORD else list(insertion_points(text, level, start, stop))
        if cuts:
            measure = _Measure(draft, max(draft.position, cuts[0] - 1), tail)
            fitting = _count_fitting(cuts, measure, tokens)
            if 0 < fitting < len(cuts):
                return _Cuts(cuts[max(fitting - _CUTS, 0) : fitting], measure)
        before, after = 4 * before, 4 * after
    return None


def _count_fitting(cuts: Sequence[int], measure: _Measure, tokens: int) -> int:
    """How many of the ascending cuts leave the document no longer than asked."""
    low, high = 0, len(cuts)
    while low < high:
        middle = (low + high) // 2
        if measure(cuts[middle]) <= tokens:
            low = middle + 1
        else:
            high = middle
    return low


def _filled(draft: Draft, cuts: _Cuts, tokens: int) -> Ending | None:
    """The longest cut that a filler completes to exactly the asked number of tokens, in natural words if possible."""
    text, measure = draft.haystack.text, cuts.measure
    missing = {cut: tokens - measure(cut) for cut in reversed(cuts.fitting)}
    befores = {cut: text[max(cut - SCRIPT_SAMPLE, draft.position) : cut] for cut in missing}
    for cut, count in missing.items():
        if count == 0:
            return Ending(cut, "")
        if befores[cut]:
            for filler in natural_fillers(befores[cut], count, draft.haystack.encoding):
                if measure(cut, filler) == tokens:
                    return Ending(cut, filler)
    for cut, count in missing.items():
        for filler in certain_fillers(befores[cut], count):
            if measure(cut, filler) == tokens:
                return Ending(cut, filler)
    return None
