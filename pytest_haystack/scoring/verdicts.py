"""From what an answer committed to, to a score with its verdict."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from pytest_haystack.scoring.abstention import abstains
from pytest_haystack.scoring.answers import Answer
from pytest_haystack.scoring.clauses import last_clause
from pytest_haystack.scoring.commitment import WINDOW, is_denied
from pytest_haystack.scoring.score import Score, Verdict
from pytest_haystack.scoring.text import without_accents

#: Shorter values are found in too much by accident.
_SHORTEST_LENIENT = 3
_LONGEST_LENIENT = 400
_SIGNS = re.compile(r"[\W_]+")


def right(**details: Any) -> Score:
    """Full score."""
    return Score(1.0, "right", details)


def missed(
    answer: Answer,
    *,
    distractors: Iterable[str] = (),
    recoverable: bool = False,
    value: float = 0.0,
    **details: Any,
) -> Score:
    """A score below 1 with the verdict that explains it; ``distractors`` are the planted wrong values given."""
    given = list(dict.fromkeys(distractors))
    verdict: Verdict = "wrong"
    if given:
        verdict, details["distractors"] = "distractor", given
    elif recoverable:
        verdict = "format_failure"
    elif abstains(answer.folded):
        verdict = "abstained"
    return Score(value, verdict, details)


def recoverable(text: str, key: str) -> bool:
    """True where a lenient reading finds the value that the strict one did not.

    Lenient is: other signs or none between its letters and digits, accents dropped; still as a whole token and
    not denied. Text and key folded.
    """
    if len(key) > _LONGEST_LENIENT:
        return False
    characters = re.findall(r"[^\W_]", without_accents(key))
    if len(characters) < _SHORTEST_LENIENT:
        return False
    plain = without_accents(text)
    if "".join(characters) not in _SIGNS.sub("", plain):
        # Nearly every wrong answer: no pattern has to be made for the value.
        return False
    # Digits broken up by points or commas are other numbers; blanks between them are not.
    between = r"\s{0,2}" if "".join(characters).isdigit() else r"[\W_]{0,3}"
    edge = r"(?<![^\W_])(?<!\d[.,])", r"(?![^\W_]|[.,]\d)"
    for match in re.finditer(edge[0] + between.join(map(re.escape, characters)) + edge[1], plain):
        before = plain[max(0, match.start() - WINDOW) : match.start()]
        if not is_denied(last_clause(before), before, plain[match.end() : match.end() + WINDOW]):
            return True
    return False
