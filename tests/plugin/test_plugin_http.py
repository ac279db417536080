"""Sweeps of litellm models over real HTTP, through the one gateway of the machine."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from tests.support.modules import DRAWS
from tests.support.openai_server import OpenAIServer, Received, Reply, answer, error

Run = Callable[..., pytest.RunResult]
CANARY = "sk-canary-" + "7" * 40

CONFIG = """\
name: paid
models:
  - id: good
    model: openai/served
    api_base: {good}
    api_key_env: CANARY_KEY
    request: {{temperature: 0, max_tokens: 32}}
    pricing: {{input: 1.0, output: 2.0}}
  - {{id: closed, model: openai/served, api_base: "{closed}", api_key_env: CANARY_KEY}}
  - {{id: small, model: openai/served, api_base: "{small}", api_key_env: CANARY_KEY}}
  - {{id: keyless, model: openai/served, api_base: "{good}", api_key_env: ABSENT_KEY}}
haystack: {{source: synthetic}}
sweep: {{context_lengths: [400, 800], depth_percents: [0, 50, 100]}}
tasks: [single]
"""


def finds_it(request: Received) -> Reply:
    """The value that the question asks for, as a good model finds it."""
    name = re.search(r"Question: What is the (.*) of (.*)\?", request.text)
    assert name is not None
    attribute, entity = name.groups()
    found = re.search(rf"The {re.escape(attribute)} of {re.escape(entity)} is (.*?)\.(\s|$)", request.text)
    count = len(request.text) // 4
    return answer(found.group(1) if found else "?", usage={"prompt_tokens": count, "completion_tokens": 9})


@pytest.fixture(scope="module")
def server() -> Generator[OpenAIServer, None, None]:
    with OpenAIServer() as running:
        running.base("good", finds_it)
        running.base("closed", error(401, f"Incorrect API key provided: {CANARY}"))
        running.base(
            "small", error(400, "This model's maximum context length is 128 tokens", "context_length_exceeded")
        )
        yield running


@pytest.fixture
def paid(write: Any, server: OpenAIServer, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CANARY_KEY", CANARY)
    names = {name: server.base(name) for name in ("good", "closed", "small")}
    return write(CONFIG.format(**names))  # type: ignore[no-any-return]


def test_each_kind_of_answer_has_its_consequence(
    paid: Path, run: Run, rows: Any, server: OpenAIServer, workers: tuple[str, ...], pytester: Any
) -> None:
    before = server.count("good")
    result = run("-rs", "-vv", "--showlocals", *workers)

    result.assert_outcomes(passed=6, skipped=6, errors=12)
    assert server.count("good") - before == 6
    by_model: dict[str, list[Any]] = {}
    for row in rows():
        by_model.setdefault(row["model_id"], []).append(row)
    assert {(row["outcome"], row["score"]) for row in by_model["good"]} == {("answered", 1.0)}
    assert {(row["outcome"], row["score"]) for row in by_model["closed"]} == {("config_error", None)}
    assert {(row["outcome"], row["score"]) for row in by_model["small"]} == {("context_overflow", None)}
    assert {(row["outcome"], row["score"]) for row in by_model["keyless"]} == {("config_error", None)}
    assert all("ABSENT_KEY" in row["error"] for row in by_model["keyless"])
    good = by_model["good"][0]
    assert good["cost_usd"] == pytest.approx((good["usage"]["input_tokens"] * 1.0 + 9 * 2.0) / 1e6)
    assert good["provider_model"] == "served-model"
    assert good["latency_seconds"] > 0
    everything = result.stdout.str() + result.stderr.str()
    for path in (pytester.path / "haystack-report").rglob("*"):
        everything += path.read_text(encoding="utf-8", errors="replace")
    assert CANARY not in everything
    assert CANARY[10:] not in everything


def test_prompts_arrive_as_the_rows_say(paid: Path, run: Run, rows: Any, server: OpenAIServer) -> None:
    before = server.count("good")
    run("--haystack-model", "good")
    arrived = {hashlib.sha256(got.text.encode()).hexdigest() for got in server.received("good")[before:]}

    assert arrived == {row["prompt_sha256"] for row in rows()}
    assert all(got.body["max_tokens"] == 32 for got in server.received("good")[before:])


def test_workers_do_not_import_litellm(paid: Path, run: Run, pytester: Any) -> None:
    pytester.makeconftest(
        """
        import sys

        def pytest_sessionfinish(session):
            (session.config.rootpath / f"litellm-{__import__('os').getpid()}").write_text(str("litellm" in sys.modules))
        """
    )
    run("--haystack-model", "good", "-n", "2").assert_outcomes(passed=6)
    seen = [path.read_text() for path in pytester.path.glob("litellm-*")]

    assert len(seen) == 3
    assert set(seen) == {"False"}


def test_what_reports_need_is_loaded_while_the_provider_is_waited_for(
    paid: Path, pytester: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    pytester.makeconftest(DRAWS)
    # Nobody's warning filter is for these libraries.
    command = ("--haystack-config", "haystack.yaml", "--haystack-model", "good", "-W", "error", *workers)

    pytester.runpytest_subprocess(*command).assert_outcomes(passed=6)

    # Where tests are reported, which with workers is not where they run.
    assert (pytester.path / "drawing.txt").read_text() == "True"


def test_tests_of_ones_own_may_be_the_first_to_import_what_draws(paid: Path, pytester: pytest.Pytester) -> None:
    pytester.makepyfile("import sys\n\ndef test_it():\n    assert 'matplotlib' not in sys.modules\n")
    command = ("--haystack-config", "haystack.yaml", "haystack.yaml", ".", "--haystack-model", "good")

    pytester.runpytest_subprocess(*command).assert_outcomes(passed=7)


def test_an_own_test_asks_through_the_gateway_too(paid: Path, run: Run, pytester: Any) -> None:
    pytester.makeini("[pytest]\nhaystack_config = haystack.yaml")
    pytester.makepyfile(
        """
        import pytest
        from pytest_haystack.models.model import Prompt

        @pytest.mark.haystack(models="good", context_lengths=400)
        def test_mine(haystack, needles, haystack_model, haystack_score):
            question = f"Question: {needles[0].question}"
            assert haystack_score(haystack_model.complete(Prompt(f"{haystack}\\n{question}"))) == 1.0
        """
    )
    run(config=None).assert_outcomes(passed=3)
    run("-n", "2", config=None).assert_outcomes(passed=3)


def test_nothing_is_asked_without_need(paid: Path, run: Run, server: OpenAIServer) -> None:
    before = server.count("good")
    run("--collect-only", "-q")
    run("--haystack-dry-run")
    run("--haystack-model", "good", "-k", "nothing")

    assert server.count("good") == before
