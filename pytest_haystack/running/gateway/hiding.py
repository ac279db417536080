"""Keys that a provider repeats in an answer: taken out before the answer is kept, scored or written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pytest_haystack.models.model import Completion
from pytest_haystack.models.redaction import Redactor, secret_fields, secret_parts, secret_values
from pytest_haystack.running.gateway.settings import ModelSettings

#: Values of variables that are merely called like a key may be ordinary words; those of keys are longer.
_SHORTEST_UNNAMED = 16


def without_keys(completion: Completion, settings: ModelSettings, environment: Mapping[str, str]) -> Completion:
    """The completion without the keys that it was asked with, or that this process knows of."""
    redactor = _redactor(settings, environment)

    def hidden(text: str | None) -> str | None:
        return None if text is None else redactor.exactly(text)

    return replace(
        completion,
        text=hidden(completion.text),
        reasoning=hidden(completion.reasoning),
        refusal=hidden(completion.refusal),
        finish_reason=hidden(completion.finish_reason),
        provider_model=hidden(completion.provider_model),
    )


def _redactor(settings: ModelSettings, environment: Mapping[str, str]) -> Redactor:
    names = {settings.api_key_env, *getattr(settings, "headers_env", {}).values()}
    named = {environment[name] for name in names if name and name in environment}
    guessed = {value for value in secret_values(environment) if len(value) >= _SHORTEST_UNNAMED}
    return Redactor(named | guessed | secret_fields(settings.request) | secret_parts(settings.api_base))
