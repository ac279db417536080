"""Scorer ``auto``: the scorer that fits the expected value."""

from __future__ import annotations

import pytest_haystack.scoring.multi as multi
import pytest_haystack.scoring.numeric as numeric
import pytest_haystack.scoring.value as value
from pytest_haystack.scoring.figures import plain_number
from pytest_haystack.scoring.options import takes
from pytest_haystack.scoring.score import Reference, Score


@takes(numeric.NumericOptions)
def score(answer: str, reference: Reference) -> Score:
    """``multi`` for several values, ``numeric`` for a number (also one given as plain text), else ``value``."""
    if isinstance(reference.expected, tuple):
        return multi.score(answer, reference)
    if plain_number(reference.expected) is not None:
        return numeric.score(answer, reference)
    return value.score(answer, reference)
