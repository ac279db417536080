"""The phrases of a slot, written out: every combination of the choices within them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import NamedTuple

from pytest_haystack.errors import SourceError
from pytest_haystack.haystacks.prose.notation import (
    GENDERS,
    PEOPLE,
    ByGender,
    Choice,
    Literal,
    Reference,
    by_gender,
    tokens_of,
)
from pytest_haystack.haystacks.prose.nouns import CASES, noun_of

#: More combinations than that in one slot are a mistake in the grammar.
MOST_PHRASES = 20_000
#: Texts shorter than that (characters) may come again soon: articles, particles.
_TELLING = 4
_BETWEEN_FORMS = " / "


class Phrase(NamedTuple):
    """A phrase in all its forms, each a text or one for each gender of who does it.

    ``parts`` are the texts that it was put together from, by which a writer notices that a thing comes again.
    ``gender`` is that of a noun, else 0.
    """

    forms: tuple[str | tuple[str, ...], ...]
    parts: frozenset[str]
    gender: int = 0

    @property
    def agrees(self) -> bool:
        """Whether it has forms that follow the gender of who does it."""
        return not all(isinstance(form, str) for form in self.forms)

    def form(self, name: str) -> str | tuple[str, ...]:
        """A form by its name: ``1``, ``2`` or a case."""
        return self.forms[CASES[name] if name in CASES else int(name) - 1]


class Phrases:
    """The slots of one topic, each written out when it is first needed."""

    def __init__(self, slots: Mapping[str, Sequence[str]], language: str, everywhere: Phrases | None = None) -> None:
        """``everywhere`` has the slots of all topics, whose phrases may be made of those of ``slots``."""
        self._own = frozenset(slots)
        self._slots: dict[str, Sequence[str]] = {**(everywhere._slots if everywhere else {}), **slots}
        self._language = language
        self._everywhere = everywhere
        self._known: dict[str, tuple[Phrase, ...]] = {}
        self._apart: dict[tuple[str, tuple[str, ...]], tuple[Phrase, ...]] = {}

    def __getitem__(self, slot: str) -> tuple[Phrase, ...]:
        """All phrases of a slot, no two alike. Raises SourceError where the grammar lacks it."""
        if self._everywhere is not None and not self.is_of_topic(slot):
            return self._everywhere[slot]
        if slot not in self._known:
            if slot not in self._slots:
                raise SourceError(f"the grammar has no slot {slot!r}")
            found: dict[tuple[str | tuple[str, ...], ...], Phrase] = {}
            for text in self._slots[slot]:
                for phrase in self._written_out(text):
                    found.setdefault(phrase.forms, phrase)
            if len(found) > MOST_PHRASES:
                raise SourceError(f"the slot {slot!r} of the grammar has {len(found):,} phrases")
            self._known[slot] = tuple(found.values())
        return self._known[slot]

    def apart(self, slot: str, forms: tuple[str, ...]) -> tuple[Phrase, ...]:
        """The phrases of a slot that differ in these forms: of those that do not, the first."""
        if self._everywhere is not None and not self.is_of_topic(slot):
            return self._everywhere.apart(slot, forms)
        if (slot, forms) not in self._apart:
            found: dict[tuple[str | tuple[str, ...], ...], Phrase] = {}
            for phrase in self[slot]:
                found.setdefault(tuple(phrase.form(form) for form in forms), phrase)
            self._apart[slot, forms] = tuple(found.values())
        return self._apart[slot, forms]

    def is_of_topic(self, slot: str) -> bool:
        """Whether a slot is the topic's own, or has phrases that are made of the topic's own."""
        ahead, seen = {slot}, set[str]()
        while ahead:
            slot = ahead.pop()
            if slot in self._own:
                return True
            seen.add(slot)
            for text in self._slots.get(slot, ()):
                ahead.update(token.slot for token in tokens_of(text) if isinstance(token, Reference))
            ahead -= seen
        return False

    def _written_out(self, text: str) -> list[Phrase]:
        noun = noun_of(text, self._language)
        if noun is not None:
            return [Phrase(noun.forms, _telling([noun.forms[0]]), noun.gender)]
        tokens = tokens_of(text)
        names = list(
            dict.fromkeys(token.name for token in tokens if isinstance(token, Reference) and token.slot not in PEOPLE)
        )
        slots = {token.name: token.slot for token in tokens if isinstance(token, Reference)}
        choices = [token.texts for token in tokens if isinstance(token, Choice)]
        phrases = []
        agrees = any(isinstance(token, ByGender) for token in tokens)
        for chosen in product(*(self[slots[name]] for name in names)):
            if len(set(chosen)) < len(chosen):
                continue
            here = dict(zip(names, chosen, strict=True))
            genders = 1 + (len(GENDERS) - 1) * (agrees or any(phrase.agrees for phrase in chosen))
            for texts in product(*choices):
                whole = [_whole(tokens, here, texts, gender) for gender in range(genders)]
                forms = zip(*(part.split(_BETWEEN_FORMS) for part in whole), strict=True)
                parts = _telling(texts).union(*(phrase.parts for phrase in chosen)) or _telling(whole[:1])
                phrases.append(Phrase(tuple(_one_or_all(form) for form in forms), parts))
        return phrases


def _whole(tokens: Sequence[object], chosen: Mapping[str, Phrase], texts: Sequence[str], gender: int) -> str:
    """The phrase with all forms, as it reads for one gender of who does it."""
    parts, left = [], iter(texts)
    for token in tokens:
        if isinstance(token, Literal):
            parts.append(token.text)
        elif isinstance(token, Choice):
            parts.append(next(left))
        elif isinstance(token, ByGender):
            parts.append(by_gender(token, chosen[token.of].gender if token.of in chosen else gender))
        elif isinstance(token, Reference):
            form = chosen[token.name].form(token.form)
            own = chosen[token.of].gender if token.of in chosen else gender
            parts.append(form if isinstance(form, str) else form[own])
    return "".join(parts)


def _one_or_all(texts: tuple[str, ...]) -> str | tuple[str, ...]:
    return texts[0] if len(set(texts)) == 1 else texts


def _telling(texts: Sequence[str]) -> frozenset[str]:
    return frozenset(text for text in texts if len(text) >= _TELLING)
