"""Config entries as the gateway gets them."""

from __future__ import annotations

from typing import Any

from pytest_haystack.config.schema import ModelEntry

#: The variable that entries name, and a key in it that must never be seen.
KEY_ENV = "GATEWAY_TEST_KEY"
CANARY = "canary-5f0e9d71c3-must-not-be-seen"


def entry(
    model_id: str,
    api_base: str | None,
    *,
    model: str = "openai/gpt-4o-mini",
    api_key_env: str | None = KEY_ENV,
    request: dict[str, Any] | None = None,
    pricing: dict[str, float] | None = None,
    **limits: Any,
) -> dict[str, Any]:
    """A dump of an entry; further arguments are its limits. Without ``retries`` nothing is tried again."""
    return ModelEntry.model_validate(
        {
            "id": model_id,
            "model": model,
            "api_base": api_base,
            "api_key_env": api_key_env,
            "request": request or {},
            "pricing": pricing,
            "limits": {"retries": 0, "timeout": 20} | limits,
        }
    ).model_dump(mode="json")


def say(text: str) -> list[dict[str, str]]:
    """Messages of one user turn."""
    return [{"role": "user", "content": text}]
