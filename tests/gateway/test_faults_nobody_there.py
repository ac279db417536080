"""A server that is not there: a few tests find out, the others are told, and nothing is counted as spent."""

from __future__ import annotations

import socket
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from pytest_haystack.errors import ModelError
from pytest_haystack.running.gateway.client import GatewayClient
from pytest_haystack.running.gateway.process import GatewayProcess
from tests.gateway.entries import KEY_ENV, entry, say
from tests.support.needles import good
from tests.support.openai_server import OpenAIServer, Reply, answer, error

CONFIG = """\
name: absent
models:
  - {{id: gone, model: openai/served, api_base: "{gone}", api_key_env: {key}, limits: {{retries: 1}}}}
  - {{id: there, model: openai/served, api_base: "{there}", api_key_env: {key}}}
haystack: {{source: synthetic}}
sweep: {{context_lengths: [400], depth_percents: {{num: 8}}}}
tasks: [single]
budget: {{requests: 9}}
"""


def nobody() -> str:
    """An address at which nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{taken.getsockname()[1]}/v1"


def test_a_server_that_is_not_there_is_looked_for_by_a_few_tests(
    write: Any, run: Any, rows: Any, server: OpenAIServer, workers: tuple[str, ...]
) -> None:
    server.forget("there")
    write(CONFIG.format(gone=nobody(), there=server.base("there", good), key=KEY_ENV))

    # What never left is not taken from the budget, which is just enough for the other model.
    run(*workers).assert_outcomes(passed=8, errors=8)

    errors = [row["error"] for row in rows() if row["model_id"] == "gone"]
    tried = [words for words in errors if "(tried 2 times)" in words]
    # With two workers one more may have left meanwhile.
    assert 3 <= len(tried) <= 3 + len(workers) // 2
    assert all("; check api_base 'http://127.0.0.1" in words for words in tried)
    assert any("gone is not asked again" in words for words in tried)
    told = [words for words in errors if words not in tried]
    assert len(told) == 8 - len(tried)
    assert all("gone: not asked: gone was given up (no connection): see single-gone-" in words for words in told)
    assert {row["outcome"] for row in rows() if row["model_id"] == "gone"} == {"infra_error"}


@pytest.mark.parametrize("base", ["http://nowhere.invalid/v1", None], ids=["no such name", "closed"])
def test_nobody_is_told_apart_from_one_who_hangs_up(server: OpenAIServer, base: str | None) -> None:
    entries = {"m": entry("m", base or nobody())}
    with GatewayProcess.start(entries, None, warm=True) as process:
        client = GatewayClient(process.address, process.authkey)
        words = [_error(client, f"question {number}") for number in range(4)]

    assert [said.startswith("m: not asked") for said in words] == [False, False, False, True]


@pytest.mark.parametrize("reply", [answer("here"), error(503, "loading")], ids=["answer", "error"])
def test_a_server_that_was_there_is_looked_for_again_and_again(reply: Reply) -> None:
    with OpenAIServer() as server:
        script = replace(reply, headers={"Connection": "close"})
        entries = {"m": entry("m", server.base("leaves", script))}
        with GatewayProcess.start(entries, None, warm=True) as process:
            client = GatewayClient(process.address, process.authkey)
            with suppress(ModelError):
                assert client.complete("m", say("first"), 10, 0).text == "here"
            server.__exit__()
            words = [_error(client, f"question {number}") for number in range(6)]

    assert not any("not asked" in said for said in words)


def _error(client: GatewayClient, text: str) -> str:
    with pytest.raises(ModelError) as caught:
        client.complete("m", say(text), 10, 0)
    assert caught.value.outcome == "infra_error"
    return str(caught.value)
