"""What a run was made with, as far as its rows do not tell it."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_haystack.config.schema import Config
    from pytest_haystack.reports.cell_result import SweepResults

#: What makes prompts, sends them or scores answers; of those that are not installed nothing is said.
_PACKAGES = (
    "pytest-haystack",
    "pytest",
    "pydantic",
    "jinja2",
    "tiktoken",
    "tokenizers",
    "litellm",
    "scipy",
    "rouge-score",
    "sentence-transformers",
    "xllamacpp",
)


@dataclass(frozen=True, slots=True)
class RunRecord:
    """``software`` has versions by name, empty where they are not known. ``requests`` has the request parameters of
    each model id that a provider or a local server answers. ``settings`` names the file with every setting, None where
    it could not be written.
    """

    software: Mapping[str, str]
    requests: Mapping[str, Mapping[str, Any]]
    settings: str | None = None


def record_of(config: Config, *, here: bool) -> RunRecord:
    """The record of a run of this config; ``here`` is false for rows of another machine or day."""
    in_process = ("simulated/", "python:")
    requests = {entry.id: dict(entry.request) for entry in config.models if not entry.model.startswith(in_process)}
    return RunRecord(software() if here else {}, requests)


def with_settings(results: SweepResults, file: str) -> SweepResults:
    """The results of which every setting has been written to a file of this name."""
    return results if results.record is None else replace(results, record=replace(results.record, settings=file))


def software() -> dict[str, str]:
    """Versions of Python, the operating system and the packages that matter here."""
    found = {"python": platform.python_version(), "system": f"{platform.system()} {platform.machine()}"}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
