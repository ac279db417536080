"""A question that the text does not answer: does the model say so?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any

from pydantic import Field

from pytest_haystack.needles.facts import FactMaker
from pytest_haystack.needles.needle import Needle
from pytest_haystack.needles.values import VALUE, ValueOptions
from pytest_haystack.registry import Registry
from pytest_haystack.tasks.distractor import MOST, spread
from pytest_haystack.tasks.task import Ask, Task, TaskOptions, TrialContext, first_of

#: The word agreed for declining.
DECLINED = "UNANSWERABLE"


class UnanswerableOptions(TaskOptions):
    """``paired`` asks each question twice: without its needle, and with it at the cell's depth.

    ``distractors`` (0 to 7) are facts about other entities with names alike, spread over the text; ``value`` says
    what kind of value the facts state.
    """

    paired: bool = Field(False, description="true: each question is asked without its needle and with it.")
    distractors: Annotated[int, Field(ge=0, le=MOST)] = Field(0, description="Facts about entities with names alike.")
    value: ValueOptions = Field(default_factory=ValueOptions, description=VALUE)


class Unanswerable(Task):
    """The needle is left out, and right is to say so.

    With ``paired`` each trial of the config is two trials of the cell: even ones without the needle, odd ones with
    it, on the same text and with the same question. ``score_details["answerable"]`` tells them apart, so that the
    mean score where it is true is the hit rate h, where it is false the true-abstain rate a, and Youden's
    J = h + a - 1; the cell's mean score is (J + 1) / 2. The chance level is that of declining always: 1 alone, 0.5
    (J = 0) in pairs, which is why pairs tell more.
    """

    name = "unanswerable"
    options_model = UnanswerableOptions
    scorer = "abstain"

    def __init__(self, options: Any, registry: Registry | None = None) -> None:
        super().__init__(options, registry)
        self.prompts_per_trial = 2 if self.options.paired else 1
        self.chance = 1 / self.prompts_per_trial

    @property
    def depth_matters(self) -> bool:
        """False where there is never a needle."""
        return bool(self.options.paired)

    def needles(self, context: TrialContext) -> Sequence[Needle]:
        """The fact that is asked about, absent in even trials, then the distractors."""
        maker = FactMaker(context.rng, context.haystack_text, self.options.value)
        fact = maker.fact()
        others = [replace(other.needle, role="distractor") for other in maker.alike(fact, self.options.distractors)]
        placed = [other.at(depth) for other, depth in zip(others, spread(len(others)), strict=True)]
        asked = fact.needle.at(context.depth_percent)
        return [asked if context.part else replace(asked, role="absent"), *placed]

    def ask(self, needles: Sequence[Needle], context: TrialContext) -> Ask:
        """The needle's question with leave to decline; what is right depends on whether the needle is there."""
        needle = first_of([needle for needle in needles if needle.role != "distractor"], self.name)
        answerable = needle.role == "needle"
        return Ask(
            f"{needle.question} If the text does not say, answer {DECLINED}.",
            needle.expected if answerable else DECLINED,
            tuple(other.expected for other in needles if other.role == "distractor"),
            options={"answerable": answerable},
            details={"answerable": answerable},
        )
