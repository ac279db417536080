"""A registry with small things in it, and a loader for config text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import Field, field_validator

from pytest_haystack.config.axis import Axis
from pytest_haystack.config.loader import LoadedConfig, load_config
from pytest_haystack.errors import ConfigError
from pytest_haystack.haystacks.source import Source, SourceOptions
from pytest_haystack.models.model import Model
from pytest_haystack.registry import Registry
from pytest_haystack.tasks.task import Ask, Task, TaskOptions

PRESETS = ("default", "terse")


class CountOptions(TaskOptions):
    """Options of several kinds."""

    needles: Annotated[int, Field(ge=1), Axis("n")] = 3
    order: Annotated[str, Axis()] = "given"
    width: float | list[float] = 1.5
    flag: bool = False
    words: tuple[str, ...] = ("a", "b")

    @field_validator("order")
    @classmethod
    def _no_chaos(cls, order: str) -> str:
        if order == "chaos":
            raise ValueError(f"{order} is no order")
        return order


class Count(Task):
    """Count the needles."""

    name = "count"
    options_model = CountOptions

    def __init__(self, options: Any, registry: Registry | None = None) -> None:
        super().__init__(options, registry)
        if options.order not in ("given", "chaos", "random"):
            raise ConfigError(f"order: {options.order!r} is no known order")
        if options.needles > 100:
            raise ConfigError(f"{options.needles} needles are too many")

    def needles(self, context: Any) -> list[Any]:
        return []

    def ask(self, needles: Any, context: Any) -> Ask:
        return Ask("How many?", str(self.options.needles))


class Plain(Count):
    """A task without options."""

    name = "plain"
    options_model = TaskOptions

    def __init__(self, options: Any, registry: Registry | None = None) -> None:
        self.options = options


class ShelfOptions(SourceOptions):
    path: str
    limit: int | None = None


class Shelf(Source):
    """Text from a path."""

    name = "shelf"
    options_model = ShelfOptions

    def read(self, characters: int) -> str:
        return ""

    @property
    def sha256(self) -> str:
        return ""


class Tame(Model):
    """A provider that knows its profiles."""

    @classmethod
    def validate(cls, model: str) -> None:
        if model != "tame/cat":
            raise ConfigError(f"{model!r} has no such profile; known: cat")

    def complete(self, prompt: str) -> Any:
        raise NotImplementedError


@pytest.fixture(scope="session")
def registry() -> Registry:
    registry = Registry()
    registry.tasks.add("count", Count)
    registry.tasks.add("plain", Plain)
    registry.sources.add("shelf", Shelf)
    registry.providers.add("tame", Tame)
    return registry


Load = Callable[..., LoadedConfig]


@pytest.fixture(scope="session")
def load(tmp_path_factory: pytest.TempPathFactory, registry: Registry) -> Load:
    folder = tmp_path_factory.mktemp("config")

    def load(
        text: str | bytes,
        *overrides: str,
        environ: Mapping[str, str] | None = None,
        files: Mapping[str, str] | None = None,
        name: str = "haystack.yaml",
    ) -> LoadedConfig:
        for other, content in (files or {}).items():
            (folder / other).parent.mkdir(exist_ok=True)
            (folder / other).write_text(content, encoding="utf-8")
        path: Path = folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return load_config(path, registry, overrides, environ or {}, presets=PRESETS)

    return load


@pytest.fixture(scope="session")
def problems(load: Load) -> Callable[..., Sequence[str]]:
    """The lines that loading ends with; none where the config is valid."""

    def problems(text: str | bytes, *overrides: str, **more: Any) -> Sequence[str]:
        try:
            load(text, *overrides, **more)
        except ConfigError as error:
            return list(error.problems)
        return []

    return problems
