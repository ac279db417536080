"""A chain of UUIDs to be followed from its first link."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated

from pydantic import Field

from pytest_haystack.config.axis import Axis
from pytest_haystack.needles.draws import shuffled
from pytest_haystack.needles.needle import Needle
from pytest_haystack.needles.pairs import fresh_uuids
from pytest_haystack.tasks.several import SeveralNeedles, SeveralOptions
from pytest_haystack.tasks.task import Ask, TrialContext, first_of


class UuidChainOptions(SeveralOptions):
    """``chain_length`` is the number of links, each of them one needle."""

    chain_length: Annotated[int, Field(ge=1), Axis("n")] = 3
    placement: str = "random"


class UuidChain(SeveralNeedles):
    """Key A leads to key B, B to C, and so on, in any order of the document.

    The question names A alone and asks for all that follow; the score is the share of them that the answer
    gives, so repeating A earns nothing and stopping half way earns half. Chance 2^-122.
    """

    name = "uuid_chain"
    options_model = UuidChainOptions
    scorer = "multi"
    chance = 2.0**-122

    @property
    def count(self) -> int:
        """Number of links."""
        return int(self.options.chain_length)

    def needles(self, context: TrialContext) -> Sequence[Needle]:
        """The links, first link first; where each one stands is drawn apart from that order."""
        keys = fresh_uuids(context.rng, context.haystack_text, self.count + 1)
        links = [
            Needle(
                statement=f"The key {here} leads to the key {there}.",
                question=f"Which key does {here} lead to?",
                expected=there,
                key=here,
            )
            for here, there in pairwise(keys)
        ]
        placed = self.place(shuffled(context.rng, links), context)
        return sorted(placed, key=lambda link: keys.index(link.key))

    def ask(self, needles: Sequence[Needle], context: TrialContext) -> Ask:
        """The question for the keys that follow the first link's."""
        start = first_of(needles, self.name).key
        return Ask(
            f"Starting from key {start}, which keys are reached one after another by following where each "
            "key leads, until the chain ends?",
            tuple(needle.expected for needle in needles),
        )
