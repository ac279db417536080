"""The command `pytest-haystack`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_haystack import __version__
from tests.plugin.conftest import SMALL


def test_version_and_help(pytester: pytest.Pytester) -> None:
    assert pytester.run("pytest-haystack", "--version").outlines == [f"pytest-haystack, version {__version__}"]
    assert "init" in pytester.run("pytest-haystack", "--help").stdout.str()


def test_init_writes_a_file_that_validates_and_runs_green(pytester: pytest.Pytester) -> None:
    assert pytester.run("pytest-haystack", "init").ret == 0
    assert pytester.run("pytest-haystack", "validate").ret == 0
    result = pytester.runpytest_subprocess("--haystack-config", "haystack.yaml", "-n", "2")

    assert result.ret == 0
    assert result.parseoutcomes()["xfailed"] > 0
    assert result.parseoutcomes()["passed"] > 10


def test_init_does_not_overwrite(small: Path, pytester: pytest.Pytester) -> None:
    result = pytester.run("pytest-haystack", "init")

    assert result.ret == 4
    assert result.errlines == ["haystack.yaml: exists already; name another file or use --force"]
    assert small.read_text() == SMALL


def test_validate_lists_every_mistake(write: Any, pytester: pytest.Pytester) -> None:
    write(SMALL.replace("single", "singel").replace("depth_percents", "depths"))
    result = pytester.run("pytest-haystack", "validate")

    assert result.ret == 4
    assert len(result.errlines) >= 2
    assert all(line.startswith("haystack.yaml:") for line in result.errlines)


def test_plan_counts_cells_calls_tokens_and_cost(write: Any, pytester: pytest.Pytester) -> None:
    write(
        SMALL.replace(
            "models:\n",
            "models:\n  - {id: paid, model: openai/gpt-4o-mini, request: {max_tokens: 100},"
            " pricing: {input: 1, output: 10}}\n  - {id: unknown, model: openai/no-such-model}\n",
        )
    )
    result = pytester.run("pytest-haystack", "plan", "--set", "sweep.trials=2")

    assert result.ret == 0
    result.stdout.fnmatch_lines(
        ["paid *single * 6 * 12 * 3?,??? * 0.04", "unknown * unknown", "reader * 0.00", "all *unknown*"]
    )


def test_schema_describes_sweep_files(pytester: pytest.Pytester) -> None:
    schema = json.loads(pytester.run("pytest-haystack", "schema").stdout.str())

    assert {"models", "tasks", "sweep", "known_failures"} <= schema["properties"].keys()


def test_a_missing_file_is_one_line(pytester: pytest.Pytester) -> None:
    result = pytester.run("pytest-haystack", "plan", "absent.yaml")

    assert result.ret == 4
    assert result.errlines == ["absent.yaml: no such file; `pytest-haystack init` writes one"]


def test_reconstruct_of_an_unknown_node_id_suggests_one(small: Path, pytester: pytest.Pytester) -> None:
    pytester.runpytest_subprocess("--haystack-config", "haystack.yaml", "-k", "len1000-depth0]")
    rows = "haystack-report/results.jsonl"
    result = pytester.run("pytest-haystack", "reconstruct", rows, "haystack.yaml::test_cell[single-reader-len1000-depth1]")

    assert result.ret == 4
    result.stderr.fnmatch_lines(["*did you mean 'haystack.yaml::test_cell[[]single-reader-len1000-depth0]'?"])
    assert pytester.run("pytest-haystack", "reconstruct", rows).ret == 4
    assert pytester.run("pytest-haystack", "reconstruct", rows, "--row", "9").ret == 4
    assert pytester.run("pytest-haystack", "reconstruct", "absent.jsonl", "--row", "1").ret == 4


def test_check_scorer_prints_how_many_cases_agree(write: Any, pytester: pytest.Pytester) -> None:
    write("cases:\n- {scorer: value, expected: a, response: a, score: 1}\n- {scorer: value, expected: a, response: b, score: 1}\n", "cases.yaml")
    result = pytester.run("pytest-haystack", "check-scorer", "cases.yaml")

    assert result.ret == 1
    assert result.outlines[-1] == "1/2 cases agree"
