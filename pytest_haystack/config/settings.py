"""A config as plain settings, written the way a user writes them: options stand beside their type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_haystack.config.interpolation import escape
from pytest_haystack.config.schema import Config
from pytest_haystack.config.yaml_text import KeyPath


def settings_of(config: Config, templates: Mapping[KeyPath, str]) -> dict[str, Any]:
    """Every setting, defaults included, as JSON values that a config file can hold.

    Values that came from the environment are there as ``templates`` has them (by key path), never as text.
    """
    data: dict[str, Any] = config.model_dump(mode="json")
    owners = [data, *data["tasks"]]
    for owner in owners:
        if owner["haystack"] is not None:
            owner["haystack"] = _beside(owner["haystack"])
    data["tasks"] = [_beside(task) for task in data["tasks"]]
    written: dict[str, Any] = _written(data, (), templates)
    return written


def _beside(entry: dict[str, Any]) -> dict[str, Any]:
    return {**{key: value for key, value in entry.items() if key != "options"}, **entry["options"]}


def _written(value: Any, path: KeyPath, templates: Mapping[KeyPath, str]) -> Any:
    if path in templates:
        return templates[path]
    if isinstance(value, dict):
        return {key: _written(item, (*path, key), templates) for key, item in value.items()}
    if isinstance(value, list):
        return [_written(item, (*path, index), templates) for index, item in enumerate(value)]
    return escape(value) if isinstance(value, str) else value
