"""``config.resolved.yaml``: the config with every default spelled out."""

from __future__ import annotations

import glob
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from pytest_haystack.config.haystack import HaystackEntry
from pytest_haystack.config.interpolation import escape
from pytest_haystack.config.settings import settings_of
from pytest_haystack.config.yaml_text import CORE_SCALARS

if TYPE_CHECKING:
    from pytest_haystack.config.loader import LoadedConfig

#: Options of haystack sources that are paths, relative to the config file's folder.
_PATH_OPTIONS = ("path",)


class _Dumper(yaml.SafeDumper):
    """Quotes what either generation of YAML would not read as text, and writes out repeated values."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = None
    if not text.isprintable():
        # Block style keeps prompts readable; it cannot hold odd characters or outer white space faithfully.
        style = "|" if re.fullmatch(r"[!-~](?:[\n -~]*[!-~])?\n?", text) else '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)
for _kind, _pattern, _first in CORE_SCALARS:
    _Dumper.add_implicit_resolver(f"tag:yaml.org,2002:{_kind}", _pattern, _first)


def resolved_yaml(loaded: LoadedConfig) -> str:
    """The config as YAML that `load_config` reads as the same settings, wherever the file is put.

    Environment values stand as ``${NAME}``, model files are written out, and relative paths of haystack sources are
    made absolute.
    """
    settings = settings_of(loaded.config, loaded.templates)
    base_dir = loaded.path.absolute().parent
    haystacks = [loaded.config.haystack, *(task.haystack for task in loaded.config.tasks)]
    for haystack, owner in zip(haystacks, (settings, *settings["tasks"]), strict=True):
        if haystack is not None:
            _make_absolute(haystack, owner["haystack"], base_dir)
    if loaded.config.tokenizer.startswith("hf:"):
        settings["tokenizer"] = _absolute(settings["tokenizer"], base_dir)
    if settings["baseline"] is not None and ("baseline",) not in loaded.templates:
        settings["baseline"] = escape(os.path.abspath(base_dir / Path(str(loaded.config.baseline)).expanduser()))
    return f"# Every setting of {loaded.config.name}, defaults included.\n{block_yaml(settings)}"


def block_yaml(settings: Any) -> str:
    """Settings as a config file has them, a key a line."""
    body: str = yaml.dump(
        settings, Dumper=_Dumper, sort_keys=False, allow_unicode=True, default_flow_style=False, width=2**31
    )
    return body


def _absolute(tokenizer: str, base_dir: Path) -> str:
    """``hf:FILE`` with the file's whole path."""
    path = tokenizer.removeprefix("hf:")
    return tokenizer if path.startswith("~") else f"hf:{Path(escape(str(base_dir)), path)}"


def flow_yaml(value: Any) -> str:
    """A value on one line, as a user writes an entry: ``{model: reader, context_lengths: {min: 4000, max: 8000}}``."""
    body: str = yaml.dump(
        value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, default_flow_style=True, width=2**31
    )
    return body.removesuffix("\n").removesuffix("\n...")


def _make_absolute(haystack: HaystackEntry, written: dict[str, Any], base_dir: Path) -> None:
    for key in _PATH_OPTIONS:
        path = haystack.options.get(key)
        if isinstance(path, str) and not path.startswith("~") and not Path(path).is_absolute():
            # In a pattern, the folder is not meant as one.
            folder = glob.escape(str(base_dir)) if glob.has_magic(path) else str(base_dir)
            written[key] = str(Path(escape(folder), written[key]))
