"""Short ways of writing, made long: names for mappings, files for model entries, and the default ids."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_haystack.config.credentials import find_credentials
from pytest_haystack.config.draft import Draft, Place
from pytest_haystack.config.interpolation import BadReference, FromEnvironment, interpolate
from pytest_haystack.config.yaml_text import KeyPath, read_yaml_file
from pytest_haystack.errors import ConfigError
from pytest_haystack.registry import Registry

#: The key that a bare name stands for.
SHORT_FOR = {"haystack": "source", "prompt": "preset", "scorer": "name"}

#: The key that an entry without an id is called after.
NAMED_BY = {"models": "model", "tasks": "type"}

_LONGEST_ID = 80


def refuse_credentials(draft: Draft, path: KeyPath = ()) -> None:
    """A mistake for each key or password that stands in the values at ``path``; none of them is shown."""
    for where, text in find_credentials(draft.value(path), path):
        if where[-1] == "api_key_env":
            words = "looks like a key; write the name of the environment variable that holds it, e.g. OPENAI_API_KEY"
        else:
            words = (
                "looks like a key or a password; keep it out of the file: export it, and write 'api_key_env: NAME' on "
                "the model, or ${NAME} here"
            )
        draft.problem(where, words)
        draft.hidden[text] = "***"


def fill_in_environment(draft: Draft, environ: Mapping[str, str], path: KeyPath = ()) -> None:
    """Replace ``${NAME}`` in all text at ``path``; a mistake for each variable that is not set."""
    value = draft.value(path)
    children = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for part, item in list(children):
        if not isinstance(item, str):
            fill_in_environment(draft, environ, (*path, part))
        elif "${" in item:
            value[part] = _filled(draft, environ, (*path, part), item)


def _filled(draft: Draft, environ: Mapping[str, str], path: KeyPath, text: str) -> str:
    try:
        filled = interpolate(text, environ)
    except BadReference as error:
        draft.problem(path, str(error))
        return text
    if isinstance(filled, FromEnvironment):
        draft.hidden.update(filled.secrets)
        if filled.unset:
            draft.incomplete = True
            name = filled.unset
            draft.problem(
                path,
                f"environment variable {name!r} is not set; export it, or write $${{{name}}} for the text",
            )
    return filled


def include_models(draft: Draft, base_dir: Path, environ: Mapping[str, str]) -> None:
    """Put the entry of its file in the place of each model that is given as a path (relative to the config)."""
    models = draft.data.get("models")
    for index, entry in enumerate(models if isinstance(models, list) else []):
        if not isinstance(entry, str) or (isinstance(entry, FromEnvironment) and entry.unset):
            continue
        path: KeyPath = ("models", index)
        place = draft.place(path)
        shown = entry.template if isinstance(entry, FromEnvironment) else entry
        try:
            read = read_yaml_file(base_dir / entry, shown)
        except ConfigError as error:
            _not_included(draft, path, shown, error)
            continue
        if not isinstance(read.value, dict):
            draft.told_elsewhere(
                path, ConfigError(f"{shown}:1: must hold one model entry: keys such as model and id")
            )
            draft.put(path, _stand_in(draft, index), {path: place})
            continue
        draft.put(
            path,
            read.value,
            {
                (*path, *below): Place(f"{shown}:{line}", (place.order[0], line), place.line, path)
                for below, line in read.lines.items()
            },
        )
        for below, _, words in read.problems:
            draft.problem((*path, *below), words)
        refuse_credentials(draft, path)
        fill_in_environment(draft, environ, path)


def _not_included(draft: Draft, path: KeyPath, shown: str, error: ConfigError) -> None:
    if re.search(r":\d+: ", error.problems[0]):
        draft.told_elsewhere(path, error)
    else:
        what = error.problems[0].removeprefix(f"{shown}: ")
        hint = (
            f"; for a model write {{model: {shown}}}"
            if not Path(shown).suffix.lower().startswith(".y")
            else ""
        )
        draft.problem(path, f"{shown!r}: {what} (a text in this list is the path of a model file){hint}")
    draft.put(path, _stand_in(draft, int(path[-1])), {path: draft.place(path)})


def _stand_in(draft: Draft, index: int) -> dict[str, Any]:
    """An entry that lets the rest be checked after a model file could not be read."""
    draft.incomplete = True
    return {"id": f"unread{index}", "model": "unread"}


def lengthen(draft: Draft) -> None:
    """Write each bare name as the mapping it stands for."""
    _lengthen_names(draft.data)
    tasks = draft.data.get("tasks")
    if isinstance(tasks, list):
        for index, entry in enumerate(tasks):
            if isinstance(entry, str):
                tasks[index] = {"type": entry}
    for _, task in draft.entries("tasks"):
        _lengthen_names(task)


def _lengthen_names(owner: dict[str, Any]) -> None:
    for key, short_for in SHORT_FOR.items():
        if isinstance(owner.get(key), str):
            owner[key] = {short_for: owner[key]}


def fill_in_defaults(draft: Draft, path: Path, registry: Registry) -> None:
    """Name, ids and trials where the config leaves them out."""
    draft.data.setdefault("name", id_safe(path.stem) or "sweep")
    for kind in ("models", "tasks"):
        for index, entry in draft.entries(kind):
            if "id" not in entry:
                _give_id(draft, kind, index, entry, registry)
    sweep = draft.data.get("sweep")
    if isinstance(sweep, dict) and isinstance(sweep.get("seeds"), list) and sweep["seeds"]:
        sweep.setdefault("trials", len(sweep["seeds"]))
    for owner in (draft.data, *(task for _, task in draft.entries("tasks"))):
        prompt = owner.get("prompt")
        if isinstance(prompt, dict) and prompt.get("template") is None:
            prompt.setdefault("preset", "default")


def _give_id(draft: Draft, kind: str, index: int, entry: dict[str, Any], registry: Registry) -> None:
    default = default_id(kind, entry, registry)
    origin = entry.get(NAMED_BY[kind])
    unusable = not isinstance(origin, str) or not origin or (isinstance(origin, FromEnvironment) and origin.unset)
    if unusable:
        draft.incomplete = True
        entry["id"] = f"unread{index}"
    elif default:
        entry["id"] = default


def default_id(kind: str, entry: Mapping[str, Any], registry: Registry) -> str:
    """The id of an entry that gives none: a task's type, or the last part of the model string; "" if unknown."""
    name = entry.get(NAMED_BY[kind])
    if not isinstance(name, str):
        return ""
    if kind == "models":
        provider = registry.provider_of(name)
        by_colon = provider is not None and name.startswith(f"{provider}:")
        name = name.rstrip("/:").rpartition(":" if by_colon else "/")[2]
    return id_safe(name)


def id_safe(text: str) -> str:
    """The text as an id: letters, digits, ``.``, ``_`` and ``-``, starting with a letter or digit; "" if none is left."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-._")[:_LONGEST_ID]
