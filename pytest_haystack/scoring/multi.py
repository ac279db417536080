"""Scorer ``multi``: which share of the expected values does the answer give?"""

from __future__ import annotations

from pytest_haystack.scoring.answers import as_key, as_texts, keys_of, mentions_of, read_answer
from pytest_haystack.scoring.commitment import asserted
from pytest_haystack.scoring.score import Reference, Score
from pytest_haystack.scoring.verdicts import missed, recoverable


def score(answer: str, reference: Reference) -> Score:
    """The fraction of the expected values that stand in the answer as whole items and are not denied.

    Order and further items do not matter. ``details`` list what was ``missing``; planted alternatives that were
    given make the verdict ``distractor`` where something is missing.
    """
    read = read_answer(answer, reference, several=True)
    expected = [as_key(value) for value in as_texts(reference.expected)]
    names = keys_of(reference.alternatives)
    mentions = mentions_of(read.folded, dict.fromkeys([*expected, *names]), listed=True)
    found = {stance.mention.key for stance in asserted(read.folded, mentions, read.question, several=True)}
    missing = [value for key, value in zip(expected, as_texts(reference.expected), strict=True) if key not in found]
    if not missing:
        return Score(1.0, "right", {"found": len(expected)})
    return missed(
        read,
        distractors=[names[key] for key in names if key in found and key not in expected],
        recoverable=len(missing) == len(expected) and all(recoverable(read.whole, key) for key in expected),
        value=(len(expected) - len(missing)) / len(expected),
        found=len(expected) - len(missing),
        missing=missing,
    )
