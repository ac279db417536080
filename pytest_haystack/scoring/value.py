"""Scorer ``value``: does the answer commit to the expected value?"""

from __future__ import annotations

import re

from pytest_haystack.scoring.abstention import abstains
from pytest_haystack.scoring.answers import Answer, as_key, as_text, keys_of, mentions_of, read_answer
from pytest_haystack.scoring.commitment import Stance, committed
from pytest_haystack.scoring.score import Reference, Score
from pytest_haystack.scoring.verdicts import missed, recoverable, right


def score(answer: str, reference: Reference) -> Score:
    """1 where the expected value, and no planted alternative, is asserted as a whole token; else 0.

    Letter case, typography and markup do not matter; what is denied or taken back does not count.
    """
    read = read_answer(answer, reference)
    expected = as_key(as_text(reference.expected))
    stances = commitment(read, expected, reference.alternatives)
    keys = {stance.mention.key for stance in stances}
    if keys == {expected} and not _hedged(read, stances):
        return right()
    names = keys_of(reference.alternatives)
    return missed(
        read,
        distractors=[names[key] for key in keys if key != expected and key in names],
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


_OR_AFTER = re.compile(
    r"[\s\"',]{0,3}(?:\bor\b|/|\boder\b|\bou\b|或者?)[\s\"',]{0,3}(?:maybe |possibly |perhaps )?([^\s,;\"'()]{2,80})"
)
_OR_BEFORE = re.compile(
    r"([^\s,;\"'()]{2,80})[\s\"',]{0,3}(?:\bor\b|/|\boder\b|\bou\b|或者?)[\s\"',]{0,3}(?:maybe |possibly |perhaps )?$"
)


def _hedged(read: Answer, stances: list[Stance]) -> bool:
    """True where the value is offered as one of two of its kind, the other invented: ``QR-7749 or QR-7794``."""
    for stance in stances:
        mention = stance.mention
        own = read.folded[mention.start : mention.end]
        if not re.search(r"\d", own):
            continue
        after = _OR_AFTER.match(read.folded, mention.end)
        before = _OR_BEFORE.search(read.folded[max(0, mention.start - 100) : mention.start])
        for other in (after, before):
            if other and _shape(other[1].rstrip(".!?:")) == _shape(own):
                return True
    return False


def _shape(token: str) -> str:
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "9", token))
