"""``searches:`` of haystack.yaml: tests that pool over the depths of a context length and stop when they know."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from pytest_haystack.config.parts import Count, Fraction, Id, Names, Part, Tokens
from pytest_haystack.config.ranges import Depths, Lengths
from pytest_haystack.config.trials import Risk, Stop, TrialsEntry, check_zone

#: Six rounds of eleven depths: what finds a length within one step of the grid in 95 % of all runs, unless scores
#: decay slowly (see `benchmarks/statistics.py`).
MOST_TRIALS = 66

#: The keys that each metric has for itself.
_OWN_KEYS = {"mean_score": ("context_length",), "effective_context_length": ("min", "context_lengths")}


class SearchEntry(Part):
    """One test item for each model and task: of a claimed context length, or of the longest length that holds."""

    id: Id = Field(description="Name in test ids and reports; default: the metric.")
    metric: Literal["mean_score", "effective_context_length"] = Field(
        description="mean_score: at one length; effective_context_length: find the longest that holds."
    )
    model: Names | None = Field(None, description="Model id, or a list of them; default: all.")
    task: Names | None = Field(None, description="Task id or family, or a list of them; default: all.")
    threshold: Fraction | None = Field(
        None, description="Least mean score (0 to 1) of a length; default: that of the cells."
    )
    context_length: Tokens | None = Field(None, description="mean_score: the claimed length, in tokens.")
    min: Tokens | None = Field(
        None, description="effective_context_length: the shortest length that passes, in tokens."
    )
    context_lengths: Lengths | None = Field(
        None, description="effective_context_length: lengths to look among; default: the task's."
    )
    depth_percents: Depths | None = Field(None, description="Depths that are pooled, in percent; default: the task's.")
    max: Count = Field(MOST_TRIALS, description="Most trials of a length.")
    stop: Stop = Field("sprt", description="When the trials of a length stop; see trials.")
    indifference: Annotated[list[Fraction], Field(min_length=2, max_length=2)] | None = Field(
        None, description="sprt: [low, high] around the threshold; rates between may go either way."
    )
    alpha: Risk = Field(0.05, description="How often a verdict that rests on evidence may be wrong; sprt: a pass.")
    beta: Risk = Field(0.05, description="sprt: how often a fail may be wrong.")

    @model_validator(mode="after")
    def _one_form(self) -> SearchEntry:
        check_zone(self.stop, self.indifference)
        for metric, keys in _OWN_KEYS.items():
            for key in keys:
                if metric != self.metric and getattr(self, key) is not None:
                    raise ValueError(f"{key} belongs to metric: {metric}")
        needed = _OWN_KEYS[self.metric][0]
        if getattr(self, needed) is None:
            raise ValueError(f"give {needed}, in tokens: what {self.metric} is held to")
        return self

    @property
    def trials(self) -> TrialsEntry:
        """How the trials of a length stop."""
        return TrialsEntry(
            max=self.max, stop=self.stop, indifference=self.indifference, alpha=self.alpha, beta=self.beta
        )
