"""Scorer ``chain``: how far does the answer follow a chain of links, in order?"""

from __future__ import annotations

from pytest_haystack.scoring.answers import Answer, as_key, as_texts, mentions_of, read_answer
from pytest_haystack.scoring.commitment import asserted
from pytest_haystack.scoring.score import Reference, Score
from pytest_haystack.scoring.uuid_value import canonical, uuid_mentions
from pytest_haystack.scoring.verdicts import missed, right


def score(answer: str, reference: Reference) -> Score:
    """Links followed in order, divided by the length of the chain or, if that is more, of what was listed.

    ``reference.expected`` are the keys that the links lead to. What the answer lists is compared from the first
    on, repetitions and keys of the question left out, and a wrong key ends it: keys behind it earn nothing. An
    answer that lists more planted keys than the chain has is a list and no path, and scores 0. ``details`` has the
    number ``followed``.
    """
    expected = [_key(value) for value in as_texts(reference.expected)]
    planted = {_key(name): name for name in reference.alternatives}
    read = read_answer(answer, reference)
    listed = [key for key in _listed(read, [*expected, *planted]) if key not in read.question or key in expected]
    followed = 0
    while followed < min(len(listed), len(expected)) and listed[followed] == expected[followed]:
        followed += 1
    given = [planted[key] for key in listed if key in planted and key not in expected]
    if len({key for key in listed if key in expected or key in planted}) > len(expected):
        return missed(read, distractors=given, followed=0)
    if expected and followed == len(expected) == len(listed):
        return right(followed=followed)
    value = followed / max(len(expected), len(listed)) if followed else 0.0
    return missed(read, distractors=given, value=value, followed=followed)


def _key(value: str) -> str:
    return canonical(value) or as_key(value)


def _listed(read: Answer, keys: list[str]) -> list[str]:
    """Every key that the answer gives, UUIDs that nobody planted too, in the order of first mention."""
    mentions = uuid_mentions(read)
    mentions += mentions_of(read.folded, [key for key in keys if canonical(key) is None])
    mentions.sort(key=lambda mention: mention.start)
    stances = asserted(read.folded, mentions, read.question, several=True)
    return list(dict.fromkeys(stance.mention.key for stance in stances))
