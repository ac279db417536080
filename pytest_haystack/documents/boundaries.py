"""Where a text may be opened to let a needle in, and where it may end.

Five levels, coarse to fine: paragraph, sentence, line, word, character. Each is a set of positions in the text;
position i lies between ``text[i-1]`` and ``text[i]``. Scripts without spaces have word boundaries between any two
characters, except where their typography forbids a break. A *character* is what a reader sees as one: an emoji
with its joiners, skin tone and variation selector, a letter with its combining marks, a pair of flag letters.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator
from enum import IntEnum


class Level(IntEnum):
    """How coarse a boundary is."""

    PARAGRAPH = 1
    SENTENCE = 2
    LINE = 3
    WORD = 4
    CHARACTER = 5


# Scripts written without spaces, and symbols that are words of their own.
_SPACELESS = (
    "\u0e01-\u0e5b\u0e81-\u0edf\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Tibetan, Burmese, Khmer
    "\u2e80-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff01-\uff60"  # Chinese, Japanese
    "\u2190-\u21ff\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff"  # arrows, symbols, emoji
    "\U00020000-\U0003ffff"  # rare ideographs
)
# What may end such a character: variation selector, keycap, end of a flag's tag sequence.
_SYMBOL_ENDS = "\ufe0f\u20e3\U000e007f"
_NEVER_FIRST = frozenset(
    "、。，．：；！？…‥ー々〻ゝゞヽヾ）」』】》〉〕］｝〟’”ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ％ะาำๅๆฯ"
)
_NEVER_LAST = frozenset("（「『【《〈〔［｛〝‘“￥＄เแโใไ")

_PARAGRAPH = re.compile(r"\n(?:[^\S\n]*\n)+(?=[^\S\n]*\S)")
_SENTENCE = re.compile(
    r"[.!?…؟۔।॥]+[\"'”’»)\]]*(?:[^\S\n]*\n(?!\s*\n)|[^\S\n]+(?=\S))"
    r"|[。！？｡][。！？｡…]*[\"'」』”’）】》〉]*(?:[^\S\n]*\n(?!\s*\n)|[^\S\n]*(?=\S))"
    r"|[;{}()\[\]>:]\n(?!\s*\n)"  # a finished line of source code
)
_LINE = re.compile(r"\n(?=[^\S\n]*\S)")
_WORD_START = re.compile(rf"\s(?=\S)|[{_SPACELESS}{_SYMBOL_ENDS}](?=[{_SPACELESS}])")
_WORD_END = re.compile(rf"\S(?=\s)|[{_SPACELESS}{_SYMBOL_ENDS}](?=[{_SPACELESS}])")
_POINTS = {
    Level.PARAGRAPH: _PARAGRAPH,
    Level.SENTENCE: _SENTENCE,
    Level.LINE: _LINE,
    Level.WORD: _WORD_START,
}
# How far a pattern may look beyond the stretch that is searched, in characters.
_MARGIN = 32

# Punctuation that holds a word or a number together.
_WITHIN_WORDS = frozenset("'’.,-:/@·‑")

_LAST_WORD = re.compile(r"\w+\Z")
_ABBREVIATIONS = frozenset(
    ("mr", "mrs", "ms", "dr", "st", "prof", "vs", "cf", "fig", "vol", "no", "eg", "ie", "гр", "ул", "им")
)

_JOINER, _NON_JOINER = "\u200d", "\u200c"
_VIRAMA = 9  # Unicode's combining class of the sign that joins two Indic consonants


def insertion_points(text: str, level: Level, start: int, stop: int) -> Iterator[int]:
    """Boundaries of this level from ``start`` to ``stop``, both included, ascending; never the end of the text."""
    stop = min(stop, len(text) - 1)
    if start <= 0 <= stop:
        yield 0
    start = max(start, 1)
    if level is Level.CHARACTER:
        yield from (point for point in range(start, stop + 1) if is_character_boundary(text, point))
        return
    for match in _POINTS[level].finditer(text, max(start - _MARGIN, 0), min(stop + _MARGIN, len(text))):
        point = match.end()
        if point > stop:
            return
        if point >= start and is_character_boundary(text, point) and _is_open(text, level, match):
            yield point


def nearest_insertion_point(text: str, level: Level, target: int, start: int, stop: int) -> int | None:
    """The boundary of this level nearest to ``target`` among those from ``start`` to ``stop``, None if none is."""
    target = max(start, min(target, stop))
    radius = 64
    while True:
        low, high = max(start, target - radius), min(stop, target + radius)
        points = list(insertion_points(text, level, low, high))
        if points:
            right = bisect_left(points, target)
            return min(points[max(right - 1, 0) : right + 1], key=lambda point: abs(point - target))
        if low == start and high == stop:
            return None
        radius *= 4


def word_ends(text: str, start: int, stop: int) -> list[int]:
    """Positions from ``start`` (at least 1) to ``stop``, both included, where a word has just ended."""
    ends = []
    for match in _WORD_END.finditer(text, start - 1, min(stop + 1, len(text))):
        point = match.end()
        if is_character_boundary(text, point) and (text[point].isspace() or _may_break(text, point)):
            ends.append(point)
    return ends


def seams(text: str, start: int, stop: int) -> list[int]:
    """Positions from ``start`` to ``stop``, both included and inside the text, where it may end and no word is cut.

    Besides the ends of words these are places within white space, and before and after punctuation that does not
    hold a word or a number together.
    """
    points = range(max(start, 1), min(stop, len(text) - 1) + 1)
    return [point for point in points if is_character_boundary(text, point) and _is_seam(text, point)]


def separators(text: str, point: int) -> tuple[str, str]:
    """White space to put before and after what is inserted at this point, in keeping with what stands there."""
    if point == 0:
        return "", "\n\n"
    head = text[max(point - _MARGIN, 0) : point]
    space = head[len(head.rstrip()) :]
    if space.endswith("\n"):
        return "", "\n\n" if space.count("\n") > 1 else "\n"
    return ("", " ") if space else (" ", " ")


def is_character_boundary(text: str, point: int) -> bool:
    """False where the point lies inside what a reader sees as one character."""
    if not 0 < point < len(text):
        return True
    before, after = text[point - 1], text[point]
    if after < "\u0300" and before < "\u0300":
        return before + after != "\r\n"
    if after in (_JOINER, _NON_JOINER) or before == _JOINER:
        return False
    if unicodedata.category(after)[0] == "M" or "\U0001f3fb" <= after <= "\U0001f3ff":
        return False
    if "\U000e0020" <= after <= "\U000e007f" or after in "\uff9e\uff9f\u0e33\u0eb3":
        return False
    if unicodedata.combining(before) == _VIRAMA and after.isalpha():
        return False
    if _is_flag_letter(before) and _is_flag_letter(after):
        return _flag_letters_before(text, point) % 2 == 0
    return not ("\u1100" <= before <= "\u11ff" and "\u1160" <= after <= "\u11ff")


def _is_open(text: str, level: Level, match: re.Match[str]) -> bool:
    """Whether a match of a level's pattern is a boundary: what the pattern cannot say."""
    point = match.end()
    if level is Level.WORD:
        return text[point - 1].isspace() or _may_break(text, point)
    if level is not Level.SENTENCE or match.group()[0] not in ".!?…":
        return True
    # ``Dr. Smith``, ``J. Smith``, ``e.g. this`` and the ``? :`` of source code end no sentence.
    first = match.start()
    if first == 0 or text[first - 1].isspace() or text[point].islower():
        return False
    word = _LAST_WORD.search(text, max(first - 8, 0), first)
    return word is None or match.group()[0] != "." or not _is_abbreviation(word.group())


