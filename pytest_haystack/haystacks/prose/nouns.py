"""Nouns with their gender and, in German, their cases."""

from __future__ import annotations

import re
from typing import NamedTuple

from pytest_haystack.haystacks.prose.notation import GENDERS

#: Forms that a noun has, in the order of `Noun.forms`; ``1`` is the nominative.
CASES = {"1": 0, "nom": 0, "acc": 1, "dat": 2}
_NOUN = re.compile(r"([mfn]) (.+)")
_ARTICLES = {"m": ("der", "den", "dem"), "f": ("die", "die", "der"), "n": ("das", "das", "dem")}


class Noun(NamedTuple):
    """``gender`` is the place in ``mfn``."""

    gender: int
    forms: tuple[str, str, str]


def noun_of(text: str, language: str) -> Noun | None:
    """The noun that a phrase such as ``f the harbour master`` is, None where it is none.

    German nouns stand without article, which is added by gender and case, as is the ending of an adjective or of a
    weak noun where ``~`` stands: ``m alte~ Kollege~`` gives der alte Kollege, den alten Kollegen; ``°`` stands for
    the ending of ``m Mandant°``, den Mandanten. Names begin with ``=`` and stay as they are.
    """
    match = _NOUN.fullmatch(text)
    if match is None:
        return None
    letter, words = match.groups()
    gender = GENDERS.index(letter)
    if language != "de" or words.startswith("="):
        words = words.removeprefix("=")
        return Noun(gender, (words, words, words))
    endings = ("", "n" if letter == "m" else "", "n")
    forms = [
        f"{article} {words.replace('~', ending).replace('°', 'e' * bool(ending) + ending)}"
        for article, ending in zip(_ARTICLES[letter], endings, strict=True)
    ]
    return Noun(gender, (forms[0], forms[1], forms[2]))
