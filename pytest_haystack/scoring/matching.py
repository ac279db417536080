"""Finding given values in a text as whole tokens: ``cat`` is not in ``catalogue``, nor ``VK-31`` in ``VK-310``."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

#: Occurrences of one value that are looked at, from the start and from the end of the text each.
MOST_OF_ONE = 20
#: Signs that join two parts into one token where the value itself holds them: times, paths, dates, addresses.
_JOINERS = frozenset(":/.@+_")
_HYPHENS = re.compile(r"([-—]|\s+)")
_HYPHEN, _BLANKS = re.compile("[-—]"), re.compile(r"\s+")
#: A hyphen may be broken across lines, set off by blanks, or left out between two words.
_BETWEEN_WORDS = re.compile(r"\s?[-—]\s?|\s")
_CORE = re.compile(r"\w+")
#: Scripts written without spaces between words: an edge within them can be no word boundary.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_UNSPACED = re.compile(f"[{UNSPACED}]")
_OWN_SCRIPT = (("\uac00", "\ud7a3"), ("\u0590", "\u05ff"), ("\u0600", "\u06ff"), ("\u0900", "\u0dff"))
#: French and Italian articles that a vowel has cut short.
_ELISION = re.compile(r"(?<!\w)(?:[ldcsnmtj]|qu|un|dell|nell|all|sull|dall)'$")
#: What Korean writes onto a noun without a space.
_PARTICLES = re.compile(
    "(?:입니다|이다|이에요|예요|이었습니다|였습니다|라고|이라고|으로|로|에서|에게|은|는|이|가|을|를|의|에|와|과|도)(?!\\w)"
)


@dataclass(frozen=True, slots=True)
class Mention:
    """A value that stands in a text from ``start`` to ``end``. ``key`` says which value it is.

    ``weak`` where its surroundings say that it is no answer (a page number, a confidence).
    """

    start: int
    end: int
    key: str
    weak: bool = False


def find_mentions(text: str, values: Iterable[str]) -> list[Mention]:
    """Every value's occurrences as whole tokens, in order; text and values normalised and folded alike.

    Where one value is part of another the longer one counts: ``Marta Voss`` is not also ``Voss``.
    """
    found = [
        Mention(start, end, value) for value in dict.fromkeys(values) for start, end in _ends(occurrences(text, value))
    ]
    found.sort(key=lambda mention: (mention.start, -mention.end))
    kept: list[Mention] = []
    for mention in found:
        if not kept or mention.start >= kept[-1].end:
            kept.append(mention)
    return kept


def _ends(spans: Iterator[tuple[int, int]]) -> list[tuple[int, int]]:
    listed = list(spans)
    if len(listed) <= 2 * MOST_OF_ONE:
        return listed
    return listed[:MOST_OF_ONE] + listed[-MOST_OF_ONE:]


def occurrences(text: str, value: str) -> Iterator[tuple[int, int]]:
    """Where the value stands as a whole token."""
    core = max(_CORE.findall(value), key=len, default=value)
    if not value or core not in text:
        return
    if core == value or ("-" not in value and "—" not in value and _single_spaced(value) and _single_spaced(text)):
        yield from _literal(text, value)
        return
    pieces = _HYPHENS.split(value)
    start, end = _find(text, pieces, 0)
    while start >= 0:
        whole = is_whole(text, start, end, value)
        if whole:
            yield start, end
        start, end = _find(text, pieces, end if whole else start + 1)


def _single_spaced(text: str) -> bool:
    return text == " ".join(text.split())


def _literal(text: str, value: str) -> Iterator[tuple[int, int]]:
    """The same where nothing may be written in two ways: a pattern would take longer to make than to look."""
    start = text.find(value)
    while start >= 0:
        end = start + len(value)
        whole = is_whole(text, start, end, value)
        if whole:
            yield start, end
        start = text.find(value, end if whole else start + 1)


def _find(text: str, pieces: Sequence[str], position: int) -> tuple[int, int]:
    """Where the pieces, each other one of which is a joint, stand first from ``position`` on; -1 where nowhere.

    By hand, because a pattern of one's own for each value would take longer to make than to look.
    """
    while True:
        if pieces[0]:
            start = text.find(pieces[0], position)
        else:
            found = _joint(pieces, 1).search(text, position)
            start = found.start() if found else -1
        if start < 0:
            return -1, -1
        end = _end(text, pieces, start)
        if end >= 0:
            return start, end
        position = start + 1


def _end(text: str, pieces: Sequence[str], start: int) -> int:
    """Where the pieces end that begin at ``start``, -1 where they do not stand there."""
    end = start + len(pieces[0])
    for i in range(1, len(pieces), 2):
        found = _joint(pieces, i).match(text, end)
        if found is None or not text.startswith(pieces[i + 1], found.end()):
            return -1
        end = found.end() + len(pieces[i + 1])
    return end


def _joint(pieces: Sequence[str], i: int) -> re.Pattern[str]:
    """How the joint ``pieces[i]`` may be written."""
    if pieces[i].isspace():
        return _BLANKS
    return _BETWEEN_WORDS if pieces[i - 1] and pieces[i + 1] else _HYPHEN


def is_whole(text: str, start: int, end: int, value: str) -> bool:
    """True where what stands from ``start`` to ``end`` is no part of a longer word, number or code."""
    inside = _JOINERS.intersection(value)
    return not (_joined_before(text, start, inside) or _joined_after(text, end, inside))


def _joined_before(text: str, start: int, inside: frozenset[str]) -> bool:
    first, before, second = text[start : start + 1], text[start - 1 : start], text[start - 2 : start - 1]
    if start == 0 or not _is_word(first):
        return False
    if _is_word(before):
        return _same_word(before, first)
    if not _is_word(second) or start < 2:
        return False
    if before == "'":
        return not _ELISION.search(text, max(0, start - 6), start)
    if before == "-" or before in inside:
        return _same_word(second, first)
    return before in ".," and second.isdigit() and first.isdigit() and _only_digits(text, start)


def _joined_after(text: str, end: int, inside: frozenset[str]) -> bool:
    last, after, second = text[end - 1 : end], text[end : end + 1], text[end + 1 : end + 2]
    if not after or not _is_word(last):
        return False
    if _is_word(after):
        return _same_word(last, after) and not _PARTICLES.match(text, end)
    if not second or not _is_word(second):
        return False
    if after == "'":
        return not (second == "s" and not _is_word(text[end + 2 : end + 3]))
    if after == "-" or after in inside:
        return _same_word(last, second)
    return after in ".," and last.isdigit() and second.isdigit() and (after == "." or _only_digits(text, end - 1))


def _only_digits(text: str, position: int) -> bool:
    """True where the token around ``position`` holds no letter: a comma then groups digits."""
    left, right = position, position
    while left > 0 and position - left < 40 and _is_word(text[left - 1]):
        left -= 1
    while right < len(text) and right - position < 40 and _is_word(text[right]):
        right += 1
    return text[left:right].isdigit()


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_" or (character != "" and _is_mark(character))


def _is_mark(character: str) -> bool:
    return character > "\u02ff" and unicodedata.category(character).startswith("M")


def _same_word(left: str, right: str) -> bool:
    """True where two neighbouring characters belong to one word."""
    if _is_mark(right):
        return True
    if _UNSPACED.match(left) or _UNSPACED.match(right):
        return False
    return _own_script(left) == _own_script(right)


def _own_script(character: str) -> int:
    return next((i for i, (low, high) in enumerate(_OWN_SCRIPT) if low <= character <= high), -1)
