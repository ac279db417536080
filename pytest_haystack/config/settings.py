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
        for part in ("haystack", "scorer"):
            if owner.get(part) is not None:
                owner[part] = _beside(owner[part])
    data["tasks"] = [_beside(task) for task in data["tasks"]]
    written: dict[str, Any] = _written(data, (), {_place(path): text for path, text in templates.items()})
    return written


def _beside(entry: dict[str, Any]) -> dict[str, Any]:
    return {**{key: value for key, value in entry.items() if key != "options"}, **entry["options"]}


def _place(path: KeyPath) -> KeyPath:
    """Where the value at a key path of the file is written: a scorer's options stand beside its name."""
    if path[:1] == ("tasks",) and path[2:4] == ("scorer", "options"):
        return (*path[:3], *path[4:])
    return (*path[:3], "name") if path[:1] == ("tasks",) and path[2:] == ("scorer", "type") else path


def _written(value: Any, path: KeyPath, templates: Mapping[KeyPath, str]) -> Any:
    if path in templates:
        return templates[path]
    if isinstance(value, dict):
        return {key: _written(item, (*path, key), templates) for key, item in value.items()}
    if isinstance(value, list):
        return [_written(item, (*path, index), templates) for index, item in enumerate(value)]
    return escape(value) if isinstance(value, str) else value
