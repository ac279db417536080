"""Sliding windows: a document that begins where it must so that a sentence ends exactly at the asked depth."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence

from pytest_haystack.documents.boundaries import Level, insertion_points
from pytest_haystack.documents.draft import Draft
from pytest_haystack.documents.haystack_text import SLIDE_TOKENS, HaystackText
from pytest_haystack.documents.layout import Layout
from pytest_haystack.documents.placing import closing_block, inserted_block

#: Places tried at most for the start of a document, and for the needle.
_MOST_STARTS = 400
_MOST_PLACES = 400
#: Characters after an insert that decide which tokens are its own.
_AFTER = 64
#: Tokens by which a needle near the start may miss its place, the nearest first.
_OFF = (0, 1, -1, 2, -2, 3, -3)

_Measure = Callable[[Draft, int], int]


def slide(haystack: HaystackText, layout: Layout, texts: Sequence[str], tokens: int) -> tuple[int, int] | None:
    """Where the text of a document begins, and where its first insert stands; both are positions in the haystack.

    Between them lie exactly as many tokens as the first insert's depth asks for (where it closes the document: as fill
    the document), both are the ends of sentences, and the document begins within the first `SLIDE_TOKENS` tokens.
    Where no two sentences lie so, the document begins with a word; where no word does, as it may be very near the
    start, a few tokens are added or left out. None where the text has no such places, or the first insert opens the
    document anyway.
    """
    if layout.groups:
        group = layout.groups[0]
        wanted = round(group.aim)
        members = [texts[member] for member in group.members]

        def measure(draft: Draft, place: int) -> int:
            block = inserted_block(haystack.text, place, members)
            return draft.spans(block, haystack.text[place : place + _AFTER])[0].token_index

    else:
        wanted = tokens
        tail = closing_block([texts[member] for member in layout.tail]).text

        def measure(draft: Draft, place: int) -> int:
            return draft.continued(tail).tokens

    if not texts or wanted <= 0:
        return None
    index = haystack.index
    last = index.position_of(SLIDE_TOKENS)
    due = index.position_of(max(wanted - (0 if layout.groups else haystack.encoding.count(tail)), 0))
    starts = [list(_starts(haystack.text, level, last)) for level in (Level.SENTENCE, Level.WORD)]
    for off in _OFF if layout.groups else (0,):
        if wanted + off <= 0:
            return 0, 0
        for some in starts:
            found = _matched(haystack, some, due, wanted + off, measure, not layout.groups)
            if found is not None:
                return found
    return None


def _matched(
    haystack: HaystackText, starts: Sequence[int], due: int, wanted: int, measure: _Measure, closes: bool
) -> tuple[int, int] | None:
    """A start and a place with exactly the wanted number of tokens, None where there is none."""
    text, index = haystack.text, haystack.index
    # Starts by what is to be added to the tokens before a safe point behind them.
    known: dict[int, int] = {}
    settled: list[int] = []
    for start in starts:
        first = index.after(start + 1)
        settled.append(len(text) if first is None else first.position)
        if first is not None:
            known.setdefault(haystack.encoding.count(text[start : first.position]) - first.tokens, start)
    for place in _places(text, due):
        end = place - _space_before(text, place) if closes else place
        base = index.before(end - 1)
        draft = Draft(haystack, end, 0, 0, text[base.position : end])
        begun = known.get(wanted - measure(draft, end) - base.tokens)
        if begun is None or settled[bisect_left(starts, begun)] > base.position:
            near = starts[bisect_right(settled, base.position) : bisect_left(starts, end)]
            begun = _near(haystack, near, end, wanted, measure)
        if begun is not None:
            return begun, end
    return None


def _near(haystack: HaystackText, starts: Sequence[int], end: int, wanted: int, measure: _Measure) -> int | None:
    """The start for a place that is so near that all between is to be counted."""
    for start in starts:
        if measure(Draft(haystack, end, 0, 0, haystack.text[start:end]), end) == wanted:
            return start
    return None


def _starts(text: str, level: Level, last: int) -> Iterator[int]:
    points = insertion_points(text, level, 0, last)
    if level is Level.SENTENCE:
        points = iter(sorted({*points, *insertion_points(text, Level.PARAGRAPH, 0, last)}))
    for _, point in zip(range(_MOST_STARTS), points, strict=False):
        yield point


def _places(text: str, due: int) -> Iterator[int]:
    """Ends of sentences and paragraphs from here on."""
    found = 0
    while found < _MOST_PLACES and due < len(text):
        stop = due + 1000
        points = {
            *insertion_points(text, Level.SENTENCE, due, stop),
            *insertion_points(text, Level.PARAGRAPH, due, stop),
        }
        for point in sorted(points):
            if point > 0:
                found += 1
                yield point
        due = stop + 1


def _space_before(text: str, place: int) -> int:
    """Number of characters of white space right before a place."""
    start = place
    while start > 0 and text[start - 1].isspace():
        start -= 1
    return place - start
