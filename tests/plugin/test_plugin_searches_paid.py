"""Searches on models behind HTTP."""

from __future__ import annotations

import re
from collections.abc import Generator
from typing import Any

import pytest

from tests.plugin.test_plugin_searches import ONLY, Run, found, trial_rows
from tests.support.openai_server import OpenAIServer, Received, Reply, answer, error

PAID = """\
models: [{{id: paid, model: openai/served, api_base: "{base}", api_key_env: SOME_KEY, limits: {{in_flight: 6}}}}]
haystack: {{source: synthetic}}
sweep: {{context_lengths: [300, 500], depth_percents: [0, 20, 40, 60, 80, 100]}}
threshold: 0.9
tasks: [single]
searches:
  - {{metric: mean_score, context_length: 500}}
"""


@pytest.fixture(scope="module")
def server() -> Generator[OpenAIServer, None, None]:
    def finds_it(request: Received) -> Reply:
        code = re.search(r"[A-Z]{2}-\d{4}", request.text)
        assert code is not None
        return answer(code.group(), usage=None, delay=0.05)

    with OpenAIServer() as running:
        running.base("finds", finds_it)
        running.base("closed", error(401, "no"))
        yield running


def test_a_paid_model_is_asked_a_round_at_once(
    write: Any, run: Run, pytester: Any, server: OpenAIServer, monkeypatch: pytest.MonkeyPatch, workers: tuple[str, ...]
) -> None:
    monkeypatch.setenv("SOME_KEY", "k")
    write(PAID.format(base=server.base("finds")))
    before = server.count("finds")

    run(*ONLY, *workers).assert_outcomes(passed=1)

    [search] = found(pytester.path)
    # The verdict is there after 27 trials; the round that they end in has been asked by then.
    assert search["result"]["trials"] == 27
    assert search["asked_trials"] == server.count("finds") - before == 30
    assert server.peak("finds") > 1


def test_a_paid_model_that_errs_is_an_error(
    write: Any, run: Run, pytester: Any, server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_KEY", "k")
    write(PAID.format(base=server.base("closed")))

    run(*ONLY).assert_outcomes(errors=1)

    assert len(trial_rows(pytester.path)) == 6
