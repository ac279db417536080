"""Configs of other tools in a folder of their own, and the command that turns them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from pytest_haystack.cli import main

Run = Callable[..., "Outcome"]


@dataclass(frozen=True)
class Outcome:
    """What the command did: exit code, the sweep file that it wrote, and each line on standard error."""

    code: int
    text: str
    told: list[str]

    @property
    def settings(self) -> Any:
        return yaml.safe_load(self.text)

    def notes(self) -> dict[str, str]:
        """Why a key was not carried over, by key."""
        lines = [line.removeprefix("not carried over: ") for line in self.told if line.startswith("not carried over: ")]
        return dict(line.split(": ", 1) for line in lines)


@pytest.fixture
def turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Turn a text in the format of another tool; what comes out must be a valid sweep file."""
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "NIAH_BASE"):
        monkeypatch.delenv(name, raising=False)

    def runner(text: str | bytes, *args: str, name: str = "theirs.yaml") -> Outcome:
        data = text.encode() if isinstance(text, str) else text
        (tmp_path / name).write_bytes(data)
        result = CliRunner().invoke(main, ["import-config", name, *args])
        outcome = Outcome(result.exit_code, result.stdout, result.stderr.splitlines())
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exc_info
        return outcome

    return runner


def write(path: str, text: str) -> Path:
    """A file below the working directory."""
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


@pytest.fixture
def command() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run the command `pytest-haystack`, as it is installed."""

    def runner(*args: str) -> subprocess.CompletedProcess[str]:
        program = Path(sys.executable).with_name("pytest-haystack")
        return subprocess.run([program, *args], capture_output=True, text=True, timeout=120, check=False)

    return runner
