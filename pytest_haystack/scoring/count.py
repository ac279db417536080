"""Scorer ``count``: how near is the answer to the true number of occurrences?"""

from __future__ import annotations

import re
from decimal import Decimal

from pytest_haystack.scoring.abstention import abstains
from pytest_haystack.scoring.amounts import stated
from pytest_haystack.scoring.answers import Answer, as_text, read_answer
from pytest_haystack.scoring.figures import EXACT, plain_number
from pytest_haystack.scoring.score import Reference, Score
from pytest_haystack.scoring.verdicts import missed, right

_TIMES = re.compile(r"\b(once|twice|thrice)\b")
_TIMES_VALUES = {"once": 1, "twice": 2, "thrice": 3}
_ZERO = re.compile(
    r"\b(?:no (?:occurrences?|times?|matches|instances?|mentions?)|never|none|not at all"
    r"|(?:not|\w+n't) (?:find|found|appear|occur|contain|present))"
)
_ITEM = re.compile(r"(?m)^ ?(?:\d{1,4}[.)]|[-•]) ?\S")


def score(answer: str, reference: Reference) -> Score:
    """max(0, 1 - |x - k| / k) for an answer x and k occurrences; for k = 0, 1 where x is 0, else 0.

    The formula of the counting tasks of long-context suites. A range or several numbers are no answer.
    """
    expected = plain_number(as_text(reference.expected))
    read = read_answer(answer, reference)
    given = counted(read)
    if given is None or expected is None:
        return missed(read)
    value = share(given, expected)
    if given == expected:
        return right(count=str(given))
    return missed(read, value=value, count=str(given))


def share(given: Decimal, expected: Decimal) -> float:
    """The score of the count ``given``, from 0 to 1."""
    if expected == 0:
        return 1.0 if given == 0 else 0.0
    off = EXACT.divide(EXACT.abs(EXACT.subtract(given, expected)), EXACT.abs(expected))
    return float(1 - off) if off < 1 else 0.0


def counted(read: Answer) -> Decimal | None:
    """The count that the answer gives, None where it gives none or several."""
    stances = stated(read)
    keys = {stance.mention.key for stance in stances}
    if len(keys) == 1:
        return Decimal(keys.pop())
    if not all(stance.weak for stance in stances):
        return None
    # Places without a total: what was listed is what was counted.
    items = len(_ITEM.findall(read.folded))
    if items > 1 or keys:
        return Decimal(items) if items > 1 else None
    if times := _TIMES.findall(read.folded):
        return Decimal(_TIMES_VALUES[times[-1]]) if len(set(times)) == 1 else None
    return Decimal(0) if _ZERO.search(read.folded) and (len(read.folded) < 200 or abstains(read.folded)) else None
