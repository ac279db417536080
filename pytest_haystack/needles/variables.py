"""Variables of needle templates: what each draw may be."""

from __future__ import annotations

import random
from datetime import date, timedelta
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from pytest_haystack.config.parts import BARE
from pytest_haystack.needles.draws import pick, uuid_text, whole
from pytest_haystack.needles.names import stem
from pytest_haystack.needles.values import ValueOptions, draw_value

FIRST_DATE, LAST_DATE = date(2000, 1, 1), date(2029, 12, 31)
HEX_LENGTH = 8
#: An invented word has one of at least this many forms.
WORDS = 10**6

#: The options of each type; all others have none.
OPTIONS = {
    "wordlist": ("values",),
    "random_int": ("min", "max"),
    "random_float": ("min", "max"),
    "random_hex": ("length",),
    "date": ("min", "max"),
}


class Variable(BaseModel):
    """A variable of a template.

    ``wordlist`` draws one of ``values``; ``random_int`` and ``random_float`` (two decimals) a number from ``min`` to
    ``max``, both included (default 1000 to 9999, and 1 to 1000); ``random_hex`` is ``length`` hex digits (default 8);
    ``random_word`` an invented word; ``uuid`` a random UUID; ``date`` a day from ``min`` to ``max``, as 2024-05-31.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    type: Literal["wordlist", "random_int", "random_float", "random_hex", "random_word", "uuid", "date"] = Field(
        description="What is drawn; random_word is an invented word, date a day such as 2024-05-31."
    )
    values: Annotated[tuple[str, ...], Field(min_length=1)] | None = Field(
        None, description="wordlist: the texts that one is drawn of."
    )
    min: Annotated[float | date | None, BARE] = Field(
        None,
        description="Smallest number or first day; default: 1000 (random_int), 1 (random_float), 2000-01-01.",
    )
    max: Annotated[float | date | None, BARE] = Field(
        None,
        description="Largest number or last day; default: 9999 (random_int), 1000 (random_float), 2029-12-31.",
    )
    length: Annotated[int, Field(ge=1, le=128)] | None = Field(None, description="random_hex: digits; default: 8.")

    @model_validator(mode="after")
    def _options_fit_the_type(self) -> Variable:
        given = [name for name in ("values", "min", "max", "length") if getattr(self, name) is not None]
        for name in given:
            if name not in OPTIONS.get(self.type, ()):
                raise ValueError(f"{name} is no option of {self.type}; it has {_listed(OPTIONS.get(self.type, ()))}")
        if self.type == "wordlist" and self.values is None:
            raise ValueError("a wordlist needs values: a list of texts")
        if self.type == "date":
            self._days()
        elif self.type in ("random_int", "random_float"):
            self._numbers()
        return self

    @model_serializer(mode="wrap")
    def _without_blanks(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {key: value for key, value in handler(self).items() if value is not None}

    def draw(self, rng: random.Random) -> str:
        """A value as it stands in the text."""
        if self.type == "wordlist":
            return pick(rng, self.values or ("",))
        if self.type in ("random_int", "random_float"):
            return draw_value(rng, self._numbers())
        if self.type == "random_hex":
            return "".join(f"{whole(rng, 0, 15):x}" for _ in range(self.length or HEX_LENGTH))
        if self.type == "random_word":
            return stem(rng).lower()
        if self.type == "uuid":
            return uuid_text(rng)
        first, days = self._days()
        return (first + timedelta(days=whole(rng, 0, days))).isoformat()

    @property
    def chance(self) -> float:
        """Probability (0 to 1) that a blind guess, made knowing this definition, is right."""
        if self.type == "wordlist":
            values = self.values or ("",)
            return max(values.count(value) for value in values) / len(values)
        if self.type in ("random_int", "random_float"):
            return self._numbers().chance
        if self.type == "date":
            return 1 / (self._days()[1] + 1)
        bits = {"random_hex": 4 * (self.length or HEX_LENGTH), "uuid": 122}
        return 2.0 ** -bits[self.type] if self.type in bits else 1 / WORDS

    def _numbers(self) -> ValueOptions:
        if isinstance(self.min, date) or isinstance(self.max, date):
            raise ValueError(f"min and max of {self.type} are numbers")
        return ValueOptions(type="int" if self.type == "random_int" else "float", min=self.min, max=self.max)

    def _days(self) -> tuple[date, int]:
        """The first day, and how many days later the last one is."""
        first, last = self.min or FIRST_DATE, self.max or LAST_DATE
        if not isinstance(first, date) or not isinstance(last, date):
            raise ValueError("min and max of a date are dates such as 2024-05-31")
        if first > last:
            raise ValueError(f"min {first} is after max {last}")
        return first, (last - first).days


def _listed(names: tuple[str, ...]) -> str:
    return " and ".join(names) or "none"
