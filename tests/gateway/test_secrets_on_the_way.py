"""Where a request goes, and what it carries: keys as files have them, servers that send elsewhere, proxies."""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Generator
from urllib.parse import quote

import pytest

from pytest_haystack.errors import ModelError
from pytest_haystack.running.gateway.client import GatewayClient
from pytest_haystack.running.gateway.process import GatewayProcess
from tests.gateway.entries import CANARY, entry, say
from tests.gateway.replies import anthropic
from tests.support.openai_server import OpenAIServer, Reply, answer

#: What variables hold: as a shell has it, as files of other systems and secret stores have it, and beyond repair.
KEYS = {
    "plain": CANARY,
    "lf": f"{CANARY}\n",
    "crlf": f" {CANARY}\r\n",
    "inside": f"{CANARY}\r\nX-Evil: {CANARY}",
    "umlaut": f"ö{CANARY}",
}
PASSWORD = "p@ss/w+rd"
FIT = ("plain", "lf", "crlf")
#: Nobody listens there.
DEAD = "http://127.0.0.1:9"
SEND_ELSEWHERE = {"openai": "/chat/completions", "anthropic": "/messages"}


@pytest.fixture(scope="module")
def elsewhere() -> Generator[OpenAIServer, None, None]:
    with OpenAIServer() as running:
        yield running


@pytest.fixture(scope="module")
def client(server: OpenAIServer, elsewhere: OpenAIServer) -> Generator[GatewayClient, None, None]:
    """One gateway for all, behind a proxy that is not there."""
    proxies = dict.fromkeys(("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY"), DEAD)
    environment = {**os.environ, **proxies, "no_proxy": "example.org", "DEEPSEEK_API_KEY": f"{CANARY}\r\n"}
    environment.pop("NO_PROXY", None)
    models = {}
    for name, value in KEYS.items():
        environment[f"SECRET_{name}"] = value
        models[name] = entry(name, server.base(name, answer("yes")), api_key_env=f"SECRET_{name}")
        headed = entry(f"{name}-header", server.base(f"{name}-header", answer("yes")), api_key_env=None)
        models[f"{name}-header"] = {**headed, "headers_env": {"x-team": f"SECRET_{name}"}}
    models["found"] = entry("found", server.base("found", answer("yes")), model="deepseek/m", api_key_env=None)
    models["basic"] = entry(
        "basic",
        server.base("basic", answer("yes")).replace("://", f"://me:{quote(PASSWORD, safe='')}@"),
        api_key_env=None,
    )
    models["by-name"] = entry("by-name", server.base("by-name", answer("yes")).replace("127.0.0.1", "localhost"))
    server.base("here", answer("yes"))
    for provider, path in SEND_ELSEWHERE.items():
        said = answer("yes") if provider == "openai" else anthropic("end_turn")
        for status in (302, 307):
            name = f"{provider}-{status}"
            moved = Reply(status, b"", {"location": elsewhere.base(name, said) + path})
            told = entry(name, server.base(name, moved), model=f"{provider}/m", api_key_env="SECRET_plain")
            models[name] = {**told, "headers_env": {"x-team": "SECRET_plain"}}
    for status, target in ((302, "here"), (307, "here"), (308, "circle")):
        moved = Reply(status, b"", {"location": f"{server.base(target)}/chat/completions"})
        name = "circle" if target == "circle" else f"within-{status}"
        models[name] = entry(name, server.base(name, moved), api_key_env="SECRET_plain")
    with GatewayProcess.start(models, None, warm=True, environ=environment) as gateway:
        asking = GatewayClient(gateway.address, gateway.authkey)
        yield asking
        asking.close()


def refusal(client: GatewayClient, model: str) -> str:
    """Why a request was refused for good."""
    with pytest.raises(ModelError) as refused:
        client.complete(model, say("hello"), 10, 0)
    assert refused.value.outcome == "config_error"
    assert CANARY not in str(refused.value)
    return str(refused.value)


@pytest.mark.parametrize("name", FIT)
def test_white_space_around_a_key_is_not_sent(client: GatewayClient, server: OpenAIServer, name: str) -> None:
    assert client.complete(name, say("hello"), 10, 0).text == "yes"
    assert client.complete(f"{name}-header", say("hello"), 10, 0).text == "yes"

    [by_key], [by_header] = server.received(name), server.received(f"{name}-header")
    assert by_key.headers["authorization"] == f"Bearer {CANARY}"
    assert by_header.headers["x-team"] == CANARY


def test_nor_around_one_that_the_library_finds_by_itself(client: GatewayClient, server: OpenAIServer) -> None:
    assert client.complete("found", say("hello"), 10, 0).text == "yes"
    assert server.received("found")[0].headers["authorization"] == f"Bearer {CANARY}"


@pytest.mark.parametrize("name", sorted({*KEYS} - {*FIT}))
def test_a_key_that_no_header_can_hold_is_refused_before_anything_is_sent(
    client: GatewayClient, server: OpenAIServer, name: str
) -> None:
    what = "a character that is not ASCII" if name == "umlaut" else "a line break or another control character"

    assert f"api_key_env: the value of SECRET_{name} has {what}" in refusal(client, name)
    assert f"headers_env.x-team: the value of SECRET_{name} has {what}" in refusal(client, f"{name}-header")
    assert server.count(name) == server.count(f"{name}-header") == 0


def test_user_and_password_of_an_address_are_sent_as_a_header(client: GatewayClient, server: OpenAIServer) -> None:
    assert client.complete("basic", say("hello"), 10, 0).text == "yes"
    [got] = server.received("basic")
    assert got.headers["authorization"] == f"Basic {b64encode(f'me:{PASSWORD}'.encode()).decode()}"


def test_servers_of_this_machine_are_asked_past_the_proxy(client: GatewayClient) -> None:
    # All others here are reached by number.
    assert client.complete("by-name", say("hello"), 10, 0).text == "yes"


@pytest.mark.parametrize("status", [302, 307])
@pytest.mark.parametrize("provider", SEND_ELSEWHERE)
def test_neither_key_nor_prompt_follows_a_redirect_to_another_server(
    client: GatewayClient, server: OpenAIServer, elsewhere: OpenAIServer, provider: str, status: int
) -> None:
    name = f"{provider}-{status}"

    assert f"HTTP {status}: the server redirects to {elsewhere.url}/{name}/v1/" in refusal(client, name)
    assert (server.count(name), elsewhere.count(name)) == (1, 0)


def test_a_redirect_within_the_server_is_followed_where_the_question_survives_it(
    client: GatewayClient, server: OpenAIServer
) -> None:
    assert client.complete("within-307", say("hello"), 10, 0).text == "yes"
    assert server.received("here")[0].headers["authorization"] == f"Bearer {CANARY}"
    assert "and no POST survives that: name that address in api_base" in refusal(client, "within-302")
    assert "redirects again and again" in refusal(client, "circle")
    assert server.count("circle") == 5
