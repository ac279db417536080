"""Context windows and prices as litellm ships them, read without importing litellm (which takes seconds)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

_FILE = "model_prices_and_context_window_backup.json"


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What is known of a model: its window in tokens of input, prices in USD per million tokens, the most tokens of an
    answer; None is unknown.
    """

    context_window: int | None = None
    input_usd_per_million: float | None = None
    output_usd_per_million: float | None = None
    longest_answer: int | None = None


def model_facts(model: str) -> ModelFacts:
    """Facts of a litellm model string such as ``openai/gpt-4o-mini``; all None where litellm does not list it.

    The name is looked up as it stands, then without its provider, then only as an entry of that same provider:
    a model of the same name elsewhere has another window and another price.
    """
    listed = _price_map()
    entry = listed.get(model)
    provider, _, name = model.partition("/")
    if entry is None and name:
        entry = listed.get(name)
        if entry is not None and not str(entry.get("litellm_provider", "")).startswith(provider):
            entry = None
    if not isinstance(entry, Mapping):
        return ModelFacts()
    return ModelFacts(
        _window(entry),
        _per_million(entry.get("input_cost_per_token")),
        _per_million(entry.get("output_cost_per_token")),
        _count(entry.get("max_output_tokens")),
    )


@cache
def _price_map() -> dict[str, Any]:
    spec = find_spec("litellm")
    folders = (spec.submodule_search_locations if spec else None) or ()
    for folder in folders:
        file = Path(folder) / _FILE
        if file.is_file():
            listed = json.loads(file.read_text(encoding="utf-8"))
            listed.pop("sample_spec", None)
            return dict(listed)
    return {}


def _window(entry: Mapping[str, Any]) -> int | None:
    # `max_tokens` is litellm's old name of either limit: it means the input only where nothing else is given.
    name = "max_input_tokens" if "max_output_tokens" in entry or "max_input_tokens" in entry else "max_tokens"
    return _count(entry.get(name))


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and value > 0 else None


def _per_million(usd_per_token: Any) -> float | None:
    if isinstance(usd_per_token, bool) or not isinstance(usd_per_token, int | float):
        return None
    return round(usd_per_token * 1e6, 9)
