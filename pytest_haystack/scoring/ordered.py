"""Scorer ``ordered``: does the answer list exactly the expected sequence?"""

from __future__ import annotations

from pytest_haystack.scoring.answers import as_key, as_texts, keys_of, read_answer
from pytest_haystack.scoring.items import listed_items
from pytest_haystack.scoring.score import Reference, Score
from pytest_haystack.scoring.verdicts import missed, right


def score(answer: str, reference: Reference) -> Score:
    """1 where the answer lists the expected values in their order and nothing else, else 0.

    Numbering, bullets, arrows and words such as "then" are presentation. ``details`` hold the sequence given.
    """
    read = read_answer(answer, reference)
    expected = [as_key(value) for value in as_texts(reference.expected)]
    names = keys_of(reference.alternatives)
    items = listed_items(read.cased, list(dict.fromkeys([*expected, *names])), read.question)
    given = [item.name for item in items]
    # A sequence that is said twice is still that sequence.
    repeats, rest = divmod(len(given), len(expected) or 1)
    if expected and repeats and not rest and given == expected * repeats:
        return right()
    planted = [names[name] for name in given if name in names and name not in expected]
    return missed(read, distractors=planted, given=given[:50])
