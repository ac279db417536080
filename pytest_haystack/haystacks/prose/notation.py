"""The notation of the grammars' phrases and sentence patterns.

``{place}`` a phrase of the slot ``place``, chosen anew for each sentence; ``{place2}`` another one (in the same form)
``{did:2}`` the second form of the phrase; where they are written, ``/`` parts the forms: ``prüfte / die Akte``
``{thing:acc}`` the accusative of a noun (see `nouns`), where the language has cases
``<a|b|>`` one of these texts, the last one empty
``^kam|kamen^`` a form for each gender (m, f, n): that of ``who``, in ``{did@other}`` that of ``other``; in patterns
also ``^other:ging|gingen^``
"""

from __future__ import annotations

import re
from typing import NamedTuple

_TOKEN = re.compile(
    r"\{(?P<slot>[a-z]+)(?P<number>\d?)(?::(?P<form>\w+))?(?:@(?P<of>[a-z]+\d?))?\}"
    r"|<(?P<choice>[^<>]*)>|\^(?:(?P<whose>[a-z]+\d?):)?(?P<genders>[^^]*)\^"
)

#: The person a paragraph is about, and another one of the scene: never part of what tells sentences apart.
PEOPLE = ("who", "other")
GENDERS = "mfn"


class Literal(NamedTuple):
    """Text that stands there as it is."""

    text: str


class Reference(NamedTuple):
    """A phrase of a slot: ``number`` tells several of one slot apart, ``of`` whose gender it agrees with."""

    slot: str
    number: str
    form: str
    of: str

    @property
    def name(self) -> str:
        """The slot with its number."""
        return self.slot + self.number


class Choice(NamedTuple):
    """One of several texts."""

    texts: tuple[str, ...]


class ByGender(NamedTuple):
    """A text for each gender, chosen by that of ``of``."""

    of: str
    texts: tuple[str, ...]


Token = Literal | Reference | Choice | ByGender


def tokens_of(text: str) -> list[Token]:
    """The parts of a phrase or pattern."""
    found: list[Token] = []
    end = 0
    for match in _TOKEN.finditer(text):
        if match.start() > end:
            found.append(Literal(text[end : match.start()]))
        end = match.end()
        if match["slot"] is not None:
            found.append(Reference(match["slot"], match["number"], match["form"] or "1", match["of"] or "who"))
        elif match["choice"] is not None:
            found.append(Choice(tuple(match["choice"].split("|"))))
        else:
            found.append(ByGender(match["whose"] or "who", tuple(match["genders"].split("|"))))
    if end < len(text):
        found.append(Literal(text[end:]))
    return found


def by_gender(token: ByGender, gender: int) -> str:
    """The text for a gender; the last one where fewer are given."""
    return token.texts[min(gender, len(token.texts) - 1)]
