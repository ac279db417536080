"""What comes back through the gateway, against a real server over HTTP."""

from __future__ import annotations

import re
import sys
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from pytest_haystack.config.schema import ModelEntry
from pytest_haystack.errors import ModelError
from pytest_haystack.models.model import Completion, Prompt, Usage
from pytest_haystack.models.paid import GatewayModel
from pytest_haystack.running.gateway.client import GatewayClient
from pytest_haystack.running.gateway.process import GatewayProcess
from tests.gateway.entries import CANARY, entry, say
from tests.gateway.replies import PatientServer, anthropic, echo_header, echo_key
from tests.support.openai_server import OpenAIServer, Reply, Script, answer, error

ANTHROPIC = "anthropic/claude-sonnet-4-5"


SCRIPTS: dict[str, Script] = {
    "plain": answer("7421"),
    "no-usage": answer("7421", usage=None),
    "reasoning-content": answer("7421", reasoning_content="It said 7421."),
    "reasoning": answer("7421", reasoning="It said 7421."),
    "closed-think": answer("<think>It said 7421.</think>7421"),
    "refusal": answer(None, refusal="I cannot help."),
    "long": answer("74", finish_reason="length"),
    "empty-once": [answer(None), answer("7421")],
    "empty": answer(""),
    "no-choices": Reply(body={"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": []}),
    "surrogate": answer("74\ud80021"),
    "counted": answer("7421"),
    "failing-once": [error(500, "no such thing"), answer("7421")],
    "slow": answer("7421", delay=0.4),
    "passing": [error(500), error(503), Reply(drop=True), error(429, retry_after="0.1"), answer("7421")],
    "retry-after": PatientServer(),
    "retry-tomorrow": error(429, "come back tomorrow", retry_after="86400"),
    "not-json": Reply(body=b"<html>sign in</html>"),
    "bad-gateway": Reply(502, b"<html>Bad Gateway</html>"),
    "too-slow": answer("7421", delay=1.5),
    "echo-key": echo_key,
    "echo-header": echo_header,
    "many-at-once": answer("7421", delay=0.3),
    "quota": error(429, "You exceeded your current quota, check your plan.", "insufficient_quota"),
    "overflow": error(400, "This model's maximum context length is 8192 tokens.", "context_length_exceeded"),
    "filtered": error(400, "The prompt was filtered by the content management policy.", "content_filter"),
    "unauthorized": error(401, f"Incorrect API key provided: {CANARY}."),
    "not-found": error(404, "The model does not exist", "model_not_found"),
    "other-400": error(400, "temperature must be at most 1"),
    "large": error(429, "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 40000."),
    "anthropic-refusal": anthropic("refusal"),
    "anthropic-window": anthropic("model_context_window_exceeded"),
    "anthropic-end": anthropic("end_turn"),
}
SETTINGS: dict[str, dict[str, Any]] = {
    "passing": {"retries": 4},
    "retry-after": {"retries": 1},
    "retry-tomorrow": {"retries": 5},
    "quota": {"retries": 5},
    "overflow": {"retries": 5},
    "too-slow": {"timeout": 0.5, "retries": 1},
    "plain": {"request": {"temperature": 0, "max_tokens": 64}},
    "echo-header": {"request": {"extra_headers": {"X-Team": CANARY[::-1]}}},
    "many-at-once": {"model": "openai/gpt-5-mini", "request": {"temperature": 0, "logit_bias": {}}},
}


