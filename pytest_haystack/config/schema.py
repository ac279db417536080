"""The shape of haystack.yaml, as frozen pydantic models that refuse unknown keys.

Keys that a task type or a haystack source defines itself are kept apart in ``options``; the loader moves them
there and validates them with that type's own model.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from pytest_haystack.config.budget import Budget
from pytest_haystack.config.gates import GateEntry
from pytest_haystack.config.haystack import HaystackEntry
from pytest_haystack.config.parts import (
    MOST_POINTS,
    MOST_TOKENS,
    NO_FLAG,
    Amount,
    Count,
    Fraction,
    HeadersEnv,
    Id,
    Level,
    Names,
    Natural,
    Number,
    Part,
    Positive,
    SpanOf,
    Text,
    Tokens,
    Variable,
    Whole,
)
from pytest_haystack.config.ranges import Depths, Lengths
from pytest_haystack.config.searches import SearchEntry
from pytest_haystack.config.trials import TrialsEntry


class Limits(Part):
    """What a provider may be asked at once; times in seconds, ``retries`` after the first try."""

    requests_per_minute: Positive | None = Field(None, description="Requests a minute.")
    tokens_per_minute: Positive | None = Field(None, description="Input tokens a minute.")
    in_flight: Positive = Field(16, description="Requests that wait for an answer at once.")
    timeout: Annotated[float, Field(gt=0), NO_FLAG] = Field(120, description="Seconds to wait for an answer.")
    retries: Natural = Field(5, description="Tries after the first one.")
    deadline: Annotated[float, Field(gt=0), NO_FLAG] = Field(
        900, description="Seconds for one request with all its tries and the pauses between them."
    )


class Pricing(Part):
    """USD per million tokens."""

    input: Amount = Field(description="USD per million input tokens.")
    output: Amount = Field(description="USD per million output tokens.")


class ModelEntry(Part):
    """A model under test. ``api_key_env`` and ``headers_env`` name environment variables; ``context_window`` is in
    tokens.
    """

    id: Id = Field(description="Name in test ids and reports; default: the last part of the model string.")
    model: Text = Field(
        description="A litellm model string, local/NAME, local:FILE.gguf, simulated/PROFILE or python:MODULE:CALLABLE."
    )
    api_key_env: Variable | None = Field(
        None, description="Name of the environment variable that holds the key; never the key."
    )
    api_base: str | None = Field(None, description="Address of the API, where it is not the provider's own.")
    headers_env: HeadersEnv = Field(default_factory=dict, description="Headers, and the variables that hold them.")
    request: dict[str, Any] = Field(default_factory=dict, description="Request parameters, forwarded as they are.")
    limits: Limits = Field(default_factory=Limits, description="What the provider may be asked at once.")
    context_window: Tokens | None = Field(None, description="Tokens the model takes in; default: what is known of it.")
    pricing: Pricing | None = Field(None, description="USD per million tokens; default: what is known of it.")
    threshold: Fraction | None = Field(None, description="Least mean score (0 to 1) of this model's cells.")


class SweepAxes(Part):
    """The axes. ``reserve`` tokens of each length are kept free; ``depth_tolerance`` is in percentage points."""

    context_lengths: Lengths = Field(description="Context lengths in tokens: a list or a range.")
    depth_percents: Depths = Field(description="Depths in percent, 0 (start) to 100 (end): a list or a range.")
    trials: Count | TrialsEntry = Field(
        1, description="Trials of each cell, each with a needle of its own: a number, or {max, stop}."
    )
    seed: Whole = Field(42, description="Seed of everything random.")
    seeds: Annotated[list[Whole], Field(min_length=1, max_length=MOST_POINTS)] | None = Field(
        None, description="Seeds, one trial each."
    )
    reserve: Literal["auto"] | Annotated[int, Field(ge=0, le=MOST_TOKENS), NO_FLAG] = Field(
        "auto", description="Tokens of each length that are kept free; auto: as few as the model's window allows."
    )
    depth_tolerance: Annotated[float, Field(gt=0, le=100), NO_FLAG] = Field(
        1.0, description="Percentage points that a needle may stand away from its depth."
    )


class PromptEntry(Part):
    """A preset by name, or a Jinja2 ``template`` with ``document``, ``question`` and ``system``."""

    id: Id | None = Field(None, description="Name among several prompts; default: the preset's.")
    preset: str | None = Field(None, description="Name of a prompt that comes with the package.")
    template: str | None = Field(None, description="Jinja2 text with {{ document }} and {{ question }}.")
    system: str | None = Field(None, description="System message.")
    prefill: Text | None = Field(
        None, description="How the assistant's turn begins, where the provider lets a model continue it."
    )

    @model_validator(mode="after")
    def _one_wording(self) -> PromptEntry:
        if self.preset is not None and self.template is not None:
            raise ValueError("give either preset or template, not both")
        return self


class ScorerEntry(Part):
    """A scorer by name, with its options."""

    name: Text = Field(description="Name of the scorer.")
    options: dict[str, Any] = Field(default_factory=dict, description="Options of the scorer.")


class TaskEntry(Part):
    """A task of the sweep; None means: as the sweep says. ``options`` are those of the task's type.

    An entry with several prompts, or with a list for an option that is an axis, comes out of the loader as its
    variants: one entry each, which know the ``family`` that was written and their place in it.
    """

    id: Id = Field(description="Name in test ids, gates, reports and known failures; default: the type.")
    type: Text = Field(description="Kind of task.")
    family: Id | None = Field(None, description="Id of the entry that this one is a variant of.")
    variant: dict[str, Level] = Field(default_factory=dict, description="Value of each axis of the family.")
    scorer: ScorerEntry | None = Field(None, description="Scorer; default: the one of the task's type.")
    prompt: PromptEntry | None = Field(None, description="Prompt; default: the sweep's.")
    haystack: HaystackEntry | None = Field(None, description="Haystack; default: the sweep's.")
    threshold: Fraction | None = Field(None, description="Least mean score (0 to 1) of this task's cells.")
    trials: Count | TrialsEntry | None = Field(None, description="Trials of each cell; default: the sweep's.")
    context_lengths: Lengths | None = Field(None, description="Context lengths in tokens; default: the sweep's.")
    depth_percents: Depths | None = Field(None, description="Depths in percent; default: the sweep's.")
    options: dict[str, Any] = Field(default_factory=dict, description="Options of the task's type.")


class KnownFailure(Part):
    """Cells expected to score below their threshold; a key left out matches every cell."""

    model: Names | None = Field(None, description="Model id, or a list of them.")
    task: Names | None = Field(None, description="Task id or family, or a list of them.")
    context_lengths: Annotated[list[Whole], Field(min_length=1, max_length=MOST_POINTS)] | SpanOf | None = Field(
        None, description="Context lengths in tokens: a list, or {min, max}."
    )
    depth_percents: Annotated[list[Number], Field(min_length=1, max_length=MOST_POINTS)] | SpanOf | None = Field(
        None, description="Depths in percent: a list, or {min, max}."
    )
    reason: Text = Field(description="Why these cells fail; shown with each xfail.")
    strict: bool | None = Field(None, description="Does a pass fail the run? Default: pytest's xfail_strict.")
    run: bool = Field(True, description="false: do not even ask.")


class ReportEntry(Part):
    """Where reports go; relative to the folder that pytest was started in."""

    dir: Text | None = Field(None, description="Report folder; default: haystack-report.")


class Config(Part):
    """A whole haystack.yaml."""

    name: Id = Field(description="Name of the sweep; default: the file's name without its ending.")
    models: Annotated[list[ModelEntry], Field(min_length=1)] = Field(description="Models under test.")
    haystack: HaystackEntry = Field(default_factory=HaystackEntry, description="Where the filler text comes from.")
    tokenizer: str = Field("cl100k_base", description="What lengths are counted with: a vocabulary, or hf:FILE.")
    sweep: SweepAxes = Field(description="The axes: context lengths, depths, trials.")
    tasks: Annotated[list[TaskEntry], Field(min_length=1)] = Field(description="What is hidden, and what is asked.")
    prompt: PromptEntry = Field(
        default_factory=lambda: PromptEntry(preset="default"), description="How the model is asked."
    )
    threshold: Fraction = Field(1.0, description="Least mean score (0 to 1) of every cell.")
    budget: Budget = Field(default_factory=Budget, description="What a run may spend on paid models.")
    gates: list[GateEntry] = Field(default_factory=list, description="What must hold of all answers together.")
    searches: list[SearchEntry] = Field(
        default_factory=list, description="Tests that pool over depths and stop when they know."
    )
    baseline: Text | None = Field(
        None, description="Rows of an earlier run, or its report folder, that this one must not be worse than."
    )
    known_failures: list[KnownFailure] = Field(default_factory=list, description="Cells expected to fail.")
    store: Text | None = Field(
        None, description="Where answers are kept: a folder, from here, or redis://HOST/DB; default: .haystack."
    )
    report: ReportEntry = Field(default_factory=ReportEntry, description="Where reports go.")
