"""Scorer ``numeric``: does the answer give the expected number?"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

import pytest_haystack.scoring.judge as judge
import pytest_haystack.scoring.value as value
from pytest_haystack.config.parts import SHARE
from pytest_haystack.scoring.amounts import stated
from pytest_haystack.scoring.answers import Answer, as_text, keys_of, read_answer
from pytest_haystack.scoring.figures import Number, close, plain_number, spelled
from pytest_haystack.scoring.options import AskedModel, ScorerOptions, takes
from pytest_haystack.scoring.score import Reference, Score
from pytest_haystack.scoring.verdicts import missed, recoverable, right

_NONE = re.compile(r"\W*(?:none|nil|nothing)\W*")


class Fallback(judge.JudgeOptions):
    """Who scores an answer in which no number is found."""

    name: Literal["judge"] = Field("judge", description="The scorer to fall back on.")


class NumericOptions(ScorerOptions):
    """How near is near enough, and what becomes of an answer without a number."""

    rel_tol: Annotated[float, Field(ge=0, le=1), SHARE] = Field(
        0.0, description="Share of the expected number that an answer may be off by; 0.01 is 1 percent."
    )
    fallback: (
        Annotated[Fallback, BeforeValidator(lambda given: {"name": given} if isinstance(given, str) else given)] | None
    ) = Field(None, description="judge, or {name: judge, ...}: scores answers that give no number.")

    def asks(self) -> AskedModel | None:
        """The judge, where there is one."""
        return self.fallback


@takes(NumericOptions)
def score(answer: str, reference: Reference) -> Score:
    """1 where the answer commits to the expected number, else 0.

    Exact, whatever the notation; with option ``rel_tol`` (a share, 0.01 is 1 percent) a number x counts where
    |x - e| <= rel_tol * |e|. Where the expected value is no number, scored like ``value``. With option ``fallback``
    an answer that gives no number is put to the scorer ``judge``, which may raise ModelError.
    """
    expected = plain_number(reference.expected)
    if expected is None:
        return value.score(answer, reference)
    tolerance = tolerance_of(reference)
    read = read_answer(answer, reference)
    own = spelled(expected)
    planted = {number: name for name in reference.alternatives if (number := plain_number(name)) is not None}

    def key_of(number: Number) -> str | None:
        for reading in number.readings:
            if reading in planted and reading != expected:
                return planted[reading]
        return own if any(close(reading, expected, tolerance) for reading in number.readings) else None

    names = set(planted.values())
    keys = {stance.mention.key for stance in stated(read, key_of, names)}
    if keys == {own} or (not keys and expected == 0 and _NONE.fullmatch(read.folded)):
        return right()
    fallback = reference.options.get("fallback")
    if not keys and isinstance(fallback, Mapping):
        return judge.score(answer, replace(reference, options=fallback))
    given = [key for key in sorted(keys) if key in names] + _given_texts(read, reference)
    return missed(
        read, distractors=given, recoverable=own not in keys and recoverable(read.whole, own), numbers=sorted(keys)
    )


def _given_texts(read: Answer, reference: Reference) -> list[str]:
    """The planted alternatives that are no numbers and were given."""
    texts = keys_of(name for name in reference.alternatives if plain_number(name) is None)
    stances = value.commitment(read, as_text(reference.expected), tuple(texts.values())) if texts else []
    return [texts[stance.mention.key] for stance in stances if stance.mention.key in texts]


def tolerance_of(reference: Reference) -> Decimal:
    """Option ``rel_tol`` as an exact share, 0 where there is none. Negative or unreadable tolerances count as 0."""
    try:
        tolerance = Decimal(str(reference.options.get("rel_tol") or 0))
    except InvalidOperation:
        return Decimal(0)
    return tolerance if tolerance.is_finite() and tolerance > 0 else Decimal(0)
