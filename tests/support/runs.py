"""Runs of pytest within these tests."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from pytest_haystack.cli import main
from tests.support import ready_processes

_ROOT = Path(__file__).parents[2]
#: Arguments that leave out plugins of no use here, which each process of a run would import.
LEFT_OUT = tuple(
    word for name in ("randomly", "hypothesispytest", "anyio", "pytest_httpserver") for word in ("-p", f"no:{name}")
)


def own_process(*args: str, forked: bool = True) -> tuple[list[str], dict[str, str]]:
    """Command and environment of a run of haystack.yaml in a process of its own.

    Its gateway and its workers are ``forked`` where that can be, see `tests.support.ready_processes`.
    """
    plugin, more = ready_processes.plugin() if forked else ([], {})
    command = [sys.executable, "-m", "pytest", *LEFT_OUT, "-p", "no:cacheprovider", *plugin]
    environment = {**os.environ, "PYTHONPATH": str(_ROOT), **more}
    return [*command, "--haystack-config", "haystack.yaml", *args], environment


def command(*words: object) -> subprocess.CompletedProcess[str]:
    """Run `pytest-haystack` in this process: what a process of its own would take a second for."""
    modules, paths = set(sys.modules), list(sys.path)
    out, errors = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    told = list(map(str, words))
    try:
        with redirect_stdout(out), redirect_stderr(errors):
            main(told, prog_name="pytest-haystack")
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    finally:
        sys.path[:] = paths
        here = str(Path.cwd())
        for name in sys.modules.keys() - modules:
            # Of the project in a temporary folder, which the next one may have by the same name.
            if str(getattr(sys.modules[name], "__file__", "")).startswith(here):
                del sys.modules[name]
    said = [stream.buffer.getvalue().decode().replace("\r\n", "\n") for stream in (out, errors)]  # type: ignore[attr-defined]
    return subprocess.CompletedProcess(told, code, *said)
