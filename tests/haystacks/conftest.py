"""A folder with a sweep, a cache of its own, servers to fetch from, and a clock that nobody waits for."""

from __future__ import annotations

from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from pytest_haystack.haystacks.remote import polite
from pytest_haystack.haystacks.remote.fetching import fetch
from pytest_haystack.haystacks.remote.source import RemoteSource
from pytest_haystack.registry import Registry
from tests.support.text_services import TextServices


class Clock:
    """Seconds that pass where somebody sleeps, and nowhere else."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.sleeps: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.sleeps.append(seconds)
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock that requests are paced by."""
    clock = Clock()
    monkeypatch.setattr(polite, "clock", lambda: clock.now)
    monkeypatch.setattr(polite, "sleep", clock.sleep)
    return clock


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's cache, empty."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("PYTEST_HAYSTACK_CACHE_DIR", str(folder))
    return folder


@pytest.fixture
def services(cache: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Generator[TextServices, None, None]:
    """The services, in the place of the real ones."""
    with TextServices() as server:
        for name, value in server.mirrors.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        yield server


@pytest.fixture
def source(tmp_path: Path) -> Callable[..., RemoteSource]:
    """A source of the sweep in the folder: ``source("wikipedia", count=3)``."""

    def make(name: str, folder: Path = tmp_path, **options: Any) -> RemoteSource:
        kind = Registry().sources[name]
        made = kind(kind.options_model.model_validate(options), folder)
        assert isinstance(made, RemoteSource)
        return made

    return make


class Told(list[str]):
    """The lines that were told, and what fetches while telling them."""

    def fetch(self, source: RemoteSource, **how: bool) -> RemoteSource:
        """Fetch what a source lacks; the source as it is from then on."""
        fetch(source, self.append, **how)
        now = type(source)(source.options, source.base_dir)
        now.read(1)
        return now


@pytest.fixture
def told() -> Told:
    """Fetches, and keeps what is told: ``told.fetch(source)``."""
    return Told()
