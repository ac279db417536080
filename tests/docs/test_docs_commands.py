"""Every command of the documentation is run, in the order of the pages, or is known to run elsewhere."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from pytest_haystack.cli import main
from pytest_haystack.config.loader import load_config
from pytest_haystack.registry import Registry
from pytest_haystack.running.prompts import PRESETS
from tests.docs.pages import ROOT, Block, blocks
from tests.support.runs import LEFT_OUT

#: The sweep that the commands are about: the readers bear the names of the pages, and all lengths that pages select.
SWEEP = """\
models:
  - {id: reader, model: simulated/lost-in-the-middle}
  - {id: gpt-4o-mini, model: simulated/perfect}
haystack: {source: synthetic}
sweep: {context_lengths: [4000, 8000], depth_percents: [0, 50]}
tasks: [single]
known_failures:
  - {model: reader, depth_percents: [50], reason: loses the middle}
"""
#: Commands of contributors and of installing, which the suite itself and .ci/run stand for.
ELSEWHERE = re.compile(
    r"python3 -m venv \.venv|(\.venv/bin/)?pip install .*|\. \.venv/bin/activate|git add .*|mkdocs serve|mypy"
    r"|ruff (check|format --check) \.|bash \S+|(\.venv/bin/)?pytest (-n auto|tests/\S+)"
    r"|(\.venv/bin/)?pytest-haystack fetch (local/smollm2|haystack\.yaml)"
)
#: pytest on a file of this repository, which other tests run.
EXAMPLE = re.compile(r"\.venv/bin/pytest --haystack-config (examples/\S+\.yaml) -n \d")


def commands(block: Block) -> list[str]:
    """The commands of a block, without comments, and without what becomes of their output."""
    lines = [re.sub(r"\s+#.*", "", line).strip() for line in block.text.splitlines()]
    parts = [part for line in lines if line and not line.startswith("#") for part in line.split(" && ")]
    return [re.sub(r" (\||>) .*", "", part) for part in parts]


def alone(command: str) -> str:
    """The command in one process: a worker each costs a start."""
    return re.sub(r" -n \d\b", "", command)


def ours() -> list[str]:
    """The commands that are run here: each once, in the order of the pages."""
    every = [command for block in blocks("bash") for command in commands(block)]
    here = [command for command in every if not ELSEWHERE.fullmatch(command) and not EXAMPLE.fullmatch(command)]
    return list(dict.fromkeys(map(alone, here)))


def test_every_command_runs(pytester: pytest.Pytester) -> None:
    (pytester.path / "haystack.yaml").write_text(SWEEP, encoding="utf-8")
    known = ours()
    # What the others go on from.
    assert known.index("pytest-haystack init") < known.index("pytest-haystack plan")

    for command in known:
        program, *words = shlex.split(command)
        if program == "pytest":
            result = pytester.runpytest_inprocess(*LEFT_OUT, *words)
            assert result.ret == 0, (command, result.outlines[-20:], result.errlines)
        else:
            assert program == "pytest-haystack", f"nobody knows how to run {command!r}"
            if words == ["init"]:
                words = ["init", "of-init.yaml"]
            answer = CliRunner().invoke(main, words)
            assert answer.exit_code == 0, (command, answer.output)

    assert (pytester.path / "rows.csv").is_file()
    assert (pytester.path / "haystack-report" / "difference.png").is_file()


def test_commands_that_run_elsewhere_name_what_is_there() -> None:
    named = [command for block in blocks("bash") for command in commands(block)]
    extras = (ROOT / "pyproject.toml").read_text(encoding="utf-8")

    for command in named:
        if example := EXAMPLE.fullmatch(command):
            load_config(ROOT / example[1], Registry(), presets=PRESETS)
        for extra in re.findall(r"\[(\w+)\]'", command):
            assert f"\n{extra} = [" in extras, command
        for path in re.findall(r"(?:bash|pytest) (\.?\w+/\w+)", command):
            assert Path(ROOT, path).exists(), command
