"""Scorer ``abstain``: does the model say that the text lacks the answer, and only where it does?"""

from __future__ import annotations

import re

from pydantic import Field

import pytest_haystack.scoring.value as value
from pytest_haystack.scoring.abstention import abstains
from pytest_haystack.scoring.amounts import stated
from pytest_haystack.scoring.answers import Answer, as_key, as_text, keys_of, mentions_of, read_answer
from pytest_haystack.scoring.clauses import last_clause, last_sentence
from pytest_haystack.scoring.commitment import Stance, asserted
from pytest_haystack.scoring.matching import UNSPACED, Mention
from pytest_haystack.scoring.options import ScorerOptions, takes
from pytest_haystack.scoring.score import Reference, Score
from pytest_haystack.scoring.verdicts import missed, right

_SIGN = rf"(?:[^\W{UNSPACED}]|-)"
#: A code: letters and digits in one token.
_CODE = re.compile(rf"(?<!{_SIGN})(?={_SIGN}*\d)(?={_SIGN}*[^\W\d_{UNSPACED}]){_SIGN}{{3,60}}(?!{_SIGN})")
_STATES = re.compile(
    r"(?:\b(?:is|was|be|equals?|as|to|guess|say|assume|estimate)|'s|[=:])\W{0,3}(?:the |a |number |code )?$"
)
_WORD = re.compile(r"[^\W\d_]+")
_NO = re.compile(r"no|yes|maybe|perhaps|possibly")
#: Words of a subject by which an answer speaks of what was asked.
_MEANS_ASKED = re.compile(
    r"it|this|that|which|there|the|an?|of|is|was|my|best|guess|estimate|answer|value|number|code|likely|probably|most"
    r"|would|be|i|think|believe|say|maybe|perhaps|possibly|so|correct|actual|and|but|however|though|final|says|stated"
    r"|given|as|to|in|s|based|on|context"
)


class AbstainOptions(ScorerOptions):
    """Whether the text holds the answer after all."""

    answerable: bool = Field(False, description="true: the answer stands in the text, and declining is wrong.")


@takes(AbstainOptions)
def score(answer: str, reference: Reference) -> Score:
    """1 where an unanswerable question is declined, else 0.

    ``reference.expected`` is the word agreed for declining; saying in other words that the text lacks it counts
    too, unless a value is given all the same. With option ``answerable`` the expected value must be given instead
    (scored like ``value``), and declining is wrong.
    """
    if reference.options.get("answerable"):
        return value.score(answer, reference)
    read = read_answer(answer, reference)
    words = [stance for stance in _stances(read, [as_key(as_text(reference.expected))]) if not stance.weak]
    declined = bool(words) or abstains(read.folded)
    names = keys_of(reference.alternatives)
    planted = [stance for stance in _stances(read, list(names)) if _gives(read, stance)]
    given = [names[stance.mention.key] for stance in planted]
    if declined and not given and not any(_gives(read, stance) for stance in _values(read)):
        return right()
    return missed(read, distractors=given) if given or not declined else Score(0.0, "wrong", {"gave_value": True})


def _stances(read: Answer, keys: list[str]) -> list[Stance]:
    return asserted(read.folded, mentions_of(read.folded, keys), read.question)


def _values(read: Answer) -> list[Stance]:
    """Numbers and codes that the question does not hold."""
    codes = [
        Mention(m.start(), m.end(), m[0]) for m in list(_CODE.finditer(read.folded))[:100] if m[0] not in read.question
    ]
    numbers = [stance for stance in stated(read) if stance.mention.key not in read.question]
    return asserted(read.folded, codes, read.question) + numbers


def _gives(read: Answer, stance: Stance) -> bool:
    """True where a value is given as what was asked for, not told of something else."""
    if stance.weak:
        return False
    mention = stance.mention
    before = read.folded[max(0, mention.start - 160) : mention.start]
    after = read.folded[mention.end : mention.end + 40]
    bare = all(_NO.fullmatch(word) for word in _WORD.findall(last_sentence(before)))
    if (bare and re.match(r"\W*(?:[.!?\n]|$)", after)) or stance.rank >= 2:
        return True
    if not _STATES.search(before):
        return False
    subject = set(_WORD.findall(last_clause(before.rstrip(" :=\"'")))) - set(_WORD.findall(read.question))
    return all(_MEANS_ASKED.fullmatch(word) for word in subject)
