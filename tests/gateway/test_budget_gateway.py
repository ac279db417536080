"""What counts under a budget, held by one gateway for all who ask."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pytest_haystack.errors import ModelError
from pytest_haystack.models.model import Completion, Usage
from pytest_haystack.running.gateway.budgets import Ledger, Limit
from pytest_haystack.running.gateway.client import GatewayClient
from pytest_haystack.running.gateway.failures import RequestError
from pytest_haystack.running.gateway.process import GatewayProcess
from pytest_haystack.running.gateway.settings import ModelSettings
from tests.gateway.entries import entry, say
from tests.support.openai_server import OpenAIServer, Received, Reply, answer, error

#: A dollar a million tokens either way: the prompts below are 900 tokens, answers 100 at most.
PRICED = {"pricing": {"input": 1000, "output": 1000}, "request": {"max_tokens": 100}}
DOLLAR = {"prompt_tokens": 900, "completion_tokens": 100}


class EveryOther:
    """A server that does something else at every other request."""

    def __init__(self, other: Reply) -> None:
        self._other = other
        self._asked = 0

    def __call__(self, request: Received) -> Reply:
        self._asked += 1
        return self._other if self._asked % 2 else answer("7421", usage=DOLLAR)


#: By path: what the server does, the limit, cells that are answered, requests that leave for six cells.
CASES: dict[str, tuple[Any, Limit, int, int]] = {
    "requests": (answer("7421"), Limit("budget.requests", "requests", 4), 4, 4),
    "usd": (answer("7421", usage=DOLLAR), Limit("budget.usd", "usd", 3.5), 3, 3),
    "unpaid": (EveryOther(error(503)), Limit("budget.usd", "usd", 2.5), 2, 4),
    "tried": (EveryOther(error(503)), Limit("budget.requests", "requests", 3), 1, 3),
    "lost": (EveryOther(Reply(drop=True)), Limit("budget.usd", "usd", 4.5), 2, 4),
    "twice": (answer("", usage=DOLLAR), Limit("budget.usd", "usd", 4.2), 2, 4),
    "tokens": (answer("7421", usage=DOLLAR), Limit("budget.tokens", "tokens", 2300), 2, 2),
    "no-usage": (answer("7421", usage=None), Limit("budget.usd", "usd", 2.5), 2, 2),
}


@pytest.fixture(scope="module")
def client(server: OpenAIServer) -> Generator[GatewayClient, None, None]:
    models = {path: entry(path, server.base(path, case[0]), retries=1, **PRICED) for path, case in CASES.items()}
    limits = [Limit(limit.name, limit.kind, limit.limit, (path,)) for path, (_, limit, _, _) in CASES.items()]
    models["free"] = entry("free", server.base("free", answer("7421")))
    models["shared"] = entry("shared", server.base("shared", lambda request: answer("7421", delay=0.1)), in_flight=8)
    limits += [Limit("budget.requests", "requests", 5, ("shared",))]
    with GatewayProcess.start(models, None, warm=True, limits=limits) as process:
        client = GatewayClient(process.address, process.authkey)
        yield client
        client.close()


def outcome(client: GatewayClient, model: str, number: int) -> str:
    """``answered``, or what became of it; the request may take 1,000 tokens in all."""
    try:
        client.complete(model, say(f"number {number}"), 1000, 0)
    except ModelError as error:
        return error.outcome if f"{model}: not asked: budget." in str(error) else str(error)
    return "answered"


@pytest.mark.parametrize("path", CASES)
def test_a_budget_counts_what_was_paid_and_what_may_have_been(
    client: GatewayClient, server: OpenAIServer, path: str
) -> None:
    _, _, answered, requests = CASES[path]

    seen = [outcome(client, path, number) for number in range(6)]

    assert seen == ["answered"] * answered + ["budget"] * (6 - answered)
    assert server.count(path) == requests


def test_an_answer_that_is_there_already_costs_nothing(client: GatewayClient, server: OpenAIServer) -> None:
    before = server.count("requests")

    assert [outcome(client, "requests", 0) for _ in range(3)] == ["answered"] * 3
    assert server.count("requests") == before


def test_many_who_ask_at_once_share_one_budget(client: GatewayClient, server: OpenAIServer) -> None:
    with ThreadPoolExecutor(12) as threads:
        seen = list(threads.map(lambda number: outcome(client, "shared", number), range(12)))

    assert sorted(seen) == ["answered"] * 5 + ["budget"] * 7
    assert server.count("shared") == 5


def test_a_model_of_another_sweep_is_not_limited(client: GatewayClient, server: OpenAIServer) -> None:
    assert [outcome(client, "free", number) for number in range(8)] == ["answered"] * 8


ends = st.sampled_from(["answer", "refused", "lost", "unsent", "called off"])


@settings(max_examples=80, deadline=None)
@example(limit=1000, asks=[(2, 0.5, "answer"), (1000, 1.0, "answer")], together=1)
@given(
    limit=st.integers(1000, 20_000),
    asks=st.lists(st.tuples(st.integers(1, 3000), st.floats(0.0, 1.0), ends), min_size=1, max_size=25),
    together=st.integers(1, 6),
)
def test_nothing_ever_exceeds_a_budget_whose_estimates_hold(
    limit: int, asks: list[tuple[int, float, str]], together: int
) -> None:
    model = ModelSettings.from_entry(entry("m", None, **PRICED))
    spent, most = 0.0, 0.0

    async def run() -> None:
        account = Ledger([{"name": "b", "kind": "tokens", "limit": limit, "models": None}]).account("m", model)
        gate = asyncio.Semaphore(together)

        async def ask(tokens: int, share: float, end: str) -> None:
            nonlocal spent, most
            async with gate:
                try:
                    held = await account.reserve("m", tokens)
                except ModelError:
                    return
                outcome: Completion | RequestError | None = None
                paid = 0
                await asyncio.sleep(0)
                if end == "answer":
                    paid = round(tokens * share)
                    outcome = Completion("7", usage=Usage(paid, 0))
                elif end == "refused":
                    outcome = RequestError("no", status=500)
                elif end in ("lost", "called off"):
                    paid, outcome = held.tokens, RequestError("gone")
                elif end == "unsent":
                    outcome = RequestError("no key", code="missing_key")
                spent += paid
                most = max(most, spent)
                await account.settle(held, outcome, tokens)

        await asyncio.wait_for(asyncio.gather(*(ask(*one) for one in asks)), 20)

    asyncio.run(run())

    assert most <= limit
