"""One gateway for many processes: limits hold over all of them."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from pytest_haystack.errors import ModelError
from pytest_haystack.running.gateway.client import GatewayClient
from pytest_haystack.running.gateway.process import GatewayProcess
from tests.gateway.entries import entry, say
from tests.support.openai_server import OpenAIServer, Received, Reply, answer, error

ASKING = Path(__file__).with_name("asking.py")
ROOT = Path(__file__).parents[2]
#: Seconds in which a request that should wait would have left.
MOMENT = 0.4


def echo(request: Received) -> Reply:
    return answer(request.text, delay=0.2)


@pytest.fixture(scope="module")
def gateway(server: OpenAIServer) -> Generator[GatewayProcess, None, None]:
    models = {
        "narrow": entry("narrow", server.base("narrow", echo), in_flight=3),
        "one": entry("one", server.base("one", echo), in_flight=20),
        "two": entry("two", server.base("two", echo), in_flight=20),
        "two-a-minute": entry("two-a-minute", server.base("two-a-minute", echo), requests_per_minute=2),
        "few-tokens": entry("few-tokens", server.base("few-tokens", echo), tokens_per_minute=1000),
        "locked": entry("locked", server.base("locked", error(401)), in_flight=1),
        "paused": entry("paused", server.base("paused", error(429, retry_after="200")), in_flight=1, retries=3),
    }
    with GatewayProcess.start(models, 5, warm=True) as process:
        yield process


def start_asking(gateway: GatewayProcess, model: str, first: int, last: int) -> subprocess.Popen[str]:
    """A process that asks a model a question for each number."""
    command = [sys.executable, str(ASKING), gateway.address, gateway.authkey, model, str(first), str(last)]
    return subprocess.Popen(command, cwd=ROOT, env=None, stdout=subprocess.PIPE, text=True)


def told(process: subprocess.Popen[str]) -> dict[str, object]:
    out, _ = process.communicate(timeout=120)
    return dict(json.loads(out))


def wait_until(true: Callable[[], bool]) -> None:
    """Wait for what must come, for two minutes at most."""
    deadline = time.monotonic() + 120
    while not true() and time.monotonic() < deadline:
        time.sleep(0.02)


class Asker(threading.Thread):
    """Asks in a thread and keeps what comes of it."""

    def __init__(self, gateway: GatewayProcess, model: str, text: str, tokens: int = 10) -> None:
        super().__init__(daemon=True)
        self._client = GatewayClient(gateway.address, gateway.authkey)
        self._ask = model, say(text), tokens, 0
        self.result: str | None = None
        self.start()

    def run(self) -> None:
        try:
            self.result = self._client.complete(*self._ask).text
        except ModelError as caught:
            self.result = caught.outcome
        finally:
            self._client.close()


def test_eight_processes_share_the_gateway_its_limits_and_its_answers(
    gateway: GatewayProcess, server: OpenAIServer
) -> None:
    # Ranges overlap: each number from 0 to 17 is asked by up to three processes.
    askers = [start_asking(gateway, "narrow", 2 * index, 2 * index + 4) for index in range(8)]
    results = [told(asker) for asker in askers]

    for index, result in enumerate(results):
        assert result["answers"] == [f"number {number}" for number in range(2 * index, 2 * index + 4)]
        assert result["errors"] == []
        assert result["litellm"] is False
    assert sorted(request.text for request in server.received("narrow")) == sorted(
        f"number {number}" for number in range(18)
    )
    assert server.peak("narrow") == 3


def test_concurrency_holds_over_all_models(gateway: GatewayProcess, server: OpenAIServer) -> None:
    askers = [Asker(gateway, model, f"number {number}") for number in range(6) for model in ("one", "two")]
    for asker in askers:
        asker.join(120)

    assert all(asker.result and asker.result.startswith("number") for asker in askers)
    assert server.peak("one") + server.peak("two") >= 5
    assert server.peak() == 5


@pytest.mark.parametrize(("model", "tokens"), [("two-a-minute", 10), ("few-tokens", 500)])
def test_what_a_minute_cannot_hold_waits(
    gateway: GatewayProcess, server: OpenAIServer, model: str, tokens: int
) -> None:
    askers = [Asker(gateway, model, f"number {number}", tokens) for number in range(3)]
    wait_until(lambda: sum(asker.result is not None for asker in askers) == 2)
    time.sleep(MOMENT)

    assert sorted(asker.result is None for asker in askers) == [False, False, True]
    assert server.count(model) == 2


def test_a_pause_that_the_provider_asks_for_holds_for_the_whole_model(
    gateway: GatewayProcess, server: OpenAIServer
) -> None:
    askers = [Asker(gateway, "paused", f"number {number}") for number in range(3)]
    wait_until(lambda: server.count("paused") > 0)
    time.sleep(MOMENT)

    assert all(asker.result is None for asker in askers)
    assert server.count("paused") == 1


def test_asks_that_wait_are_refused_when_the_model_stops(gateway: GatewayProcess, server: OpenAIServer) -> None:
    askers = [Asker(gateway, "locked", f"number {number}") for number in range(5)]
    for asker in askers:
        asker.join(120)

    assert [asker.result for asker in askers] == ["config_error"] * 5
    assert server.count("locked") == 1
