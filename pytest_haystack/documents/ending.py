"""Ending a document at exactly the asked number of tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pytest_haystack.documents.boundaries import Level, insertion_points, seams, word_ends
from pytest_haystack.documents.draft import Draft
from pytest_haystack.documents.fillers import SCRIPT_SAMPLE, certain_fillers, endings, may_follow
from pytest_haystack.errors import DocumentError

#: Word ends that are tried, from the longest text that fits downwards.
_CUTS = 8

#: Word ends among which places between words and punctuation are tried as well.
_FINE_CUTS = 3

#: The stretch in which cuts are looked for at first, in characters before and after the expected one.
_BEFORE, _AFTER = 40, 20

#: How often that stretch is widened, fourfold, in search of a word's end: to 640 characters before.
_WIDENINGS = 2

#: Missing tokens that a filler may make up before a word is cut instead.
_LONGEST_FILLER = 24

#: How much haystack text may be left out near the end, in characters, so that the words after it fill the document.
_MOST_SKIPPED = 40

#: Cuts after which that is tried, and the longest text that may follow the gap, in characters.
_SKIPPING_CUTS = 6
_LONGEST_CONTINUATION = 120

#: White space at the end, from the least nuisance on; other characters are none.
_SPACES = "\n "

#: Tokens after the last insert that are too few to be a sentence; the insert goes to the very end then.
_FEWEST = 3


class Ending(NamedTuple):
    """Where the haystack text of a document ends (a position in it), and what fills up the rest."""

    cut: int
    filler: str


class _Cuts(NamedTuple):
    """Cuts that fit, ascending, the next few that do not, and what they are measured with."""

    fitting: Sequence[int]
    beyond: Sequence[int]
    measure: _Measure


class _Measure:
    """Counts documents that differ in their last words only."""

    def __init__(self, draft: Draft, start: int, tail: str) -> None:
        self._encoding = draft.haystack.encoding
        self._text = draft.haystack.text
        self._start = start
        self._near = draft.advanced(start)
        split = draft.haystack.encoding.next_safe_point(tail, 1) or len(tail)
        self._tail = tail[:split]
        self._known = self._near.settled + self._encoding.count(tail[split:])
        # The search for the last cut that fits meets some of those that are then tried one by one.
        self._counts: dict[str, int] = {}

    def __call__(self, cut: int, filler: str = "") -> int:
        """Number of tokens of the document that is cut at this position of the haystack."""
        end = self._text[self._start : cut] + filler
        if end not in self._counts:
            self._counts[end] = self._known + self._encoding.count(self._near.pending + end + self._tail)
        return self._counts[end]


def fit_ending(draft: Draft, tail: str, tokens: int) -> Ending | None:
    """The ending that gives ``draft + haystack text + filler + tail`` exactly this many tokens, None if none does.

    A place near the end of the text is looked for that needs no filler, then one where a full stop or an ellipsis is
    enough, then a word to leave out so that the words after it fit. The text ends with a whole word, unless the next
    word is so long that a filler in its stead would be a nuisance. Raises DocumentError where the haystack text is
    too short.
    """
    index = draft.haystack.index
    room = tokens - draft.tokens - draft.haystack.encoding.count(tail)
    if draft.characters and room < _FEWEST:
        return None
    expected = index.position_of(index.tokens_before(draft.position) + room)
    if expected + _AFTER >= len(index.text):
        raise DocumentError(
            f"the haystack text ends before the {tokens} tokens of the document; prepare it for that many"
        )

    def nothing() -> _Cuts:
        return _Cuts([draft.position], [], _Measure(draft, draft.position, tail))

    words = _fitting_cuts(draft, tail, tokens, expected, Level.WORD) or nothing()
    characters = None
    if tokens - words.measure(words.fitting[-1]) > _LONGEST_FILLER:
        characters = _fitting_cuts(draft, tail, tokens, expected, Level.CHARACTER)
    for cuts in (characters, words):
        ending = _filled(draft, cuts, tokens) if cuts else None
        if ending:
            return ending
    return _filled(draft, nothing(), tokens)


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
                return _Cuts(cuts[max(fitting - _CUTS, 0) : fitting], cuts[fitting : fitting + 2], measure)
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
    """The cut and the filler, of the least nuisance, that give exactly the asked number of tokens."""
    missing: dict[int, int] = {}
    # Most often one of the first is right, so each group is only looked for when those before it have failed.
    for group in (lambda: reversed(cuts.fitting), lambda: cuts.beyond, lambda: _fine_cuts(draft, cuts)):
        for cut in group():
            missing[cut] = tokens - cuts.measure(cut)
            if missing[cut] == 0:
                return Ending(cut, "")
    missing = {cut: count for cut, count in missing.items() if count > 0}
    for way in (_closed, _continued, _dotted):
        ending = way(draft, cuts, missing, tokens)
        if ending:
            return ending
    return None


def _fine_cuts(draft: Draft, cuts: _Cuts) -> list[int]:
    """Places near the last word end that fits where no word is cut; those that leave no space at the end first."""
    if not cuts.beyond:
        return []
    text = draft.haystack.text
    found = seams(text, cuts.fitting[-_FINE_CUTS:][0] + 1, cuts.beyond[0])
    return sorted(set(found).difference(cuts.fitting), key=lambda point: (_SPACES.find(text[point - 1]), -point))


def _closed(draft: Draft, cuts: _Cuts, missing: Mapping[int, int], tokens: int) -> Ending | None:
    """An ending with a full stop or the like."""
    text, count = draft.haystack.text, draft.haystack.encoding.count
    last = cuts.fitting[-1]
    for ending in endings(text[max(last - SCRIPT_SAMPLE, draft.position) : last]):
        own = count(ending)
        for cut, wanted in missing.items():
            if (
                abs(own - wanted) <= 1
                and may_follow(text[max(cut - 1, draft.position) : cut], ending)
                and cuts.measure(cut, ending) == tokens
            ):
                return Ending(cut, ending)
    return None


def _continued(draft: Draft, cuts: _Cuts, missing: Mapping[int, int], tokens: int) -> Ending | None:
    """An ending that leaves out a few words and goes on with those after them, as many as fit."""
    text, measure = draft.haystack.text, cuts.measure
    for cut in list(missing)[:_SKIPPING_CUTS]:
        points = word_ends(text, cut + 1, cut + _MOST_SKIPPED + _LONGEST_CONTINUATION)
        for place, resumed in enumerate(points):
            if resumed - cut > _MOST_SKIPPED:
                break
            for end in points[place + 1 :]:
                size = measure(cut, text[resumed:end]) if end - resumed <= _LONGEST_CONTINUATION else tokens + 1
                if size == tokens:
                    return Ending(cut, text[resumed:end])
                if size > tokens:
                    break
    return None


def _dotted(draft: Draft, cuts: _Cuts, missing: Mapping[int, int], tokens: int) -> Ending | None:
    """An ending with as many dots, or whatever else is sure to count, as tokens are missing."""
    for cut, wanted in missing.items():
        for filler in certain_fillers(draft.haystack.text[max(cut - 1, draft.position) : cut], wanted):
            if cuts.measure(cut, filler) == tokens:
                return Ending(cut, filler)
    return None
