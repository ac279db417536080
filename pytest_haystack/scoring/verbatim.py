"""Scorer ``verbatim``: how much of a passage does the answer reproduce?"""

from __future__ import annotations

from difflib import SequenceMatcher

from pydantic import Field

from pytest_haystack.scoring.answers import as_text, read_answer
from pytest_haystack.scoring.options import ScorerOptions, takes
from pytest_haystack.scoring.score import Reference, Score
from pytest_haystack.scoring.verdicts import missed, right

#: Comparing takes time that grows with both lengths. Behind so many times the passage's length an answer cannot
#: score above 2 / (1 + 20) = 0.095, so its end is taken as different throughout.
_LONGEST = 20


class VerbatimOptions(ScorerOptions):
    """What an answer must begin with."""

    prefix: str = Field("", description="Text that the answer must begin with; it is not part of the copy.")


@takes(VerbatimOptions)
def score(answer: str, reference: Reference) -> Score:
    """difflib's ratio of the answer behind option ``prefix`` to the expected passage; 0 without the prefix.

    The rule of the MRCR task: nothing is normalised or stripped, since the task is to copy.
    """
    prefix, passage = str(reference.options.get("prefix") or ""), as_text(reference.expected)
    if not answer.startswith(prefix):
        return missed(read_answer(answer, reference), recoverable=passage in answer, prefix_given=False)
    rest = answer[len(prefix) :]
    ratio = similarity(rest, passage)
    if rest == passage:
        return right(ratio=ratio)
    copied = [other for other in reference.alternatives if other != passage and rest.strip() == other.strip()]
    return missed(read_answer(answer, reference), distractors=copied, value=ratio, ratio=ratio)


def similarity(text: str, passage: str) -> float:
    """``SequenceMatcher(None, text, passage).ratio()``, for texts far longer than the passage a lower bound."""
    reach = max(_LONGEST * len(passage), 2000)
    if len(text) <= reach:
        return SequenceMatcher(None, text, passage).ratio()
    matched = sum(block.size for block in SequenceMatcher(None, text[:reach], passage).get_matching_blocks())
    return 2.0 * matched / (len(text) + len(passage))
