"""What makes two requests the same."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

_ENCODER = json.JSONEncoder(sort_keys=True, default=str)


def answer_key(
    model: str,
    api_base: str | None,
    request: Mapping[str, Any],
    messages: Sequence[Mapping[str, str]],
    trial: int,
    *asker: str,
) -> str:
    """The name of an answer: a hash over the model string, its address, parameters, messages and trial (from 0).

    How answers are scored, and what the config calls the model, is no part of it: neither changes what is sent.
    ``asker`` tells apart what answers in a model's place, such as a fixture, or under its name, such as weights.
    Values of ``headers_env`` are no part of it: they are mostly credentials, and a new one would have everything paid
    for again.
    """
    what = [model, api_base, request, list(messages), trial, *asker]
    return hashlib.sha256(_ENCODER.encode(what).encode("ascii")).hexdigest()
