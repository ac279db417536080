"""Keys from a .env file: for paid models only, behind the environment, in nobody's sight."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from typing import Any

import pytest

from tests.plugin.test_plugin_http import finds_it
from tests.support.openai_server import OpenAIServer

Run = Callable[..., pytest.RunResult]

CONFIG = """\
name: dotenv
models:
  - {{id: paid, model: openai/served, api_base: "{base}", api_key_env: DOTENV_KEY}}
haystack: {{source: synthetic}}
sweep: {{context_lengths: [300], depth_percents: [0, 100]}}
tasks: [single]
"""
FREE = CONFIG.replace('model: openai/served, api_base: "{base}", api_key_env: DOTENV_KEY', "model: simulated/perfect")
SECRET = "dotenv-canary-4711-never-seen"


@pytest.fixture(scope="module")
def server() -> Generator[OpenAIServer, None, None]:
    with OpenAIServer() as running:
        running.base("good", finds_it)
        yield running


@pytest.fixture
def paid(write: Any, server: OpenAIServer, pytester: pytest.Pytester) -> None:
    write(CONFIG.format(base=server.base("good")))
    (pytester.path / ".env").write_text(f"# keys\nDOTENV_KEY='{SECRET}'\nEMPTY\n")


def keys(server: OpenAIServer, since: int) -> set[str]:
    return {request.headers["authorization"] for request in server.received("good")[since:]}


def test_the_file_beside_the_run_gives_the_key_and_nobody_sees_it(
    paid: None, run: Run, server: OpenAIServer, workers: tuple[str, ...], pytester: pytest.Pytester
) -> None:
    before = server.count("good")
    result = run("-vv", "--showlocals", *workers)

    result.assert_outcomes(passed=2)
    assert keys(server, before) == {f"Bearer {SECRET}"}
    assert "DOTENV_KEY" not in os.environ
    everything = result.stdout.str() + result.stderr.str()
    everything += "".join(path.read_text(errors="replace") for path in pytester.path.rglob("haystack-report/*"))
    assert "canary" not in everything


def test_a_file_that_cannot_be_read_matters_to_paid_models_only(
    paid: None, write: Any, run: Run, pytester: pytest.Pytester
) -> None:
    (pytester.path / ".env").write_bytes(b"DOTENV_KEY=\xff\xfe\n")
    result = run()

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {pytester.path}/.env: cannot be read: not UTF-8"])
    write(FREE.format())
    run().assert_outcomes(passed=2)


def test_values_of_the_sweep_file_may_come_from_it(write: Any, installed: Any, pytester: pytest.Pytester) -> None:
    (pytester.path / ".env").write_text("SERVED_AT=http://127.0.0.1:1\n")
    write(CONFIG.format(base="${SERVED_AT}"))

    assert installed("validate").returncode == 0
    (pytester.path / ".env").unlink()
    assert "environment variable 'SERVED_AT' is not set" in installed("validate").stderr
