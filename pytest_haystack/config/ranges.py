"""Context lengths and depths as a user writes them: a list, or a range."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from pytest_haystack.config.parts import MOST_POINTS, Count, Part, Percent, Scale, Tokens


class LengthRange(Part):
    """``num`` context lengths from ``min`` to ``max`` tokens."""

    min: Tokens = Field(description="Shortest context length, in tokens.")
    max: Tokens = Field(description="Longest context length, in tokens.")
    num: Count = Field(description="How many lengths.")
    scale: Scale = Field("linear", description="How the lengths are spread: evenly, by ratio, or denser at both ends.")


class DepthRange(Part):
    """``num`` depths from ``min`` to ``max`` percent."""

    min: Percent = Field(0, description="Smallest depth, in percent; 0 is the start of the document.")
    max: Percent = Field(100, description="Largest depth, in percent; 100 is the end of the document.")
    num: Count = Field(11, description="How many depths.")
    scale: Scale = Field(
        "linear", description="How the depths are spread: evenly, denser at the start, or denser at both ends."
    )


Lengths = Annotated[list[Tokens], Field(min_length=1, max_length=MOST_POINTS)] | LengthRange
Depths = Annotated[list[Percent], Field(min_length=1, max_length=MOST_POINTS)] | DepthRange
