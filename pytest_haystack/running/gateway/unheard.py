"""What litellm works out after each answer for nobody: left out, for it takes a quarter of a request's CPU time.

Where a version of litellm has no such method nothing is changed, and only time is lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import wraps
from importlib import import_module
from typing import Any

#: litellm's lists of those who want to hear of answers, and a request's own.
_LISTENERS = ("callbacks", "success_callback", "_async_success_callback")
_OWN_LISTENERS = ("dynamic_success_callbacks", "dynamic_async_success_callbacks")


def leave_out(litellm: Any) -> None:
    """From now on tell no listeners where there are none, and look for no price where none was found before."""
    try:
        logging: Any = import_module("litellm.litellm_core_utils.litellm_logging").Logging
    except (ImportError, AttributeError):
        return
    if hasattr(logging, "async_success_handler"):
        logging.async_success_handler = _only_to_listeners(litellm, logging.async_success_handler)
    for name in ("response_cost_calculator", "_response_cost_calculator"):
        if hasattr(logging, name):
            setattr(logging, name, _until_unpriced(litellm, getattr(logging, name)))
            break


def _only_to_listeners(litellm: Any, tell: Any) -> Any:
    @wraps(tell)
    async def told(logging: Any, *arguments: Any, **named: Any) -> Any:
        wanted = any(getattr(litellm, name, None) for name in _LISTENERS)
        if wanted or any(getattr(logging, name, None) for name in _OWN_LISTENERS):
            return await tell(logging, *arguments, **named)
        return None

    return told


def _until_unpriced(litellm: Any, price: Any) -> Any:
    """``price``, asked once for models that nobody lists: it tries ten names of theirs for each answer."""
    unpriced: dict[tuple[str, str], Any] = {}

    @wraps(price)
    def priced(logging: Any, *arguments: Any, **named: Any) -> Any:
        result, asked = named.get("result"), named.get("litellm_model_name")
        answering = getattr(result, "model", None)
        known = isinstance(asked, str) and isinstance(answering, str) and not arguments
        if not known or _tells_its_cost(logging, result):
            return price(logging, *arguments, **named)
        names = str(asked), str(answering)
        if names not in unpriced:
            cost = price(logging, **named)
            tokens = getattr(getattr(result, "usage", None), "total_tokens", None)
            if cost or not tokens or _listed(litellm, *names):
                return cost
            unpriced[names] = cost
        return unpriced[names]

    return priced


def _tells_its_cost(logging: Any, result: Any) -> bool:
    """True where the provider itself says what an answer cost, each time anew."""
    hidden = _mapping(getattr(result, "_hidden_params", None))
    told = (
        getattr(logging, "_provider_reported_cost", None),
        getattr(getattr(result, "usage", None), "cost", None),
        hidden.get("response_cost"),
    )
    return any(cost is not None for cost in told) or any(
        "cost" in name for name in _mapping(hidden.get("additional_headers"))
    )


def _listed(litellm: Any, *models: str) -> bool:
    """True where one of them has an entry in litellm's price map, under its whole name or without a provider's."""
    names = {name.split("/", parts)[-1] for name in models for parts in range(name.count("/") + 1)}
    return any(name in litellm.model_cost for name in names)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
