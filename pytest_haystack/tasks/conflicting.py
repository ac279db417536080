"""Two facts that contradict each other: which one does the model follow?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from pytest_haystack.config.parts import PERCENT
from pytest_haystack.errors import HaystackError
from pytest_haystack.needles.facts import FactMaker
from pytest_haystack.needles.needle import Needle
from pytest_haystack.needles.values import VALUE, ValueOptions
from pytest_haystack.registry import Registry
from pytest_haystack.tasks.task import Ask, Task, TaskOptions, TrialContext, first_of

Depth = Annotated[float, Field(ge=0, le=100), PERCENT]


class ConflictingOptions(TaskOptions):
    """``first_depth`` and ``last_depth`` (percent) fix where the two facts stand.

    Without them one stands at the cell's depth d and one at 100 - d. ``expect`` says which of the two is right:
    ``any``, ``first`` or ``last``; ``value`` what kind of value they state.
    """

    first_depth: Depth | None = Field(
        None, description="Depth of the first fact, together with last_depth; default: the cell's depth or its mirror."
    )
    last_depth: Depth | None = Field(None, description="Depth of the last fact; default: the mirror of the first's.")
    expect: Literal["any", "first", "last"] = Field("any", description="Which of the two facts is right.")
    value: ValueOptions = Field(default_factory=ValueOptions, description=VALUE)

    @model_validator(mode="after")
    def _both_depths_in_order(self) -> ConflictingOptions:
        if (self.first_depth is None) != (self.last_depth is None):
            raise ValueError("first_depth and last_depth go together; give both or neither")
        if self.first_depth is not None and self.last_depth is not None and self.first_depth > self.last_depth:
            raise ValueError(f"first_depth {self.first_depth:g} is behind last_depth {self.last_depth:g}; swap them")
        return self


class Conflicting(Task):
    """The same attribute of the same entity twice, with different values.

    ``score_details["label"]`` is chose_first, chose_last, chose_both or chose_neither: the shares of chose_first and
    of chose_last are the primacy and recency bias.
    """

    name = "conflicting"
    options_model = ConflictingOptions
    scorer = "conflict"

    def __init__(self, options: Any, registry: Registry | None = None) -> None:
        super().__init__(options, registry)
        right = 2 if self.options.expect == "any" else 1
        self.chance = min(1.0, right * self.options.value.chance)

    @property
    def depth_matters(self) -> bool:
        """False where the config fixes both depths."""
        return self.options.first_depth is None

    def needles(self, context: TrialContext) -> Sequence[Needle]:
        """The two facts, in document order."""
        maker = FactMaker(context.rng, context.haystack_text, self.options.value)
        fact = maker.fact()
        other = replace(fact, value=maker.value())
        depth = context.depth_percent
        first, last = self.options.first_depth, self.options.last_depth
        if first is None or last is None:
            first, last = min(depth, 100 - depth), max(depth, 100 - depth)
        return [fact.needle.at(first), other.needle.at(last)]

    def ask(self, needles: Sequence[Needle], context: TrialContext) -> Ask:
        """The question that both facts answer; both values are expected, the first in the document first."""
        first_of(needles, self.name)
        if len(needles) != 2:
            raise HaystackError(f"task {self.name!r} asks about two needles; the fixture `needles` gave {len(needles)}")

        def depth(needle: Needle) -> float:
            return context.depth_percent if needle.depth_percent is None else needle.depth_percent

        first, last = sorted(needles, key=depth)
        return Ask(first.question, (first.expected, last.expected), options={"expect": self.options.expect})
