"""Which request is next, by where the workers are."""

from __future__ import annotations

import random
import threading
from dataclasses import replace
from itertools import islice

from hypothesis import given
from hypothesis import strategies as st

from pytest_haystack.config.trials import StopRule
from pytest_haystack.running.gateway.offers import Offer, Offers
from pytest_haystack.running.gateway.prefixes import shared
from pytest_haystack.running.upcoming import Upcoming
from pytest_haystack.sweep import Cell

CELL = Cell("s", "single", "m", 1000, 0.0, "0", 1, 1.0, 1, "single")
RULE = StopRule("point", 3, 1.0, 0.9, 0.99, 0.05, 0.05)


def cells(count: int, trials: int = 1) -> list[Cell]:
    return [replace(CELL, depth=str(number), trials=trials) for number in range(count)]


def numbers(upcoming: Upcoming, count: int) -> list[int]:
    """Numbers of the cells that are next."""
    return [int(cell.depth) for cell, _ in islice(iter(upcoming.next, None), count)]


def test_nothing_is_next_before_a_test_has_begun() -> None:
    every = cells(3)
    upcoming, told = Upcoming(every), []
    thread = threading.Thread(target=lambda: told.append(upcoming.next()))
    thread.start()
    upcoming.started("of another model")
    thread.join(0.1)
    assert thread.is_alive()
    upcoming.started(every[0].id)
    thread.join()

    assert told == [(every[1], 0)]
    upcoming.stop()
    assert upcoming.next() is None


def test_one_place_is_followed_to_the_end() -> None:
    every = cells(6)
    upcoming = Upcoming(every)
    upcoming.started(every[1].id)
    upcoming.started(every[2].id)
    assert numbers(upcoming, 3) == [3, 4, 5]
    upcoming.started(every[0].id)
    assert upcoming.next() is None


def test_several_places_take_turns_and_one_that_moves_on_is_one_still() -> None:
    every = cells(30)
    upcoming = Upcoming(every)
    for number in (0, 10, 20):
        upcoming.started(every[number].id)
    assert sorted(numbers(upcoming, 6)) == [1, 2, 11, 12, 21, 22]
    # One worker is quicker than the others.
    for number in (11, 12, 13):
        upcoming.started(every[number].id)
    assert numbers(upcoming, 5) == [14, 15, 3, 16, 23]


def test_trials_of_a_cell_are_next_too_but_not_where_a_rule_may_stop_them() -> None:
    fixed, stopping = cells(2, trials=3), [replace(cell, stop=RULE) for cell in cells(2, trials=3)]
    for every, expected in ((fixed, [(0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]), (stopping, [(1, 0)])):
        upcoming = Upcoming(every)
        upcoming.started(every[0].id)
        found = [(int(cell.depth), trial) for cell, trial in iter(upcoming.next, None)]
        assert found == expected


@given(st.integers(1, 60), st.integers(1, 5), st.integers(0, 2**32))
def test_every_request_is_asked_for_or_next_and_none_is_next_twice(count: int, workers: int, seed: int) -> None:
    chance, every = random.Random(seed), cells(count)
    upcoming, offered = Upcoming(every), []
    queues = [every[number::workers] if seed % 2 else every[number * count // workers :] for number in range(workers)]
    begun: set[int] = set()
    while any(queues):
        number = int(chance.choice([queue for queue in queues if queue]).pop(0).depth)
        upcoming.started(every[number].id)
        begun.add(number)
        for _ in range(chance.randrange(4)):
            reachable = set(range(min(begun), count)) - begun - set(offered)
            if reachable:
                offered += numbers(upcoming, 1)
                assert offered[-1] in reachable
    assert len(offered) == len(set(offered))


@given(st.text("ab", max_size=40), st.text("ab", max_size=40))
def test_what_two_texts_share_is_counted_as_letter_by_letter(one: str, other: str) -> None:
    plain = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    assert shared(one, other) == plain


@given(st.lists(st.text("ab", max_size=8), unique=True, min_size=2), st.text("ab", max_size=8))
def test_the_next_one_begins_as_much_like_the_one_before_as_any(texts: list[str], before: str) -> None:
    offers = Offers(by_prefix=True)
    for text in (before, *texts):
        offers.add(Offer(text, 0, [{"role": "user", "content": text}], 1, f"key {text}"))
    last = before
    offers.take(f"key {before}")
    while (found := offers.next(lambda offer: True)) is not None:
        left = [text for text in texts if f"key {text}" in list(offers.keys())]
        assert shared(found.text, last) == max(shared(text, last) for text in left)
        offers.take(found.key)
        last = found.text
    assert offers.size == 0
