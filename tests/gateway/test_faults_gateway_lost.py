"""A gateway that dies, hangs or is cut off: a clear error in every cell that waits, never a hang."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from pytest_haystack.errors import ModelError
from pytest_haystack.running.gateway.client import GatewayClient
from pytest_haystack.running.gateway.process import GatewayProcess
from tests.gateway.entries import entry, say
from tests.support.needles import good
from tests.support.openai_server import OpenAIServer, Received, Reply, answer

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX's"),
    pytest.mark.usefixtures("started_processes"),
]
#: Seconds that a client waits here for a sign of life.
PATIENCE = 2.5


def slow(request: Received) -> Reply:
    return answer(request.text[-20:], delay=60 if "slow" in request.text else 0)


@pytest.fixture
def gateway(server: OpenAIServer) -> Generator[GatewayProcess, None, None]:
    with GatewayProcess.start({"m": entry("m", server.base("lost", slow))}, None, warm=True) as process:
        yield process
        with suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGCONT)


class Asker(threading.Thread):
    """Asks in a thread, and keeps what comes of it."""

    def __init__(self, client: GatewayClient, text: str) -> None:
        super().__init__(daemon=True)
        self._ask = client, text
        self.result: str | None = None
        self.start()

    def run(self) -> None:
        client, text = self._ask
        try:
            self.result = client.complete("m", say(text), 10, 0).text
        except ModelError as error:
            self.result = str(error)


def wait_until(true: Callable[[], bool]) -> None:
    """Wait for what must come, for two minutes at most."""
    deadline = time.monotonic() + 120
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_gateway_that_hangs_is_an_error_in_each_waiting_cell_and_in_the_next(
    gateway: GatewayProcess, server: OpenAIServer
) -> None:
    client = GatewayClient(gateway.address, gateway.authkey, PATIENCE)
    assert client.complete("m", say("quick"), 10, 0).text == "quick"
    before = server.count("lost")
    waiting = [Asker(client, f"slow {number}") for number in range(3)]
    wait_until(lambda: server.count("lost") == before + 3)
    os.kill(gateway.pid, signal.SIGSTOP)

    for asker in waiting:
        asker.join(60)
        assert asker.result == (
            "no answer: the gateway, the process that sends the requests, hangs: no sign of life for 2.5 s"
        )
    # New lines, and prompts that fill every buffer on the way, do not wait for ever either.
    for text in ("another", "x" * 3_000_000):
        asker = Asker(client, text)
        asker.join(60)
        assert asker.result is not None
        assert "hangs: no sign of life" in asker.result

    os.kill(gateway.pid, signal.SIGCONT)
    assert client.complete("m", say("back"), 10, 0).text == "back"


def test_an_answer_may_take_longer_than_the_gateway_may_be_silent(
    gateway: GatewayProcess, server: OpenAIServer
) -> None:
    server.base("lost", lambda request: answer("late", delay=3.0))
    client = GatewayClient(gateway.address, gateway.authkey, 2.0)

    assert client.complete("m", say("patience"), 10, 0).text == "late"


# At its end a run waits for a gateway that does not move as long as a request may take.
CONFIG = """\
models:
  - {{id: m, model: openai/served, api_base: {base}, api_key_env: GATEWAY_TEST_KEY, limits: {{retries: 1, timeout: 5}}}}
haystack: {{source: synthetic}}
sweep: {{context_lengths: [400], depth_percents: [0, 25, 50, 75, 100]}}
tasks: [single]
"""
CONFTEST = """\
import os, signal, pytest
from pytest_haystack.running.gateway import client
client.PATIENCE = 2.5
"""


class Striking:
    """Answers well until its third request, then sends a signal to the gateway."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._asked = 0

    def __call__(self, request: Received) -> Reply:
        self._asked += 1
        if self._asked < 3:
            return good(request)
        if self._asked == 3:
            os.kill(gateway_of(os.getpid()), self._number)
        time.sleep(12)
        return good(request)


def gateway_of(pid: int) -> int:
    """The gateway that a process has started, by its command line."""
    for process in Path("/proc").iterdir():
        with suppress(OSError, IndexError):
            command = (process / "cmdline").read_bytes()
            parent = int((process / "stat").read_text().rpartition(")")[2].split()[1])
            if b"pytest_haystack.running.gateway" in command and parent == pid:
                return int(process.name)
    raise AssertionError("there is no gateway")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
@pytest.mark.parametrize(
    ("number", "words"),
    [(signal.SIGKILL, "has ended ("), (signal.SIGSTOP, "hangs: no sign of life for 2.5 s")],
    ids=["killed", "stopped"],
)
def test_a_run_whose_gateway_is_lost_ends_with_an_error_in_each_cell(
    server: OpenAIServer, write: Any, run: Any, rows: Any, pytester: Any, number: int, words: str
) -> None:
    base = server.base(f"striking-{number}", Striking(number))
    write(CONFIG.format(base=base))
    pytester.makeconftest(CONFTEST)
    result = run("-n", "2")

    # Of the first two answers one may still have been on its way.
    seen = result.parseoutcomes()
    assert seen["errors"] >= 3
    assert seen["errors"] + seen.get("passed", 0) == 5
    lost = [row for row in rows() if row["outcome"] != "answered"]
    assert {(row["outcome"], row["score"]) for row in lost} == {("infra_error", None)}
    assert any(words in row["error"] for row in lost)
    assert all("the gateway, the process that sends the requests, " in row["error"] for row in lost)
