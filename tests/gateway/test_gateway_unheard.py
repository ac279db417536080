"""What is left out of litellm's work for nobody changes no cost, and silences no listener."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_haystack.running.gateway.client import GatewayClient
from pytest_haystack.running.gateway.process import GatewayProcess
from tests.gateway.entries import entry, say
from tests.support.openai_server import OpenAIServer, Reply, answer

ROOT = Path(__file__).resolve().parent.parent.parent
LISTED = (600 * 0.15 + 400 * 0.075 + 200 * 0.60) / 1e6
PLAIN = answer("7421")
#: Asks an unlisted model three times, then twice more with a listener; tells how often a price was looked for.
COUNTING = """\
import asyncio, json, os, sys
from pytest_haystack.running.gateway.provider import Provider
from pytest_haystack.running.gateway.settings import ModelSettings
from tests.gateway.entries import entry

settings = ModelSettings.from_entry(entry("m", sys.argv[1], model="openai/served", api_key_env=None))

async def main():
    provider, counted, heard = Provider(os.environ, [settings]), [], []
    litellm = await provider.warm()
    look = litellm.response_cost_calculator
    litellm.response_cost_calculator = lambda **named: counted.append(1) or look(**named)
    say = [{"role": "user", "content": "which?"}]
    for _ in range(3):
        await provider.complete(settings, say)

    class Listener(litellm.integrations.custom_logger.CustomLogger):
        async def async_log_success_event(self, kwargs, response_obj, start_time, end_time):
            heard.append(response_obj.choices[0].message.content)

    litellm.callbacks = [Listener()]
    for _ in range(2):
        await provider.complete(settings, say)
    for _ in range(100):
        if len(heard) == 2:
            break
        await asyncio.sleep(0.1)
    print(json.dumps({"looked": len(counted), "heard": heard}))

asyncio.run(main())
"""


def of_model(name: str) -> Reply:
    """An answer that says which model gave it."""
    return replace(PLAIN, body={**PLAIN.body, "model": name})


def with_usage(**more: Any) -> Reply:
    return replace(PLAIN, body={**PLAIN.body, "usage": {**PLAIN.body["usage"], **more}})


def test_each_answer_of_an_unlisted_model_costs_what_it_says_itself(server: OpenAIServer) -> None:
    replies = {
        "nothing": (PLAIN, None),
        "nothing again": (PLAIN, None),
        "a proxy's header": (replace(PLAIN, headers={"x-litellm-response-cost": "0.25"}), 0.25),
        "a listed model": (of_model("gpt-4o-mini"), LISTED),
        "nothing after that": (PLAIN, None),
        "a listed model again": (of_model("gpt-4o-mini"), LISTED),
        "cost among its usage": (with_usage(cost=0.5), 0.5),
        "nothing at last": (PLAIN, None),
    }
    base = server.base("unlisted", [reply for reply, _ in replies.values()])
    with GatewayProcess.start({"m": entry("m", base, model="openai/served")}, None, warm=True) as gateway:
        client = GatewayClient(gateway.address, gateway.authkey)
        costs = {what: client.complete("m", say(what), None, 0).cost_usd for what in replies}
        client.close()

    assert costs == {what: cost if cost is None else pytest.approx(cost) for what, (_, cost) in replies.items()}


def test_a_price_that_nobody_lists_is_looked_for_once_and_listeners_hear_of_answers(server: OpenAIServer) -> None:
    base = server.base("counted", PLAIN)
    command = [sys.executable, "-W", "ignore", "-c", COUNTING, base]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == {"looked": 1, "heard": ["7421", "7421"]}
