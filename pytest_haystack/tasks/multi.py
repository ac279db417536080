"""Several facts, one question for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field, model_validator

from pytest_haystack.config.axis import Axis
from pytest_haystack.needles.needle import Needle
from pytest_haystack.needles.origin import NeedleMaker, OriginOptions
from pytest_haystack.registry import Registry
from pytest_haystack.tasks.several import SeveralNeedles, SeveralOptions
from pytest_haystack.tasks.task import Ask, TrialContext, first_of


class MultiOptions(OriginOptions, SeveralOptions):
    """``needles`` is how many facts are hidden; the others say where they come from and where they stand."""

    needles: Annotated[int, Field(ge=1), Axis("n")] = Field(5, description="Facts that are hidden.")

    @model_validator(mode="after")
    def _enough_needles(self) -> MultiOptions:
        self.check_count(self.needles)
        return self


class Multi(SeveralNeedles):
    """Several facts, such as one attribute of several entities; the score is the share of values that are given."""

    name = "multi"
    options_model = MultiOptions
    scorer = "multi"

    def __init__(self, options: Any, registry: Registry | None = None) -> None:
        super().__init__(options, registry)
        self.chance = options.chance
        self._maker = NeedleMaker(options)

    @property
    def count(self) -> int:
        """Number of needles."""
        return int(self.options.needles)

    def needles(self, context: TrialContext) -> Sequence[Needle]:
        """The facts in document order; invented ones are about one attribute and not in the haystack text."""
        made = self._maker.needles(self.count, context.rng, context.haystack_text, context.turn)
        return self.place(made, context)

    def ask(self, needles: Sequence[Needle], context: TrialContext) -> Ask:
        """One question that names every entity; all values are expected."""
        first_of(needles, self.name)
        return Ask(joint_question(needles), tuple(needle.expected for needle in needles))


def joint_question(needles: Sequence[Needle]) -> str:
    """One question for all needles, in their order.

    Questions that differ in nothing but the needle's key at their end are joined into one; others are asked
    one after another, and one that all needles share is asked once.
    """
    if len(needles) == 1:
        return needles[0].question
    beginnings = {needle.question.removesuffix(f"{needle.key}?") for needle in needles}
    if len(beginnings) == 1 and all(needle.key for needle in needles):
        keys = [needle.key for needle in needles]
        return f"{beginnings.pop()}each of {', '.join(keys[:-1])} and {keys[-1]}? Give all the values."
    return " ".join([*dict.fromkeys(needle.question for needle in needles), "Give all the answers."])
