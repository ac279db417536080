"""Scorer ``value``: does the answer commit to the expected value?"""

from __future__ import annotations

import re
from collections.abc import Collection

from pydantic import Field

from pytest_haystack.scoring.abstention import abstains
from pytest_haystack.scoring.answers import Answer, as_key, as_text, keys_of, mentions_of, read_answer
from pytest_haystack.scoring.commitment import Stance, committed
from pytest_haystack.scoring.options import ScorerOptions, takes
from pytest_haystack.scoring.score import Reference, Score
from pytest_haystack.scoring.verdicts import missed, recoverable, right


class ValueOptions(ScorerOptions):
    """How the expected value must be written."""

    match_case: bool = Field(False, description="Does the case of letters count?")


@takes(ValueOptions)
def score(answer: str, reference: Reference) -> Score:
    """1 where the expected value, and no planted alternative, is asserted as a whole token; else 0.

    Typography and markup do not matter, nor does letter case without option ``match_case``; what is denied or taken
    back does not count. A guess at one value commits to it, also where the answer puts it to itself as a question
    ("Is it X? Probably.").
    """
    read = read_answer(answer, reference)
    expected = as_key(as_text(reference.expected))
    stances = commitment(read, expected, reference.alternatives)
    keys = {stance.mention.key for stance in stances}
    names = keys_of(reference.alternatives)
    if keys == {expected} and not _hedged(read, stances, names):
        if reference.options.get("match_case") and as_text(reference.expected) not in answer:
            return Score(0.0, "format_failure")
        return right()
    return missed(
        read,
        distractors=[names[key] for key in sorted(keys) if key != expected and key in names],
        recoverable=expected not in keys and recoverable(read.whole, expected),
    )


def commitment(read: Answer, expected: str, alternatives: tuple[str, ...]) -> list[Stance]:
    """The mentions of expected and planted values that an answer commits to; ``expected`` is a key.

    Empty also where the answer says that the text lacks it and has a value only in passing.
    """
    keys = keys_of([expected, *alternatives])
    stances = committed(read.folded, mentions_of(read.folded, keys), read.question)
    if stances and all(stance.weak for stance in stances) and abstains(read.folded):
        return []
    return stances


_JOINT = r"(?:[\s\"',;/]|\bor\b|\band\b|\boder\b|\bou\b|或者?|\bmaybe\b|\bpossibly\b|\bperhaps\b)"
_NEXT = re.compile(rf"{_JOINT}{{1,9}}([^\s,;/\"'()]{{2,80}})")
_LAST = re.compile(rf"([^\s,;/\"'()]{{2,80}}){_JOINT}{{1,9}}$")


def _hedged(read: Answer, stances: list[Stance], planted: Collection[str]) -> bool:
    """True where the value stands in a list of its kind, the others invented: ``QR-7749 or QR-7794``."""
    for stance in stances:
        mention = stance.mention
        own = read.folded[mention.start : mention.end]
        if not re.search(r"\d", own):
            continue
        beside = (
            _NEXT.match(read.folded, mention.end),
            _LAST.search(read.folded, max(0, mention.start - 100), mention.start),
        )
        for other in (match[1].rstrip(".!?:") for match in beside if match):
            if other == own or other in planted or other in read.question:
                continue
            if _shape(other) == _shape(own):
                return True
    return False


def _shape(token: str) -> str:
    return re.sub(r"[^\W\d_]", "a", re.sub(r"\d", "9", token))
