"""What the mappings of haystack.yaml are built of: checked numbers and texts, and the base of them all."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

#: More tokens than any context window holds; keeps products of a sweep within what a machine can list.
MOST_TOKENS = 1_000_000_000
MOST_POINTS = 10_000


def flag_as_text(value: object) -> object:
    """``true`` and ``false`` as text, so that they are not taken for the numbers 1 and 0."""
    return str(value).lower() if isinstance(value, bool) else value


NO_FLAG = BeforeValidator(flag_as_text)
Whole = Annotated[int, NO_FLAG]
Natural = Annotated[int, Field(ge=0), NO_FLAG]
Positive = Annotated[int, Field(gt=0), NO_FLAG]
Number = Annotated[float, NO_FLAG]
Amount = Annotated[float, Field(ge=0), NO_FLAG]
#: Ids stand in node ids, file names and shell commands.
Id = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=80)]
Tokens = Annotated[int, Field(gt=0, le=MOST_TOKENS), NO_FLAG]
Percent = Annotated[float, Field(ge=0, le=100), NO_FLAG]
Fraction = Annotated[float, Field(ge=0, le=1), NO_FLAG]
Count = Annotated[int, Field(ge=1, le=MOST_POINTS), NO_FLAG]
Scale = Literal["linear", "log", "sigmoid"]
Text = Annotated[str, Field(min_length=1)]


#: A value of an axis.
Level = Annotated[str | int | float, NO_FLAG]


class Part(BaseModel):
    """Base of every mapping in the config."""

    model_config = ConfigDict(extra="forbid", frozen=True, protected_namespaces=(), allow_inf_nan=False)


#: Name of an environment variable.
Variable = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
#: Names of environment variables by the HTTP header that carries their value.
HeadersEnv = dict[Annotated[str, Field(pattern=r"^[A-Za-z0-9-]+$")], Variable]


class SpanOf(Part):
    """From ``min`` to ``max``, both included; an open end matches everything on that side."""

    min: Number | None = Field(None, description="Smallest value that matches.")
    max: Number | None = Field(None, description="Largest value that matches.")


#: A name, or several.
Names = str | Annotated[list[str], Field(min_length=1)]
