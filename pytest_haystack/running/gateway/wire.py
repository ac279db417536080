"""What crosses between client and gateway: addresses as text, completions as JSON values."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from pytest_haystack.models.model import Completion, Usage

_UNIX, _TCP = "unix:", "tcp:"
_COMPLETION_FIELDS = tuple(field.name for field in fields(Completion))
_USAGE_FIELDS = tuple(field.name for field in fields(Usage))


def address_text(address: str | tuple[str, int]) -> str:
    """A socket's address as text: ``unix:/path`` or ``tcp:host:port``."""
    return f"{_UNIX}{address}" if isinstance(address, str) else f"{_TCP}{address[0]}:{address[1]}"


def parse_address(text: str) -> str | tuple[str, int]:
    """The address behind `address_text`. Raises ValueError for any other text."""
    if text.startswith(_UNIX):
        return text[len(_UNIX) :]
    if text.startswith(_TCP):
        host, _, port = text[len(_TCP) :].rpartition(":")
        return host, int(port)
    raise ValueError(f"no address of a gateway: {text!r}")


def pack(value: Mapping[str, Any]) -> bytes:
    """JSON in ASCII: lone surrogates in a model's answer cross as their escapes."""
    return json.dumps(value).encode("ascii")


def unpack(data: bytes) -> dict[str, Any]:
    """The mapping behind `pack`. Raises ValueError for anything else."""
    value = json.loads(data)
    if not isinstance(value, dict):
        raise ValueError("not a mapping")
    return value


def completion_values(completion: Completion) -> dict[str, Any]:
    """A completion as JSON values."""
    values = {name: getattr(completion, name) for name in _COMPLETION_FIELDS}
    values["usage"] = {name: getattr(completion.usage, name) for name in _USAGE_FIELDS}
    return values


def completion_from(values: Mapping[str, Any]) -> Completion:
    """The completion behind `completion_values`."""
    parts = {name: values[name] for name in _COMPLETION_FIELDS if name in values}
    return Completion(
        **{**parts, "usage": Usage(**values["usage"]), "dropped_parameters": tuple(values["dropped_parameters"])}
    )
