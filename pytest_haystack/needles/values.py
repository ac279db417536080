"""The values that facts state: codes such as ``QR-7749``, integers, or numbers with two decimals."""

from __future__ import annotations

import math
import random
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from pytest_haystack.config.parts import BARE
from pytest_haystack.needles.draws import pick, whole

#: Without I and O, which are taken for digits.
CODE_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"
#: Where the config states no range, both ends included.
DEFAULT_RANGES: dict[str, tuple[float, float]] = {"int": (1000, 9999), "float": (1, 1000)}
#: Floats are drawn in steps of one hundredth, so that they are written exactly.
STEPS_PER_UNIT = {"int": 1, "float": 100}


#: What the option is, for the reference.
VALUE = "What kind of value invented facts state."


class ValueOptions(BaseModel):
    """The option ``value:`` of a task. ``min`` and ``max`` (both included) go with ``int`` and ``float``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    type: Literal["code", "int", "float"] = Field(
        "code", description="code: such as QR-7749; int: a whole number; float: one with two decimals."
    )
    min: Annotated[float | None, BARE] = Field(
        None, description="int, float: smallest value; default: 1000 (int), 1 (float)."
    )
    max: Annotated[float | None, BARE] = Field(
        None, description="int, float: largest value; default: 9999 (int), 1000 (float)."
    )

    @model_validator(mode="after")
    def _range_holds_a_value(self) -> ValueOptions:
        if self.type == "code":
            if self.min is not None or self.max is not None:
                raise ValueError("min and max go with type int or float, not with type code")
        elif not all(math.isfinite(end) for end in self.ends):
            raise ValueError("min and max must be finite numbers")
        elif self.steps[0] > self.steps[1]:
            what = "integer" if self.type == "int" else "number of two decimals"
            raise ValueError(f"there is no {what} from min {self.ends[0]:g} to max {self.ends[1]:g}")
        return self

    @property
    def ends(self) -> tuple[float, float]:
        """The range that numbers are drawn from, defaults filled in."""
        low, high = DEFAULT_RANGES[self.type]
        return (low if self.min is None else self.min, high if self.max is None else self.max)

    @property
    def steps(self) -> tuple[int, int]:
        """The range in whole steps: units for int, hundredths for float."""
        low, high = self.ends
        scale = STEPS_PER_UNIT[self.type]
        # Rounding first keeps 0.07 x 100 = 7.000000000000001 from losing the value 0.07.
        return math.ceil(round(low * scale, 6)), math.floor(round(high * scale, 6))

    @property
    def chance(self) -> float:
        """Probability (0 to 1) that a blind guess from the range is right."""
        if self.type == "code":
            return 1 / (len(CODE_LETTERS) ** 2 * 10**4)
        low, high = self.steps
        return 1 / (high - low + 1)


def draw_value(rng: random.Random, options: ValueOptions) -> str:
    """A value as it stands in the text."""
    if options.type == "code":
        return f"{pick(rng, CODE_LETTERS)}{pick(rng, CODE_LETTERS)}-{whole(rng, 0, 9999):04d}"
    step = whole(rng, *options.steps)
    if options.type == "int":
        return str(step)
    sign = "-" if step < 0 else ""
    return f"{sign}{abs(step) // 100}.{abs(step) % 100:02d}"
