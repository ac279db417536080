"""What a validation error says, in the reader's words: no library jargon, no class names."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from pytest_haystack.config.yaml_text import KeyPath
from pytest_haystack.registry import suggestion

_LIST = "a list"
_MAPPING = "a mapping of keys to values"
_WHOLE = "a whole number"

#: Beginning of a validator's error type to what the value should have been.
_KINDS = {
    "int_": _WHOLE,
    "float_": "a number",
    "finite_number": "a number",
    "decimal_": "a number",
    "bool_": "true or false",
    "date_": "a date such as 2024-05-31",
    "string_type": "text",
    "list_type": _LIST,
    "tuple_type": _LIST,
    "set_type": _LIST,
    "frozen_set_type": _LIST,
    "iterable_type": _LIST,
    "dict_type": _MAPPING,
    "mapping_type": _MAPPING,
    "model_type": _MAPPING,
    "model_attributes_type": _MAPPING,
    "none_required": "null",
}

_TOKEN_FIELDS = {"context_lengths", "reserve", "context_window"}
_AMOUNT = re.compile(r"^\$?([0-9][0-9_,]*(?:\.[0-9]+)?)\s*([kKmM]?)(?:[iI]?[bB])?\s*(?:tokens?|%|usd|USD|\$)?$")
_SPAN = re.compile(r"^([0-9]+)\s*(?:-|\.\.\.?|to|:)\s*([0-9]+)$")
_DURATION = re.compile(r"^([0-9]+(?:\.[0-9]+)?)\s*(s|sec|seconds?|m|min|minutes?|h|hours?)$")
_SECONDS = {"s": 1, "m": 60, "h": 3600}
#: Keys in seconds, shares from 0 to 1, and mappings that hold one number or text above all.
_DURATION_FIELDS = {"timeout", "deadline"}
_SHARE_FIELDS = {"threshold", "absolute", "relative", "rel_tol", "alpha", "beta", "indifference"}
_MAIN_KEYS = {"budget": "usd", "report": "dir"}


def expected_kind(error: Mapping[str, Any], path: KeyPath) -> str | None:
    """What kind of value belongs there (``a whole number``), None where the kind is right and something else is not."""
    kind: str = error["type"]
    if kind in ("literal_error", "enum"):
        choices = choices_of(error)
        return f"one of {', '.join(choices)}" if len(choices) > 1 else repr(choices[0])
    words = next((words for start, words in _KINDS.items() if kind.startswith(start)), None)
    if words == _WHOLE and not _TOKEN_FIELDS.isdisjoint(path) and path[-1] != "num":
        return "a number of tokens"
    return words


def choices_of(error: Mapping[str, Any]) -> list[str]:
    """The values that a field with fixed choices takes."""
    expected = str(error.get("ctx", {}).get("expected", ""))
    return re.findall(r"'([^']*)'", expected) or [expected]


def wrong_kind(value: Any, kinds: list[str], choices: list[str], path: KeyPath = (), *, hints: bool) -> str:
    """``'4k' is not a number of tokens; write 4000``. ``hints`` False: nothing may be derived from the value."""
    wanted = " or ".join(dict.fromkeys(kinds))
    if value is None:
        return f"has no value; expected {wanted}"
    words = f"{shown(value)} is not {wanted}"
    hint = _hint(value, kinds, choices, path) if hints else ""
    return f"{words}; {hint}" if hint else words


def _hint(value: Any, kinds: list[str], choices: list[str], path: KeyPath) -> str:
    numeric = any("number" in kind for kind in kinds)
    if kinds == [_MAPPING] and not isinstance(value, list) and path:
        return _mapped(value, path)
    if isinstance(value, str):
        if _LIST in kinds and (ends := _SPAN.match(value.strip())):
            return f"write {{min: {ends[1]}, max: {ends[2]}, num: 5}}"
        if amount := _amount(value, path) if numeric or _LIST in kinds else "":
            return f"write {amount}" if numeric else f"write [{amount}]"
        if kinds == [_LIST]:
            return _listed(value, path)
        longer = [choice for choice in choices if choice and value.lower().startswith(choice)]
        close = f"did you mean {longer[0]!r}?" if longer else suggestion(value, choices) if choices else ""
        return close if close.startswith("did you mean") else ""
    if kinds == [_LIST] and isinstance(value, dict):
        return "begin each entry with '- '"
    if kinds == ["text"] and isinstance(value, (bool, int, float)):
        return f'write "{shown(value)}"'
    if _LIST in kinds and isinstance(value, (int, float)):
        return f"write [{shown(value)}]"
    return ""


def _mapped(value: Any, path: KeyPath) -> str:
    """A single value as the mapping that it was meant for."""
    key = str(path[-1])
    if key == "needle" and isinstance(value, int):
        return "did you mean 'needles'?"
    if key == "pricing":
        return "write {input: USD, output: USD}, per million tokens"
    main = _MAIN_KEYS.get(key)
    amount = _amount(value, path) if isinstance(value, str) else ""
    return f"write {{{main}: {amount or shown(value).strip(chr(39))}}}" if main else ""


def _listed(value: str, path: KeyPath) -> str:
    """A single entry as a list of one."""
    if re.fullmatch(r"[\w./-]{1,60}", value) is None:
        return ""
    return f"write [{{model: {value}}}]" if path[-1:] == ("models",) else f"write [{value}]"


def _amount(text: str, path: KeyPath = ()) -> str:
    """``4k`` as ``4000``, ``1,000`` as ``1000``, ``50%`` as ``50``, or as ``0.5`` where a share belongs, ``2m`` as
    ``120`` where seconds do; "" for what is no amount.
    """
    text = text.strip()
    if len(text) > 20:
        return ""
    if not _DURATION_FIELDS.isdisjoint(path):
        duration = _DURATION.match(text)
        return f"{float(duration[1]) * _SECONDS[duration[2][0]]:g}" if duration else ""
    match = _AMOUNT.match(text)
    if match is None:
        return ""
    number = float(re.sub("[_,]", "", match[1])) * {"": 1, "k": 1_000, "m": 1_000_000}[match[2].lower()]
    if text.endswith("%") and (path[:1] == ("gates",) or not _SHARE_FIELDS.isdisjoint(path)):
        number /= 100
    return f"{number:.0f}" if number == int(number) else f"{number:g}"


def shown(value: Any) -> str:
    """A value as messages show it: short, and in YAML's words."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return _MAPPING
    if isinstance(value, list):
        return _LIST
    if value is None:
        return "null"
    text = str(value) if isinstance(value, (int, float)) else repr(str(value))
    return text if len(text) <= 64 else f"{text[:40]}...{text[-16:]}"


