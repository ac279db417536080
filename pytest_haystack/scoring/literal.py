"""Scoring rules exactly as others published them, for comparison with their figures; known to be lenient."""

from __future__ import annotations

from pytest_haystack.scoring.answers import as_texts
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
