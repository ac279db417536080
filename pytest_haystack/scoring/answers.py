"""An answer made ready for a scorer, and the values that a reference holds it against."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from pytest_haystack.scoring.figures import Number, find_numbers, plain_number, spelled
from pytest_haystack.scoring.matching import Mention, find_mentions
from pytest_haystack.scoring.score import Expected, Reference
from pytest_haystack.scoring.text import fold, normalise, sentences
from pytest_haystack.scoring.unwrapping import unwrap

#: Question sentences shorter than this are too common to be an echo.
_SHORTEST_ECHO = 12
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+")


@dataclass(frozen=True, slots=True)
class Answer:
    """``cased`` is what the model marked as its answer, normalised; ``folded`` the same without letter case and
    without echoes of the question; ``whole`` all that it said, likewise folded; ``question`` the question, folded.
    """

    cased: str
    folded: str
    whole: str
    question: str


def read_answer(answer: str, reference: Reference, *, several: bool = False) -> Answer:
    """The final answer (reasoning removed), unwrapped and normalised; ``several`` where many values are asked for."""
    question = fold(normalise(reference.question))
    inner = unwrap(answer, question, several=several)
    cased = normalise(inner)
    folded = without_echo(fold(cased), question)
    whole = folded if inner == answer else without_echo(fold(normalise(answer)), question)
    return Answer(cased, folded, whole, question)


def without_echo(text: str, question: str) -> str:
    """The text without sentences that only repeat one of the question."""
    for sentence in sentences(question):
        if len(sentence) >= _SHORTEST_ECHO:
            text = text.replace(sentence, " ")
    return text


def as_text(expected: Expected) -> str:
    """One expected value as text; a whole float has no decimals."""
    if isinstance(expected, tuple):
        return ", ".join(expected)
    if isinstance(expected, str):
        return expected
    number = plain_number(expected)
    return str(expected) if number is None else spelled(number)


def as_texts(expected: Expected) -> tuple[str, ...]:
    """All expected values as texts."""
    return tuple(as_text(value) for value in expected) if isinstance(expected, tuple) else (as_text(expected),)


def as_key(value: str) -> str:
    """The spelling under which a value is looked for."""
    key = fold(normalise(value))
    # A value of nothing but signs that normalisation takes for markup stays as it is.
    return key or value.strip()


def keys_of(values: Iterable[str]) -> Mapping[str, str]:
    """Key to value, in order; of values that differ in presentation only the first."""
    keys: dict[str, str] = {}
    for value in values:
        keys.setdefault(as_key(value), value)
    keys.pop("", None)
    return keys


def mentions_of(text: str, keys: Iterable[str], *, listed: bool = False) -> list[Mention]:
    """Where the folded text holds one of the values as a whole token, plain numbers in whatever spelling."""
    values = {key: plain_number(key) for key in keys}
    numbers = {value: key for key, value in values.items() if value is not None}
    found = find_mentions(text, [key for key, value in values.items() if value is None])
    if numbers:
        for number in find_numbers(text, listed=listed):
            key = next((numbers[reading] for reading in number.readings if reading in numbers), None)
            if key is not None:
                found.append(Mention(number.start, number.end, key))
            elif listed:
                found += _ungrouped(text, number, numbers)
        found.sort(key=lambda mention: mention.start)
    return found


def _ungrouped(text: str, number: Number, numbers: Mapping[Decimal, str]) -> list[Mention]:
    """The values in ``412,413,414``, which reads as one large number until each part is known."""
    if not _GROUPED.fullmatch(text, number.start, number.end):
        return []
    parts = list(re.compile(r"\d+").finditer(text, number.start, number.end))
    if not all(Decimal(part[0]) in numbers for part in parts):
        return []
    return [Mention(part.start(), part.end(), numbers[Decimal(part[0])]) for part in parts]
