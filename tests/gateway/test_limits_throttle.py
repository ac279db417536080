"""Limits give way to a provider that says 429, come back slowly, and no request outlasts its deadline."""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_haystack.errors import ModelError
from pytest_haystack.models.model import Completion
from pytest_haystack.running.gateway.client import GatewayClient
from pytest_haystack.running.gateway.failures import RequestError
from pytest_haystack.running.gateway.lanes import Lane
from pytest_haystack.running.gateway.process import GatewayProcess
from pytest_haystack.running.gateway.sending import send
from pytest_haystack.running.gateway.settings import ModelSettings
from pytest_haystack.running.gateway.throttle import SLOWEST, Throttle
from tests.gateway.entries import entry, say
from tests.support.openai_server import OpenAIServer, Received, Reply, answer, error

events = st.lists(st.tuples(st.floats(0.01, 20), st.sampled_from(["leave", "answer", "refuse"])), max_size=80)


@settings(max_examples=150, deadline=None)
@given(most=st.integers(1, 64), events=events)
def test_a_throttle_stays_within_its_bounds_whatever_happens(most: int, events: list[tuple[float, str]]) -> None:
    throttle, now = Throttle(most), 0.0
    for seconds, event in events:
        now += seconds
        width = throttle.width
        if event == "leave":
            throttle.take(now)
        elif event == "answer":
            throttle.answered(now)
            assert width <= throttle.width <= width + 1
        else:
            throttle.refused(now - 0.005, now)
            assert throttle.width == max(1, throttle.width) <= max(1, (width + 1) // 2)
            assert throttle.pace is not None
        assert 1 <= throttle.width <= most
        assert throttle.pace is None or throttle.pace >= SLOWEST
        assert 0 <= throttle.wait(now) <= 1 / SLOWEST + 1e-6


def test_requests_that_left_together_and_are_refused_together_cut_once() -> None:
    throttle = Throttle(16)
    for _ in range(16):
        throttle.take(1.0)
    for number in range(16):
        throttle.refused(1.0, 2.0 + number / 100)

    assert throttle.width == 8
    assert throttle.pace == pytest.approx(8.0)
    throttle.refused(2.5, 3.0)
    assert throttle.width == 4
    assert throttle.pace == pytest.approx(4.0)


def test_what_was_cut_comes_back_slowly_and_whole() -> None:
    throttle = Throttle(8)
    for number in range(20):
        throttle.take(number / 10)
    throttle.refused(1.9, 2.0)
    assert throttle.width == 4
    assert throttle.pace == pytest.approx(5.0)

    for _ in range(4):
        throttle.answered(2.0)
    # A round of answers gives back about one place.
    assert throttle.width in (4, 5)
    for _ in range(100):
        throttle.answered(2.0)
    assert throttle.width == 8
    assert throttle.pace is None
    assert throttle.wait(2.0) == 0


class Clock:
    """A clock that a test sets, and an event loop that sleeps by it."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Provider:
    """Takes ``capacity`` requests a second, and says 429 to what is more."""

    def __init__(self, clock: Clock, capacity: float) -> None:
        self._clock, self._capacity = clock, capacity
        self.asked: list[tuple[float, bool]] = []

    async def complete(self, entry: ModelSettings, messages: Any, seconds: float | None = None) -> Completion:
        now = self._clock()
        taken = sum(ok and at > now - 1 for at, ok in self.asked) < self._capacity
        self.asked.append((now, taken))
        await asyncio.sleep(0)
        if not taken:
            raise RequestError("too many", status=429)
        return Completion("7421")


class PatientLane(Lane):
    """A lane whose pauses are steps of the clock."""

    def __init__(self, entry: ModelSettings, clock: Clock) -> None:
        super().__init__(entry, None, clock)
        self._steps = clock

    async def sleep(self, seconds: float) -> None:
        until = self._steps.now + seconds
        while self._steps.now < until:
            await asyncio.sleep(0)


def test_a_provider_with_less_capacity_than_the_config_says_is_found_out() -> None:
    """Two hundred requests, forty at once, of a provider that takes five a second."""
    clock = Clock()
    lane = PatientLane(ModelSettings.from_entry(entry("m", None, in_flight=40, retries=30, deadline=10_000)), clock)
    provider = Provider(clock, 5)

    async def run() -> None:
        async def tick() -> None:
            while True:
                clock.now += 0.02
                await asyncio.sleep(0)

        ticking = asyncio.create_task(tick())
        chance = random.Random(1)
        asks = [send(lane, provider, [], 10, chance) for _ in range(200)]  # type: ignore[arg-type]
        await asyncio.wait_for(asyncio.gather(*asks), 60)
        ticking.cancel()

    asyncio.run(run())

    assert sum(ok for _, ok in provider.asked) == 200
    refused = [at for at, ok in provider.asked if not ok]
    # Without giving way, each of the two hundred would be refused many times.
    assert len(refused) < 100
    assert len(refused) > 0


def test_a_provider_that_refuses_a_share_of_whatever_comes_is_asked_as_fast_as_it_answers() -> None:
    """One in ten is refused, because others use up the same quota: asking ever more slowly would help nobody."""
    clock, lots = Clock(), random.Random(3)
    lane = PatientLane(ModelSettings.from_entry(entry("m", None, in_flight=16, retries=30, deadline=10_000)), clock)

    class Shared:
        async def complete(self, *_: object) -> Completion:
            await asyncio.sleep(0)
            if lots.random() < 0.1:
                raise RequestError("too many", status=429)
            return Completion("7421")

    async def run() -> None:
        async def tick() -> None:
            while True:
                clock.now += 0.05
                await asyncio.sleep(0)

        ticking = asyncio.create_task(tick())
        chance = random.Random(1)
        asks = [send(lane, Shared(), [], 10, chance) for _ in range(100)]  # type: ignore[arg-type]
        await asyncio.wait_for(asyncio.gather(*asks), 60)
        ticking.cancel()

    asyncio.run(run())
    # Seconds of the clock of this test; halving at every refusal would take ten times as long.
    assert clock.now < 60


class Burst:
    """Refuses a number of requests that come together, then answers and remembers how many came at once."""

    def __init__(self, number: int) -> None:
        self._barrier = threading.Barrier(number)
        self._left = number
        self._lock = threading.Lock()
        self._now = 0
        self.peak = 0

    def __call__(self, request: Received) -> Reply:
        with self._lock:
            self._left -= 1
            early = self._left >= 0
            if not early:
                self._now += 1
                self.peak = max(self.peak, self._now)
        if early:
            self._barrier.wait(60)
            return error(429, retry_after="0")
        threading.Event().wait(0.05)
        with self._lock:
            self._now -= 1
        return answer(request.text)


BURST = Burst(8)


@pytest.fixture(scope="module")
def client(server: OpenAIServer) -> Generator[GatewayClient, None, None]:
    models = {
        "burst": entry("burst", server.base("burst", BURST), in_flight=8, retries=3),
        "late": entry("late", server.base("late", error(500)), retries=50, deadline=6),
        "slow": entry("slow", server.base("slow", answer("7", delay=30)), retries=5, timeout=20, deadline=0.6),
        "asked": entry("asked", server.base("asked", error(429, retry_after="60")), retries=5, deadline=5),
    }
    with GatewayProcess.start(models, None, warm=True) as process:
        client = GatewayClient(process.address, process.authkey)
        yield client
        client.close()


def test_after_a_429_less_is_in_flight_for_all_who_ask(client: GatewayClient) -> None:
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda n: client.complete("burst", say(f"n{n}"), 10, 0).text, range(8)))

    assert answers == [f"n{number}" for number in range(8)]
    assert 1 <= BURST.peak <= 5


@pytest.mark.parametrize(
    ("model", "words", "requests"),
    [
        ("late", r"HTTP 500.*\(tried \d+ times\); no time for another try within 6 s \(limits", range(2, 12)),
        ("slow", r"no answer within 0\.[56]\d* s \(limits.deadline\)", range(1, 2)),
        ("asked", r"HTTP 429.*no time for another try within 5 s \(limits.deadline\)", range(1, 2)),
    ],
)
def test_no_request_outlasts_its_deadline(
    client: GatewayClient, server: OpenAIServer, model: str, words: str, requests: range
) -> None:
    with pytest.raises(ModelError, match=words) as caught:
        client.complete(model, say("?"), 10, 0)

    assert caught.value.outcome == ("rate_limited" if model == "asked" else "infra_error")
    assert server.count(model) in requests


def test_a_turn_that_does_not_come_before_the_deadline_is_told() -> None:
    lane = Lane(ModelSettings.from_entry(entry("m", None, in_flight=1, retries=3, deadline=0.3)), None)

    class Failing:
        async def complete(self, entry: ModelSettings, messages: Any, seconds: float | None = None) -> Completion:
            raise RequestError("down", status=500)

    async def run() -> None:
        async def hold() -> None:
            async with lane.admitted(1):
                await asyncio.sleep(5)

        first = asyncio.create_task(send(lane, Failing(), [], 1, _Least()))  # type: ignore[arg-type]
        await asyncio.sleep(0.01)
        holding = asyncio.create_task(hold())
        with pytest.raises(ModelError, match=r"its turn did not come within 0.3 s \(limits.deadline\)") as caught:
            await first
        assert caught.value.outcome == "infra_error"
        holding.cancel()

    asyncio.run(asyncio.wait_for(run(), 10))


class _Least(random.Random):
    """No jitter: every pause is as short as it can be."""

    def uniform(self, a: float, b: float) -> float:
        return 0.1


@pytest.mark.parametrize("status", [429, 503, 529])
def test_when_to_come_again_is_meant_for_every_request(status: int) -> None:
    lane = Lane(ModelSettings.from_entry(entry("m", None, in_flight=4, retries=3, deadline=100)), None, lambda: 0.0)

    class Overloaded:
        async def complete(self, *_: object) -> Completion:
            raise RequestError("overloaded", status=status, retry_after=30.0)

    async def run() -> float | None:
        assert lane.seconds_until_free(1) == 0
        asking = asyncio.create_task(send(lane, Overloaded(), [], 10, random.Random(1)))  # type: ignore[arg-type]
        for _ in range(20):
            await asyncio.sleep(0)
        seconds = lane.seconds_until_free(1)
        asking.cancel()
        return seconds

    seconds = asyncio.run(run())
    assert seconds is not None
    assert seconds >= 30


def test_a_model_that_asks_to_wait_for_hours_is_not_asked_for_the_next_cell() -> None:
    lane = Lane(ModelSettings.from_entry(entry("m", None, retries=3)), None)
    asked = []

    class Tomorrow:
        async def complete(self, *_: object) -> Completion:
            asked.append(1)
            raise RequestError("come back tomorrow", status=429, retry_after=86_400.0)

    told = []
    for cell in ("first", "second"):
        with pytest.raises(ModelError) as refused:
            asyncio.run(send(lane, Tomorrow(), [], 10, random.Random(1), cell))  # type: ignore[arg-type]
        told.append((refused.value.outcome, str(refused.value)))

    assert told == [
        ("rate_limited", "m: HTTP 429: come back tomorrow; it asks to wait 86400 s; m is not asked again"),
        ("rate_limited", "m: not asked: m was given up (HTTP 429): see first"),
    ]
    assert len(asked) == 1
