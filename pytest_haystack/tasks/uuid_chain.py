"""A chain of UUIDs to be followed from its first link."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
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
    """``chain_length`` is the number of links, each of them one needle.

    ``decoys`` links of the same form make a chain of their own that the question does not lead to.
    """

    chain_length: Annotated[int, Field(ge=1), Axis("n")] = Field(3, description="Links, each of them one needle.")
    decoys: Annotated[int, Field(ge=0)] = Field(3, description="Links of a chain that the question does not lead to.")
    placement: str = Field("random", description="Name of the placement: where the links stand.")


class UuidChain(SeveralNeedles):
    """Key A leads to key B, B to C, and so on, in any order of the document, among links of another chain.

    The question names A alone and asks for all that follow; the score is the share of links that the answer follows
    in order. Repeating A earns nothing, stopping half way earns half, and listing every key of the text, decoys
    included, is no answer. Chance 2^-122.
    """

    name = "uuid_chain"
    options_model = UuidChainOptions
    scorer = "chain"
    chance = 2.0**-122

    @property
    def count(self) -> int:
        """Number of links."""
        return int(self.options.chain_length)

    def needles(self, context: TrialContext) -> Sequence[Needle]:
        """The links, first link first, then the decoys; where each one stands is drawn apart from that order."""
        decoys = int(self.options.decoys)
        keys = fresh_uuids(context.rng, context.haystack_text, self.count + 1 + (decoys + 1 if decoys else 0))
        links, others = _links(keys[: self.count + 1]), _links(keys[self.count + 1 :])
        placed = self.place(shuffled(context.rng, links), context)
        depths = [5 + 90 * context.rng.random() for _ in others]
        return [
            *sorted(placed, key=lambda link: keys.index(link.key)),
            *(replace(other, role="distractor").at(depth) for other, depth in zip(others, depths, strict=True)),
        ]

    def ask(self, needles: Sequence[Needle], context: TrialContext) -> Ask:
        """The question for the keys that follow the first link's; those of the decoys are wrong."""
        links = [needle for needle in needles if needle.role == "needle"]
        others = [needle for needle in needles if needle.role == "distractor"]
        start = first_of(links, self.name).key
        planted = [key for other in others for key in (other.key, other.expected)]
        return Ask(
            f"Starting from key {start}, which keys are reached one after another by following where each "
            "key leads, until the chain ends?",
            tuple(link.expected for link in links),
            tuple(dict.fromkeys(planted)),
        )


def _links(keys: Sequence[str]) -> list[Needle]:
    return [
        Needle(
            statement=f"The key {here} leads to the key {there}.",
            question=f"Which key does {here} lead to?",
            expected=there,
            key=here,
        )
        for here, there in pairwise(keys)
    ]
