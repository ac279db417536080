"""Numbers in a text, exactly: ``1,234,567``, ``3/4``, ``6.02 x 10^23``, ``four hundred and twelve``.

Decimals throughout: a float cannot tell 9007199254740993 from its neighbour.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import Context, Decimal
from itertools import islice
from typing import TypeVar

from pytest_haystack.scoring.matching import UNSPACED
from pytest_haystack.scoring.number_words import SCALES, number_words

T = TypeVar("T")

#: Numbers looked at, from the start and from the end of a text each.
MOST = 300
#: Longer digit runs are no number that a needle could hold.
LONGEST = 400
#: No trap is set: whatever cannot be computed becomes NaN, which equals nothing.
EXACT = Context(prec=2 * LONGEST, Emin=-99999, Emax=99999, traps=[])

#: Scripts that write a number right beside their letters.
_LETTERS_BESIDE = re.compile(f"[{UNSPACED}\u0590-\u06ff\u0900-\u0dff\uac00-\ud7a3]+")
_TOKEN = re.compile(r"(?:[-\w/^%°$€£¥₹#@]|(?<=\d)[.,'](?=\d)|(?<=\d):(?=\d\d?(?![\d.]))|(?<![\w.])\.(?=\d))+")
_UNIT = (
    r"%|°[cfk]?|[kmcdnµμ]?m|km/h|m/s|kmh|mph|[kmµμ]?g|lbs?|oz|[mnµμ]?s|sec|secs|min|mins|h|hrs?|[kmgt]?hz|[kmg]?wh?|[km]?v"
    r"|[km]?a|[kmh]?pa|bar|[kmgt]i?b|[kmgt]bit/s|mbps|px|rpm|°|c|f|j|kj|mj|ev|kev|mev|gev|l|ml|x|st|лет|м|км|кг|г|с"
    r"|usd|eur|gbp"
)
_BODY = r"\d+(?:[.,'_]\d+)*|\.\d+"
_NUMBER = re.compile(
    rf"(?P<sign>-)?[$€£¥₹#]?(?P<sign2>(?<![-\d])-)?(?P<body>{_BODY})(?:e(?P<exp>[-+]?\d{{1,4}})|(?P<kilo>k)|(?P<unit>{_UNIT}))?[€$£¥]?"
)
_TEN_TO = re.compile(r"10\^(-?\d{1,3})")
_RANGE = re.compile(rf"({_BODY})-({_BODY})(?:{_UNIT})?")
_FRACTION = re.compile(r"(-?\d{1,20})/(\d{1,20})(?:[a-z]{0,3})?")
_POWER = re.compile(r" ?[x×] ?10(?:\^|\*\*) ?\{?(-?\d{1,4})\}?")
_SCALE_AFTER = re.compile(r"[ -]?(" + "|".join([*SCALES, "dozen"]) + r")s?\b(?! of\b)")
_PERCENT_AFTER = re.compile(r" ?(?:%|percent\b|per cent\b)")
_SPACED = re.compile(r"(?<![\w.,'-])\d{1,3}(?: \d{3})+(?![\w]|[.,']\d| \d)")
_MINUS = re.compile(r"(?<!\w)(?:minus|negative) $")
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)$")


@dataclass(frozen=True, slots=True)
class Number:
    """A number from ``start`` to ``end``. ``readings`` are the values that its spelling allows, likeliest first."""

    start: int
    end: int
    readings: tuple[Decimal, ...]


def find_numbers(text: str, *, listed: bool = False) -> list[Number]:
    """The numbers of a folded text, in order; of very many the first and the last 300.

    ``listed`` where several numbers are expected: ``7,42`` are then two numbers, not a decimal comma, and blanks
    do not group digits.
    """
    found = _ends(_figures(text, listed))
    found += [Number(start, end, (value,)) for start, end, value in _ends(number_words(text, listed=listed))]
    found.sort(key=lambda number: number.start)
    kept: list[Number] = []
    for number in found:
        if not kept or number.start >= kept[-1].end:
            kept.append(number)
    return kept


def _ends(numbers: Iterable[T]) -> list[T]:
    stream = iter(numbers)
    head = list(islice(stream, MOST))
    return head + list(deque(stream, maxlen=MOST))


def _figures(text: str, listed: bool) -> Iterator[Number]:
    # Blanked, not removed: positions must stay.
    plain = _LETTERS_BESIDE.sub(lambda m: " " * len(m[0]), text)
    if not listed:
        plain = _SPACED.sub(lambda m: m[0].replace(" ", "_"), plain)
    previous: Number | None = None
    for token in _TOKEN.finditer(plain):
        for number in _of_token(plain, token, listed):
            merged = None if listed else _mixed(plain, previous, number, token[0])
            if previous is not None and merged is None:
                yield previous
            previous = merged or number
    if previous is not None:
        yield previous


def _mixed(text: str, previous: Number | None, number: Number, token: str) -> Number | None:
    """``1 3/4`` is one number, and so is ``3 / 4``."""
    if previous is None or number.start - previous.end > 3:
        return None
    between = text[previous.end : number.start]
    whole, part = previous.readings[0], number.readings[0]
    if whole != whole.to_integral_value() or whole.adjusted() > 20:
        return None
    chain = text.startswith(" /", number.end) or text.endswith("/ ", 0, previous.start)
    if between == " / " and not chain and part and part == part.to_integral_value():
        return Number(previous.start, number.end, (EXACT.divide(whole, part),))
    if between != " " or "/" not in token or not 0 < part < 1:
        return None
    total = whole + part if whole >= 0 else whole - part
    return Number(previous.start, number.end, (total,))


def _of_token(text: str, token: re.Match[str], listed: bool) -> Iterator[Number]:
    word, start = token[0], token.start()
    if not any(c in "0123456789" for c in word) or len(word) > LONGEST or _ORDINAL.search(word):
        return
    if match := _NUMBER.fullmatch(word):
        yield from _plain_number(text, match, start, listed)
    elif match := _TEN_TO.fullmatch(word):
        yield Number(start, token.end(), (EXACT.power(Decimal(10), int(match[1])),))
    elif match := _RANGE.fullmatch(word):
        for group in (1, 2):
            readings = read_figures(match[group])
            if readings:
                yield Number(start + match.start(group), start + match.end(group), readings)
    elif match := _FRACTION.fullmatch(word):
        numerator, denominator = Decimal(match[1]), Decimal(match[2])
        if listed:
            # A stroke between two of several values sets them apart.
            yield Number(start, start + match.end(1), (numerator,))
            yield Number(start + match.start(2), start + match.end(2), (denominator,))
        elif denominator:
            yield Number(start, token.end(), (EXACT.divide(numerator, denominator),))


def _plain_number(text: str, match: re.Match[str], start: int, listed: bool) -> Iterator[Number]:
    body, end = match["body"], start + match.end()
    readings = read_figures(body, listed=listed)
    if not readings:
        # No number as a whole: 12,18,30 are three.
        if body.count(",") and "." not in body:
            for part in re.finditer(r"\d+", body):
                at = start + match.start("body") + part.start()
                yield Number(at, at + len(part[0]), (Decimal(part[0]),))
        return
    number = Number(start, end, readings)
    if match["sign"] or match["sign2"] or _MINUS.search(text, max(0, start - 10), start):
        number = replace(number, readings=tuple(-value for value in readings))
    if match["exp"]:
        number = _times(number, Decimal(10), int(match["exp"]), end)
    elif match["kilo"]:
        scaled = _times(number, Decimal(10), 3, end)
        number = replace(scaled, readings=scaled.readings + number.readings)
    yield _with_suffix(text, number, match["unit"] == "%")


def _with_suffix(text: str, number: Number, percent: bool) -> Number:
    """Powers of ten, scale words and percent signs that stand behind the figures."""
    if power := _POWER.match(text, number.end):
        return _times(number, Decimal(10), int(power[1]), power.end())
    if scale := _SCALE_AFTER.match(text, number.end):
        factor = 12 if scale[1] == "dozen" else SCALES[scale[1]]
        return _times(number, Decimal(factor), 1, scale.end())
    after = None if percent else _PERCENT_AFTER.match(text, number.end)
    if percent or after:
        hundredth = tuple(EXACT.divide(value, Decimal(100)) for value in number.readings)
        return replace(number, readings=number.readings + hundredth)
    return number


def _times(number: Number, base: Decimal, power: int, end: int) -> Number:
    factor = EXACT.power(base, power)
    return Number(number.start, end, tuple(EXACT.multiply(value, factor) for value in number.readings))


def read_figures(body: str, *, listed: bool = False) -> tuple[Decimal, ...]:
    """The values that figures with separators can mean; empty where they are no one number.

    A comma, point, apostrophe or underscore between groups of three digits groups them; a single comma before
    other than three digits is a decimal comma, unless numbers are ``listed``.
    """
    if body.isdigit():
        return (Decimal(body),)
    for group, point in ((",", "."), ("_", "."), ("'", "."), (".", ",")):
        whole, _, part = body.partition(point)
        grouped = re.fullmatch(rf"[1-9]\d{{0,2}}(?:{re.escape(group)}\d{{3}})+", whole)
        indian = group == "," and not listed and re.fullmatch(r"[1-9]\d?(?:,\d{2})+,\d{3}", whole)
        one_point = group == "." and not part and body.count(".") < 2
        if (grouped or indian) and (part.isdigit() or not part) and not one_point:
            return (Decimal(whole.replace(group, "") + (f".{part}" if part else "")),)
    if re.fullmatch(r"\d*\.\d+", body):
        return (Decimal(body),)
    if re.fullmatch(r"\d+,\d+", body) and not listed:
        return (Decimal(body.replace(",", ".")),)
    return ()


_PLAIN = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")
_PLAIN_GROUPED = re.compile(r"-?[1-9][0-9]{0,2}(?:,[0-9]{3}){1,30}(?:\.[0-9]+)?")


def plain_number(value: object) -> Decimal | None:
    """The number that an expected value is: a number, or a text that spells one plainly (``-7.42``, not ``0042``)."""
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        number = Decimal(value) if isinstance(value, int) else Decimal(repr(value))
        return number if number.is_finite() else None
    if isinstance(value, str):
        text = value.strip().replace("\u2212", "-")
        if len(text) <= LONGEST and _PLAIN.fullmatch(text):
            return Decimal(text)
        if _PLAIN_GROUPED.fullmatch(text):
            return Decimal(text.replace(",", ""))
    return None


def close(value: Decimal, expected: Decimal, rel_tol: Decimal) -> bool:
    """True where |value - expected| <= rel_tol * |expected|; with rel_tol 0, where they are equal."""
    if value == expected:
        return True
    if not rel_tol or not value.is_finite():
        return False
    difference = EXACT.abs(EXACT.subtract(value, expected))
    return not difference.is_nan() and difference <= EXACT.multiply(rel_tol, EXACT.abs(expected))


def spelled(value: Decimal) -> str:
    """The number as plain text without needless zeros: ``42`` for 42.0."""
    if not value.is_finite() or abs(value.adjusted()) > LONGEST:
        return str(value)
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
