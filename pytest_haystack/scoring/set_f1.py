"""Scorer ``set_f1``: how well does the set that the answer lists agree with the expected one?"""

from __future__ import annotations

from pytest_haystack.scoring.answers import as_key, as_texts, keys_of, read_answer
from pytest_haystack.scoring.items import listed_items
from pytest_haystack.scoring.score import Reference, Score
from pytest_haystack.scoring.verdicts import missed, right


def score(answer: str, reference: Reference) -> Score:
    """F1 (2PR / (P + R)) between the set listed and the set expected; both empty 1, exactly one empty 0.

    An answer that says nothing at all lists no set: 0 even where the expected one is empty.
    """
    read = read_answer(answer, reference)
    texts = as_texts(reference.expected) if reference.expected != "" else ()
    expected = set(keys_of(texts))
    names = keys_of(reference.alternatives)
    known = list(dict.fromkeys([*map(as_key, texts), *names]))
    given = {item.name for item in listed_items(read.cased, known, read.question)}
    hits = len(given & expected)
    extra, missing = sorted(given - expected)[:50], sorted(expected - given)[:50]
    if given == expected and (given or read.folded.strip()):
        return right()
    value = 2 * hits / (len(given) + len(expected)) if hits else 0.0
    planted = [names[key] for key in sorted(given) if key in names and key not in expected]
    return missed(read, distractors=planted, value=value, extra=extra, missing=missing)
