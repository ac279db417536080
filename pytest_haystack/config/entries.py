"""Short ways of writing, made long: names for mappings, files for model entries, and the default ids."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_haystack.config.credentials import find_credentials
from pytest_haystack.config.draft import Draft, Place
from pytest_haystack.config.interpolation import BadReferenceError, FromEnvironment, interpolate
from pytest_haystack.config.yaml_text import KeyPath, read_yaml_file
from pytest_haystack.errors import ConfigError
from pytest_haystack.registry import Registry

#: The key that a bare name stands for.
SHORT_FOR = {"haystack": "source", "prompt": "preset", "scorer": "name"}

#: The key that an entry without an id is called after.
NAMED_BY = {"models": "model", "tasks": "type", "gates": "metric", "searches": "metric"}

_LONGEST_ID = 80


def refuse_credentials(draft: Draft, path: KeyPath = ()) -> None:
    """A mistake for each key or password that stands in the values at ``path``; none of them is shown."""
    for where, text in find_credentials(draft.value(path), path):
        if where[-1] == "api_key_env" or "headers_env" in where:
            words = "looks like a key; write the name of the environment variable that holds it, e.g. OPENAI_API_KEY"
        else:
            words = (
                "looks like a key or a password; keep it out of the file: export it, and write 'api_key_env: NAME' on "
                "the model, or ${NAME} here"
            )
        draft.problem(where, words)
        draft.settled.add(where)
        draft.hidden[text] = "***"


def fill_in_environment(draft: Draft, environ: Mapping[str, str], path: KeyPath = ()) -> None:
    """Replace ``${NAME}`` in all text at ``path``; a mistake for each variable that is not set."""
    value = draft.value(path)
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for part, item in list(children):
        if not isinstance(item, str):
            fill_in_environment(draft, environ, (*path, part))
        elif "${" in item:
            value[part] = _filled(draft, environ, (*path, part), item)


def _filled(draft: Draft, environ: Mapping[str, str], path: KeyPath, text: str) -> str:
    try:
        filled = interpolate(text, environ)
    except BadReferenceError as error:
        draft.problem(path, str(error))
        draft.settled.add(path)
        return text
    if isinstance(filled, FromEnvironment):
        draft.hidden.update(filled.secrets)
        if filled.unset:
            name = filled.unset
            draft.problem(
                path, f"environment variable {name!r} is not set; export it, or write $${{{name}}} for the text"
            )
            draft.settled.add(path)
            draft.incomplete.add(str(path[0]))
        elif not _is_utf8(filled):
            draft.problem(path, f"{filled.template!r} is not UTF-8 once it is filled in")
            draft.settled.add(path)
    return filled


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def include_models(draft: Draft, base_dir: Path, environ: Mapping[str, str]) -> None:
    """Put the entry of its file in the place of each model that is given as a path (relative to the config)."""
    models = draft.data.get("models")
    for index, entry in enumerate(models if isinstance(models, list) else []):
        path: KeyPath = ("models", index)
        if not isinstance(entry, str) or path in draft.settled:
            continue
        place = draft.place(path)
        shown = entry.template if isinstance(entry, FromEnvironment) else entry
        try:
            read = read_yaml_file(base_dir / entry, shown)
        except ConfigError as error:
            _not_included(draft, path, shown, error)
            continue
        if not isinstance(read.value, dict):
            draft.told_elsewhere(path, ConfigError(f"{shown}:1: must hold one model entry: keys such as model and id"))
            _settle(draft, path)
            continue

        # Problems of a model file come where the file is named, one file after another.
        def on_line(line: int, path: KeyPath = path, shown: str = shown, place: Place = place) -> Place:
            return Place(f"{shown}:{line}", (place.order[0], int(path[-1]) + 1, line), place.line, path)

        draft.put(path, read.value, {(*path, *below): on_line(line) for below, line in read.lines.items()})
        for below, line, words in read.problems:
            draft.problem_on_line(on_line(line), (*path, *below), words)
        refuse_credentials(draft, path)
        fill_in_environment(draft, environ, path)


def _not_included(draft: Draft, path: KeyPath, shown: str, error: ConfigError) -> None:
    if re.search(r":\d+: ", error.problems[0]):
        draft.told_elsewhere(path, error)
    else:
        what = error.problems[0].removeprefix(f"{shown}: ")
        hint = f"; for a model write {{model: {shown}}}" if not Path(shown).suffix.lower().startswith(".y") else ""
        draft.problem(path, f"{shown!r}: {what} (a text in this list is the path of a model file){hint}")
    _settle(draft, path)


def _settle(draft: Draft, path: KeyPath) -> None:
    """Leave an empty entry, of which nothing more is said, where a model file could not be read."""
    draft.put(path, {}, {path: draft.place(path)})
    draft.settled.add(path)
    draft.incomplete.add("models")


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
    for kind in NAMED_BY:
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
    if not isinstance(origin, str) or not origin or (kind, index, NAMED_BY[kind]) in draft.settled:
        # What the id would come from is the mistake; a second one about the id would only distract.
        draft.incomplete.add(kind)
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
        name = name.removeprefix("local:").removesuffix(".gguf")
        name = name.rstrip("/:").rpartition(":" if by_colon else "/")[2]
    return id_safe(name)


def id_safe(text: str) -> str:
    """The text as an id (letters, digits, ``.``, ``_``, ``-``; a letter or digit first), "" if nothing is left."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-._")[:_LONGEST_ID]
