"""A sentence pattern in a topic: how many sentences it has, and which is the n-th."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import NamedTuple

from pytest_haystack.haystacks.prose.notation import GENDERS, PEOPLE, ByGender, Choice, Literal, Reference, tokens_of
from pytest_haystack.haystacks.prose.nouns import CASES
from pytest_haystack.haystacks.prose.phrases import Phrase, Phrases


class Cast(NamedTuple):
    """Who a sentence is about: ``subject`` is the name or pronoun that stands for ``who`` in the nominative."""

    who: Phrase
    subject: str
    other: Phrase


class _Draw(NamedTuple):
    """Something to be chosen: its options, and the earlier draws of the same slot that it must differ from."""

    options: Sequence[Phrase]
    rivals: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        return max(len(self.options) - len(self.rivals), 0)


#: What was chosen: the number of an option for each draw.
Drawn = list[int]
_Part = Callable[[Drawn, Cast], str]


class Pattern:
    """A pattern with the phrases of a topic.

    Its sentences are numbered from 0 to ``size`` - 1: each number stands for one combination of phrases, which reads
    differently from all others. The people are no part of the number: sentences of different numbers differ in more
    than that.
    """

    def __init__(self, text: str, phrases: Phrases) -> None:
        """Raises SourceError where a slot is missing."""
        self.text = text
        tokens = tokens_of(text)
        references = [token for token in tokens if isinstance(token, Reference)]
        self.names_who = any(token.slot == "who" for token in references)
        #: The slots that its phrases come from.
        self.slots = frozenset(token.slot for token in references if token.slot not in PEOPLE)
        self._draws: list[_Draw] = []
        self._places: dict[str, int] = {}
        for slot in dict.fromkeys(token.slot for token in references if token.slot in self.slots):
            self._add_draws(slot, references, phrases)
        self._parts = [part for token in tokens for part in self._compiled(token)]
        self._sizes = [(draw.size, draw.rivals) for draw in self._draws]
        self._told = [[phrase.parts for phrase in draw.options] for draw in self._draws]
        self.size = prod(draw.size for draw in self._draws)

    def drawn(self, number: int) -> Drawn:
        """The choices that a number stands for."""
        drawn: Drawn = []
        for size, rivals in self._sizes:
            number, place = divmod(number, size)
            if rivals:
                for taken in sorted([drawn[rival] for rival in rivals]):
                    place += place >= taken
            drawn.append(place)
        return drawn

    def sentence(self, drawn: Drawn, cast: Cast) -> str:
        """The sentence of these choices, with these people in it; its first letter is as the phrases have it."""
        return "".join([part if part.__class__ is str else part(drawn, cast) for part in self._parts])  # type: ignore[operator]

    def parts(self, drawn: Drawn) -> list[frozenset[str]]:
        """What the phrases of these choices are put together from."""
        return [parts[place] for parts, place in zip(self._told, drawn)]  # noqa: B905

    def _add_draws(self, slot: str, references: Sequence[Reference], phrases: Phrases) -> None:
        forms: dict[str, set[str]] = {}
        for token in references:
            if token.slot == slot:
                forms.setdefault(token.name, set()).add(token.form)
        alike = len({frozenset(own) for own in forms.values()}) == 1
        rivals: tuple[int, ...] = ()
        for name, own in forms.items():
            self._places[name] = len(self._draws)
            self._draws.append(_Draw(phrases.apart(slot, tuple(sorted(own))), rivals))
            if alike:
                rivals = (*rivals, self._places[name])

    def _compiled(self, token: object) -> list[str | _Part]:
        if isinstance(token, Literal):
            return [token.text]
        if isinstance(token, Choice):
            place = len(self._draws)
            self._draws.append(_Draw([Phrase((text,), frozenset()) for text in dict.fromkeys(token.texts)]))
            return [_chosen(place, list(dict.fromkeys(token.texts)))]
        if isinstance(token, ByGender):
            return [_agreeing(self._gender_of(token.of), [token.texts])]
        assert isinstance(token, Reference)
        if token.slot in PEOPLE:
            return [_named(token.slot, CASES[token.form])]
        place = self._places[token.name]
        texts = [phrase.form(token.form) for phrase in self._draws[place].options]
        plain = [text for text in texts if isinstance(text, str)]
        if len(plain) == len(texts):
            return [_chosen(place, plain)]
        every = [(text,) if isinstance(text, str) else text for text in texts]
        return [_agreeing(self._gender_of(token.of), every, place)]

    def _gender_of(self, name: str) -> Callable[[Drawn, Cast], int]:
        if name not in self._places:
            return (lambda _, cast: cast.who.gender) if name == "who" else (lambda _, cast: cast.other.gender)
        place = self._places[name]
        genders = [phrase.gender for phrase in self._draws[place].options]
        return lambda drawn, _: genders[drawn[place]]


def _chosen(place: int, texts: Sequence[str]) -> _Part:
    return lambda drawn, _: texts[drawn[place]]


def _agreeing(
    gender_of: Callable[[Drawn, Cast], int], options: Sequence[Sequence[str]], place: int | None = None
) -> _Part:
    """The text for a gender, of the option drawn at ``place`` or of the only one."""
    every = [tuple(texts[min(gender, len(texts) - 1)] for gender in range(len(GENDERS))) for texts in options]
    if place is None:
        return lambda drawn, cast: every[0][gender_of(drawn, cast)]
    return lambda drawn, cast: every[drawn[place]][gender_of(drawn, cast)]


def _named(which: str, case: int) -> _Part:
    if which == "who" and case == 0:
        return lambda _, cast: cast.subject
    if which == "who":
        return lambda _, cast: str(cast.who.forms[case])
    return lambda _, cast: str(cast.other.forms[case])
