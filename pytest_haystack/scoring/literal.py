"""Scoring rules exactly as others published them, for comparison with their figures; known to be lenient."""

from __future__ import annotations

import re

from pytest_haystack.scoring.answers import as_text, as_texts
from pytest_haystack.scoring.figures import plain_number
from pytest_haystack.scoring.score import Reference, Score


def substring(answer: str, reference: Reference) -> Score:
    """Share of the expected values that, stripped and lowered, are contained in the stripped, lowered answer.

    The rule of RULER, of "lost in the middle" and of HaystackBench's "exact". It passes an answer that lists
    every candidate, or holds the value inside a longer word.
    """
    said = answer.strip().lower()
    wanted = as_texts(reference.expected)
    missing = [value for value in wanted if value.strip().lower() not in said]
    share = (len(wanted) - len(missing)) / len(wanted) if wanted else 0.0
    if wanted and not missing:
        return Score(1.0, "right")
    return Score(share, "wrong", {"missing": missing})


def equality(answer: str, reference: Reference) -> Score:
    """1 where answer and expected value, both stripped and lowered, are the same text, else 0.

    A full stop at the end, or a whole sentence around the value, is another text. Several expected values are one
    text, with commas and spaces between them.
    """
    if answer.strip().lower() == as_text(reference.expected).strip().lower():
        return Score(1.0, "right")
    return Score(0.0, "wrong")


#: A number with commas before groups of three digits, else digits with decimals.
_NUMBER = re.compile(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?|-?\d+(?:\.\d+)?")


def numeric_1pct(answer: str, reference: Reference) -> Score:
    """1 where |x - e| / max(|e|, 1) < 0.01 for the expected number e and the first number x of the answer, else 0.

    The tolerance of HaystackBench. It passes 7750 for 7749, and takes a number of the question, echoed first, for
    the answer. 0 where the expected value is no number.
    """
    expected, found = plain_number(reference.expected), _NUMBER.search(answer)
    if expected is None or found is None:
        return Score(0.0, "wrong")
    given, wanted = float(found[0].replace(",", "")), float(expected)
    error = abs(given - wanted) / max(abs(wanted), 1.0)
    details = {"number": found[0][:40]}
    return Score(1.0, "right", details) if error < 0.01 else Score(0.0, "wrong", details)
