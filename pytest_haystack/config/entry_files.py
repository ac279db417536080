"""Options whose entries may stand in a file of their own: YAML, JSON or CSV, read into their place in the config."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from pytest_haystack.config.draft import Draft, Place
from pytest_haystack.config.entries import refuse_credentials
from pytest_haystack.config.interpolation import FromEnvironment
from pytest_haystack.config.yaml_text import KeyPath, YamlText, read_text_file, read_yaml
from pytest_haystack.errors import ConfigError
from pytest_haystack.registry import Registry


@dataclass(frozen=True, slots=True)
class EntriesFile:
    """Marks an option (in ``Annotated``) that is a list of mappings, for which a file's path may be written."""

    def __get_pydantic_json_schema__(self, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        path = {"type": "string", "description": "Path of a YAML, JSON or CSV file that holds the entries."}
        return {"anyOf": [path, handler(core_schema)]}


def include_entry_files(draft: Draft, base_dir: Path, registry: Registry) -> None:
    """Put the entries of its file in the place of each path (relative to the config) that an `EntriesFile` names."""
    for index, task in draft.entries("tasks"):
        name = task.get("type")
        if not isinstance(name, str) or name not in registry.tasks:
            continue
        for key, field in registry.tasks[name].options_model.model_fields.items():
            path: KeyPath = ("tasks", index, key)
            marked = any(isinstance(mark, EntriesFile) for mark in field.metadata)
            if marked and isinstance(task.get(key), str) and path not in draft.settled:
                _include(draft, path, base_dir)


def _include(draft: Draft, path: KeyPath, base_dir: Path) -> None:
    entry = draft.value(path)
    shown = entry.template if isinstance(entry, FromEnvironment) else str(entry)
    try:
        read = _read(base_dir / entry, shown)
    except ConfigError as error:
        words = error.problems[0]
        if words.startswith(f"{shown}: "):
            draft.problem(path, f"{shown!r}: {words.removeprefix(f'{shown}: ')} (a text here is the path of a file)")
        else:
            draft.told_elsewhere(path, error)
        draft.settled.add(path)
        return
    place = draft.place(path)

    def on_line(line: int) -> Place:
        return Place(f"{shown}:{line}", (place.order[0], int(path[1]) + 1, line), place.line, path)

    draft.put(path, read.value, {(*path, *below): on_line(line) for below, line in read.lines.items()})
    for below, line, words in read.problems:
        draft.problem_on_line(on_line(line), (*path, *below), words)
    refuse_credentials(draft, path)


def _read(path: Path, name: str) -> YamlText:
    text = read_text_file(path, name)
    kind = path.suffix.lower()
    read = {".csv": _read_csv, ".json": _read_json}.get(kind, read_yaml)(text, name)
    if not isinstance(read.value, list):
        raise ConfigError(f"{name}:1: must hold a list of entries")
    return read


def _read_json(text: str, name: str) -> YamlText:
    """The entries of a JSON array, each with the line it begins on."""
    decoder = json.JSONDecoder()
    entries: list[Any] = []
    lines: dict[KeyPath, int] = {(): 1}
    try:
        if not isinstance(json.loads(text), list):
            return YamlText({}, lines)
        at = text.index("[") + 1
        while (at := _after_space(text, at)) < len(text) and text[at] != "]":
            lines[(len(entries),)] = text.count("\n", 0, at) + 1
            entry, at = decoder.raw_decode(text, at)
            entries.append(entry)
            at = _after_space(text, at)
            at += text[at] == ","
    except json.JSONDecodeError as error:
        raise ConfigError(f"{name}:{error.lineno}: not JSON: {error.msg}") from None
    except RecursionError:
        raise ConfigError(f"{name}:1: nested too deeply") from None
    return YamlText(entries, lines)


def _after_space(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r\n":
        at += 1
    return at


def _read_csv(text: str, name: str) -> YamlText:
    """One entry a row, its keys being those of the header; empty rows are left out."""
    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    entries: list[dict[str, str | None]] = []
    lines: dict[KeyPath, int] = {(): 1}
    header: list[str] | None = None
    began = 1
    try:
        for row in rows:
            line, began = began, rows.line_num + 1
            if not any(row):
                continue
            if header is None:
                header = [column.strip() for column in row]
                continue
            if len(row) > len(header):
                raise ConfigError(f"{name}:{line}: {len(row)} fields, but the header has {len(header)}; quote commas")
            lines[(len(entries),)] = line
            entries.append({column: row[i] if i < len(row) else None for i, column in enumerate(header)})
    except csv.Error as error:
        raise ConfigError(f"{name}:{rows.line_num}: not CSV: {error}") from None
    return YamlText(entries, lines)
