"""``gates:`` of haystack.yaml: what must hold of all answers together."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from pytest_haystack.config.parts import (
    BARE,
    NO_FLAG,
    SHARE,
    Count,
    DepthsMeant,
    Fraction,
    Id,
    LengthsMeant,
    Names,
    Number,
    Part,
    Text,
    Unit,
)

#: What groups can be made by; a depth band is the start, the middle or the end third of the document.
Grouping = Literal["model", "task", "prompt", "context_length", "depth_band"]

Weight = Annotated[float, BARE, Field(gt=0), NO_FLAG]
_OF_METRIC = Unit("as the metric")


class GateEntry(Part):
    """A bound on a figure of each group of cells; decided when all rows are in.

    A group that has cells without a score is undecided, unless the missing scores could not change the verdict.
    """

    id: Id = Field(description="Name in reports; default: the metric.")
    metric: Text = Field(description="What is measured, e.g. mean_score.")
    by: list[Grouping] = Field(
        default_factory=list, description="A gate for each combination of these; none: one gate for all cells."
    )
    min: Annotated[Number | None, _OF_METRIC] = Field(None, description="Smallest value that passes.")
    max: Annotated[Number | None, _OF_METRIC] = Field(None, description="Largest value that passes.")
    severity: Literal["fail", "warn"] = Field("fail", description="Does the gate fail the run, or only warn?")
    known_failures: Literal["include", "exclude"] = Field(
        "include", description="Do known failures count with their score, or not at all?"
    )
    undecided: Literal["fail", "pass"] = Field(
        "fail", description="Does the run fail where errors, a spent budget or a stop leave the gate undecided?"
    )
    model: Names | None = Field(None, description="Only the models of this id, or list of them.")
    task: Names | None = Field(None, description="Only the tasks or families of this id, or list of them.")
    context_lengths: LengthsMeant | None = Field(
        None, description="Only these context lengths, in tokens: a list, or {min, max}."
    )
    depth_percents: DepthsMeant | None = Field(
        None, description="Only these depths, in percent: a list, or {min, max}."
    )
    alpha: Annotated[float, Field(gt=0, lt=0.5), NO_FLAG, SHARE] = Field(
        0.05, description="lower_bound, regression: how often the claim may be wrong."
    )
    absolute: Fraction | None = Field(
        None, description="effective_context_length: least mean score of a length; default 0.856."
    )
    relative: Fraction | None = Field(
        None, description="effective_context_length: the same, as a share of the mean score at short context."
    )
    base_lengths: Count = Field(
        1, description="effective_context_length: how many of the shortest lengths are the short context."
    )
    weights: dict[str, Weight] | None = Field(
        None, min_length=1, description="weighted_score: weight of each task or family, e.g. {single: 0.4, multi: 0.6}."
    )
    options: dict[str, Any] = Field(default_factory=dict, description="Options of a metric of your own.")

    @model_validator(mode="after")
    def _bounded(self) -> GateEntry:
        if self.metric == "regression":
            if self.max is not None:
                raise ValueError("regression takes alpha, and min for a drop that is tolerated, e.g. -0.02; no max")
        elif self.min is None and self.max is None:
            raise ValueError("give min or max, or both")
        if self.min is not None and self.max is not None and self.min > self.max:
            raise ValueError(f"min {self.min:g} is more than max {self.max:g}")
        if self.metric == "weighted_score" and self.weights is None:
            raise ValueError("weighted_score needs weights, e.g. {single: 0.4, multi: 0.6}")
        if self.weights is not None and (self.task is not None or "task" in self.by):
            raise ValueError("weights say which tasks the gate is about and make one figure of them; remove task")
        if self.absolute is not None and self.relative is not None:
            raise ValueError("give either absolute or relative, not both")
        return self


GATE_DEFAULTS = {name: field.get_default(call_default_factory=True) for name, field in GateEntry.model_fields.items()}
