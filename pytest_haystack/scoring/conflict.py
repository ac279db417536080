"""Scorer ``conflict``: which of two contradictory facts does the answer follow?"""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import Field

from pytest_haystack.scoring.abstention import abstains
from pytest_haystack.scoring.answers import as_key, as_texts, read_answer
from pytest_haystack.scoring.options import ScorerOptions, takes
from pytest_haystack.scoring.score import Reference, Score
from pytest_haystack.scoring.value import commitment
from pytest_haystack.scoring.verdicts import missed

Label: TypeAlias = Literal["chose_first", "chose_last", "chose_both", "chose_neither"]


class ConflictOptions(ScorerOptions):
    """Which of the two counts."""

    expect: Literal["any", "first", "last"] = Field(
        "any", description="The fact that is right: either, or the first or last in the document."
    )


@takes(ConflictOptions)
def score(answer: str, reference: Reference) -> Score:
    """``details["label"]`` says what was chosen; 1 where that is what option ``expect`` asks for, else 0.

    ``reference.expected`` is (first, last): the values in document order. ``expect`` is ``any`` (default: one of
    the two, no matter which), ``first`` or ``last``.
    """
    values = as_texts(reference.expected)
    first, last = as_key(values[0]), as_key(values[-1])
    read = read_answer(answer, reference)
    keys = {stance.mention.key for stance in commitment(read, first, (last, *reference.alternatives))}
    label = _label(first in keys, last in keys)
    others = [name for name in reference.alternatives if as_key(name) in keys and as_key(name) not in (first, last)]
    wanted = _WANTED.get(str(reference.options.get("expect", "any")), _WANTED["any"])
    if label in wanted and not others:
        return Score(1.0, "right", {"label": label})
    if label in ("chose_first", "chose_last"):
        # The other fact was asked for: a planted value that is wrong here.
        chosen = values[0] if label == "chose_first" else values[-1]
        return Score(0.0, "distractor", {"label": label, "distractors": [chosen, *others]})
    if label == "chose_both":
        return Score(0.0, "wrong", {"label": label})
    if not others and abstains(read.folded):
        return Score(0.0, "abstained", {"label": label})
    return missed(read, distractors=others, label=label)


_WANTED: dict[str, tuple[Label, ...]] = {
    "any": ("chose_first", "chose_last"),
    "first": ("chose_first",),
    "last": ("chose_last",),
}


def _label(first: bool, last: bool) -> Label:
    if first and last:
        return "chose_both"
    return "chose_first" if first else "chose_last" if last else "chose_neither"
