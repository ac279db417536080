"""The gateway's parts that need no process: what must always hold."""

from __future__ import annotations

import asyncio
import json
import random
from email.utils import formatdate
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_haystack.errors import ModelError
from pytest_haystack.models.model import Completion, Usage
from pytest_haystack.running.gateway.answers import completion_of, usage_of
from pytest_haystack.running.gateway.failures import RequestError, request_error, retry_after_seconds
from pytest_haystack.running.gateway.lanes import MINUTE, Lane, Window
from pytest_haystack.running.gateway.sending import LONGEST_PAUSE, pause_before_retry
from pytest_haystack.running.gateway.settings import ModelSettings
from pytest_haystack.running.gateway.wire import (
    address_text,
    completion_from,
    completion_values,
    pack,
    parse_address,
    unpack,
)
from pytest_haystack.scoring.outcomes import classify_error
from tests.gateway.entries import entry

counts = st.none() | st.integers(0, 10**7)
texts = st.none() | st.text()


@settings(max_examples=150, deadline=None)
@given(
    requests=st.integers(1, 5),
    limit=st.integers(1, 20),
    asks=st.lists(st.tuples(st.floats(0, 50), st.integers(0, 25)), min_size=1, max_size=40),
)
def test_no_minute_holds_more_than_its_limits(requests: int, limit: int, asks: list[tuple[float, int]]) -> None:
    window, now = Window(requests, limit), 0.0
    sent: list[tuple[float, int]] = []
    for pause, tokens in asks:
        now += pause
        wait = window.wait(now, tokens)
        assert 0 <= wait <= MINUTE + 1e-6
        now += wait
        window.take(now, tokens)
        sent.append((now, tokens))

    for start, _ in sent:
        minute = [tokens for at, tokens in sent if start <= at < start + MINUTE - 1e-6]
        assert len(minute) <= requests
        # A request that is too large for any minute has one to itself.
        assert sum(minute) <= limit or len(minute) == 1


@settings(max_examples=100, deadline=None)
@given(gaps=st.lists(st.floats(0.5, 30), min_size=4, max_size=20))
def test_a_request_waits_no_longer_than_it_must(gaps: list[float]) -> None:
    window, now = Window(3, None), 0.0
    for number, gap in enumerate(gaps):
        now += gap
        wait = window.wait(now, 1)
        if number < 3:
            assert wait == 0
        elif wait > 0.001:
            assert window.wait(now + wait - 0.001, 1) > 0
        now += wait
        assert window.wait(now, 1) == pytest.approx(0, abs=1e-6)
        window.take(now, 1)


def test_without_limits_nothing_waits() -> None:
    window = Window(None, None)
    for _ in range(100):
        assert window.wait(0, 10**9) == 0
        window.take(0, 10**9)


def lane(**limits: Any) -> Lane:
    return Lane(ModelSettings.from_entry(entry("m", None, **limits)), None)


def test_a_closed_lane_wakes_those_who_wait_in_it() -> None:
    async def run() -> list[str]:
        closing = lane(requests_per_minute=1, in_flight=4)
        refused: list[str] = []

        async def ask() -> None:
            try:
                async with closing.admitted(1):
                    await asyncio.sleep(0.05)
                    closing.close("config_error", "no key")
            except ModelError as error:
                refused.append(str(error))

        await asyncio.gather(*(ask() for _ in range(4)))
        return refused

    assert asyncio.run(asyncio.wait_for(run(), 10)) == ["no key"] * 3


def test_a_request_that_waits_for_the_other_lanes_is_refused_when_its_own_closes() -> None:
    async def run() -> None:
        under_way = asyncio.Semaphore(0)
        closing = Lane(ModelSettings.from_entry(entry("m", None)), under_way)

        async def ask() -> None:
            async with closing.admitted(1):
                raise AssertionError("it left")

        asked = asyncio.create_task(ask())
        await asyncio.sleep(0.01)
        closing.close("config_error", "no key")
        under_way.release()
        with pytest.raises(ModelError, match="no key"):
            await asked
        assert not under_way.locked()

    asyncio.run(asyncio.wait_for(run(), 10))


def test_places_are_given_back_whatever_happens_to_a_request() -> None:
    async def run() -> int:
        under_way = asyncio.Semaphore(1)
        narrow = Lane(ModelSettings.from_entry(entry("m", None, in_flight=1)), under_way)
        for _ in range(3):
            with pytest.raises(ZeroDivisionError):
                async with narrow.admitted(1):
                    raise ZeroDivisionError
        waiting = asyncio.create_task(narrow.sleep(60))
        await asyncio.sleep(0)
        waiting.cancel()
        async with narrow.admitted(1):
            return int(under_way.locked())

    assert asyncio.run(asyncio.wait_for(run(), 10)) == 1


@settings(max_examples=100, deadline=None)
@given(retries=st.integers(0, 2000), asked=st.none() | st.floats(0, 300), seed=st.integers())
def test_pauses_grow_to_a_limit_and_never_undercut_the_provider(retries: int, asked: float | None, seed: int) -> None:
    failure = RequestError("no", status=429, retry_after=asked)
    pause = pause_before_retry(failure, retries, random.Random(seed))

    assert pause is not None
    assert pause > 0
    assert (asked or 0) <= pause <= (asked or 0) + LONGEST_PAUSE
    if asked is None and retries > 6:
        assert pause >= LONGEST_PAUSE / 2


