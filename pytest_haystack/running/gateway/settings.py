"""What the gateway is told of a model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_haystack.models.redaction import Redactor, secret_fields, secret_parts, secret_values


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """An entry of the config, flat. Prices in USD per million tokens; None: not given.

    ``timeout`` is the seconds of one try, ``deadline`` those of all tries of a request. ``headers_env`` has names of
    environment variables by header. A model that the gateway serves itself has the path of its weights in
    ``local_file``, in ``local_mark`` what tells them from others of that name, and in ``local_context`` the tokens that
    one request may take. ``order``, ``warm_up`` and
    ``look_ahead`` are as in `pytest_haystack.running.send_order.sending_of`.
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
    headers_env: Mapping[str, str] = field(default_factory=dict)
    local_file: str | None = None
    local_context: int = 0
    local_mark: tuple[str, ...] = ()
    prompt_cache: str = "automatic"
    order: str = "config"
    warm_up: bool = False
    look_ahead: int = 0

    @classmethod
    def from_entry(cls, entry: Mapping[str, Any]) -> ModelSettings:
        """The settings behind a dump of `pytest_haystack.config.schema.ModelEntry`.

        For a local model the dump has `pytest_haystack.models.local.serving` under ``local``, and beside it the
        ``mark`` of its weights; how requests leave stands under ``sending``.
        """
        local = entry.get("local") or {}
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
            headers_env=entry["headers_env"],
            local_file=local.get("file"),
            local_context=local.get("context", 0),
            local_mark=tuple(local.get("mark", ())),
            prompt_cache=entry["prompt_cache"],
            **entry.get("sending", {}),
        )


def redactor_for(models: Iterable[ModelSettings], environment: Mapping[str, str]) -> Redactor:
    """Hides the keys that these models may be asked with."""
    models = tuple(models)
    named = [model.api_key_env for model in models if model.api_key_env]
    named += [name for model in models for name in model.headers_env.values()]
    written = (secret_fields(model.request) | secret_parts(model.api_base) for model in models)
    return Redactor(secret_values(environment, named).union(*written))
