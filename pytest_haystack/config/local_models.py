"""Entries of local models: what they are asked with where the config says nothing, and what they cannot have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_haystack.config.draft import Draft
from pytest_haystack.config.local_names import is_local

#: What an entry of a local model is asked with where it says nothing: one request at a time, of which each has to
#: wait for no other.
_REQUEST: Mapping[str, Any] = {"temperature": 0, "max_tokens": 64}
_LIMITS: Mapping[str, Any] = {"in_flight": 1, "timeout": 600}
#: Keys of an entry that are about somebody else's server.
_FOREIGN = ("api_base", "api_key_env", "headers_env", "prompt_cache")


def complete_local_models(draft: Draft) -> None:
    """Fill in request and limits of local models; a mistake for each key that is for other servers."""
    for index, entry in draft.entries("models"):
        model = entry.get("model")
        if not isinstance(model, str) or not is_local(model):
            continue
        for key in _FOREIGN:
            if entry.get(key) is not None:
                draft.problem(("models", index, key), "a local model has its own server; remove this key")
        _default(entry, "limits", _LIMITS)
        _default(entry, "request", _REQUEST)


def _default(entry: dict[str, Any], key: str, defaults: Mapping[str, Any]) -> None:
    given = entry.get(key, {})
    if isinstance(given, dict):
        if "max_completion_tokens" in given:
            defaults = {name: value for name, value in defaults.items() if name != "max_tokens"}
        entry[key] = {**defaults, **given}
