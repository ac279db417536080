"""Where the filler text comes from, and how it is laid out."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from pytest_haystack.config.parts import MOST_TOKENS, Natural, Part, Text, Whole

#: What may be put in another order.
Unit = Literal["documents", "paragraphs"]


class Shuffle(Part):
    """Documents (files, essays) or all their paragraphs, in an order that the seed chooses."""

    unit: Unit = Field("documents", description="What is put in another order: whole documents, or paragraphs.")
    seed: Whole = Field(42, description="Another seed gives another order.")


class HaystackEntry(Part):
    """Where the filler text comes from.

    ``separator`` stands between its documents, and between its repetitions where it is too short. ``offset`` tokens
    are left out at its start, up to the next sentence. ``window: sliding`` moves the start of each document so that a
    sentence ends exactly where the first needle is due.
    """

    source: Text = Field("essays", description="Name of the haystack source.")
    shuffle: Unit | Shuffle | None = Field(
        None, description="Put documents or paragraphs in another order: what, or {unit, seed}."
    )
    offset: Natural = Field(0, le=MOST_TOKENS, description="Tokens that are left out at the start of the text.")
    separator: str = Field(
        "\n\n", description="Text between documents, and between repetitions of a source that is too short."
    )
    window: Literal["shared", "sliding"] = Field(
        "shared",
        description="shared: all documents begin alike; sliding: a sentence ends exactly at the depth that is asked.",
    )
    options: dict[str, Any] = Field(default_factory=dict, description="Options of the source itself.")

    @property
    def shuffled(self) -> Shuffle | None:
        """The order of the text written out, None for its own."""
        return Shuffle(unit=self.shuffle) if isinstance(self.shuffle, str) else self.shuffle
