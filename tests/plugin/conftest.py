"""A small sweep in a temporary project, and ways to run it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support import runs
from tests.support.runs import LEFT_OUT

#: Two lengths, three depths, on the embedded reader; blind from 4,000 tokens on at depth 50.
SMALL = """\
name: small
models:
  - {id: reader, model: simulated/lost-in-the-middle}
haystack: {source: synthetic}
sweep:
  context_lengths: [1000, 4000]
  depth_percents: [0, 50, 100]
tasks: [single]
"""

#: The node id of the one cell of SMALL that fails.
BLIND = "haystack.yaml::test_cell[single-reader-len4000-depth50]"


@pytest.fixture
def write(pytester: pytest.Pytester) -> Callable[..., Path]:
    """Write a sweep file: ``write(text, name)``."""

    def writer(text: str = SMALL, name: str = "haystack.yaml") -> Path:
        path = pytester.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return writer


@pytest.fixture
def small(write: Callable[..., Path]) -> Path:
    """The small sweep as haystack.yaml."""
    return write()


@pytest.fixture(params=[(), ("-n", "2")], ids=["one process", "two workers"])
def workers(request: pytest.FixtureRequest) -> tuple[str, ...]:
    """Arguments of a run without and with workers: results must not differ."""
    return request.param  # type: ignore[no-any-return]


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Callable[..., pytest.RunResult]:
    """Run pytest on haystack.yaml with more arguments, on a wide terminal."""
    monkeypatch.setenv("COLUMNS", "200")

    def runner(*args: str, config: str | None = "haystack.yaml") -> pytest.RunResult:
        option = ("--haystack-config", config) if config else ()
        return pytester.runpytest_inprocess(*LEFT_OUT, *option, *args)

    return runner


@pytest.fixture
def command(pytester: pytest.Pytester) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run the command `pytest-haystack` in this process."""
    return runs.command


@pytest.fixture
def installed(pytester: pytest.Pytester) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run the command `pytest-haystack`, as it is installed."""

    def runner(*args: str | Path) -> subprocess.CompletedProcess[str]:
        program = Path(sys.executable).with_name("pytest-haystack")
        return subprocess.run([program, *args], capture_output=True, text=True, timeout=120, check=False)

    return runner


def literal(text: str) -> str:
    """A text for ``fnmatch_lines`` in which brackets stand for themselves."""
    return text.replace("[", "[[]")


@pytest.fixture
def rows(pytester: pytest.Pytester) -> Callable[..., list[dict[str, Any]]]:
    """The rows of the last run."""

    def reader(directory: str = "haystack-report") -> list[dict[str, Any]]:
        lines = (pytester.path / directory / "results.jsonl").read_text(encoding="ascii").splitlines()
        return [json.loads(line) for line in lines]

    return reader
