"""The shape of haystack.yaml, as frozen pydantic models that refuse unknown keys.

Keys that a task type or a haystack source defines itself are kept apart in ``options``; the loader moves them
there and validates them with that type's own model.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

#: Ids stand in node ids, file names and shell commands.
Id = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=80)]
Tokens = Annotated[int, Field(gt=0)]
Percent = Annotated[float, Field(ge=0, le=100)]
Fraction = Annotated[float, Field(ge=0, le=1)]


class Part(BaseModel):
    """Base of every mapping in the config."""

    model_config = ConfigDict(extra="forbid", frozen=True, protected_namespaces=())


class LengthRange(Part):
    """``num`` context lengths from ``min`` to ``max`` tokens."""

    min: Tokens
    max: Tokens
    num: Annotated[int, Field(ge=1)]
    scale: Literal["linear", "log", "sigmoid"] = "linear"


class DepthRange(Part):
    """``num`` depths from ``min`` to ``max`` percent."""

    min: Percent = 0
    max: Percent = 100
    num: Annotated[int, Field(ge=1)] = 11
    scale: Literal["linear", "log", "sigmoid"] = "linear"


Lengths = Annotated[list[Tokens], Field(min_length=1)] | LengthRange
Depths = Annotated[list[Percent], Field(min_length=1)] | DepthRange


class Limits(Part):
    """What a provider may be asked at once; ``timeout`` in seconds, ``retries`` after the first try."""

    requests_per_minute: Annotated[int, Field(gt=0)] | None = None
    tokens_per_minute: Annotated[int, Field(gt=0)] | None = None
    in_flight: Annotated[int, Field(gt=0)] = 16
    timeout: Annotated[float, Field(gt=0)] = 120
    retries: Annotated[int, Field(ge=0)] = 5


class Pricing(Part):
    """USD per million tokens."""

    input: Annotated[float, Field(ge=0)]
    output: Annotated[float, Field(ge=0)]


class ModelEntry(Part):
    """A model under test. ``api_key_env`` names an environment variable, ``context_window`` is in tokens."""

    id: Id
    model: str
    api_key_env: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")] | None = None
    api_base: str | None = None
    request: dict[str, Any] = Field(default_factory=dict)
    limits: Limits = Field(default_factory=Limits)
    context_window: Tokens | None = None
    pricing: Pricing | None = None
    threshold: Fraction | None = None


class HaystackEntry(Part):
    """Where the filler text comes from; ``separator`` stands between repetitions of a text that is too short."""

    source: str = "essays"
    separator: str = "\n\n"
    options: dict[str, Any] = Field(default_factory=dict)


class SweepAxes(Part):
    """The axes. ``reserve`` tokens of each length are kept free; ``depth_tolerance`` is in percentage points."""

    context_lengths: Lengths
    depth_percents: Depths
    trials: Annotated[int, Field(ge=1)] = 1
    seed: int = 42
    seeds: Annotated[list[int], Field(min_length=1)] | None = None
    reserve: Literal["auto"] | Annotated[int, Field(ge=0)] = "auto"
    depth_tolerance: Annotated[float, Field(gt=0, le=100)] = 1.0


class PromptEntry(Part):
    """A preset by name, or a Jinja2 ``template`` with ``document``, ``question`` and ``system``."""

    preset: str | None = None
    template: str | None = None
    system: str | None = None


class ScorerEntry(Part):
    """A scorer by name, with its options."""

    name: str
    options: dict[str, Any] = Field(default_factory=dict)


class TaskEntry(Part):
    """A task of the sweep; None means: as the sweep says. ``options`` are those of the task's type."""

    id: Id
    type: str
    scorer: ScorerEntry | None = None
    prompt: PromptEntry | None = None
    haystack: HaystackEntry | None = None
    threshold: Fraction | None = None
    trials: Annotated[int, Field(ge=1)] | None = None
    context_lengths: Lengths | None = None
    depth_percents: Depths | None = None
    options: dict[str, Any] = Field(default_factory=dict)


class SpanOf(Part):
    """From ``min`` to ``max``, both included; an open end matches everything on that side."""

    min: float | None = None
    max: float | None = None


class KnownFailure(Part):
    """Cells expected to score below their threshold; a key left out matches every cell."""

    model: str | list[str] | None = None
    task: str | list[str] | None = None
    context_lengths: list[int] | SpanOf | None = None
    depth_percents: list[float] | SpanOf | None = None
    reason: str
    strict: bool | None = None
    run: bool = True


class ReportEntry(Part):
    """Where reports go; relative to the folder that pytest was started in."""

    dir: str | None = None


class Config(Part):
    """A whole haystack.yaml."""

    name: Id
    models: Annotated[list[ModelEntry], Field(min_length=1)]
    haystack: HaystackEntry = Field(default_factory=HaystackEntry)
    tokenizer: str = "cl100k_base"
    sweep: SweepAxes
    tasks: Annotated[list[TaskEntry], Field(min_length=1)]
    prompt: PromptEntry = Field(default_factory=lambda: PromptEntry(preset="default"))
    threshold: Fraction = 1.0
    known_failures: list[KnownFailure] = Field(default_factory=list)
    report: ReportEntry = Field(default_factory=ReportEntry)
