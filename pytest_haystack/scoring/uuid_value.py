"""Scorer ``uuid``: does the answer commit to the expected UUID?"""

from __future__ import annotations

import re

import pytest_haystack.scoring.value as value
from pytest_haystack.scoring.answers import Answer, as_text, read_answer
from pytest_haystack.scoring.commitment import committed
from pytest_haystack.scoring.matching import MOST_OF_ONE, Mention
from pytest_haystack.scoring.score import Reference, Score
from pytest_haystack.scoring.verdicts import missed, right

_HEX = "[0-9a-f]"
#: Groups may be set apart by hyphens, broken lines or blanks, or not at all.
_GAP = r"(?:\s?[-—]\s?|\s)?"
_UUID = re.compile(
    rf"(?<![0-9a-z_])(?<![0-9a-z]-)({_HEX}{{8}}){_GAP}({_HEX}{{4}}){_GAP}({_HEX}{{4}}){_GAP}({_HEX}{{4}}){_GAP}({_HEX}{{12}})"
    r"(?![0-9a-z_]|-[0-9a-z])"
)


def score(answer: str, reference: Reference) -> Score:
    """1 where exactly the expected UUID is asserted, else 0.

    Case, braces, ``urn:uuid:`` and the style of the hyphens are presentation. Any other UUID beside it, planted or
    not, is an answer too, unless the question names it. Where no UUID is expected, scored like ``value``.
    """
    expected = canonical(as_text(reference.expected))
    if expected is None:
        return value.score(answer, reference)
    read = read_answer(answer, reference)
    keys = {stance.mention.key for stance in committed(read.folded, uuid_mentions(read), read.question)}
    if keys == {expected}:
        return right()
    planted = {key: name for name in reference.alternatives if (key := canonical(name)) is not None}
    return missed(read, distractors=[planted[key] for key in sorted(keys) if key in planted and key != expected])


def canonical(text: str) -> str | None:
    """The UUID that a text is, in lower case with hyphens; None where it is none."""
    match = _UUID.search(text.lower())
    return "-".join(match.groups()) if match and len(text.strip()) < 60 else None


def uuid_mentions(read: Answer) -> list[Mention]:
    """Where the answer holds UUIDs, planted or not, by their usual spelling; of very many the first and the last."""
    found = [Mention(m.start(), m.end(), "-".join(m.groups())) for m in _UUID.finditer(read.folded)]
    return found if len(found) <= 20 * MOST_OF_ONE else found[: 10 * MOST_OF_ONE] + found[-10 * MOST_OF_ONE :]
