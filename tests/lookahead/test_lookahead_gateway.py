"""What is offered is sent while nobody asks, and only as far as it may be."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Callable, Generator
from contextlib import closing
from pathlib import Path

import pytest

from pytest_haystack.errors import ModelError
from pytest_haystack.running.gateway import ahead
from pytest_haystack.running.gateway.ahead import Ahead
from pytest_haystack.running.gateway.budgets import Limit
from pytest_haystack.running.gateway.lanes import Lane
from pytest_haystack.running.gateway.offers import Offer
from pytest_haystack.running.gateway.process import GatewayProcess
from pytest_haystack.running.gateway.sending import TAKEN
from pytest_haystack.running.gateway.settings import ModelSettings
from pytest_haystack.running.gateway.warm_up import WarmUp
from pytest_haystack.running.store.answer_key import answer_key
from pytest_haystack.running.store.kept import KeepSettings
from pytest_haystack.running.store.sqlite_store import FILE
from tests.gateway.entries import say
from tests.lookahead.offering import MOMENT, Held, Scene, echo, looking, looking_entry, until
from tests.support.openai_server import OpenAIServer, Received, Reply, answer, error

HELD = {name: Held() for name in ("asks-first", "dropped", "prefix", "warm", "warm-asked", "cold", "late", "later")}


def fails_once(request: Received) -> Reply:
    """An error for the first request of each text but one."""
    if request.text == "first" or request.text in FAILED:
        return answer(request.text)
    FAILED.add(request.text)
    return error(500, "out of order")


FAILED: set[str] = set()


def refused_once(request: Received) -> Reply:
    """An error for the first request, and held ones for the next."""
    if not FAILED.issuperset({"later"}):
        FAILED.add("later")
        return error(503, "starting", retry_after="0")
    return HELD["later"](request)


@pytest.fixture(scope="module")
def gateway(server: OpenAIServer) -> Generator[GatewayProcess, None, None]:
    models = {
        "window": looking("window", server, echo, in_flight=2),
        "off": looking("off", server, echo, look_ahead=0),
        "other": looking("other", server, echo),
        "dropped": looking("dropped", server, HELD["dropped"], in_flight=1),
        "asks-first": looking("asks-first", server, HELD["asks-first"], in_flight=1),
        "never": looking("never", server, echo),
        "fails": looking("fails", server, fails_once),
        "late": looking("late", server, HELD["late"]),
        "later": looking("later", server, refused_once, retries=2),
        "locked": looking("locked", server, error(401, "no such key")),
        "budget": looking("budget", server, echo),
        "slow": looking("slow", server, echo, requests_per_minute=3),
        "prefix": looking("prefix", server, HELD["prefix"], in_flight=1, look_ahead=9, order="prefix"),
        "config": looking("config", server, echo, in_flight=1, look_ahead=9),
        "warm": looking("warm", server, HELD["warm"], in_flight=9, look_ahead=9, warm_up=True),
        "warm-asked": looking("warm-asked", server, HELD["warm-asked"], in_flight=9, warm_up=True),
        "cold": looking("cold", server, HELD["cold"], in_flight=9, look_ahead=9),
    }
    limits = [Limit("budget.requests", "requests", 3, ("budget",))]
    with GatewayProcess.start(models, None, warm=True, limits=limits) as process:
        yield process
        for held in HELD.values():
            held.release()


@pytest.fixture
def scene(gateway: GatewayProcess, server: OpenAIServer) -> Generator[Callable[[str], Scene], None, None]:
    scenes: list[Scene] = []

    def make(model: str) -> Scene:
        scenes.append(Scene(gateway, server, model))
        return scenes[-1]

    yield make
    for one in scenes:
        if one.model in HELD:
            HELD[one.model].release()
        one.close()


def test_no_more_than_a_window_is_sent_that_nobody_has_asked_for(scene: Callable[[str], Scene]) -> None:
    here = scene("window")
    here.begin()
    offered = here.offer("a", "b", "c", "d", "e", "f")
    here.stays(5)
    assert not offered.done()

    assert here.ask("a").text == "a"
    here.stays(6)
    assert [here.ask(text).text for text in "bcdef"] == list("bcdef")
    assert offered.result(60)
    assert sorted(here.sent) == ["a", "b", "c", "d", "e", "f", "first"]


def test_what_was_asked_first_is_told_with_the_name_of_its_answer(scene: Callable[[str], Scene]) -> None:
    here = scene("other")
    here.ask("by a test of one's own", cell="")
    here.ask("a search")
    here.ask("seen", cell="single-other-len400-depth0", trial=3)
    first = here.client.first_asked("other", 1)

    assert getattr(here.client.first_asked("other"), "cell", None) == "a search"
    assert first is not None
    assert (first.cell, first.trial, first.input_tokens) == ("single-other-len400-depth0", 3, 1000)
    base = f"{here.server.url}/other/v1"
    assert first.key == answer_key("openai/gpt-4o-mini", base, {}, say("seen"), 3)


def test_an_answer_that_takes_its_time_is_not_waited_for(scene: Callable[[str], Scene]) -> None:
    here = scene("late")
    asked = here.asking("one")
    first = here.first().result(60)

    assert first is not None
    assert (first.cell, first.input_tokens, first.answered, asked.done()) == ("one", None, False, False)
    here.offer("a", "b").result(60)
    here.stays(3)
    HELD["late"].release()
    assert asked.result(60).text == "one"
    # What the provider counted is told to whoever waits for it.
    counted = here.first(1).result(60)
    assert counted is not None
    assert (counted.cell, counted.input_tokens, counted.answered) == ("one", 1000, True)


def test_a_model_that_fails_at_first_is_waited_for(scene: Callable[[str], Scene]) -> None:
    here = scene("later")
    asked = here.asking("one")
    waiting = here.first()
    until(lambda: len(here.sent) == 2)
    time.sleep(TAKEN + MOMENT)
    assert not waiting.done()
    HELD["later"].release()
    first = waiting.result(60)

    assert asked.result(60).text == "one"
    assert first is not None
    assert (first.cell, first.input_tokens) == ("one", 1000)


def test_nothing_is_offered_to_a_model_that_does_not_look_ahead_or_that_was_given_up(
    scene: Callable[[str], Scene],
) -> None:
    off, locked = scene("off"), scene("locked")
    off.ask("first")
    with pytest.raises(ModelError, match="no such key"):
        locked.ask("first")

    for here in (off, locked):
        assert here.client.first_asked(here.model) is None
        assert not here.offer("more").result(60)
        here.stays(1)


def test_another_question_than_the_one_offered_ends_it(scene: Callable[[str], Scene]) -> None:
    here = scene("dropped")
    here.begin()
    offered = here.offer("a", "b", "c", cells=["one", "two", "three"])
    until(lambda: len(here.sent) == 2)
    asked = here.asking("mine", "one")
    assert not here.offer("d").result(60)
    HELD["dropped"].release()

    assert asked.result(60).text == "mine"
    offered.result(60)
    here.stays(3)
    assert here.sent == ["first", "a", "mine"]


def test_who_asks_goes_before_what_is_offered(scene: Callable[[str], Scene]) -> None:
    here = scene("asks-first")
    here.begin()
    here.offer("a", "b").result(60)
    until(lambda: "a" in here.sent)
    asked = here.asking("c", "")
    here.stays(2)
    HELD["asks-first"].release("a")
    here.stays(3)
    later = here.asking("d", "")
    here.stays(3)
    HELD["asks-first"].release()

    assert (asked.result(60).text, later.result(60).text) == ("c", "d")
    until(lambda: len(here.sent) == 5)
    assert here.sent == ["first", "a", "c", "d", "b"]


def test_cells_that_may_not_run_are_not_asked_for(scene: Callable[[str], Scene]) -> None:
    here = scene("never")
    here.client.never([("never", "skipped"), ("window", "elsewhere")])
    here.begin()
    assert here.offer("skipped", "elsewhere").result(60)

    here.stays(2)
    assert here.sent == ["first", "elsewhere"]


def test_an_error_is_told_to_the_test_that_asks_and_to_it_alone(scene: Callable[[str], Scene]) -> None:
    here = scene("fails")
    here.begin()
    here.offer("a").result(60)
    here.stays(2)
    with pytest.raises(ModelError, match="out of order") as caught:
        here.ask("a")
    assert caught.value.outcome == "infra_error"

    here.stays(2)
    assert here.ask("a").text == "a"
    assert here.sent == ["first", "a", "a"]


def test_offers_spend_no_more_than_the_budget_has(scene: Callable[[str], Scene]) -> None:
    here = scene("budget")
    here.begin()
    offered = here.offer("a", "b", "c", "d")
    here.stays(3)

    assert [here.ask(text).text for text in "ab"] == ["a", "b"]
    for text in "cd":
        with pytest.raises(ModelError, match="is spent: 3 of 3 requests") as caught:
            here.ask(text)
        assert caught.value.outcome == "budget"
    assert offered.result(60)
    here.stays(3)


def test_offers_keep_to_the_limits_of_the_minute(scene: Callable[[str], Scene]) -> None:
    here = scene("slow")
    here.begin()
    here.offer("a", "b", "c")
    here.stays(3)


def test_the_next_one_leaves_while_the_answer_before_is_being_kept(server: OpenAIServer, tmp_path: Path) -> None:
    models = {"disk": looking("disk", server, echo, in_flight=1)}
    keep = KeepSettings(str(tmp_path), "this-run", resume=False)
    with (
        GatewayProcess.start(models, None, warm=True, keep=keep) as process,
        closing(Scene(process, server, "disk")) as here,
    ):
        here.begin()
        # Somebody else writes to the store, and takes his time.
        with closing(sqlite3.connect(tmp_path / FILE, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            here.offer("a", "b", "c").result(60)
            # One more, and no further: what cannot be kept would be paid in vain.
            here.stays(3)
            other.execute("ROLLBACK")
        until(lambda: here.sent == ["first", "a", "b", "c"])
        assert [here.ask(text).text for text in "abc"] == list("abc")


def test_long_prompts_wait_outside_where_much_is_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead, "MOST_CHARACTERS", 100)

    async def scene() -> list[bool]:
        settings = ModelSettings.from_entry(looking_entry("m", look_ahead=9, in_flight=1))
        lane, sent = Lane(settings, None), []
        looking_ahead = Ahead(lane, WarmUp(), lambda offer: sent.append(offer) or asyncio.create_task(asyncio.sleep(9)))
        offers = [Offer(cell, 0, say(cell * 40), 1, cell) for cell in "abcd"]
        waiting = [asyncio.create_task(looking_ahead.offer(offer, False)) for offer in offers]
        await asyncio.sleep(0.05)
        before = [one.done() for one in waiting]
        looking_ahead.asked("d", 0, "d")
        await asyncio.sleep(0.05)
        assert [offer.cell for offer in sent] == ["a"]
        return before + [one.done() for one in waiting]

    # One is under way; of those that wait, the third makes it too much, until one of them is asked for.
    assert asyncio.run(scene()) == [True, True, True, False] + [True] * 4


def test_prompts_that_begin_alike_follow_each_other_where_that_is_the_order(scene: Callable[[str], Scene]) -> None:
    texts = ["aaa1", "bbb1", "aab1", "bbb2", "aaa2"]
    plain, here = scene("config"), scene("prefix")
    for one in (plain, here):
        one.begin()
        one.offer("bbb0", *texts).result(60)
    here.stays(2)
    HELD["prefix"].release()

    for one in (plain, here):
        until(lambda one=one: len(one.sent) == 7)  # type: ignore[misc]
    assert plain.sent == ["first", "bbb0", *texts]
    assert here.sent[:4] == ["first", "bbb0", "bbb1", "bbb2"]
    assert here.sent[4:] in (["aab1", "aaa2", "aaa1"], ["aab1", "aaa1", "aaa2"])


@pytest.mark.parametrize(
    ("model", "asked", "before"), [("warm", False, 4), ("warm-asked", True, 4), ("cold", False, 8)]
)
def test_the_first_of_a_group_warms_the_cache_for_the_others(
    scene: Callable[[str], Scene], model: str, asked: bool, before: int
) -> None:
    here = scene(model)
    here.begin()
    groups = [name * 2000 for name in ("one", "two")]
    texts = [*(f"{group} {number}" for number in range(3) for group in groups), "short"]
    waiting = [here.asking(text) for text in texts] if asked else [here.offer(*texts)]
    # Each group's first one, what is too short for a cache, and the first of all.
    here.stays(before)
    HELD[model].release()
    for one in waiting:
        one.result(60)

    until(lambda: len(here.sent) == 8)
    assert set(here.sent) == {"first", *texts}
