"""English number words: ``four hundred and twelve``, ``twenty-five hundred``, ``minus three point one four``.

Written for this package: text2num, the one published parser that gets these right, takes time quadratic in the
length of a text, raises on lone surrogates, and has no wheel for Intel Macs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

_UNIT_WORDS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TEN_WORDS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_UNITS = {word: number for number, word in enumerate(_UNIT_WORDS)} | {"nil": 0, "nought": 0, "naught": 0}
_TENS = {word: 10 * number for number, word in enumerate(_TEN_WORDS, start=2)} | {"fourty": 40}
SCALES = {
    "hundred": 10**2,
    "thousand": 10**3,
    "lakh": 10**5,
    "million": 10**6,
    "crore": 10**7,
    "billion": 10**9,
    "trillion": 10**12,
}
_WORD = re.compile(
    r"(?<![^\W_])(?:" + "|".join([*_UNITS, *_TENS, *SCALES, "dozen", "point", "minus", "negative", "and", "an?"]) + r")"
    r"(?![^\W_])"
)
#: Fractions; without a numerator a half or a third is a part or an ordinal.
_FRACTION = re.compile(
    r"(?<![^\W_])(an?|" + "|".join(_UNIT_WORDS[1:13]) + r")[ -]"
    r"(hal(?:f|ves)|thirds?|quarters?|fourths?|fifths?|sixths?|sevenths?|eighths?|ninths?|tenths?)(?![^\W_])"
)
_DENOMINATORS = {
    word: Decimal(number)
    for number, word in enumerate(
        ("half", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"), start=2
    )
} | {"quarter": Decimal(4), "halve": Decimal(2)}
_GAP = re.compile(r"[ \n]?-?[ \n]?")
#: What a comma sets off behind a scale word: ``four thousand, one hundred and twenty-seven``.
_REST = re.compile(
    r",[ \n]?((?:(?:" + "|".join([*_UNITS, *_TENS, *SCALES]) + r")(?![^\W_])(?:[ -](?:and (?=[^\W\d_]))?)?){2,12})"
)
#: ``one`` is a pronoun more often than a number.
_PRONOUN_BEFORE = re.compile(
    r"\b(?:the|this|that|which|no|any|every|each|another|other|only the|some|last|first)[ \n]+$"
)
_PRONOUN_AFTER = re.compile(r"[ \n]+(?:of|for|that|which|who|with|more|in|on|from|can|could|should|might|is|was)\b|'")


def number_words(text: str, *, listed: bool = False) -> Iterator[tuple[int, int, Decimal]]:
    """Start, end and value of every number that is written in words; the text folded.

    ``listed`` where several numbers are expected: a comma then always sets two of them apart.
    """
    parts = {match.start(): match for match in _FRACTION.finditer(text)}
    for match in parts.values():
        numerator = Decimal(_UNITS.get(match[1], 1))
        yield match.start(), match.end(), numerator / _DENOMINATORS[match[2].removesuffix("s")]
    run: list[re.Match[str]] = []
    for word in _WORD.finditer(text):
        joined = not run or _GAP.fullmatch(text, run[-1].end(), word.start())
        if not (joined or (not listed and _goes_on(text, run[-1], word.start()))):
            yield from _numbers_of(text, run)
            run = []
        run.append(word)
    yield from _numbers_of(text, run)


def _goes_on(text: str, scale: re.Match[str], start: int) -> bool:
    """True where a comma within one number stands between a scale word and what starts at ``start``.

    What follows is counted in hundreds or a smaller scale; ``one thousand, two, three`` is a list.
    """
    rest = _REST.match(text, scale.end())
    if SCALES.get(scale[0], 0) < 1000 or rest is None or rest.start(1) != start:
        return False
    scales = [SCALES[word] for word in re.findall(r"[^\W\d_]+", rest[1]) if word in SCALES]
    return bool(scales) and max(scales) < SCALES[scale[0]]


def _numbers_of(text: str, run: list[re.Match[str]]) -> Iterator[tuple[int, int, Decimal]]:
    """A run of neighbouring number words may hold several numbers: ``nineteen eighty-four``."""
    reader = _Reader()
    for word in run:
        done = reader.take(word)
        if done is not None:
            if _is_number(text, *done):
                yield done
            reader = _Reader()
            reader.take(word)
    done = reader.finish()
    if done is not None and _is_number(text, *done):
        yield done


def _is_number(text: str, start: int, end: int, value: Decimal) -> bool:
    if value != 1 or text[start:end] != "one":
        return True
    return not (_PRONOUN_BEFORE.search(text, max(0, start - 20), start) or _PRONOUN_AFTER.match(text, end))


class _Reader:
    """Adds up one number word by word."""

    def __init__(self) -> None:
        self._start = -1
        self._end = -1
        self._sign = 1
        self._total = 0
        self._group: int | None = None
        self._room = 1000
        self._scale = 10**18
        self._digits: str | None = None
        self._joined = False

    def take(self, match: re.Match[str]) -> tuple[int, int, Decimal] | None:
        """The finished number where this word is no part of it, else None."""
        word = match[0]
        if self._start < 0 and word in ("and", "point"):
            return None
        if not self._accepts(word):
            return self.finish()
        if self._start < 0:
            self._start = match.start()
        if word not in ("and", "minus", "negative", "a", "an", "point"):
            self._end = match.end()
        return None

    def finish(self) -> tuple[int, int, Decimal] | None:
        """The number read so far, None where no word of it was one."""
        if self._end < 0:
            return None
        whole = self._total + (self._group or 0)
        value = Decimal(f"{whole}.{self._digits}") if self._digits else Decimal(whole)
        return self._start, self._end, self._sign * value

    def _accepts(self, word: str) -> bool:
        if self._digits is not None:
            return self._accepts_decimal(word)
        if word in ("minus", "negative", "a", "an"):
            return self._begins(word)
        if word == "and":
            # "two hundred and three" is one number, "seventy and seven" are two.
            fits = self._end >= 0 and not self._joined and (self._group is None or self._group >= 100)
            self._joined = fits
            return fits
        if word == "point":
            if self._end < 0:
                return False
            self._digits = ""
            return True
        if word in SCALES or word == "dozen":
            return self._multiply(12 if word == "dozen" else SCALES[word])
        return self._add(_UNITS[word] if word in _UNITS else _TENS[word])

    def _begins(self, word: str) -> bool:
        if self._start >= 0 and not (word in ("a", "an") and self._end < 0):
            return False
        if word in ("minus", "negative"):
            self._sign = -1
        return True

    def _accepts_decimal(self, word: str) -> bool:
        if _UNITS.get(word, 10) > 9 or len(self._digits or "") > 30:
            return False
        self._digits = f"{self._digits}{_UNITS[word]}"
        return True

    def _add(self, number: int) -> bool:
        """Units and tens, each of which fits only below what came last."""
        size = 10 if number < 10 else 100
        if self._room < size or (number == 0 and self._end >= 0):
            return False
        # After "twenty" only one to nine fit; after "five" or "twelve" nothing but a scale.
        self._room = 10 if number >= 20 else 1
        self._group = (self._group or 0) + number
        self._joined = False
        return True

    def _multiply(self, factor: int) -> bool:
        if self._joined:
            return False
        if factor < 1000:
            if self._group is not None and self._group >= 100:
                return False
            self._group = (self._group if self._group is not None else 1) * factor
            self._room = 100 if factor == 100 else 1
            return True
        if factor >= self._scale:
            return False
        group = self._group if self._group is not None else (1 if self._total == 0 else 0)
        if group == 0:
            return False
        self._total += group * factor
        self._group, self._room, self._scale = None, 1000, factor
        return True
