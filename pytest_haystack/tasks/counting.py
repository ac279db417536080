"""A sentence that stands in the text several times: how often?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from pytest_haystack.config.axis import Axis
from pytest_haystack.errors import DocumentError
from pytest_haystack.needles.draws import pick
from pytest_haystack.needles.facts import FactMaker
from pytest_haystack.needles.needle import Needle
from pytest_haystack.tasks.several import SeveralNeedles, SeveralOptions
from pytest_haystack.tasks.task import Ask, TrialContext, first_of

SENTENCES = (
    "The signal lamp of {} was lit.", "A courier from {} knocked at the gate.", "The bell of {} struck once more.",
    "Another barge left {} before dawn.", "The watchman of {} raised a green flag.", "A letter arrived from {}.",
)  # fmt: skip


class CountingOptions(SeveralOptions):
    """``count`` is how often the phrase stands in the text; ``phrase`` is one of your own."""

    count: Annotated[int, Field(ge=1), Axis("n")] = Field(5, description="How often the phrase stands in the text.")
    phrase: Annotated[str, Field(pattern=r"\S")] | None = Field(
        None, description="A sentence of your own; default: an invented one."
    )


class Counting(SeveralNeedles):
    """The same sentence ``count`` times, and the question how often it is there.

    The score is max(0, 1 - |x - k| / k). The chance level is the mean score of a number drawn from 1 to 2k, which is
    one half whatever k is: the triangle's k of 2k.
    """

    name = "counting"
    options_model = CountingOptions
    scorer = "count"
    chance = 0.5

    @property
    def count(self) -> int:
        """Number of times that the phrase stands in the text."""
        return int(self.options.count)

    def needles(self, context: TrialContext) -> Sequence[Needle]:
        """The phrase, each time with its depth. Raises DocumentError where the haystack text has it already."""
        phrase = self.options.phrase
        if phrase is None:
            phrase = pick(context.rng, SENTENCES).format(FactMaker(context.rng, context.haystack_text).entity())
        elif phrase in context.haystack_text:
            raise DocumentError(f"the haystack text holds the phrase {phrase!r} itself; choose another phrase")
        question = f'How many times does the text say "{phrase}"? Answer with a number.'
        needle = Needle(phrase, question, str(self.count), phrase)
        return self.place([needle] * self.count, context)

    def ask(self, needles: Sequence[Needle], context: TrialContext) -> Ask:
        """How many there are of the first needle."""
        needle = first_of(needles, self.name)
        return Ask(needle.question, sum(other.statement == needle.statement for other in needles))
