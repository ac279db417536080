"""Synthetic facts of the form ``The resonance frequency of Zyranthex-7 is 417.25.``"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from pytest_haystack.errors import DocumentError
from pytest_haystack.long_text import folded
from pytest_haystack.needles.draws import pick
from pytest_haystack.needles.names import entity_name, neighbours, stem_of
from pytest_haystack.needles.needle import Needle
from pytest_haystack.needles.values import ValueOptions, draw_value

#: What codes are given as.
CODE_ATTRIBUTES = (
    "access code", "archive reference", "beacon signature", "berth permit", "calibration key", "cargo mark",
    "clearance tag", "convoy designation", "customs seal", "dispatch cipher", "docking token",
    "draught licence", "hatch combination", "inspection stamp", "ledger index", "mooring label",
    "patent mark", "pilot callsign", "quarantine notice", "relay password", "salvage claim",
    "survey identifier", "transit warrant", "vault phrase",
)  # fmt: skip
#: What numbers are given as.
MEASURE_ATTRIBUTES = (
    "albedo index", "ballast ratio", "coolant pressure", "core viscosity", "damping constant",
    "drift allowance", "echo delay", "eclipse interval", "ferrite content", "harmonic offset",
    "hull porosity", "ion density", "magnetic declination", "mantle depth", "orbital period",
    "plasma threshold", "refraction grade", "resonance frequency", "sediment rate", "signal latency",
    "spin quotient", "thermal lag", "tidal coefficient", "torsion limit",
)  # fmt: skip
#: Draws before giving up on a fresh name or value.
TRIES = 2000


@dataclass(frozen=True, slots=True)
class Fact:
    """One attribute of one entity."""

    attribute: str
    entity: str
    value: str

    @property
    def needle(self) -> Needle:
        """The fact as a needle, its key being the entity."""
        return Needle(
            statement=f"The {self.attribute} of {self.entity} is {self.value}.",
            question=f"What is the {self.attribute} of {self.entity}?",
            expected=self.value,
            key=self.entity,
        )


class FactMaker:
    """Draws the facts of one document: every entity and value new, none of them in the haystack text."""

    def __init__(self, rng: random.Random, haystack_text: str, value: ValueOptions | None = None) -> None:
        self._rng = rng
        self._text = haystack_text
        self._folded = _folded(haystack_text)
        self._value = value or ValueOptions()
        self._entities: list[str] = []
        self._values: set[str] = set()

    def attribute(self) -> str:
        """An attribute that suits the kind of value."""
        return pick(self._rng, CODE_ATTRIBUTES if self._value.type == "code" else MEASURE_ATTRIBUTES)

    def fact(self, attribute: str | None = None) -> Fact:
        """A fresh fact, about this attribute or a random one. Raises DocumentError where none is left."""
        attribute = attribute or self.attribute()
        entity = self.entity()
        return Fact(attribute, entity, self.value())

    def entity(self) -> str:
        """A fresh name. Raises DocumentError where none is left."""
        entity = self._fresh(lambda: entity_name(self._rng), self._name_is_free, "name")
        self._entities.append(entity)
        return entity

    def value(self, fits: Callable[[str], bool] = lambda value: True) -> str:
        """A fresh value that fits. Raises DocumentError where none is left."""
        value = self._fresh(
            lambda: draw_value(self._rng, self._value),
            lambda drawn: fits(drawn) and self._value_is_free(drawn),
            "value",
        )
        self._values.add(value)
        return value

    def alike(self, fact: Fact, count: int) -> list[Fact]:
        """The same attribute of ``count`` entities whose names differ from this fact's in the suffix alone.

        The most alike come first. Raises DocumentError where there are not that many.
        """
        known = [*self._values, *self._entities]
        names = [name for name in neighbours(fact.entity) if name not in known][:count]
        if len(names) < count:
            raise DocumentError(
                f"{fact.entity} has only {len(names)} names like it, not {count}; ask for fewer distractors"
            )
        self._entities += names
        return [Fact(fact.attribute, name, self.value()) for name in names]

    def _fresh(self, draw: Callable[[], str], is_free: Callable[[str], bool], what: str) -> str:
        for _ in range(TRIES):
            drawn = draw()
            if is_free(drawn):
                return drawn
        kind = self._value
        span = "" if kind.type == "code" else f" from {kind.ends[0]:g} to {kind.ends[1]:g}"
        remedy = f"widen `value` (now {kind.type}{span}) or use" if what == "value" else "use"
        raise DocumentError(
            f"no unused {what} for a needle in {TRIES} draws, all stand in the haystack text or in "
            f"another needle; {remedy} another haystack"
        )

    def _name_is_free(self, name: str) -> bool:
        word = stem_of(name)
        return (
            word.casefold() not in self._folded
            and all(word != stem_of(other) for other in self._entities)
            and not any(stands_in(value, name) for value in self._values)
        )

    def _value_is_free(self, value: str) -> bool:
        return (
            value not in self._values
            and not stands_in(value, self._text)
            and not any(stands_in(value, name) for name in self._entities)
        )


@lru_cache(maxsize=1)
def _folded(text: str) -> str:
    """The text without case. Trials of one context length have their text in common, which may be megabytes."""
    return folded(text)


def stands_in(token: str, text: str) -> bool:
    """True where ``token`` occurs in the text with no letter, digit or underscore right beside it."""
    start = text.find(token)
    while start >= 0:
        end = start + len(token)
        before, after = text[start - 1 : start], text[end : end + 1]
        if not (_is_word(before) or _is_word(after)):
            return True
        start = text.find(token, start + 1)
    return False


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"
