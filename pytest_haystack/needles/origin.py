"""Where the needles of a task come from: invented facts, a template, a library or fixed ones."""

from __future__ import annotations

import random
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from pytest_haystack.config.entry_files import EntriesFile
from pytest_haystack.needles.facts import FactMaker
from pytest_haystack.needles.library import WrittenNeedle, in_turn
from pytest_haystack.needles.needle import Needle
from pytest_haystack.needles.templates import TemplateMaker, TemplateOptions
from pytest_haystack.needles.values import VALUE, ValueOptions


def _not_empty(entries: tuple[WrittenNeedle, ...]) -> tuple[WrittenNeedle, ...]:
    # A least length would be missed too where every entry has a mistake of its own.
    if not entries:
        raise ValueError("the list is empty")
    return entries


Entries = Annotated[tuple[WrittenNeedle, ...], AfterValidator(_not_empty)]


class OriginOptions(BaseModel):
    """Options of tasks whose needles may be the user's own; one of ``needle``, ``library`` and ``fixed`` at most.

    Without them needles are invented facts, and ``value`` says what kind of value they state: ``{type: code | int |
    float, min: , max: }``. ``needle`` is a template with variables. ``library`` (a YAML, JSON or CSV file, or its
    entries) and ``fixed`` are lists of needle, question and answer; they are gone through from cell to cell and
    trial to trial, the config seed saying where to begin, unless ``rotate`` is false: then ``fixed`` ones are the
    same everywhere.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    value: ValueOptions = Field(default_factory=ValueOptions, description=VALUE)
    needle: TemplateOptions | None = Field(None, description="A needle of your own, as templates with variables.")
    library: Annotated[Entries | None, EntriesFile()] = Field(
        None, description="Needles of your own: a YAML, JSON or CSV file with needle, question and answer, or a list."
    )
    fixed: Entries | None = Field(None, description="Needles of your own: a list of needle, question and answer.")
    rotate: bool = Field(True, description="false: each cell and trial has the first of the fixed needles.")

    @model_validator(mode="after")
    def _one_origin(self) -> OriginOptions:
        given = [name for name in ("needle", "library", "fixed") if getattr(self, name) is not None]
        if len(given) > 1:
            raise ValueError(f"{' and '.join(given)} cannot go together; keep one")
        if given and self.value != ValueOptions():
            raise ValueError(f"value is for invented facts and does nothing beside {given[0]}; remove one of them")
        if not self.rotate and self.fixed is None:
            raise ValueError("rotate: false is for fixed needles; give them under fixed")
        return self

    def check_count(self, count: int) -> None:
        """Raise ValueError where a list of needles has fewer than ``count``."""
        for name, entries in (("library", self.library), ("fixed", self.fixed)):
            if entries is not None and len(entries) < count:
                raise ValueError(f"{count} needles are to be hidden, but {name} has {len(entries)}; lower needles")

    @property
    def chance(self) -> float:
        """Probability (0 to 1) that a blind guess at one value is right; 0 where it is not known."""
        if self.needle is not None:
            return self.needle.chance
        return 0.0 if self.library or self.fixed else self.value.chance


class NeedleMaker:
    """Makes the needles of a task's trials as its options say."""

    def __init__(self, options: OriginOptions) -> None:
        self._options = options
        self._templates = TemplateMaker(options.needle) if options.needle is not None else None

    def needles(self, count: int, rng: random.Random, haystack_text: str, turn: int) -> list[Needle]:
        """``count`` needles without depths; invented ones are about one attribute.

        ``turn`` (from 0) says how many times a list has been drawn from before. Raises DocumentError where there are
        not that many.
        """
        options = self._options
        if self._templates is not None:
            return self._templates.needles(count, rng, haystack_text)
        if written := options.library or options.fixed:
            return in_turn(written, count, turn if options.rotate else 0)
        maker = FactMaker(rng, haystack_text, options.value)
        attribute = maker.attribute()
        return [maker.fact(attribute).needle for _ in range(count)]
