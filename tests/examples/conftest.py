"""The examples in a folder of their own, as a user has them, and ways to plan and run them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_haystack.registry import Registry
from pytest_haystack.running.workbench import Workbench, load_bench
from tests.plugin.conftest import rows  # noqa: F401
from tests.support.runs import LEFT_OUT

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
Run = Callable[..., pytest.RunResult]


@pytest.fixture
def examples(pytester: pytest.Pytester) -> Path:
    """A copy of the examples below the project's folder."""
    return Path(shutil.copytree(EXAMPLES, pytester.path / "examples"))


@pytest.fixture
def run(pytester: pytest.Pytester, examples: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run an example with more arguments."""
    monkeypatch.setenv("COLUMNS", "200")

    def runner(name: str, *args: str) -> pytest.RunResult:
        return pytester.runpytest_inprocess(*LEFT_OUT, "--haystack-config", f"examples/{name}", *args)

    return runner


def bench_of(name: str) -> Workbench:
    """The sweep of an example, ready to make documents."""
    return load_bench(EXAMPLES / name, Registry(), ())
