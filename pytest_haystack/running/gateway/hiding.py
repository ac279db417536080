"""Keys that a provider repeats in an answer: taken out before the answer is kept, scored or written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pytest_haystack.models.model import Completion
from pytest_haystack.models.redaction import Redactor, secret_fields, secret_values
from pytest_haystack.running.gateway.settings import ModelSettings

#: Values of variables that are merely called like a key may be ordinary words; those of keys are longer.
_SHORTEST_UNNAMED = 16
_TEXTS = ("text", "reasoning", "refusal", "finish_reason", "provider_model")


def without_keys(completion: Completion, settings: ModelSettings, environment: Mapping[str, str]) -> Completion:
    """The completion without the keys that it was asked with, or that this process knows of."""
    hide = _redactor(settings, environment).exactly
    texts: dict[str, Any] = {name: getattr(completion, name) for name in _TEXTS}
    return replace(completion, **{name: hide(text) for name, text in texts.items() if text is not None})


def _redactor(settings: ModelSettings, environment: Mapping[str, str]) -> Redactor:
    names = {settings.api_key_env, *getattr(settings, "headers_env", {}).values()}
    named = {environment[name] for name in names if name and name in environment}
    guessed = {value for value in secret_values(environment) if len(value) >= _SHORTEST_UNNAMED}
    return Redactor(named | guessed | secret_fields(settings.request))
