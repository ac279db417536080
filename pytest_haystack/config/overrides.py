"""``--haystack-set KEY=VALUE``: single values of the config, given on the command line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pytest_haystack.config.credentials import find_credentials
from pytest_haystack.config.draft import AFTER_FILES, MISSING, Draft, Place, dotted
from pytest_haystack.config.entries import NAMED_BY, default_id, lengthen
from pytest_haystack.config.yaml_text import MAX_DEPTH, KeyPath, read_value
from pytest_haystack.errors import ConfigError
from pytest_haystack.registry import Registry, suggestion

OPTION = "--haystack-set"


class _OptionError(ValueError):
    """The key of an option leads nowhere."""


def apply_overrides(draft: Draft, overrides: Sequence[str], registry: Registry) -> None:
    """Put each ``KEY=VALUE`` into the draft, later ones over earlier ones.

    A key is dotted, with indices (from 0) or ids for list entries: ``sweep.trials``, ``models.0.request.temperature``,
    ``tasks.multi.threshold``. The value is YAML, and is not searched for variables. What a key may be called is
    checked later, with the rest. Mistakes in the option itself are noted in the draft.
    """
    for index, override in enumerate(overrides):
        key, equals, text = override.partition("=")
        key = "".join(key.split())
        place = Place(f"{OPTION} {key}" if equals and key else OPTION, (AFTER_FILES, index), 1)
        parts = key.split(".")
        if not equals or not all(parts) or len(parts) > MAX_DEPTH:
            draft.problem_on_line(place, (), "write KEY=VALUE with a dotted key, e.g. sweep.trials=3")
            continue
        try:
            value = read_value(text)
            path = _path(draft, parts, registry)
        except (ConfigError, _OptionError) as error:
            draft.problem_on_line(place, (), str(error))
            continue
        if next(find_credentials(value, path), None):
            draft.problem_on_line(place, (), "looks like a key; name its environment variable with api_key_env instead")
            continue
        line = draft.place(path).line
        _make_room(draft, path, Place(place.label, place.order, line, path[:-1]))
        draft.put(path, value, {path: Place(place.label, place.order, line, path)})
        lengthen(draft)


def _path(draft: Draft, parts: list[str], registry: Registry) -> KeyPath:
    """The key path that dotted parts mean in this draft. Raises _OptionError where it leads through something else."""
    path: KeyPath = ()
    while parts:
        value = draft.value(path)
        if isinstance(value, list):
            step, used = _list_step(value, path, parts, registry)
            path, parts = (*path, step), parts[used:]
        elif isinstance(value, dict) or value is MISSING or value is None:
            path, parts = (*path, parts[0]), parts[1:]
        else:
            raise _OptionError(f"{dotted(path)} holds a value, not keys; {parts[0]!r} cannot be set in it")
    return path


def _list_step(value: list[Any], path: KeyPath, parts: list[str], registry: Registry) -> tuple[int, int]:
    """Index of the entry that the first parts name, and how many parts did: ids may hold dots."""
    ids = [_id(entry, path, registry) for entry in value]
    for count in range(len(parts), 0, -1):
        name = ".".join(parts[:count])
        if name in ids:
            return ids.index(name), count
    if parts[0].isdecimal() and len(parts[0]) < 9:
        if int(parts[0]) < len(value):
            return int(parts[0]), 1
        raise _OptionError(f"{dotted(path)} has {len(value)} entries, so the last index is {len(value) - 1}")
    known = [name for name in ids if name]
    advice = suggestion(parts[0], known) if known else f"write an index from 0 to {len(value) - 1}"
    raise _OptionError(f"{dotted(path)} has no entry {parts[0]!r}; {advice}")


def _id(entry: Any, path: KeyPath, registry: Registry) -> str:
    if len(path) != 1 or path[0] not in NAMED_BY or not isinstance(entry, dict):
        return ""
    own = entry.get("id")
    return own if isinstance(own, str) else default_id(str(path[0]), entry, registry)


def _make_room(draft: Draft, path: KeyPath, place: Place) -> None:
    """Create the mappings on the way to a key that are not there yet."""
    for length in range(1, len(path)):
        if draft.value(path[:length]) in (MISSING, None):
            draft.put(path[:length], {}, {path[:length]: place})