def _is_abbreviation(word: str) -> bool:
    return word.lower() in _ABBREVIATIONS or (len(word) == 1 and word.isupper())


def _is_seam(text: str, point: int) -> bool:
    before, after = text[point - 1], text[point]
    if before.isspace() or after.isspace():
        return True
    if _is_of_word(before):
        return not _is_of_word(after) and not (after in _WITHIN_WORDS and _is_of_word(text[point + 1 : point + 2]))
    if not _is_of_word(after):
        return _may_break(text, point) or unicodedata.category(after)[0] == "P"
    if _is_of_word(text[point - 2 : point - 1]):
        return before not in _WITHIN_WORDS
    # Nothing ends with an opening quote or bracket, unless in source code: ``measure(``.
    return before not in "\"'" and unicodedata.category(before) not in ("Ps", "Pi")


def _is_of_word(character: str) -> bool:
    return character == "_" or unicodedata.category(character or " ")[0] in "LMN"


def _may_break(text: str, point: int) -> bool:
    return text[point] not in _NEVER_FIRST and text[point - 1] not in _NEVER_LAST


def _is_flag_letter(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _flag_letters_before(text: str, point: int) -> int:
    first = point
    while first > 0 and _is_flag_letter(text[first - 1]):
        first -= 1
    return point - first
