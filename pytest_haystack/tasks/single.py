"""One fact, one question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import Field

from pytest_haystack.needles.facts import FactMaker
from pytest_haystack.needles.needle import Needle
from pytest_haystack.needles.values import ValueOptions
from pytest_haystack.registry import Registry
from pytest_haystack.tasks.task import Ask, Task, TaskOptions, TrialContext, first_of


class SingleOptions(TaskOptions):
    """``value`` says what kind of value the fact states: ``{type: code | int | float, min: , max: }``."""

    value: ValueOptions = Field(default_factory=ValueOptions)


class Single(Task):
    """A synthetic fact at the cell's depth, and the question for its value."""

    name = "single"
    options_model = SingleOptions
    scorer = "auto"

    def __init__(self, options: Any, registry: Registry | None = None) -> None:
        super().__init__(options, registry)
        self.chance = self.options.value.chance

    def needles(self, context: TrialContext) -> Sequence[Needle]:
        """One fact that the haystack text does not hold."""
        maker = FactMaker(context.rng, context.haystack_text, self.options.value)
        return [maker.fact().needle.at(context.depth_percent)]

    def ask(self, needles: Sequence[Needle], context: TrialContext) -> Ask:
        """The needle's own question and answer."""
        needle = first_of(needles, self.name)
        return Ask(needle.question, needle.expected)
