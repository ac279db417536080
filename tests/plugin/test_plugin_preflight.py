"""Prompts that cannot fit, and input that was cut, by what the server and its answers so far tell."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

Run = Callable[..., pytest.RunResult]

CONFIG = """\
name: preflight
models:
{models}
haystack: {{source: essays}}
sweep: {{context_lengths: {lengths}, depth_percents: [50]}}
threshold: 0
tasks: [single]
"""


class Served:
    """A server of open models at a path: counts a token for each 3 characters, cuts what exceeds ``cut`` tokens."""

    def __init__(
        self,
        http: HTTPServer,
        path: str,
        listed: dict[str, Any] | None = None,
        *,
        counts: bool = False,
        cut: int = 1_000_000,
    ) -> None:
        self.asked: list[int] = []
        self.counted: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self._cut = cut
        self.base = http.url_for(f"/{path}/v1")
        http.expect_request(f"/{path}/v1/chat/completions", method="POST").respond_with_handler(self._answer)
        if listed is not None:
            models = {"object": "list", "data": [{"id": "other"}, {"id": "served", **listed}]}
            http.expect_request(f"/{path}/v1/models", method="GET").respond_with_json(models)
        if counts:
            http.expect_request(f"/{path}/tokenize", method="POST").respond_with_handler(self._tokenize)

    def entry(self, name: str, more: str = "limits: {in_flight: 1}") -> str:
        return f'  - {{id: {name}, model: openai/served, api_base: "{self.base}", {more}}}'

    def _answer(self, request: Request) -> Response:
        tokens = min(len(request.json["messages"][-1]["content"]) // 3, self._cut)
        self.asked.append(tokens)
        self.headers.append({name.lower(): value for name, value in request.headers.items()})
        message = {"role": "assistant", "content": "no idea"}
        body = {
            "model": "served",
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": {"prompt_tokens": tokens, "completion_tokens": 3, "total_tokens": tokens + 3},
        }
        return Response(json.dumps(body), content_type="application/json")

    def _tokenize(self, request: Request) -> Response:
        self.counted.append(request.json)
        count = len(request.json["messages"][-1]["content"]) // 3
        return Response(json.dumps({"count": count, "max_model_len": 5}), content_type="application/json")


def sweep(entries: list[str], lengths: list[int]) -> str:
    return CONFIG.format(models="\n".join(entries), lengths=lengths)


@pytest.fixture
def found(httpserver: HTTPServer, write: Any, run: Run, rows: Any) -> dict[str, dict[int, Any]]:
    """Rows by model and length, of one run that asks servers of every kind."""
    servers = {
        "vllm": Served(httpserver, "vllm", {"max_model_len": 3500}),
        "llama": Served(httpserver, "llama", {"meta": {"n_ctx": 3500}}),
        "counting": Served(httpserver, "counting", {"max_model_len": 3500}, counts=True),
        "configured": Served(httpserver, "configured", {"max_model_len": 500}),
        "cutting": Served(httpserver, "cutting", cut=9500),
        "silent": Served(httpserver, "silent"),
    }
    more = {"configured": "context_window: 9000"}
    entries = [server.entry(name, more.get(name, "context_window: null")) for name, server in servers.items()]
    write(sweep(entries, [1000, 2000, 4000, 8000]))
    run()
    by_model: dict[str, dict[int, Any]] = {}
    for row in rows():
        by_model.setdefault(row["model_id"], {})[row["context_length"]] = row
    by_model["asked"] = dict(enumerate(len(server.asked) for server in servers.values()))
    by_model["counted"] = dict(enumerate(servers["counting"].counted))
    return by_model


def test_what_cannot_fit_is_not_sent_and_what_was_cut_is_no_answer(found: dict[str, dict[int, Any]]) -> None:
    outcomes = {model: [row["outcome"] for row in rows.values()] for model, rows in list(found.items())[:6]}
    fits, over = "answered", "context_overflow"
    assert outcomes == {
        "vllm": [fits, fits, over, over],
        "llama": [fits, fits, over, over],
        "counting": [fits, fits, over, over],
        # The config has the last word about the window. 8,000 of our tokens would fit, as many as the server makes
        # of them do not.
        "configured": [fits, fits, fits, over],
        # More tokens arrived than we count, and yet too few of those that it makes of them.
        "cutting": [fits, fits, fits, "silent_truncation"],
        "silent": [fits, fits, fits, fits],
    }
    assert list(found["asked"].values()) == [2, 2, 2, 3, 4, 4]

    words = {model: [row["error"] for row in rows.values()][-1] for model, rows in list(found.items())[:5]}
    ratio = (
        r"the prompt's 8,0\d\d tokens, about 1\d,\d{3} as the provider has counted so far, "
        "exceed the model's window of "
    )
    assert re.fullmatch(ratio + "3,500", words["vllm"])
    assert re.fullmatch(ratio + "3,500", words["llama"])
    assert re.fullmatch(ratio + "9,000", words["configured"])
    counted = r"the prompt's 1\d,\d{3} tokens, as its server counts them, exceed the model's window of 3,500"
    assert re.fullmatch(counted, words["counting"])
    # Those who look ahead want to know as well what can fit.
    assert {body["model"] for body in found["counted"].values()} == {"served"}
    assert 4 <= len(found["counted"]) <= 8
    cut = r"the provider counted 9,500 input tokens of a prompt of at least 9,[6-9]\d\d: it cut the input; .*"
    assert re.fullmatch(cut, words["cutting"])


def test_headers_of_a_gateway_come_from_the_environment_and_are_never_seen(
    httpserver: HTTPServer, write: Any, run: Run, rows: Any, monkeypatch: pytest.MonkeyPatch, pytester: Any
) -> None:
    monkeypatch.setenv("CORP_PASS", "corp-secret-81723")
    served = Served(httpserver, "corp")
    more = "headers_env: {X-Corp-Pass: CORP_PASS}, request: {extra_headers: {X-Plain: yes-please}}"
    write(sweep([served.entry("corp", more)], [200]))
    result = run("-vv", "--showlocals")

    result.assert_outcomes(passed=1)
    [headers] = served.headers
    assert headers["x-corp-pass"] == "corp-secret-81723"
    assert headers["x-plain"] == "yes-please"
    everything = result.stdout.str() + result.stderr.str()
    everything += "".join(path.read_text(errors="replace") for path in pytester.path.rglob("haystack-report/*"))
    assert "corp-secret" not in everything


@pytest.mark.parametrize("more", [(), ("-n", "2")])
def test_a_headers_variable_that_is_not_set_is_told_before_anything_is_sent(
    httpserver: HTTPServer, write: Any, run: Run, more: tuple[str, ...]
) -> None:
    served = Served(httpserver, "corp")
    write(sweep([served.entry("corp", "headers_env: {X-Corp-Pass: ABSENT_PASS}")], [200]))
    result = run(*more)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    words = "headers_env.X-Corp-Pass: the environment variable ABSENT_PASS is not set"
    result.stderr.fnmatch_lines([f"ERROR: haystack.yaml:3: models.0: {words}"])
    assert served.asked == []


def test_a_secret_in_place_of_a_headers_variable_is_refused(write: Any, command: Any, httpserver: HTTPServer) -> None:
    secret = "Bearer abcdefghij-1234567890-klmnop"
    entry = Served(httpserver, "corp").entry("corp", f'headers_env: {{Authorization: "{secret}"}}')
    write(sweep([entry], [200]))
    said = command("validate").stderr

    assert "models.0.headers_env.Authorization: looks like a key; write the name of the environment variable" in said
    assert "abcdefghij" not in said
