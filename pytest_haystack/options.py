"""Options of the command line with their twins in the environment and the ini file, resolved in one place."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ENVIRONMENT = "PYTEST_HAYSTACK_"


class _Option(NamedTuple):
    """An option: what its value is called (None for a flag), its help, whether it may be repeated, and its ini twin."""

    name: str
    value: str | None
    help: str
    repeatable: bool = False
    ini: str = ""
    ini_type: Any = None


_ROOT = ", relative to the rootdir"
_OPTIONS = (
    _Option(
        "config",
        "FILE",
        "Run the sweep of this file; alone, or beside the paths that are given",
        repeatable=True,
        ini="This project's sweep files, for fixtures and for node ids that name them; a plain run does not run them",
        ini_type="paths",
    ),
    _Option(
        "report-dir", "DIR", "Where reports go (default: report.dir of the sweep file, else haystack-report)", ini=_ROOT
    ),
    _Option("model", "ID", "Only the models of these ids", repeatable=True, ini_type="args"),
    _Option(
        "set",
        "KEY=VALUE",
        "Override one value of the sweep file, e.g. sweep.trials=3",
        repeatable=True,
        ini=", one a line",
        ini_type="linelist",
    ),
    _Option("sample", "N", "Only N cells, spread over the grid, the same on every machine, and no search"),
    _Option(
        "shard",
        "I/N",
        "Only part I of N parts of the cells, e.g. 2/4; `pytest-haystack merge` puts their rows together",
    ),
    _Option("resume", None, "Do not ask again what has been answered; errors are asked again"),
    _Option(
        "replay",
        "FILE",
        "Take answers from the rows of an earlier run and ask nobody",
        repeatable=True,
        ini_type="paths",
    ),
    _Option(
        "store",
        "PLACE",
        "Where answers are kept: a folder, or redis://HOST/DB (default: .haystack in the rootdir)",
        ini=", a folder being relative to the rootdir",
    ),
    _Option("dry-run", None, "Print the plan (cells, calls, input tokens, estimated USD) and send nothing"),
    _Option("concurrency", "N", "Requests in flight on this machine, all workers together"),
    _Option("max-cost", "USD", "Send no request that could cost more than is left of it; what is not run is skipped"),
    _Option(
        "debug-http",
        "DIR",
        "Write each raw request and response of paid models to a file there, without keys",
        ini=_ROOT,
    ),
    _Option(
        "baseline",
        "FILE",
        "Compare with the rows of an earlier run (results.jsonl or report folder), fail on a regression",
        ini=_ROOT,
    ),
    _Option("update-known-failures", None, "Rewrite known_failures in the sweep file from what this run sees"),
)


def add_options(parser: pytest.Parser) -> None:
    """Declare every option and its ini twin."""
    group = parser.getgroup("haystack", "long-context sweeps (pytest-haystack)")
    for option in _OPTIONS:
        flag, ini = f"--haystack-{option.name}", f"haystack_{option.name.replace('-', '_')}"
        if option.value is None:
            group.addoption(flag, action="store_true", default=None, help=option.help)
        elif option.repeatable:
            words = f"{option.help} (repeatable)"
            group.addoption(flag, action="append", default=[], metavar=option.value, help=words)
        else:
            group.addoption(flag, metavar=option.value, help=option.help)
        twin = option.ini if option.ini and not option.ini.startswith(",") else f"Twin of {flag}{option.ini}"
        kind: Any = "bool" if option.value is None else option.ini_type
        parser.addini(ini, twin, type=kind)


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
        return self._folder("report_dir")

    @property
    def debug_http(self) -> Path | None:
        """Where raw requests and responses go, None where they are not wanted."""
        return self._folder("debug_http")

    @property
    def max_cost(self) -> float | None:
        """USD that this run may spend on this machine."""
        value = self._first("max_cost")
        if value in (None, ""):
            return None
        try:
            usd = float(value)
        except ValueError:
            usd = math.nan
        if not 0 <= usd < math.inf:
            raise pytest.UsageError(f"--haystack-max-cost: {value!r} is no amount of USD, such as 2.50")
        return usd

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
    def shard(self) -> tuple[int, int] | None:
        """Number of this machine's part (from 1) and how many there are."""
        value = self._first("shard")
        if value in (None, ""):
            return None
        number, _, count = value.partition("/")
        if not (number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count)):
            raise pytest.UsageError(f"--haystack-shard: {value!r} is not I/N with I from 1 to N, such as 2/4")
        return int(number), int(count)

    @property
    def concurrency(self) -> int | None:
        """Requests in flight on this machine."""
        return self._count("concurrency")

    @property
    def dry_run(self) -> bool:
        """Only plan."""
        return self._flag("dry_run")

    @property
    def baseline(self) -> Path | None:
        """Rows of an earlier run, None where only the sweep file may name them."""
        value = self._first("baseline")
        return Path(os.path.abspath(self._base("baseline") / Path(value).expanduser())) if value else None

    @property
    def update_known_failures(self) -> bool:
        """Rewrite the list of known failures."""
        return self._flag("update_known_failures")

    @property
    def resume(self) -> bool:
        """Use the answers that are kept."""
        return self._flag("resume")

    @property
    def replay(self) -> list[Path]:
        """Files of rows that answer in place of models."""
        given = self._config.getoption("haystack_replay")
        named = given or [name for name in os.environ.get(ENVIRONMENT + "REPLAY", "").split(os.pathsep) if name]
        if named:
            return _paths(named, self._config.invocation_params.dir)
        return [Path(os.path.abspath(path)) for path in self._config.getini("haystack_replay")]

    @property
    def store(self) -> tuple[str, Path] | None:
        """Where answers are kept and what a folder is relative to, None where only the sweep file may say."""
        value = self._first("store")
        return (value, self._base("store")) if value else None

    def check(self) -> None:
        """Raise UsageError where a number is none, a folder cannot be written, or options contradict each other."""
        for name in ("sample", "concurrency"):
            self._count(name)
        _ = self.shard, self.max_cost
        if self.resume and self.replay:
            raise pytest.UsageError(
                "--haystack-replay asks nobody, --haystack-resume asks for what is missing: give one of them"
            )
        folder = self.debug_http
        there = next((path for path in (folder, *folder.parents) if path.exists()), None) if folder else None
        if there is not None and not (there.is_dir() and os.access(there, os.W_OK)):
            raise pytest.UsageError(f"--haystack-debug-http: the folder {folder} cannot be written: see {there}")

    def _first(self, name: str) -> Any:
        option = self._config.getoption("haystack_" + name)
        return option or os.environ.get(ENVIRONMENT + name.upper()) or self._config.getini("haystack_" + name)

    def _base(self, name: str) -> Path:
        """What a path is relative to: the rootdir in the ini file, else the folder that pytest was started in."""
        elsewhere = self._config.getoption("haystack_" + name) or os.environ.get(ENVIRONMENT + name.upper())
        return self._config.invocation_params.dir if elsewhere else self._config.rootpath

    def _folder(self, name: str) -> Path | None:
        value = self._first(name)
        return Path(os.path.abspath(self._base(name) / value)) if value else None

    def _flag(self, name: str) -> bool:
        value = self._first(name)
        return value.lower() in ("1", "true", "yes", "on") if isinstance(value, str) else bool(value)

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
