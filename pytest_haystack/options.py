"""Options of the command line with their twins in the environment and the ini file, resolved in one place."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

ENVIRONMENT = "PYTEST_HAYSTACK_"


def add_options(parser: pytest.Parser) -> None:
    """Declare every option and its ini twin."""
    group = parser.getgroup("haystack", "long-context sweeps (pytest-haystack)")
    group.addoption(
        "--haystack-config",
        action="append",
        metavar="FILE",
        default=[],
        help="Run the sweep of this file; alone, or beside the paths that are given (repeatable)",
    )
    group.addoption(
        "--haystack-report-dir",
        metavar="DIR",
        help="Where reports go (default: report.dir of the sweep file, else haystack-report)",
    )
    group.addoption(
        "--haystack-model",
        action="append",
        metavar="ID",
        default=[],
        help="Only the models of these ids (repeatable)",
    )
    group.addoption(
        "--haystack-set",
        action="append",
        metavar="KEY=VALUE",
        default=[],
        help="Override one value of the sweep file, e.g. sweep.trials=3 (repeatable)",
    )
    group.addoption(
        "--haystack-sample",
        metavar="N",
        help="Only N cells, spread over the grid, the same on every machine, and no search",
    )
    group.addoption(
        "--haystack-dry-run",
        action="store_true",
        default=None,
        help="Print the plan (cells, calls, input tokens, estimated USD) and send nothing",
    )
    group.addoption(
        "--haystack-concurrency",
        metavar="N",
        help="Requests in flight on this machine, all workers together",
    )
    parser.addini(
        "haystack_config",
        "This project's sweep files, for fixtures and for node ids that name them; a plain run does not run them",
        type="paths",
    )
    parser.addini("haystack_report_dir", "Twin of --haystack-report-dir, relative to the rootdir")
    parser.addini("haystack_model", "Twin of --haystack-model", type="args")
    parser.addini("haystack_set", "Twin of --haystack-set, one a line", type="linelist")
    parser.addini("haystack_sample", "Twin of --haystack-sample")
    parser.addini("haystack_dry_run", "Twin of --haystack-dry-run", type="bool")
    parser.addini("haystack_concurrency", "Twin of --haystack-concurrency")


class Settings:
    """What was asked for: command line, then PYTEST_HAYSTACK_* environment, then ini file."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    @property
    def run_paths(self) -> list[Path]:
        """Sweep files of the command line: those of the option, and those that a node id of a cell or search names."""
        ids = (arg.partition("::") for arg in self._config.args)
        named = [
            file
            for file, _, name in ids
            if name.startswith(("test_cell", "test_search")) and file.endswith((".yaml", ".yml"))
        ]
        return _paths([*self._config.getoption("haystack_config"), *named], self._config.invocation_params.dir)

    @property
    def known_paths(self) -> list[Path]:
        """Sweep files of the environment, else of the ini file: known, run only where a node id names them."""
        named = os.environ.get(ENVIRONMENT + "CONFIG")
        if named:
            return _paths(named.split(os.pathsep), self._config.invocation_params.dir)
        return [Path(os.path.abspath(path)) for path in self._config.getini("haystack_config")]

    @property
    def report_dir(self) -> Path | None:
        """Where reports go, None where only the sweep file may say."""
        value = self._first("report_dir")
        if not value:
            return None
        from_ini = not self._config.getoption("haystack_report_dir") and ENVIRONMENT + "REPORT_DIR" not in os.environ
        base = self._config.rootpath if from_ini else self._config.invocation_params.dir
        return Path(os.path.abspath(base / value))

    @property
    def models(self) -> list[str]:
        """Ids of the only models to run; empty: all."""
        value = self._first("model")
        return value.replace(",", " ").split() if isinstance(value, str) else list(value or [])

    @property
    def overrides(self) -> list[str]:
        """``KEY=VALUE`` texts, weakest first, so that the command line has the last word."""
        environment = os.environ.get(ENVIRONMENT + "SET", "").splitlines()
        return [*self._config.getini("haystack_set"), *environment, *self._config.getoption("haystack_set")]

    @property
    def sample(self) -> int | None:
        """Number of cells to run at most."""
        return self._count("sample")

    @property
    def concurrency(self) -> int | None:
        """Requests in flight on this machine."""
        return self._count("concurrency")

    @property
    def dry_run(self) -> bool:
        """Only plan."""
        value = self._first("dry_run")
        return value.lower() in ("1", "true", "yes", "on") if isinstance(value, str) else bool(value)

    def check(self) -> None:
        """Raise UsageError where a number is none."""
        for name in ("sample", "concurrency"):
            self._count(name)

    def _first(self, name: str) -> Any:
        option = self._config.getoption("haystack_" + name)
        return option or os.environ.get(ENVIRONMENT + name.upper()) or self._config.getini("haystack_" + name)

    def _count(self, name: str) -> int | None:
        value = self._first(name)
        if value in (None, ""):
            return None
        try:
            count = int(value)
        except ValueError:
            count = 0
        if count < 1:
            flag = "--haystack-" + name.replace("_", "-")
            raise pytest.UsageError(f"{flag}: {value!r} is not a whole number from 1 on")
        return count


def _paths(names: list[str], base: Path) -> list[Path]:
    # Not resolved: pytest keeps symbolic links in the paths that it collects, too.
    return list(dict.fromkeys(Path(os.path.abspath(base / name)) for name in names if name))
