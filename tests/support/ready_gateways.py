"""Gateways that have litellm in memory from the start: forked from one process that has imported it.

The import takes three seconds of a core, and hundreds of these tests start a gateway of which it is not the subject. A
forked one is what a started one is: a process of its own with its own environment, which ends with its parent. Where no
process can be forked, gateways are started as ever.
"""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from importlib import import_module
from pathlib import Path
from typing import NoReturn

import pytest

#: Where the process that forks is listening, for runs of pytest in processes of their own.
ADDRESS = "READY_GATEWAYS"
_ROOT = Path(__file__).parents[2]
_LAUNCHER = Path(__file__).with_name("ready_gateway.py")


class ReadyGateways:
    """Starts the process that forks when the first gateway is wanted, and ends it with this one."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._folder = tempfile.TemporaryDirectory(prefix="ready-")
        self.address = str(Path(self._folder.name) / "socket")

    def command(self) -> list[str]:
        """What starts a gateway, in place of `pytest_haystack.running.gateway.process.command`."""
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.support.ready_gateways", self.address],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                cwd=_ROOT,
                env={**os.environ, "PYTHONPATH": str(_ROOT), "PYTHONWARNINGS": "ignore"},
            )
            assert self._process.stdout is not None
            assert self._process.stdout.readline() == b"listening\n"
        return launch(self.address)

    def plugin(self) -> tuple[list[str], dict[str, str]]:
        """Arguments of a run of pytest in a process of its own, and what its environment needs besides."""
        self.command()
        return ["-p", __name__], {ADDRESS: self.address}

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
        self._folder.cleanup()


#: That of these tests, None where gateways are started as ever.
current: ReadyGateways | None = None


def launch(address: str) -> list[str]:
    """The command that has a gateway forked by who listens there, and stands for it."""
    return [sys.executable, "-I", "-S", str(_LAUNCHER), address]


def pytest_configure() -> None:
    """As a plugin of a run in a process of its own: its gateways are forked, where the environment says by whom."""
    from pytest_haystack.running.gateway import process

    if address := os.environ.get(ADDRESS):
        pytest.MonkeyPatch().setattr(process, "command", lambda: launch(address))


def main(address: str) -> NoReturn:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(address)
    listener.listen(128)
    print("listening", flush=True)
    _import()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those forked
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.freeze()
    while listener in select.select([listener, sys.stdin], [], [])[0]:
        connection, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            _become(connection)
        connection.close()
    os._exit(0)


def _import() -> None:
    """What a gateway imports sooner or later."""
    from pytest_haystack.running.gateway import provider, server  # noqa: F401

    os.environ.update(provider.ENVIRONMENT)
    import_module("litellm")


def _become(connection: socket.socket) -> NoReturn:
    """The gateway that the launcher at the other end of the connection stands for."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    message, pipes, _, _ = socket.recv_fds(connection, 8, 3)
    with connection.makefile("rb") as told:
        settings = json.loads(told.read(int(message)))
    for number, pipe in enumerate(pipes):
        os.dup2(pipe, number)
        os.close(pipe)
    os.chdir(settings["folder"])
    os.environ.clear()
    os.environ.update(settings["environment"])
    threading.Thread(target=_end_with, args=(connection,), daemon=True).start()
    from pytest_haystack.running.gateway.server import run

    run(sys.stdin.buffer, sys.stdout.buffer)
    os._exit(0)


def _end_with(connection: socket.socket) -> None:
    """End at once when the launcher does, as who kills it believes to have killed this one."""
    connection.recv(1)
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main(sys.argv[1])
