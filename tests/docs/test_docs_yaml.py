"""Every YAML block of the documentation is what it says: a sweep file, a part of one, a workflow, a table of cases."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from pytest_haystack.cli import main
from pytest_haystack.config.loader import load_config
from pytest_haystack.options import _OPTIONS
from pytest_haystack.registry import Registry
from pytest_haystack.running.prompts import PRESETS
from pytest_haystack.scoring.check import check_file
from tests.docs.pages import ROOT, Block, blocks

YAML = blocks("yaml")
#: What a part of a sweep file leaves out.
REST: dict[str, Any] = {
    "models": [{"id": "reader", "model": "simulated/perfect"}, {"id": "gpt-4o-mini", "model": "openai/gpt-4o-mini"}],
    "sweep": {"context_lengths": [1000, 32000, 64000], "depth_percents": [0, 50, 100]},
    "tasks": ["single", {"id": "multi5", "type": "multi"}],
}
#: Names that the examples of extensions register, with which their blocks run in test_docs_extending.py.
OWN = ("proverb", "last_word", "tickets", "first/code", "median_latency", "edges")


def kind_of(block: Block) -> str:
    data = yaml.safe_load(block.text)
    if isinstance(data, dict) and (
        "jobs" in data or any(isinstance(part, dict) and "script" in part for part in data.values())
    ):
        return "workflow"
    if isinstance(data, dict) and set(data) == {"cases"}:
        return "cases"
    return "extension" if any(name in block.text for name in OWN) else "sweep"


def of_kind(kind: str) -> Any:
    found = [block for block in YAML if kind_of(block) == kind]
    return pytest.mark.parametrize("block", found, ids=[block.name for block in found])


@of_kind("sweep")
def test_a_sweep_or_a_part_of_one_is_valid(block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "of nobody")
    data = yaml.safe_load(block.text) or {}
    if isinstance(data, list):
        data = {"tasks": data}
    whole = {**REST, **data}
    path = tmp_path / "haystack.yaml"
    path.write_text(yaml.safe_dump(whole, sort_keys=False, allow_unicode=True), encoding="utf-8")

    loaded = load_config(path, Registry(), presets=PRESETS)

    assert {model.id for model in loaded.config.models}


@of_kind("cases")
def test_a_table_of_cases_agrees(block: Block, tmp_path: Path) -> None:
    (tmp_path / "cases.yaml").write_text(block.text, encoding="utf-8")

    assert check_file(tmp_path / "cases.yaml", Registry()).all_agree


@of_kind("workflow")
def test_a_workflow_runs_commands_that_there_are(block: Block) -> None:
    data = yaml.safe_load(block.text)
    commands = list(runs(data))

    assert commands
    for command in commands:
        check_command(command)
    if "jobs" in data:
        # YAML 1.1 reads the key `on` as a truth value.
        assert {"name", True, "jobs"} <= data.keys()
        for job in data["jobs"].values():
            assert job["runs-on"]
            assert all({"uses", "run"} & step.keys() for step in job["steps"])


def runs(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        for key, value in node.items():
            if key == "run":
                yield value
            elif key == "script":
                yield from value
            else:
                yield from runs(value)
    elif isinstance(node, list):
        for value in node:
            yield from runs(value)


def check_command(command: str) -> None:
    """The command of a job is one of ours with options that there are, or installs the package."""
    words = shlex.split(re.sub(r"\$\{\{.*?\}\}", "1", command))
    options = {f"--haystack-{option.name}" for option in _OPTIONS} | {"-n"}
    if words[0] == "pytest":
        assert {word for word in words if word.startswith("-")} <= options, command
    elif words[0] == "pytest-haystack":
        known = main.commands[words[1]]
        named = {name for parameter in known.params for name in parameter.opts}
        assert {word for word in words if word.startswith("-")} <= named, command
    else:
        assert words[:2] == ["pip", "install"], command
        assert words[2:] == ["pytest-haystack"], command


def test_there_are_blocks_of_every_kind() -> None:
    assert {kind_of(block) for block in YAML} == {"sweep", "cases", "workflow", "extension"}
    assert (ROOT / "README.md") in {block.page for block in YAML}
