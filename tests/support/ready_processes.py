"""Gateways and workers that have imported what they need from the start: forked from a process that has.

The import of litellm takes three seconds of a core, that of pytest and this package one, and these tests start hundreds
of gateways and workers of which that is not the subject. A forked process is what a started one is, with an environment
of its own, and it ends with its parent. Where no process can be forked, they are started as ever.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from execnet import gateway_io

from pytest_haystack.running.gateway import process

#: Where the processes that fork are listening, for runs of pytest in processes of their own.
GATEWAYS, WORKERS = "READY_GATEWAYS", "READY_WORKERS"
_ROOT = Path(__file__).parents[2]
_LAUNCHER = Path(__file__).with_name("ready_process.py")


class Ready:
    """Starts a process that forks when the first one is wanted, and ends it with this one."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._process: subprocess.Popen[bytes] | None = None
        self._folder = tempfile.TemporaryDirectory(prefix="ready-")
        self._address = str(Path(self._folder.name) / "socket")

    @property
    def address(self) -> str:
        """Where the process that forks is listening."""
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.support.forking", self._kind, self._address],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                cwd=_ROOT,
                env={**os.environ, "PYTHONPATH": str(_ROOT), "PYTHONWARNINGS": "ignore"},
            )
            assert self._process.stdout is not None
            assert self._process.stdout.readline() == b"listening\n"
        return self._address

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
        self._folder.cleanup()


#: Those of these tests; without them processes are started as ever.
current: dict[str, Ready] = {}


def install(patch: pytest.MonkeyPatch, address_of: Callable[[str], str]) -> None:
    """Have gateways and workers of runs within this process forked by who listens at the addresses."""
    patch.setattr(process, "command", lambda: _launch(address_of(GATEWAYS)))
    started = gateway_io.popen_args
    patch.setattr(gateway_io, "popen_args", lambda spec: started(spec) if spec.python else _launch(address_of(WORKERS)))


def pytest_configure() -> None:
    """As a plugin of a run in a process of its own."""
    if GATEWAYS in os.environ:
        install(pytest.MonkeyPatch(), os.environ.__getitem__)


def plugin() -> tuple[list[str], dict[str, str]]:
    """Arguments of such a run that make this its plugin, and what its environment needs besides."""
    if not current:
        return [], {}
    return ["-p", __name__], {name: ready.address for name, ready in current.items()}


def _launch(address: str) -> list[str]:
    """The command that has a process forked, and stands for it."""
    return [sys.executable, "-I", "-S", str(_LAUNCHER), address]