@pytest.fixture(scope="module")
def client(server: OpenAIServer) -> Generator[GatewayClient, None, None]:
    models = {
        name: entry(name, server.base(name, script), **SETTINGS.get(name, {}))
        for name, script in SCRIPTS.items()
        if not name.startswith("anthropic")
    }
    for name in ("anthropic-refusal", "anthropic-window", "anthropic-end"):
        base = f"{server.url}/{name}/v1/messages"
        server.base(name, SCRIPTS[name])
        models[name] = entry(name, base, model=ANTHROPIC, request={"seed": 7, "max_tokens": 9})
    base = server.base("plain")
    models["priced"] = entry("priced", base, pricing={"input": 3, "output": 5})
    models["unlisted"] = entry("unlisted", base, model="openai/a-model-of-my-own")
    # litellm lists it, but without a price, and would add that up to zero.
    models["unpriced"] = entry("unpriced", base, model="meta_llama/Llama-3.3-70B-Instruct")
    models["keyless"] = entry("keyless", base, api_key_env=None)
    models["no-key"] = entry("no-key", base, api_key_env="NO_SUCH_VARIABLE")
    models["picky"] = entry(
        "picky", base, model="openai/gpt-5-mini", request={"temperature": 0, "logit_bias": {}, "max_tokens": 64}
    )
    models["nowhere"] = entry("nowhere", "http://127.0.0.1:9/v1")
    models["no-provider"] = entry("no-provider", None, model="gibberish/model")
    with GatewayProcess.start(models, None, warm=True) as process:
        client = GatewayClient(process.address, process.authkey)
        yield client
        client.close()


def ask(client: GatewayClient, model: str, text: str = "Which number?", trial: int = 0) -> Completion:
    return client.complete(model, say(text), 100, trial)


def failure(client: GatewayClient, model: str, text: str = "Which number?") -> ModelError:
    with pytest.raises(ModelError) as caught:
        ask(client, model, text)
    message = str(caught.value)
    assert CANARY not in message
    assert CANARY[::-1] not in message
    assert "\n" not in message
    assert message.startswith(f"{model}: ")
    return caught.value


def test_an_answer_carries_text_usage_cost_latency_and_the_model_that_gave_it(client: GatewayClient) -> None:
    completion = ask(client, "plain")

    assert completion.text == "7421"
    assert completion.finish_reason == "stop"
    assert completion.usage == Usage(1000, 200, 400, 150)
    # litellm's map for gpt-4o-mini: 0.15 USD input, half of that cached, 0.60 output, each a million tokens.
    assert completion.cost_usd == pytest.approx((600 * 0.15 + 400 * 0.075 + 200 * 0.60) / 1e6)
    assert completion.latency_seconds is not None
    assert completion.latency_seconds > 0
    assert completion.provider_model == "served-model"
    assert completion.dropped_parameters == ()
    assert "litellm" not in sys.modules


def test_the_request_arrives_as_the_entry_has_it(client: GatewayClient, server: OpenAIServer) -> None:
    ask(client, "plain", "as it is")

    [request] = [request for request in server.received("plain") if request.text == "as it is"]
    assert request.body == {
        "model": "gpt-4o-mini",
        "messages": say("as it is"),
        "temperature": 0,
        "max_tokens": 64,
    }
    assert request.headers["authorization"] == f"Bearer {CANARY}"


def test_an_entrys_own_prices_count_before_litellms(client: GatewayClient) -> None:
    assert ask(client, "priced").cost_usd == pytest.approx((1000 * 3 + 200 * 5) / 1e6)


def test_what_a_model_costs_that_has_no_listed_price_is_unknown(client: GatewayClient) -> None:
    assert ask(client, "unlisted").cost_usd is None
    completion = ask(client, "unpriced")
    assert completion.usage.input_tokens == 1000
    assert completion.cost_usd is None


def test_usage_that_was_not_sent_is_unknown_and_so_is_the_cost(client: GatewayClient) -> None:
    completion = ask(client, "no-usage")

    assert completion.usage == Usage()
    assert completion.cost_usd is None


@pytest.mark.parametrize("model", ["reasoning-content", "reasoning", "closed-think", "anthropic-end"])
def test_reasoning_is_kept_apart_under_every_name(client: GatewayClient, model: str) -> None:
    completion = ask(client, model)

    assert completion.text == "7421"
    assert completion.reasoning == "It said 7421."
    assert completion.finish_reason == "stop"


def test_a_refusal_comes_back_as_one(client: GatewayClient) -> None:
    completion = ask(client, "refusal")

    assert completion.text is None
    assert completion.refusal == "I cannot help."


