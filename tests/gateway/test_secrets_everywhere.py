"""A key that providers echo wherever they can: it is in nothing that a run shows, writes or sends on."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from tests.gateway.entries import KEY_ENV
from tests.support.needles import find, good, usage_of
from tests.support.openai_server import OpenAIServer, Received, Reply, answer, error

ROOT = Path(__file__).parents[2]
#: Of no known shape: only that it stands in the variable tells that it is one.
CANARY = "canary/Zq81+kP0=xWv55"
HEADER = "team-header-canary-90210"
SPELLINGS = (CANARY, CANARY.replace("/", "%2F").replace("+", "%2B").replace("=", "%3D"), HEADER)

CONFIG = """\
name: leaky
models:
{models}
haystack: {{source: synthetic}}
sweep: {{context_lengths: [400], depth_percents: [0, 100]}}
tasks: [single]
"""


def told(request: Received) -> str:
    """The request's headers, as a careless server repeats them."""
    return f"{request.headers['authorization']} {request.headers['x-team']}"


def echo_in_answer(request: Received) -> Reply:
    return answer(f"{find(request.text)}, and your key is {CANARY}", usage=usage_of(request))


def echo_in_reasoning(request: Received) -> Reply:
    return answer(find(request.text), reasoning_content=f"sent with {told(request)}", usage=usage_of(request))


def echo_in_refusal(request: Received) -> Reply:
    return answer(None, refusal=f"not for {told(request)}", usage=usage_of(request))


def echo_as_model(request: Received) -> Reply:
    reply = good(request)
    return Reply(body={**reply.body, "model": told(request)}, headers={"x-request-id": told(request)})


SCRIPTS: dict[str, Any] = {
    "good": good,
    "e401": lambda request: error(401, f"Incorrect API key provided: {told(request)}", code=CANARY),
    "e500": lambda request: error(500, f"cannot handle {told(request)}"),
    "e400": lambda request: error(400, f"the header {told(request)} is wrong"),
    "html": lambda request: Reply(200, f"<html>{told(request)}".encode()),
    "answer": echo_in_answer,
    "reasoning": echo_in_reasoning,
    "refusal": echo_in_refusal,
    "model": echo_as_model,
}


@pytest.fixture(scope="module")
def server() -> Generator[OpenAIServer, None, None]:
    with OpenAIServer() as running:
        for path, script in SCRIPTS.items():
            running.base(path, script)
        yield running


