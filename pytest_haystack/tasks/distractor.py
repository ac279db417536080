"""One fact among others that are almost about the same thing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Field

from pytest_haystack.needles.facts import FactMaker
from pytest_haystack.needles.needle import Needle
from pytest_haystack.needles.values import VALUE, ValueOptions
from pytest_haystack.registry import Registry
from pytest_haystack.tasks.task import Ask, Task, TaskOptions, TrialContext, first_of

#: Percentage points between neighbours of ``distance: near``.
STEP = 2.0
#: Greek letters have eleven neighbours, compass points seven: the least that every name has.
MOST = 7


class DistractorOptions(TaskOptions):
    """``distractors`` are the facts about other entities, 1 to 7.

    ``distance`` is ``near`` (they stand around the needle, 2 percentage points apart) or ``spread`` (evenly over the
    document); ``value`` says what kind of value the facts state.
    """

    distractors: Annotated[int, Field(ge=1, le=MOST)] = Field(4, description="Facts about entities with names alike.")
    distance: Literal["near", "spread"] = Field(
        "near", description="near: around the needle, 2 percentage points apart; spread: evenly over the document."
    )
    value: ValueOptions = Field(default_factory=ValueOptions, description=VALUE)


class Distractor(Task):
    """The same attribute of entities whose names differ in the suffix alone; one of them is asked about.

    The chance level is that of picking one of the planted values at random, for a reader that cannot tell the names
    apart.
    """

    name = "distractor"
    options_model = DistractorOptions
    scorer = "value"

    def __init__(self, options: Any, registry: Registry | None = None) -> None:
        super().__init__(options, registry)
        self.chance = 1 / (1 + self.options.distractors)

    def needles(self, context: TrialContext) -> Sequence[Needle]:
        """The fact that is asked about, then the distractors, each with its depth."""
        maker = FactMaker(context.rng, context.haystack_text, self.options.value)
        fact = maker.fact()
        others = [replace(other.needle, role="distractor") for other in maker.alike(fact, self.options.distractors)]
        depth = context.depth_percent
        depths = near(len(others), depth) if self.options.distance == "near" else spread(len(others))
        placed = [other.at(place) for other, place in zip(others, depths, strict=True)]
        return [fact.needle.at(depth), *placed]

    def ask(self, needles: Sequence[Needle], context: TrialContext) -> Ask:
        """The needle's own question; the values of the others are wrong."""
        asked = [needle for needle in needles if needle.role == "needle"]
        needle = first_of(asked, self.name)
        others = tuple(other.expected for other in needles if other is not needle and other.expected)
        return Ask(needle.question, needle.expected, others)


def near(count: int, depth_percent: float) -> list[float]:
    """The ``count`` depths nearest to one (percent), in steps of 2, none of them that depth itself."""
    steps = [sign * STEP * step for step in range(1, count + 1) for sign in (1, -1)]
    return [depth_percent + step for step in steps if 0 <= depth_percent + step <= 100][:count]


def spread(count: int) -> list[float]:
    """``count`` depths (percent) in the middle of equal parts of the document."""
    return [100 * (part + 0.5) / count for part in range(count)]