def test_the_providers_own_reason_to_stop_survives_where_it_says_more(client: GatewayClient) -> None:
    assert ask(client, "long").finish_reason == "length"
    assert ask(client, "anthropic-refusal").finish_reason == "refusal"
    assert ask(client, "anthropic-window").finish_reason == "model_context_window_exceeded"


def test_half_a_surrogate_pair_in_an_answer_crosses_unharmed(client: GatewayClient) -> None:
    assert ask(client, "surrogate").text == "74\ud80021"


def test_parameters_that_a_model_does_not_take_are_left_out_and_named(
    client: GatewayClient, server: OpenAIServer
) -> None:
    completion = ask(client, "picky", "picky")

    assert set(completion.dropped_parameters) == {"temperature", "logit_bias"}
    assert ask(client, "picky", "picky again").dropped_parameters == completion.dropped_parameters
    [request] = [request for request in server.received("plain") if request.text == "picky"]
    assert not {"temperature", "logit_bias"} & set(request.body)
    assert ask(client, "anthropic-end").dropped_parameters == ("seed",)


def test_requests_that_meet_a_refused_parameter_together_name_it_once(client: GatewayClient) -> None:
    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(lambda number: ask(client, "many-at-once", str(number)), range(4)))

    for completion in answers:
        assert sorted(completion.dropped_parameters) == ["logit_bias", "temperature"]


def test_an_empty_answer_is_asked_for_once_more_and_both_are_paid(client: GatewayClient, server: OpenAIServer) -> None:
    completion = ask(client, "empty-once")

    assert completion.text == "7421"
    assert completion.cost_usd == pytest.approx(2 * (600 * 0.15 + 400 * 0.075 + 200 * 0.60) / 1e6)
    assert server.count("empty-once") == 2
    assert not ask(client, "empty").text
    assert server.count("empty") == 2


def test_the_same_request_is_sent_once(client: GatewayClient, server: OpenAIServer) -> None:
    first = ask(client, "counted")

    assert ask(client, "counted") == first
    assert server.count("counted") == 1
    ask(client, "counted", trial=1)
    assert server.count("counted") == 2
    ask(client, "counted", "Which other number?")
    assert server.count("counted") == 3
    ask(client, "plain")
    assert server.count("counted") == 3


def test_equal_asks_at_the_same_time_share_one_request(client: GatewayClient, server: OpenAIServer) -> None:
    with ThreadPoolExecutor(6) as threads:
        answers = list(threads.map(lambda _: ask(client, "slow"), range(6)))

    assert {completion.text for completion in answers} == {"7421"}
    assert server.count("slow") == 1


def test_an_error_is_not_remembered_as_an_answer(client: GatewayClient, server: OpenAIServer) -> None:
    assert failure(client, "failing-once").outcome == "infra_error"

    assert ask(client, "failing-once").text == "7421"
    assert server.count("failing-once") == 2


def test_what_may_pass_is_tried_again(client: GatewayClient, server: OpenAIServer) -> None:
    completion = ask(client, "passing")

    assert completion.text == "7421"
    tries = server.received("passing")
    assert len(tries) == 5
    assert completion.latency_seconds is not None
    # Of the last try alone: the pauses before it are far longer.
    assert completion.latency_seconds < tries[-1].at - tries[0].at


def test_retry_after_is_waited_for(client: GatewayClient, server: OpenAIServer) -> None:
    assert ask(client, "retry-after").text == "7421"
    assert server.count("retry-after") == 2


def test_a_provider_that_asks_to_come_back_tomorrow_is_not_waited_for(
    client: GatewayClient, server: OpenAIServer
) -> None:
    error = failure(client, "retry-tomorrow")

    assert error.outcome == "rate_limited"
    assert "86400 s" in str(error)
    assert server.count("retry-tomorrow") == 1


