"""haystack.yaml, read and checked: the way from a file to a `LoadedConfig`."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from pytest_haystack.config.checks import (
    check_axes,
    check_gates,
    check_ids,
    check_known_failures,
    check_names,
    check_searches,
    check_variant_ids,
)
from pytest_haystack.config.draft import Draft, Place, dotted, written_path
from pytest_haystack.config.entries import (
    fill_in_defaults,
    fill_in_environment,
    include_models,
    lengthen,
    refuse_credentials,
)
from pytest_haystack.config.entry_files import include_entry_files
from pytest_haystack.config.interpolation import FromEnvironment
from pytest_haystack.config.local_models import complete_local_models
from pytest_haystack.config.options import with_options
from pytest_haystack.config.overrides import apply_overrides
from pytest_haystack.config.problems import add_validation_errors
from pytest_haystack.config.schema import Config
from pytest_haystack.config.settings import settings_of
from pytest_haystack.config.variants import expand_variants
from pytest_haystack.config.yaml_text import KeyPath, read_yaml_file
from pytest_haystack.errors import ConfigError
from pytest_haystack.registry import Registry


@dataclass(frozen=True)
class LoadedConfig:
    """A valid config with what is known of its file.

    ``path`` is the file, ``lines`` the 1-based line of each key path that was written in it, ``notes`` are lines for
    the reader about what is allowed but looks like a slip. ``sha256`` is the hash of all settings, however they
    were written: comments and order of keys do not count, and values from the environment count by their names.
    ``templates`` has, by key path, the text of values that came from the environment (``${NAME}``). ``origins`` has
    the key path in the file of what stands elsewhere in ``config``: variants of a task stand one after another.
    """

    config: Config
    path: Path
    lines: Mapping[KeyPath, int]
    notes: tuple[str, ...]
    sha256: str
    templates: Mapping[KeyPath, str] = field(default_factory=dict)
    origins: Mapping[KeyPath, KeyPath] = field(default_factory=dict)

    def line_of(self, *path: str | int) -> int:
        """Line of a key path such as ``("tasks", 0)``, or of the nearest one that holds it."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)

    def written(self, *path: str | int) -> str:
        """A key path of the config as the file has it, e.g. ``tasks.0.needles.2``."""
        return dotted(written_path(self.origins, path))


def load_config(
    path: Path,
    registry: Registry,
    overrides: Sequence[str] = (),
    environ: Mapping[str, str] | None = None,
    *,
    presets: Collection[str],
) -> LoadedConfig:
    """Read, complete and check a config file.

    ``overrides`` are the values of ``--haystack-set``, ``environ`` is what ``${NAME}`` refers to (default: the
    environment of the process), ``presets`` are the names that a prompt may have. Raises ConfigError with every
    mistake that was found, one line each, in the order of their lines.
    """
    environ = os.environ if environ is None else environ
    draft = _draft(path)
    refuse_credentials(draft)
    fill_in_environment(draft, environ)
    include_models(draft, path.parent, environ)
    lengthen(draft)
    apply_overrides(draft, overrides, registry)
    include_models(draft, path.parent, environ)
    include_entry_files(draft, path.parent, registry)
    fill_in_defaults(draft, path, registry)
    complete_local_models(draft)

    check_ids(draft)
    expand_variants(draft, registry)
    check_variant_ids(draft)
    check_names(draft, registry, presets)
    check_axes(draft)
    check_known_failures(draft)
    check_gates(draft, registry)
    check_searches(draft)
    config = _validated(draft, with_options(draft, registry, environ))
    draft.raise_problems()
    assert config is not None
    templates = dict(_templates(draft.data))
    return LoadedConfig(
        config=config,
        path=path,
        lines=draft.lines(),
        notes=draft.notes(),
        sha256=_sha256(settings_of(config, templates)),
        templates=templates,
        origins=draft.origins,
    )


def _draft(path: Path) -> Draft:
    """What the file holds. Raises ConfigError where it is no mapping."""
    name = path.name
    read = read_yaml_file(path, name)
    if read.value is None:
        raise ConfigError(f"{name}:1: the file is empty; `pytest-haystack init` writes one that runs")
    if not isinstance(read.value, dict):
        what = "a list" if isinstance(read.value, list) else "a single value"
        raise ConfigError(f"{name}:{read.lines[()]}: the file holds {what}; a config has keys: models, sweep, tasks")
    places = {where: Place(f"{name}:{line}", (line, 0), line) for where, line in read.lines.items()}
    draft = Draft(read.value, places)
    for where, line, words in read.problems:
        draft.problem_on_line(Place(f"{name}:{line}", (line, 0), line), where, words)
    return draft


def _validated(draft: Draft, data: dict[str, Any]) -> Config | None:
    try:
        return Config.model_validate(data)
    except ValidationError as error:
        add_validation_errors(draft, error, (), Config)
    return None


def _templates(value: Any, path: KeyPath = ()) -> list[tuple[KeyPath, str]]:
    if isinstance(value, FromEnvironment):
        return [(path, value.template)]
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for part, item in items for found in _templates(item, (*path, part))]


def _sha256(settings: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()
