"""Starting the gateway, and ending it."""

from __future__ import annotations

import os
import secrets
import site
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

import pytest_haystack
from pytest_haystack.errors import HaystackError
from pytest_haystack.models.redaction import Redactor
from pytest_haystack.running.gateway import folders
from pytest_haystack.running.gateway.budgets import Limit
from pytest_haystack.running.gateway.settings import ModelSettings, redactor_for
from pytest_haystack.running.gateway.wire import pack, parse_address, unpack
from pytest_haystack.running.store.kept import KeepSettings
from pytest_haystack.text import one_line, printable

_MODULE = "pytest_haystack.running.gateway"
#: Seconds for the child to listen; it takes a fifth of a second on an idle machine.
_START = 60.0
#: Seconds for the child to end by itself.
_GRACE = 4.0
#: Seconds for the last answers before whoever waits for them is told so.
_UNTOLD = 1.0
#: Characters of what the child said last.
_LONGEST_WORDS = 400


class GatewayProcess:
    """The child process that asks paid models; made by `start`.

    ``address`` and ``authkey`` are all that `pytest_haystack.running.gateway.client.GatewayClient` needs, in this
    process or another one on the machine. The child ends with this process, however that ends.
    """

    def __init__(
        self, process: subprocess.Popen[bytes], errors: IO[bytes], address: str, authkey: str, longest: float
    ) -> None:
        """``longest`` is how many seconds a request may take."""
        self._process = process
        self._longest = longest
        self._errors = errors
        self.address = address
        self.authkey = authkey

    @classmethod
    def start(
        cls,
        models: Mapping[str, Mapping[str, Any]],
        concurrency: int | None,
        warm: bool,
        environ: Mapping[str, str] = os.environ,
        *,
        keep: KeepSettings | None = None,
        limits: Sequence[Limit] = (),
        debug_http: Path | None = None,
    ) -> GatewayProcess:
        """Start the child and wait until it listens.

        ``models`` are dumps (``mode="json"``) of `pytest_haystack.config.schema.ModelEntry` by the ids to ask them
        by; keys stay in ``environ``, which the child gets as its own. ``concurrency`` is how many requests may be under
        way over all models, None leaving it to each model's ``in_flight``. ``warm`` imports litellm at once.
        ``keep`` says where answers are kept, None that they are not.
        ``limits`` are what may be spent, ``debug_http`` the folder that raw requests and responses are written to.
        Raises HaystackError with the child's last words where it does not come up.
        """
        authkey = secrets.token_hex(32)
        settings: dict[str, Any] = {"models": models, "concurrency": concurrency, "warm": warm, "authkey": authkey}
        settings["keep"] = asdict(keep) if keep is not None else None
        settings["budgets"] = [asdict(limit) for limit in limits]
        settings["debug_http"] = None if debug_http is None else str(debug_http)
        errors = tempfile.TemporaryFile()  # noqa: SIM115 (open as long as the child)
        process = subprocess.Popen(
            command(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=_child_environment(environ),
        )
        redact = redactor_for(map(ModelSettings.from_entry, models.values()), environ)
        try:
            longest = max((entry["limits"]["timeout"] for entry in models.values()), default=0.0)
            return cls(process, errors, _introduce(process, settings, errors, redact), authkey, longest)
        except BaseException:
            _kill(process)
            errors.close()
            raise

    @property
    def pid(self) -> int:
        """Process id of the child."""
        return self._process.pid

    def warm(self) -> None:
        """Have litellm imported now, while something else is going on here."""
        self._order("warm")

    def halt(self) -> None:
        """Have nothing sent any more that nobody has asked for."""
        self._order("halt")

    def finish(self, waiting: Callable[[], None] = lambda: None) -> None:
        """Let what is under way be answered and kept, then end the child; nothing more is sent meanwhile.

        That takes as long as the last request may; ``waiting`` is called where it takes more than a moment. An
        interruption ends the child at once.
        """
        self._order("finish")
        try:
            try:
                self._process.wait(_UNTOLD)
            except subprocess.TimeoutExpired:
                waiting()
                with suppress(subprocess.TimeoutExpired):
                    self._process.wait(self._longest + _GRACE)
        finally:
            self.stop()

    def call_off(self) -> None:
        """Begin to end the child, and do not wait for it: `stop` does."""
        self._order("stop")

    def stop(self) -> None:
        """End the child: who waits for an answer gets an error at once. Harmless when it has ended."""
        self._order("stop")
        try:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_GRACE)
        finally:
            _kill(self._process)
            self._errors.close()
            self._remove_socket()

    def __enter__(self) -> GatewayProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _order(self, name: str) -> None:
        stdin = self._process.stdin
        if stdin is None or stdin.closed:
            return
        with suppress(OSError):  # it may have ended
            stdin.write(pack({"do": name}) + b"\n")
            stdin.flush()

    def _remove_socket(self) -> None:
        address = parse_address(self.address)
        if isinstance(address, str):
            folders.remove(Path(address))


def command() -> list[str]:
    """The words that start the child."""
    return [sys.executable, "-m", _MODULE]


def _introduce(
    process: subprocess.Popen[bytes], settings: Mapping[str, Any], errors: IO[bytes], redact: Redactor
) -> str:
    """Hand over the settings and take the address. Raises HaystackError where the child ends or stays silent."""
    assert process.stdin is not None
    assert process.stdout is not None
    told: list[bytes] = []
    reader = threading.Thread(target=lambda out: told.append(out.readline()), args=(process.stdout,), daemon=True)
    reader.start()
    with suppress(OSError):  # where it has ended already, its last words tell why
        process.stdin.write(pack(settings) + b"\n")
        process.stdin.flush()
    reader.join(_START)
    if told and told[0]:
        return str(unpack(told[0])["address"])
    how = "it ended" if told else f"nothing was heard of it for {_START:g} s"
    with suppress(subprocess.TimeoutExpired):
        how += f", exit code {process.wait(1)}"
    words = one_line(printable(redact(_last_words(errors))), _LONGEST_WORDS)
    raise HaystackError(f"the gateway, the process that asks paid models, did not start ({how}): {words}")


def _last_words(errors: IO[bytes]) -> str:
    errors.seek(0)
    lines = errors.read().decode("utf-8", "replace").split("\n")
    said = [line for line in lines if line.strip()] or ["it said nothing"]
    # An exception's own line, where there is one: what an interpreter that cannot start says goes on after it.
    return next((line for line in reversed(said) if "Error: " in line), said[-1])


def _child_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment, with this package importable and nothing of the working directory in the way."""
    # A run's `-W error` is not for the libraries of the gateway.
    environment = {**environ, "PYTHONSAFEPATH": "1", "PYTHONWARNINGS": "ignore"}
    root = str(Path(pytest_haystack.__file__).resolve().parent.parent)
    installed = [*site.getsitepackages(), site.getusersitepackages()]
    if root not in {str(Path(folder).resolve()) for folder in installed}:
        paths = [root, environment.get("PYTHONPATH", "")]
        environment["PYTHONPATH"] = os.pathsep.join(path for path in paths if path)
    return environment


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End it for certain, and let go of its pipes."""
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()
