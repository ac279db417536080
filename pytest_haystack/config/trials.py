"""``trials:`` of haystack.yaml: how often a cell is asked, and when it may stop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field, model_validator

from pytest_haystack.config.parts import NO_FLAG, Count, Fraction, Part

Risk = Annotated[float, Field(gt=0, lt=0.5), NO_FLAG]
Stop = Literal["point", "sprt", "fail_on_evidence", "certify"]

#: Width of the default zone of indifference on either side of the threshold, and where it ends at the top.
ZONE, HIGHEST = 0.05, 0.99


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
        check_zone(self.stop, self.indifference)
        return self


def check_zone(stop: Stop, zone: Sequence[float] | None) -> None:
    """Raise ValueError for a zone of indifference that is none, or that the rule has no use for."""
    if zone is None:
        return
    if stop != "sprt":
        raise ValueError("indifference belongs to stop: sprt")
    if not 0 < zone[0] < zone[1] < 1:
        raise ValueError("indifference is [low, high] with 0 < low < high < 1")


@dataclass(frozen=True, slots=True)
class StopRule:
    """How a cell's trials are judged: at most ``most`` of them, against ``threshold`` (0 to 1).

    ``low`` and ``high`` bound the rates that the sequential test is indifferent to. ``alpha`` bounds how often a
    verdict that rests on evidence is wrong (for ``sprt``: a pass where the rate is ``low`` or less), ``beta`` how
    often ``sprt`` fails a rate of ``high`` or more; both hold up to what the last trial adds where ``most`` cuts the
    test off.
    """

    stop: Stop
    most: int
    threshold: float
    low: float
    high: float
    alpha: float
    beta: float

    @classmethod
    def of(cls, entry: TrialsEntry, threshold: float, most: int) -> StopRule:
        """The rule of a config entry for cells of this threshold and this many trials."""
        low, high = entry.indifference or default_zone(threshold)
        return cls(entry.stop, most, threshold, low, high, entry.alpha, entry.beta)


def default_zone(threshold: float) -> tuple[float, float]:
    """The zone of indifference around a threshold where the config gives none."""
    high = min(threshold + ZONE, HIGHEST)
    return max(min(threshold, high) - ZONE, 0.01), max(high, 0.02)
