"""What the mappings of haystack.yaml are built of: checked numbers and texts, and the base of them all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

#: More tokens than any context window holds; keeps products of a sweep within what a machine can list.
MOST_TOKENS = 1_000_000_000
MOST_POINTS = 10_000


def flag_as_text(value: object) -> object:
    """``true`` and ``false`` as text, so that they are not taken for the numbers 1 and 0."""
    return str(value).lower() if isinstance(value, bool) else value


NO_FLAG = BeforeValidator(flag_as_text)


@dataclass(frozen=True, slots=True)
class Unit:
    """Marks a number with what it is in, for the reference: ``Annotated[float, Unit("seconds")]``; "" for a bare one.

    A whole number that is never negative and bears no mark is a count.
    """

    name: str


#: A number without a unit, such as a seed.
BARE, SECONDS, SHARE, PERCENT, TOKENS = map(Unit, ("", "seconds", "share", "percent", "tokens"))
Whole = Annotated[int, NO_FLAG]
Natural = Annotated[int, Field(ge=0), NO_FLAG]
Positive = Annotated[int, Field(gt=0), NO_FLAG]
Number = Annotated[float, NO_FLAG]
Amount = Annotated[float, Field(ge=0), NO_FLAG, Unit("USD per million tokens")]
#: Ids stand in node ids, file names and shell commands.
Id = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=80)]
Tokens = Annotated[int, Field(gt=0, le=MOST_TOKENS), NO_FLAG, TOKENS]
Percent = Annotated[float, Field(ge=0, le=100), NO_FLAG, PERCENT]
Fraction = Annotated[float, Field(ge=0, le=1), NO_FLAG, SHARE]
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


_AS_LISTED = Unit("tokens or percent, as the key says")


class SpanOf(Part):
    """From ``min`` to ``max``, both included; an open end matches everything on that side."""

    min: Annotated[Number | None, _AS_LISTED] = Field(None, description="Smallest value that matches.")
    max: Annotated[Number | None, _AS_LISTED] = Field(None, description="Largest value that matches.")


#: The context lengths, or depths, that an entry is about.
LengthsMeant = Annotated[list[Whole], Field(min_length=1, max_length=MOST_POINTS), TOKENS] | SpanOf
DepthsMeant = Annotated[list[Number], Field(min_length=1, max_length=MOST_POINTS), PERCENT] | SpanOf

#: A name, or several.
Names = str | Annotated[list[str], Field(min_length=1)]
