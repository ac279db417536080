"""The command `pytest-haystack`."""

from __future__ import annotations

import fnmatch
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_haystack import __version__
from tests.plugin.conftest import SMALL

Command = Callable[..., "subprocess.CompletedProcess[str]"]
Run = Callable[..., pytest.RunResult]


def test_version_and_help(installed: Command, run: Run) -> None:
    assert installed("--version").stdout == f"pytest-haystack, version {__version__}\n"
    assert "init" in installed("--help").stdout


def test_init_writes_a_file_that_validates_and_runs_green(installed: Command, run: Run) -> None:
    assert installed("init").returncode == 0
    assert installed("validate").returncode == 0
    result = run("-n", "2")

    assert result.ret == 0
    assert result.parseoutcomes()["xfailed"] > 0
    assert result.parseoutcomes()["passed"] > 10


def test_init_does_not_overwrite(small: Path, installed: Command, run: Run) -> None:
    result = installed("init")

    assert result.returncode == 4
    assert result.stderr.splitlines() == ["haystack.yaml: exists already; name another file or use --force"]
    assert small.read_text() == SMALL


def test_validate_lists_every_mistake(write: Any, installed: Command, run: Run) -> None:
    write(SMALL.replace("single", "singel").replace("depth_percents", "depths"))
    result = installed("validate")

    assert result.returncode == 4
    assert len(result.stderr.splitlines()) >= 2
    assert all(line.startswith("haystack.yaml:") for line in result.stderr.splitlines())


def test_plan_counts_cells_calls_tokens_and_cost(write: Any, installed: Command, run: Run) -> None:
    write(
        SMALL.replace(
            "models:\n",
            "models:\n  - {id: paid, model: openai/gpt-4o-mini, request: {max_tokens: 100},"
            " pricing: {input: 1, output: 10}}\n  - {id: unknown, model: openai/no-such-model}\n",
        )
    )
    result = installed("plan", "--set", "sweep.trials=2")

    assert result.returncode == 0
    lines = result.stdout.splitlines()
    assert fnmatch.filter(lines, "paid *single * 6 * 12 * 3?,??? * 0.04")
    assert fnmatch.filter(lines, "unknown * unknown")
    assert fnmatch.filter(lines, "reader * 0.00")
    assert fnmatch.filter(lines, "all *unknown*")


def test_schema_describes_sweep_files(installed: Command, run: Run) -> None:
    schema = json.loads(installed("schema").stdout)

    assert {"models", "tasks", "sweep", "known_failures"} <= schema["properties"].keys()


def test_a_missing_file_is_one_line(installed: Command, run: Run) -> None:
    result = installed("plan", "absent.yaml")

    assert result.returncode == 4
    assert result.stderr.splitlines() == ["absent.yaml: no such file; `pytest-haystack init` writes one"]


def test_reconstruct_of_an_unknown_node_id_suggests_one(small: Path, installed: Command, run: Run) -> None:
    run("-k", "len1000-depth0]")
    rows = "haystack-report/results.jsonl"
    result = installed("reconstruct", rows, "haystack.yaml::test_cell[single-reader-len1000-depth1]")

    assert result.returncode == 4
    assert "did you mean 'haystack.yaml::test_cell[single-reader-len1000-depth0]'?" in result.stderr
    nope = installed("reconstruct", rows, "nope").stderr
    assert nope.endswith("it has 1 row, e.g. 'haystack.yaml::test_cell[single-reader-len1000-depth0]'\n")
    assert installed("reconstruct", rows).returncode == 4
    assert installed("reconstruct", rows, "--row", "9").returncode == 4
    assert installed("reconstruct", "absent.jsonl", "--row", "1").returncode == 4


def test_check_scorer_prints_how_many_cases_agree(write: Any, installed: Command, run: Run) -> None:
    write(
        "cases:\n- {scorer: value, expected: a, response: a, score: 1}\n"
        "- {scorer: value, expected: a, response: b, score: 1}\n",
        "cases.yaml",
    )
    result = installed("check-scorer", "cases.yaml")

    assert result.returncode == 1
    assert result.stdout.splitlines()[-1] == "1/2 cases agree"
