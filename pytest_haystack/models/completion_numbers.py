"""The numbers of a completion that somebody's own model made."""

from __future__ import annotations

import math
from dataclasses import fields, replace
from numbers import Integral, Real
from typing import Any

from pytest_haystack.errors import ModelError
from pytest_haystack.models.model import Completion, Usage

_COUNTS = tuple(field.name for field in fields(Usage))


def with_numbers(completion: Completion) -> Completion:
    """The completion with numbers of Python, whatever library they came from. Raises ModelError where one is none."""
    changed: dict[str, Any] = {}
    for name in ("latency_seconds", "cost_usd"):
        value = getattr(completion, name)
        if value is None or type(value) is float:
            continue
        if not isinstance(value, Real) or isinstance(value, bool):
            raise _wrong(name, value, "no number")
        changed[name] = float(value)
    if not isinstance(completion.usage, Usage):
        raise _wrong("usage", completion.usage, "no Usage")
    counts = {name: getattr(completion.usage, name) for name in _COUNTS}
    odd = {name: value for name, value in counts.items() if value is not None and type(value) is not int}
    if odd:
        changed["usage"] = replace(completion.usage, **{name: _whole(name, value) for name, value in odd.items()})
    return replace(completion, **changed) if changed else completion


def _whole(name: str, value: Any) -> int:
    if isinstance(value, Real) and not isinstance(value, bool):
        if isinstance(value, Integral):
            return int(value)
        number = float(value)
        if math.isfinite(number) and number.is_integer():
            return int(number)
    raise _wrong(f"usage.{name}", value, "no whole number")


def _wrong(name: str, value: Any, what: str) -> ModelError:
    return ModelError("config_error", f"the model returned a Completion whose {name} is {value!r}, {what}")
