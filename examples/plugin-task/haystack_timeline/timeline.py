"""Task ``timeline``: dated events anywhere in the text, to be listed from the earliest to the latest."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from pytest_haystack.config.axis import Axis
from pytest_haystack.needles.draws import shuffled
from pytest_haystack.needles.facts import FactMaker
from pytest_haystack.needles.needle import Needle
from pytest_haystack.tasks.several import SeveralNeedles, SeveralOptions
from pytest_haystack.tasks.task import Ask, TrialContext, first_of


class TimelineOptions(SeveralOptions):
    """``events`` is how many there are; a list makes the number an axis. ``placement`` says where they stand."""

    events: Annotated[int, Field(ge=2, le=20), Axis("n")] = 4
    placement: str = "random"


class Timeline(SeveralNeedles):
    """Each event has a year and stands anywhere, so that the order of the text says nothing about that of time.

    Only the whole order is right. Chance: one of all orders.
    """

    name = "timeline"
    options_model = TimelineOptions
    scorer = "ordered"

    def __init__(self, options: Any, registry: Any = None) -> None:
        super().__init__(options, registry)
        self.chance = 1 / math.factorial(self.count)

    @property
    def count(self) -> int:
        """Number of events."""
        return int(self.options.events)

    def needles(self, context: TrialContext) -> Sequence[Needle]:
        """The events with the depths of the placement; ``expected`` is the year, ``key`` what it happened to."""
        maker = FactMaker(context.rng, context.haystack_text)
        years = shuffled(context.rng, range(1700, 1900))[: self.count]
        events = []
        for year in years:
            entity = maker.entity()
            question = f"In which year was {entity} opened?"
            events.append(Needle(f"{entity} was opened in the year {year}.", question, str(year), entity))
        return self.place(events, context)

    def ask(self, needles: Sequence[Needle], context: TrialContext) -> Ask:
        """The question names them in the order of the text; expected are their names in order of time."""
        first_of(needles, self.name)
        names = ", ".join(needle.key for needle in needles)
        in_time = sorted(needles, key=lambda needle: int(needle.expected))
        return Ask(
            f"In which order were these opened: {names}? List their names, the earliest first.",
            tuple(needle.key for needle in in_time),
        )