def wrong_value(error: Mapping[str, Any], value: Any, path: KeyPath, *, hints: bool) -> str:
    """What is wrong with a value of the right kind."""
    kind, context = error["type"], error.get("ctx", {})
    if kind in _BOUNDS:
        words = f"{shown(value)} {_BOUNDS[kind](context)}"
        share = _as_share(value) if hints and path[-1:] == ("threshold",) and kind == "less_than_equal" else ""
        return f"{words}; did you mean {share}?" if share else words
    if kind == "too_short":
        least = context["min_length"]
        return "the list is empty" if least == 1 else f"the list has fewer than {least} entries"
    if kind == "too_long":
        return f"the list has more than {context['max_length']} entries"
    if kind == "string_too_short":
        return "is empty"
    if kind == "string_pattern_mismatch":
        return (
            f"{shown(value)} {_pattern_words(context['pattern'])}{_fitting(value, context['pattern']) if hints else ''}"
        )
    message = str(context["error"]) if "error" in context else str(error["msg"])
    if kind in ("value_error", "assertion_error"):
        return message or "is not valid"
    return f"{shown(value)}: {message.replace('Input should', 'should')}"


_BOUNDS: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "greater_than": lambda context: f"is too small; must be more than {_plain(context['gt'])}",
    "greater_than_equal": lambda context: f"is too small; must be at least {_plain(context['ge'])}",
    "less_than": lambda context: f"is too large; must be less than {_plain(context['lt'])}",
    "less_than_equal": lambda context: f"is too large; must be at most {_plain(context['le'])}",
    "string_too_long": lambda context: f"is longer than {context['max_length']} characters",
}


def _plain(number: Any) -> str:
    return str(int(number)) if isinstance(number, float) and number.is_integer() else str(number)


def _as_share(value: Any) -> str:
    """A percentage as a fraction: 90 as 0.9, and 9 too."""
    number = value if isinstance(value, (int, float)) else None
    return f"{number / (10 if number < 10 else 100):g}" if number is not None and 1 < number <= 100 else ""


def _fitting(value: Any, pattern: str) -> str:
    """What a text that does not have a form may be meant for: ``my-reader`` for ``my reader``, ``KEY`` for ``$KEY``."""
    text = re.sub(r"[^A-Za-z0-9._-]+", "-", str(value)).strip("-._")
    if not text or len(text) > 40 or re.match(pattern, text) is None or text.upper() == str(value).upper():
        return ""
    return f"; write {text}"


def _pattern_words(pattern: str) -> str:
    if pattern.startswith("^[A-Za-z0-9][A-Za-z0-9._-]"):
        return "is not usable as an id; use letters, digits, '.', '_' and '-', with a letter or digit first"
    if pattern.startswith("^[A-Za-z_][A-Za-z0-9_]"):
        return "is not the name of an environment variable"
    return f"does not have the form {pattern}"
