"""One fact, one question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pytest_haystack.needles.needle import Needle
from pytest_haystack.needles.origin import NeedleMaker, OriginOptions
from pytest_haystack.registry import Registry
from pytest_haystack.tasks.task import Ask, Task, TaskOptions, TrialContext, first_of


class SingleOptions(OriginOptions, TaskOptions):
    """Options of the needle's origin: ``value`` of an invented fact, or ``needle``, ``library`` or ``fixed``."""


class Single(Task):
    """A fact at the cell's depth, invented or the user's own, and the question for its value."""

    name = "single"
    options_model = SingleOptions
    scorer = "auto"

    def __init__(self, options: Any, registry: Registry | None = None) -> None:
        super().__init__(options, registry)
        self.chance = options.chance
        self._maker = NeedleMaker(options)

    def needles(self, context: TrialContext) -> Sequence[Needle]:
        """One fact; an invented one is not in the haystack text."""
        made = self._maker.needles(1, context.rng, context.haystack_text, context.turn)
        return [needle.at(context.depth_percent) for needle in made]

    def ask(self, needles: Sequence[Needle], context: TrialContext) -> Ask:
        """The needle's own question and answer."""
        needle = first_of(needles, self.name)
        return Ask(needle.question, needle.expected)
