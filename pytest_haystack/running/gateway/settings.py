"""What the gateway is told of a model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_haystack.models.redaction import Redactor, secret_fields, secret_values


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """An entry of the config, flat. Prices in USD per million tokens; None: not given.

    ``timeout`` is the seconds of one try, ``deadline`` those of all tries of a request.
    """

    id: str
    model: str
    api_key_env: str | None
    api_base: str | None
    request: Mapping[str, Any]
    requests_per_minute: int | None
    tokens_per_minute: int | None
    in_flight: int
    timeout: float
    deadline: float
    retries: int
    input_price: float | None
    output_price: float | None

    @classmethod
    def from_entry(cls, entry: Mapping[str, Any]) -> ModelSettings:
        """The settings behind a dump of `pytest_haystack.config.schema.ModelEntry`."""
        limits = entry["limits"]
        pricing = entry["pricing"] or {}
        return cls(
            id=entry["id"],
            model=entry["model"],
            api_key_env=entry["api_key_env"],
            api_base=entry["api_base"],
            request=entry["request"],
            requests_per_minute=limits["requests_per_minute"],
            tokens_per_minute=limits["tokens_per_minute"],
            in_flight=limits["in_flight"],
            timeout=limits["timeout"],
            deadline=limits["deadline"],
            retries=limits["retries"],
            input_price=pricing.get("input"),
            output_price=pricing.get("output"),
        )


def redactor_for(models: Iterable[ModelSettings], environment: Mapping[str, str]) -> Redactor:
    """Hides the keys that these models may be asked with."""
    models = tuple(models)
    named = [model.api_key_env for model in models if model.api_key_env]
    return Redactor(secret_values(environment, named).union(*(secret_fields(model.request) for model in models)))
