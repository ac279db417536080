"""Scorer ``keyword_or_levenshtein``: NeedleBench's rule for one needle, exactly as published."""

from __future__ import annotations

from pytest_haystack.scoring.answers import as_texts
from pytest_haystack.scoring.score import Reference, Score

#: What a perfect copy of the needle without its keyword is worth.
_WITHOUT_KEYWORD = 0.2


def score(answer: str, reference: Reference) -> Score:
    """1 where the answer contains the expected value, letter case included, else 0.2 times its likeness to the needle.

    Likeness is 1 - d / n for the edit distance d between answer and planted sentence without their white space, and
    n the longer one's length (NeedleBench v1, single retrieval: arXiv 2407.11963). Where no planted sentence holds
    the expected value it is compared with that itself; of several values the mean counts. Like every containment it
    passes an answer that lists all candidates, and refusals score above 0.
    """
    values = as_texts(reference.expected)
    parts = [_score(answer, value, reference.statements) for value in values]
    mean = sum(parts) / len(parts) if parts else 0.0
    missing = [value for value, part in zip(values, parts, strict=True) if part < 1]
    return Score(mean, "wrong", {"missing": missing}) if mean < 1 else Score(1.0, "right")


def _score(answer: str, value: str, statements: tuple[str, ...]) -> float:
    if value in answer:
        return 1.0
    sentence = next((statement for statement in statements if value in statement), value)
    return _WITHOUT_KEYWORD * likeness(_solid(answer), _solid(sentence))


def _solid(text: str) -> str:
    return "".join(text.split())


def likeness(first: str, second: str) -> float:
    """1 - edit distance / length of the longer text; 1 for two empty texts."""
    longest = max(len(first), len(second))
    return 1 - distance(first, second) / longest if longest else 1.0


def distance(first: str, second: str) -> int:
    """Levenshtein distance: the fewest insertions, deletions and replacements of a character.

    Keeps a whole column of the table as the bits of two integers (Myers 1999, in Hyyrö's form), so that an answer
    of many thousand characters takes a fraction of a second.
    """
    if len(first) > len(second):
        first, second = second, first
    if not first:
        return len(second)
    places: dict[str, int] = {}
    for index, character in enumerate(first):
        places[character] = places.get(character, 0) | 1 << index
    every, last = (1 << len(first)) - 1, 1 << len(first) - 1
    # A set bit of `up` (`down`) says that the column grows (shrinks) by one from the row above.
    up, down, total = every, 0, len(first)
    for character in second:
        here = places.get(character, 0)
        vertical = here | down
        horizontal = (((here & up) + up) ^ up) | here
        grows, shrinks = down | ~(horizontal | up) & every, up & horizontal
        if grows & last:
            total += 1
        elif shrinks & last:
            total -= 1
        grows, shrinks = grows << 1 & every | 1, shrinks << 1 & every
        up, down = shrinks | ~(vertical | grows) & every, grows & vertical
    return total
