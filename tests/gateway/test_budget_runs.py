"""What a run may spend: no request leaves that could exceed it, and what is not run is skipped."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from tests.gateway.entries import KEY_ENV
from tests.support.needles import find, good
from tests.support.openai_server import OpenAIServer, Received, Reply, answer

Run = Callable[..., pytest.RunResult]

CONFIG = """\
name: small
models:
  - id: paid
    model: openai/served
    api_base: {base}
    api_key_env: GATEWAY_TEST_KEY
    request: {{max_tokens: 100}}
    limits: {{retries: 2}}
    {more}
haystack: {{source: synthetic}}
sweep: {{context_lengths: [400], depth_percents: [0, 20, 40, 60, 80, 100]}}
tasks: [single]
"""
PRICED = "pricing: {input: 1000, output: 1000}"


def costs_a_dollar(request: Received) -> Reply:
    """The right answer, for 900 tokens in and 100 out: a dollar at PRICED."""
    return answer(find(request.text), usage={"prompt_tokens": 900, "completion_tokens": 100})


@pytest.fixture(scope="module")
def server() -> Generator[OpenAIServer, None, None]:
    with OpenAIServer() as running:
        for path, script in {
            "good": good,
            "dollar": costs_a_dollar,
            "judge": answer("YES. It does.", usage={"prompt_tokens": 900, "completion_tokens": 100}),
        }.items():
            running.base(path, script)
        yield running


@pytest.fixture
def paid(write: Any, server: OpenAIServer) -> Callable[..., int]:
    """Write the sweep; returns how many requests its path has had so far."""

    def writer(path: str, budget: str = "", more: str = PRICED) -> int:
        write(CONFIG.format(base=server.base(path), more=more) + budget)
        return server.count(path)

    return writer


def test_no_more_requests_leave_than_the_budget_has(
    paid: Any, run: Run, rows: Any, server: OpenAIServer, pytester: Any
) -> None:
    before = paid("good", "budget: {requests: 2}\n", more="")
    result = run("-rs", "-n", "2")

    result.assert_outcomes(passed=2, skipped=4)
    assert server.count("good") == before + 2
    assert sorted((row["outcome"], row["score"]) for row in rows()) == [("answered", 1.0)] * 2 + [("budget", None)] * 4
    result.stdout.fnmatch_lines(["*SKIPPED*budget: paid: not asked: budget.requests is spent: 2 of 2 requests*"])
    assert result.ret == 0
    [told] = [line for line in result.stdout.lines if "estimate for paid models" in line]
    assert told.endswith("input tokens, unknown price of paid")
    assert "haystack: budget: budget.requests 2" in result.stdout.lines
    resolved = Path(pytester.path / "haystack-report" / "config.resolved.yaml").read_text()
    assert "budget:\n  usd: null\n  requests: 2\n  tokens: null\n" in resolved
    assert "deadline: 900" in resolved


def test_dollars_are_spent_to_the_last_request_that_surely_fits(
    paid: Any, run: Run, rows: Any, server: OpenAIServer
) -> None:
    # The first estimate is higher than what is then paid: the next ones wait until that is known.
    before = paid("dollar")
    result = run("-rs", "--haystack-max-cost", "3.2")

    result.assert_outcomes(passed=3, skipped=3)
    assert server.count("dollar") == before + 3
    assert sum(row["cost_usd"] or 0 for row in rows()) == pytest.approx(3.0)
    result.stdout.fnmatch_lines(
        ["*budget: paid: not asked: --haystack-max-cost has 0.2 of 3.2 USD left, and this request may cost*"]
    )
    # Told once, before all of it.
    told = [line for line in result.stdout.lines if "estimate for paid models" in line]
    found = re.fullmatch(
        r"haystack: estimate for paid models: at most 6 calls, ([\d,]+) input tokens, ([\d.]+) USD", "".join(told)
    )
    assert found is not None
    tokens = int(found[1].replace(",", ""))
    assert 6 * 400 < tokens < 6 * 500
    assert float(found[2]) == pytest.approx((tokens + 600) / 1e3)


def test_judges_are_paid_from_the_same_budget(paid: Any, run: Run, rows: Any, server: OpenAIServer) -> None:
    judge = (
        f"[{{type: single, scorer: {{name: judge, model: openai/judge, api_base: {server.base('judge')}, "
        f"api_key_env: {KEY_ENV}, {PRICED}}}}}]"
    )
    before = paid("good"), server.count("judge")
    result = run("--haystack-set", "budget.requests=3", "--haystack-set", f"tasks={judge}", "-rs")

    result.assert_outcomes(passed=1, skipped=5)
    assert (server.count("good") - before[0], server.count("judge") - before[1]) == (2, 1)
    unjudged = [row for row in rows() if row["outcome"] == "budget" and row["response"]]
    # The answer that found no judge is not lost.
    assert len(unjudged) == 1
    result.stdout.fnmatch_lines(["*estimate*and up to 6 requests of judges*"])


def test_dollars_cannot_be_limited_where_a_price_is_unknown(
    paid: Any, run: Run, server: OpenAIServer, command: Any, pytester: Any
) -> None:
    before = paid("good", "budget: {usd: 1}\n", more="")
    result = run("-n", "2")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    words = "the price of paid (openai/served) is unknown; give it `pricing: {input: ..., output: ...}`"
    assert re.search(rf"haystack\.yaml:\d+: budget\.usd: {re.escape(words)}", result.stderr.str())
    checked = command("validate", pytester.path / "haystack.yaml")
    assert checked.returncode == 4
    assert words in checked.stderr

    paid("good", more="")
    result = run("--haystack-max-cost", "1")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"--haystack-max-cost: {words}" in result.stderr.str()
    assert server.count("good") == before


def test_a_price_that_nobody_asks_for_need_not_be_known(write: Any, run: Run, server: OpenAIServer) -> None:
    text = CONFIG.format(base=server.base("good"), more="")
    write(text.replace("models:\n", "models:\n  - {id: reader, model: simulated/perfect}\n"))
    run("--haystack-model", "reader", "--haystack-max-cost", "0").assert_outcomes(passed=6)


def test_models_in_this_process_count_for_nothing(write: Any, run: Run, server: OpenAIServer) -> None:
    text = CONFIG.format(base=server.base("good"), more=PRICED)
    write(text.replace("models:\n", "models:\n  - {id: reader, model: simulated/perfect}\n"))
    result = run("--haystack-max-cost", "0")

    result.assert_outcomes(passed=6, skipped=6)
    result.stdout.fnmatch_lines(
        ["haystack: budget: --haystack-max-cost 0; reader run in this process and count for nothing"]
    )


def test_own_tests_have_the_budget_and_the_estimate_too(
    paid: Any, run: Run, pytester: Any, workers: tuple[str, ...]
) -> None:
    paid("good", "budget: {requests: 2}\n")
    pytester.makeini("[pytest]\nhaystack_config = haystack.yaml")
    pytester.makepyfile("""
        from pytest_haystack.models.model import Prompt

        def test_mine(haystack, needles, haystack_model, haystack_score):
            answer = haystack_model.complete(Prompt(f"{haystack}\\nQuestion: {needles[0].question}"))
            assert haystack_score(answer) == 1
        """)
    result = run("-rs", *workers, config=None)

    result.assert_outcomes(passed=2, skipped=4)
    result.stdout.fnmatch_lines(["*SKIPPED*budget: paid: not asked: budget.requests is spent: 2 of 2 requests*"])
    assert sum("estimate for paid models: at most 6 calls" in line for line in result.stdout.lines) == 1


@pytest.mark.parametrize("usd", ["-1", "nan", "much"])
def test_an_amount_that_is_none_is_refused(paid: Any, run: Run, usd: str) -> None:
    paid("good")
    result = run("--haystack-max-cost", usd)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"--haystack-max-cost: '{usd}' is no amount of USD" in result.stderr.str()


@pytest.mark.parametrize(
    ("budget", "words"),
    [
        ("{usd: 0}", "budget.usd: 0 is too small; must be more than 0"),
        ("{requests: 1.5}", "budget.requests: "),
        ("{dollars: 1}", "budget.dollars: unknown key"),
    ],
)
def test_a_budget_that_is_none_is_refused_with_its_line(paid: Any, run: Run, budget: str, words: str) -> None:
    paid("good", f"budget: {budget}\n")
    result = run()

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert re.search(rf"haystack\.yaml:\d+: {re.escape(words)}", result.stderr.str())
