"""Names that differ from the one asked about in a number, letter or compass point alone."""

from __future__ import annotations

import re

import pytest_haystack.scoring.wording as wording
from pytest_haystack.scoring.clauses import last_clause
from pytest_haystack.scoring.matching import UNSPACED

_SUFFIX = (
    r"\d[0-9a-z]*|[a-z]|alpha|beta|gamma|delta|epsilon|zeta|theta|kappa|lambda|sigma|tau|omega"
    r"|(?:north|south)(?:east|west)?|east|west"
)
_NAME = re.compile(
    rf"([^\W\d_{UNSPACED}]{{3,}})(?:[- ](?:station|reach|basin|terrace|relay|quay))?[- ]({_SUFFIX})(?![0-9a-z])"
)
#: "The code, X, is for": the comma ends what was put in, not what is said.
_INSERTED = re.compile(r"^\W?,(?= (?:is|was|belongs|goes|refers|applies)\b)")
_BRACKETED_NAME = re.compile(rf"\s?[(\[](?:for |of )?{_NAME.pattern}[)\]]")


def about_asked(clause: str, question: str) -> bool:
    """True where the last name in a clause is the one asked about, not a neighbour of it."""
    asked = {match[1]: match[2] for match in _NAME.finditer(question)}
    suffixes = [(match[2], asked[match[1]]) for match in _NAME.finditer(clause) if match[1] in asked]
    return bool(suffixes) and suffixes[-1][0] == suffixes[-1][1]


def about_another(sentence: str, after: str, question: str) -> bool:
    """True where the words around a value name a neighbour of what was asked about: ``Zyranthex-8`` for ``-7``.

    Neighbours share a stem and differ in a number, letter or compass point behind it.
    """
    asked = {match[1]: match[2] for match in _NAME.finditer(question)}
    if not asked:
        return False
    bracketed = _BRACKETED_NAME.match(after)
    trail = bracketed[0] if bracketed else wording.CLAUSE_BREAK.split(_INSERTED.sub("", after), maxsplit=1)[0]
    for near in (trail, sentence) if bracketed else (last_clause(sentence), trail, sentence):
        suffixes = [(match[2], asked[match[1]]) for match in _NAME.finditer(near) if match[1] in asked]
        if suffixes:
            near_suffix, asked_suffix = suffixes[-1]
            return near_suffix != asked_suffix
    return False