def test_retry_after_is_read_in_all_its_forms() -> None:
    now = 1_800_000_000.0

    assert retry_after_seconds({"retry-after": "7"}, now) == 7
    assert retry_after_seconds({"retry-after": "0.25"}, now) == 0.25
    assert retry_after_seconds({"retry-after-ms": "250", "retry-after": "7"}, now) == 0.25
    assert retry_after_seconds({"retry-after": formatdate(now + 90, usegmt=True)}, now) == 90
    assert retry_after_seconds({"retry-after": formatdate(now - 90, usegmt=True)}, now) == 0
    assert retry_after_seconds({"retry-after": "-3"}, now) == 0
    for nonsense in ("soon", "nan", "inf", ""):
        assert retry_after_seconds({"retry-after": nonsense}, now) is None
    assert retry_after_seconds({}, now) is None


@settings(max_examples=100, deadline=None)
@given(st.text() | st.binary().map(repr), st.none() | st.integers(100, 599))
def test_every_exception_becomes_words_and_a_verdict(text: str, status: int | None) -> None:
    error = RuntimeError(text)
    if status is not None:
        error.status_code = status  # type: ignore[attr-defined]

    failure = request_error(error, "openai/m")

    assert failure.message
    assert failure.status == (status if status is not None and status >= 400 else None)


def test_an_exception_that_contains_itself_is_read_once() -> None:
    error, cause = ValueError("outer"), ValueError("inner")
    error.__cause__, cause.__cause__ = cause, error

    assert request_error(error, "openai/m").message == "outer"


@settings(max_examples=100, deadline=None)
@given(
    st.builds(
        Completion,
        text=texts,
        reasoning=texts,
        refusal=texts,
        finish_reason=texts,
        usage=st.builds(Usage, counts, counts, counts, counts),
        cost_usd=st.none() | st.floats(0, 1e6),
        latency_seconds=st.none() | st.floats(0, 1e6),
        provider_model=texts,
        dropped_parameters=st.lists(st.text()).map(tuple),
    )
)
def test_a_completion_crosses_as_it_is(completion: Completion) -> None:
    assert completion_from(unpack(pack(completion_values(completion)))) == completion


@pytest.mark.parametrize("address", ["/tmp/a:b/socket", ("127.0.0.1", 8080), ("::1", 1)])
def test_an_address_crosses_as_text(address: str | tuple[str, int]) -> None:
    text = address_text(address)

    assert json.loads(json.dumps(text)) == text
    assert parse_address(text) == address


def test_no_address_is_made_of_other_text() -> None:
    with pytest.raises(ValueError, match="no address"):
        parse_address("/tmp/socket")
    with pytest.raises(ValueError, match="not a mapping"):
        unpack(b"[]")


def test_content_in_parts_is_joined() -> None:
    message = {"content": [{"type": "text", "text": "74"}, "2", {"type": "image"}, {"text": "1"}]}

    completion = completion_of({"choices": [{"message": message, "finish_reason": "stop"}]}, None)

    assert completion.text == "7421"
    assert completion.usage == Usage()


def test_reasoning_is_found_under_its_newer_name() -> None:
    for message in ({"reasoning": "so"}, {"provider_specific_fields": {"reasoning": "so"}}):
        assert completion_of({"choices": [{"message": message}]}, None).reasoning == "so"


def test_thinking_blocks_alone_are_reasoning() -> None:
    blocks = [{"type": "thinking", "thinking": "one"}, {"type": "redacted_thinking"}, {"thinking": "two"}]

    completion = completion_of({"choices": [{"message": {"content": "7", "thinking_blocks": blocks}}]}, None)

    assert completion.reasoning == "one\ntwo"


@pytest.mark.parametrize("reason", ["error", "ERROR", "network_error"])
def test_an_answer_that_broke_off_is_tried_again(reason: str) -> None:
    choice = {
        "message": {"content": "7"},
        "finish_reason": "stop",
        "provider_specific_fields": {"native_finish_reason": reason},
    }

    with pytest.raises(RequestError) as caught:
        completion_of({"choices": [choice]}, None)
    assert classify_error(caught.value.status, caught.value.code, caught.value.message) == "infra_error"


@pytest.mark.parametrize("raw", ["{", "[]", '{"stop_reason": 3}', '"stop_reason"', None])
def test_raw_answers_that_say_nothing_change_nothing(raw: str | None) -> None:
    response = {"choices": [{"message": {"content": "7"}, "finish_reason": "length"}]}

    assert completion_of(response, raw).finish_reason == "length"


def test_counts_that_are_no_numbers_are_unknown() -> None:
    assert usage_of({"prompt_tokens": 5, "completion_tokens": None}) == Usage(input_tokens=5)
    assert usage_of({"prompt_tokens": 0, "completion_tokens": 0}) == Usage()
    assert usage_of(None) == Usage()