@pytest.fixture(scope="module", params=[(), ("-n", "2")], ids=["one process", "two workers"])
def leaky(
    request: pytest.FixtureRequest, server: OpenAIServer, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, str, dict[str, str]]:
    """A run against all of them, with every way to say much: its folder, what it printed, its environment."""
    folder = tmp_path_factory.mktemp("leaky")
    models = [
        f"  - {{id: {path}, model: openai/served, api_base: {server.base(path)}, api_key_env: {KEY_ENV}, "
        f"request: {{max_tokens: 64, extra_headers: {{X-Team: '${{TEAM_HEADER}}'}}}}, limits: {{retries: 1}}}}"
        for path in SCRIPTS
    ]
    (folder / "haystack.yaml").write_text(CONFIG.format(models="\n".join(models)))
    (folder / "conftest.py").write_text(
        # All that crosses between processes, as xdist serialises it.
        "import pytest\n"
        "@pytest.hookimpl(wrapper=True)\n"
        "def pytest_report_to_serializable(report):\n"
        "    data = yield\n"
        "    with open(f'{__file__}.traffic', 'a') as file:\n"
        "        file.write(repr(data))\n"
        "    return data\n"
    )
    (folder / "test_mine.py").write_text(
        "import pytest\n"
        "from pytest_haystack.models.model import Prompt\n"
        "@pytest.mark.haystack(models=['e500', 'answer'], depth_percents=0)\n"
        "def test_mine(haystack, needles, haystack_model, haystack_cell):\n"
        "    completion = haystack_model.complete(Prompt(f'{haystack.text} Question: {needles[0].question}'))\n"
        "    assert completion.text == 'nothing like it'\n"
    )
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "COLUMNS": "400",
        KEY_ENV: CANARY,
        "TEAM_HEADER": HEADER,
        "GITHUB_STEP_SUMMARY": str(folder / "step.md"),
    }
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:randomly",
        "-ra",
        "-vv",
        *request.param,
    ]
    process = subprocess.run(
        [
            *command,
            *("--haystack-config", "haystack.yaml", "haystack.yaml", "test_mine.py"),
            *("--showlocals", "--tb=long", "--log-level=DEBUG", "-s", "--junitxml=own.xml"),
            *("--haystack-debug-http", "wire"),
        ],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return folder, process.stdout + process.stderr, environment


def everything(folder: Path) -> dict[str, str]:
    """All files that a run left, as text; pictures too."""
    return {
        str(path.relative_to(folder)): path.read_bytes().decode("latin-1")
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_nothing_that_is_shown_or_written_holds_a_key(leaky: tuple[Path, str, dict[str, str]]) -> None:
    folder, output, _ = leaky
    files = everything(folder)

    for secret in SPELLINGS:
        assert secret not in output
        assert [name for name, text in files.items() if secret in text] == []
        # Written down as JSON or XML it would look otherwise.
        for spelt in (json.dumps(secret)[1:-1], secret.replace("/", "\\/")):
            assert [name for name, text in files.items() if spelt in text] == []
    # The servers did echo it, and their words were shown.
    assert "cannot handle Bearer [redacted] [redacted]" in output
    assert "and your key is [redacted]" in files["haystack-report/results.jsonl"]
    names = {name.partition("/")[2] for name in files if name.startswith("haystack-report/")}
    assert {"junit.xml", "summary.md", "summary.json", "config.resolved.yaml", "heatmap.png"} <= names
    assert {"own.xml", "step.md"} <= set(files)


def test_every_request_is_logged_with_its_response_and_without_its_key(
    leaky: tuple[Path, str, dict[str, str]],
) -> None:
    folder, _, _ = leaky
    requests = sorted(path.name for path in (folder / "wire").glob("*-request.txt"))
    responses = sorted(path.name for path in (folder / "wire").glob("*-response.txt"))

    assert requests == [f"{number:05}-request.txt" for number in range(1, len(requests) + 1)]
    assert [name.replace("request", "response") for name in requests] == responses
    texts = {name: (folder / "wire" / name).read_text() for name in (*requests, *responses)}
    # One for each request that left: 2 cells with one try each, e500 and html with two, e401 and e400 once or twice
    # in all, and an own test at each of two models.
    assert 20 <= len(requests) <= 24
    for name in requests:
        head, _, body = texts[name].partition("\n\n")
        assert re.match(r"POST http://127\.0\.0\.1:\d+/\w+/v1/chat/completions\n", head)
        assert re.search(r"^authorization: \[redacted\]$", head, re.IGNORECASE | re.MULTILINE)
        assert json.loads(body)["messages"]
    assert any("HTTP 500" in texts[name] for name in responses)
    assert any("HTTP 200" in texts[name] and "and your key is [redacted]" in texts[name] for name in responses)


@pytest.mark.parametrize("arguments", [["validate"], ["plan"], ["show"], ["schema"]])
def test_the_command_shows_no_key(leaky: tuple[Path, str, dict[str, str]], arguments: list[str]) -> None:
    folder, _, environment = leaky
    if arguments == ["show"]:
        arguments = ["show", "haystack.yaml::test_cell[single-answer-len400-depth0]"]
    program = Path(sys.executable).with_name("pytest-haystack")
    shown = subprocess.run(
        [program, *arguments], cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    )

    assert shown.returncode == 0, shown.stderr
    for secret in SPELLINGS:
        assert secret not in shown.stdout + shown.stderr


def test_what_crosses_between_workers_and_controller_holds_no_key(leaky: tuple[Path, str, dict[str, str]]) -> None:
    folder, output, _ = leaky
    traffic = folder / "conftest.py.traffic"

    assert traffic.exists() == ("2 workers" in output)
    if traffic.exists():
        text = traffic.read_text()
        assert "cannot handle Bearer [redacted]" in text
        assert not any(secret in text for secret in SPELLINGS)


def test_the_log_of_http_goes_on_where_an_earlier_run_left_off(tmp_path: Path) -> None:
    from pytest_haystack.models.redaction import Redactor
    from pytest_haystack.running.gateway.http_log import HttpLog

    (tmp_path / "00041-response.txt").write_text("earlier")
    log = HttpLog(tmp_path, Redactor())
    log._write(next(log._numbers), "request", "POST http://x", [("X-Api-Key", "abc"), ("accept", "all")], b"\xff{}")

    assert (
        tmp_path / "00042-request.txt"
    ).read_text() == "POST http://x\nX-Api-Key: [redacted]\naccept: all\n\n\\xff{}\n"
