"""Scorer ``rails``: to which of the given labels does the answer snap?"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from pytest_haystack.scoring.answers import as_text, read_answer
from pytest_haystack.scoring.options import ScorerOptions, takes
from pytest_haystack.scoring.score import Reference, Score
from pytest_haystack.scoring.verdicts import missed

#: The label of an answer that snaps to none.
UNPARSABLE = "UNPARSABLE"


class RailsOptions(ScorerOptions):
    """The labels."""

    labels: Annotated[list[Annotated[str, Field(min_length=1)]], Field(min_length=2)] | None = Field(
        None, description="Labels that an answer may snap to; default: the expected value and those planted beside it."
    )


@takes(RailsOptions)
def score(answer: str, reference: Reference) -> Score:
    """1 where the answer snaps to the expected label, else 0; ``details["label"]`` is the label, or UNPARSABLE.

    The rule of Phoenix's evaluations: an answer snaps to a label where, letter case aside, it contains that one and
    no other. Longer labels are looked for, and taken out, first, so that "irrelevant" is not "relevant".
    """
    expected = as_text(reference.expected)
    labels = reference.options.get("labels") or [expected, *reference.alternatives]
    label = snap(answer, labels)
    if label == expected.lower():
        return Score(1.0, "right", {"label": label})
    planted = [name for name in reference.alternatives if name.lower() == label]
    return missed(read_answer(answer, reference), distractors=planted, label=label)


def snap(text: str, labels: list[str]) -> str:
    """The one label, lowered, that the text contains; UNPARSABLE where there is none or are several."""
    rest = text.lower()
    found = []
    for label in sorted({label.lower() for label in labels if label}, key=lambda label: (-len(label), label)):
        if label in rest:
            found.append(label)
            rest = rest.replace(label, "")
    return found[0] if len(found) == 1 else UNPARSABLE