@pytest.mark.parametrize(
    ("model", "outcome", "words"),
    [
        ("not-json", "infra_error", "no JSON"),
        ("no-choices", "infra_error", "no choices"),
        ("bad-gateway", "infra_error", "HTTP 502"),
        ("nowhere", "infra_error", "check api_base 'http://127.0.0.1:9/v1'"),
        ("echo-key", "infra_error", "cannot handle Authorization: Bearer [redacted] at"),
        ("echo-header", "config_error", "unknown team [redacted]"),
        ("overflow", "context_overflow", "maximum context length"),
        ("filtered", "content_filter", "content management policy"),
        ("no-provider", "config_error", "write provider/model"),
    ],
)
def test_an_error_has_an_outcome_and_one_line_of_words(
    client: GatewayClient, model: str, outcome: str, words: str
) -> None:
    error = failure(client, model)

    assert error.outcome == outcome
    assert words in str(error)


def test_an_overflow_is_not_tried_again(client: GatewayClient, server: OpenAIServer) -> None:
    before = server.count("overflow")

    failure(client, "overflow", "much too long")

    assert server.count("overflow") == before + 1


def test_each_try_has_its_own_timeout(client: GatewayClient, server: OpenAIServer) -> None:
    error = failure(client, "too-slow")

    assert error.outcome == "infra_error"
    assert "no answer within 0.5 s (limits.timeout) (tried 2 times)" in str(error)
    assert server.count("too-slow") == 2


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("unauthorized", "check the key in GATEWAY_TEST_KEY"),
        ("not-found", "check model 'openai/gpt-4o-mini'"),
        ("quota", "insufficient_quota"),
        ("other-400", "HTTP 400: temperature must be at most 1"),
    ],
)
def test_an_error_that_cannot_pass_stops_the_model(
    client: GatewayClient, server: OpenAIServer, model: str, words: str
) -> None:
    first = failure(client, model)

    assert first.outcome == "config_error"
    assert words in str(first)
    assert f"{model} is not asked again" in str(first)
    with pytest.raises(ModelError) as caught:
        client.complete(model, say("Another question?"), 10, 0, cell="the second cell")
    assert caught.value.outcome == "config_error"
    assert re.fullmatch(
        rf"{model}: not asked: {model} was given up \(HTTP 4..[ \w]*\): see its first error", str(caught.value)
    )
    assert server.count(model) == 1


def test_a_request_that_is_too_large_for_a_minute_stops_no_shorter_one(
    client: GatewayClient, server: OpenAIServer
) -> None:
    assert failure(client, "large").outcome == "config_error"

    assert "not asked" not in str(failure(client, "large", "A shorter question?"))
    assert server.count("large") == 2


def test_a_key_that_is_not_set_is_named_and_nothing_is_sent(client: GatewayClient, server: OpenAIServer) -> None:
    before = server.count("plain")

    error = failure(client, "no-key", "What does a key open?")

    assert error.outcome == "config_error"
    assert "NO_SUCH_VARIABLE is not set" in str(error)
    assert server.count("plain") == before


def test_a_server_of_ones_own_needs_no_key_and_is_sent_none_unasked(
    client: GatewayClient, server: OpenAIServer
) -> None:
    assert ask(client, "keyless", "no key").text == "7421"

    [request] = [request for request in server.received("plain") if request.text == "no key"]
    assert request.headers["authorization"] == "Bearer not-needed"


def test_a_model_that_the_gateway_was_not_told_of_is_a_config_error(client: GatewayClient) -> None:
    assert failure(client, "stranger").outcome == "config_error"


def test_a_paid_model_asks_with_its_prompts_messages_and_trial(client: GatewayClient, server: OpenAIServer) -> None:
    model = GatewayModel(ModelEntry(id="mine", model="openai/gpt-4o-mini"), client, "counted")
    before = server.count("counted")

    assert model.complete(Prompt("Where?", system="Be brief.", trial=0)).text == "7421"
    assert model.complete(Prompt("Where?", system="Be brief.", trial=1)).text == "7421"
    assert model.complete(Prompt("Where?", system="Be brief.", trial=1)).text == "7421"
    assert model.complete("Where?").text == "7421"

    messages = [request.body["messages"] for request in server.received("counted")[before:]]
    system = {"role": "system", "content": "Be brief."}
    assert messages == [[system, *say("Where?")], [system, *say("Where?")], say("Where?")]
