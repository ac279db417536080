"""What a row must be like to be read back: files of rows are edited by hand, mixed and cut by other programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pytest_haystack.scoring.outcomes import Outcome

#: Beyond any cost, time or count, and within what figures are drawn of.
_MOST = 1e12


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _mapping(value: Any) -> bool:
    return isinstance(value, dict)


def _number(value: Any, low: float, high: float) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high


def _whole(low: int) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, int) and _number(value, low, _MOST)


def _or_null(check: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: value is None or check(value)


_AMOUNT = _or_null(lambda value: _number(value, -_MOST, _MOST))

_OUTCOMES = tuple(map(str, Outcome))

#: Fields that every row has, what tells that one holds what it should, and words for that.
_FIELDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    **dict.fromkeys(("nodeid", "model_id", "model", "task", "run_id", "timestamp_utc"), (_text, "a text")),
    "outcome": (lambda value: value in _OUTCOMES, "an outcome, such as answered or infra_error"),
    "schema_version": (_whole(1), "a whole number from 1"),
    "trial": (_whole(0), "a whole number from 0"),
    "context_length": (_whole(1), "a whole number from 1"),
    "depth_percent": (lambda value: _number(value, 0, 100), "a number from 0 to 100"),
    "score": (_or_null(lambda value: _number(value, 0, 1)), "a number from 0 to 1, or null"),
    **dict.fromkeys(("score_details", "usage", "recipe"), (_mapping, "a mapping")),
    **dict.fromkeys(("cost_usd", "latency_seconds"), (_AMOUNT, "a number, or null")),
    **dict.fromkeys(("response", "error"), (_or_null(_text), "a text, or null")),
    **dict.fromkeys(("task_type", "seed", "question", "expected"), (lambda value: True, "anything")),
}


def fault_of(row: Any) -> str | None:
    """What is wrong with a JSON value that should be a row: ``field: words``; None where nothing is."""
    if not isinstance(row, Mapping):
        return "not a row of results"
    for name, (holds, words) in _FIELDS.items():
        if name not in row:
            return f"{name}: missing"
        if not holds(row[name]):
            return f"{name}: must be {words}"
    counts = [name for name, value in row["usage"].items() if not _AMOUNT(value)]
    return f"usage.{counts[0]}: must be a number, or null" if counts else None
