"""``trials:`` of haystack.yaml: how often a cell is asked, and when it may stop."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from pytest_haystack.config.parts import NO_FLAG, Count, Fraction, Part

Risk = Annotated[float, Field(gt=0, lt=0.5), NO_FLAG]
Stop = Literal["point", "sprt", "fail_on_evidence", "certify"]


class TrialsEntry(Part):
    """At most ``max`` trials; fewer where the verdict is known before."""

    max: Count = Field(description="Most trials of a cell, each with a needle of its own.")
    stop: Stop = Field(
        "point",
        description=(
            "When to stop: point: when the mean at max is settled; sprt: at evidence for either side; "
            "fail_on_evidence: red only on evidence; certify: green only on evidence."
        ),
    )
    indifference: Annotated[list[Fraction], Field(min_length=2, max_length=2)] | None = Field(
        None, description="sprt: [low, high] around the threshold; rates between may go either way."
    )
    alpha: Risk = Field(0.05, description="How often a verdict that rests on evidence may be wrong; sprt: a pass.")
    beta: Risk = Field(0.05, description="sprt: how often a fail may be wrong.")

    @model_validator(mode="after")
    def _zone(self) -> TrialsEntry:
        if self.indifference is not None:
            if self.stop != "sprt":
                raise ValueError("indifference belongs to stop: sprt")
            if not 0 < self.indifference[0] < self.indifference[1] < 1:
                raise ValueError("indifference is [low, high] with 0 < low < high < 1")
        return self
