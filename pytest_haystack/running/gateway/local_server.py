"""Local models: the gateway's own llama.cpp servers, one a weights file, started when first asked."""

from __future__ import annotations

import http.client
import json
import os
import secrets
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, MutableMapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from pytest_haystack.running.gateway.failures import RequestError
from pytest_haystack.running.gateway.loopback import pass_by_proxies
from pytest_haystack.running.gateway.settings import ModelSettings
from pytest_haystack.text import one_line, printable

_MODULE = "pytest_haystack.running.gateway.local_child"
#: Environment variable of the gateway that holds the servers' key; its name makes every redactor hide the value.
KEY_VARIABLE = "PYTEST_HAYSTACK_LOCAL_API_KEY"
_HOST = "127.0.0.1"
#: Seconds for a model to be loaded and to answer; a small one takes half a second.
_START = 300.0
_PAUSE = 0.05
_LONGEST_WORDS = 300
_MOST_THREADS = 8


@dataclass(slots=True)
class _Server:
    """A running child with the port it listens on."""

    process: subprocess.Popen[bytes]
    errors: IO[bytes]
    port: int


class LocalServers:
    """The servers for the local models among ``models``, by weights file.

    ``environment`` is the gateway's own: it gets the servers' key, and leave to reach them past any proxy.
    """

    def __init__(self, models: Iterable[ModelSettings], environment: MutableMapping[str, str]) -> None:
        self._environment = environment
        self._contexts: dict[str, int] = {}
        self._slots: dict[str, int] = {}
        for model in models:
            if model.local_file is not None:
                file = model.local_file
                self._contexts[file] = max(self._contexts.get(file, 0), model.local_context)
                self._slots[file] = max(self._slots.get(file, 0), model.in_flight)
        if self._contexts:
            environment[KEY_VARIABLE] = secrets.token_hex(16)
            pass_by_proxies(environment)
        self._running: dict[str, _Server] = {}
        self._turn = threading.Lock()
        self._closed = False

    def api_base(self, file: str) -> str:
        """Address of the server of a weights file, which is started where it does not run. Blocks meanwhile.

        Raises RequestError where it does not come up.
        """
        with self._turn:
            server = self._running.get(file)
            if server is None or server.process.poll() is not None:
                if server is not None:
                    _end(server.process, server.errors)
                server = self._running[file] = self._started(file)
        return f"http://{_HOST}:{server.port}/v1"

    def close(self) -> None:
        """End all servers."""
        self._closed = True
        for server in list(self._running.values()):
            _end(server.process, server.errors)

    def _started(self, file: str) -> _Server:
        if self._closed:
            raise RequestError("the run is ending", code="unusable_entry")
        errors = tempfile.TemporaryFile()  # noqa: SIM115 (open as long as the child)
        process = subprocess.Popen(
            [sys.executable, "-m", _MODULE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env={name: value for name, value in self._environment.items() if name != KEY_VARIABLE},
        )
        order = {
            "file": file,
            "name": Path(file).stem,
            "context": self._contexts[file],
            "slots": self._slots[file],
            "threads": _threads(),
            "key": self._environment[KEY_VARIABLE],
        }
        try:
            port = _introduce(process, json.dumps(order).encode() + b"\n", errors)
            _await_health(process, port)
        except BaseException:
            _end(process, errors)
            raise
        return _Server(process, errors, port)


def _threads() -> int:
    """Threads for llama.cpp: one processor stays free, for with more threads than idle ones it is slower."""
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(max(available - 1, 1), _MOST_THREADS)


def _introduce(process: subprocess.Popen[bytes], order: bytes, errors: IO[bytes]) -> int:
    """Hand over the order, and take the port. Raises RequestError with llama.cpp's last words."""
    assert process.stdin is not None
    assert process.stdout is not None
    told: list[bytes] = []
    reader = threading.Thread(target=lambda out: told.append(out.readline()), args=(process.stdout,), daemon=True)
    reader.start()
    with suppress(OSError):  # where it has ended already, its last words tell why
        process.stdin.write(order)
        process.stdin.flush()
    reader.join(_START)
    if told and told[0].strip().isdigit():
        return int(told[0])
    how = "it ended" if told else f"nothing was heard of it for {_START:g} s"
    raise RequestError(f"llama.cpp cannot serve it ({how}): {_last_words(errors)}", code="unusable_entry")


def _await_health(process: subprocess.Popen[bytes], port: int) -> None:
    until = time.monotonic() + _START
    while time.monotonic() < until and process.poll() is None:
        with suppress(OSError, http.client.HTTPException):
            connection = http.client.HTTPConnection(_HOST, port, timeout=5)
            connection.request("GET", "/health")
            if connection.getresponse().status == 200:
                return
        time.sleep(_PAUSE)
    raise RequestError("llama.cpp does not answer", code="unusable_entry")


def _last_words(errors: IO[bytes]) -> str:
    """The first error that it reported: what follows merely repeats that loading failed."""
    errors.seek(0)
    lines = [line.strip() for line in errors.read().decode("utf-8", "replace").splitlines() if line.strip()]
    said = next((line for line in lines if " E " in line), lines[-1] if lines else "it said nothing")
    return one_line(printable(said.partition(" E ")[2] or said), _LONGEST_WORDS)


def _end(process: subprocess.Popen[bytes], errors: IO[bytes]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout, errors):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()
