"""The scorer chain: links followed in order, and what is no path."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_haystack.needles.draws import uuid_text
from pytest_haystack.scoring.chain import score
from pytest_haystack.scoring.score import Reference

RNG = random.Random(11)
START, A, B, C, D, E, STRANGE = (uuid_text(RNG) for _ in range(7))
CHAIN = Reference((A, B, C), f"Starting from key {START}, which keys are reached?", (D, E))


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        (f"{A}, {B}, {C}", 1.0),
        (f"{START} -> {A} -> {B} -> {C}", 1.0),
        (f"1. {START} leads to {A}\n2. {A} leads to {B}\n3. {B} leads to {C}\nThe chain ends at {C}.", 1.0),
        (f"{A}\n{B}\n{C}".upper(), 1.0),
        (f"{A}, {B}", 2 / 3),
        (A, 1 / 3),
        (C, 0.0),
        (f"{C}, {B}, {A}", 0.0),
        (f"{B}, {A}, {C}", 0.0),
        (f"{A}, {C}, {B}", 1 / 3),
        (f"{A}, {B}, {D}", 2 / 3),
        (f"{A}, {D}, {C}", 1 / 3),
        (f"{D}, {E}", 0.0),
        (f"{A}, {B}, {C}, {D}", 0.0),
        (f"{A}, {B}, {C}, {STRANGE}", 3 / 4),
        (f"{STRANGE}, {A}, {B}, {C}", 0.0),
        (f"Not {D}, but {A}, {B}, {C}", 1.0),
        (START, 0.0),
        ("", 0.0),
        ("The text does not say.", 0.0),
    ],
)
def test_links_count_from_the_first_on_and_only_in_order(answer: str, value: float) -> None:
    assert score(answer, CHAIN).value == pytest.approx(value)


def test_details_say_how_far_the_chain_was_followed_and_what_misled() -> None:
    halfway = score(f"{A}, {D}", CHAIN)

    assert (halfway.verdict, halfway.details) == ("distractor", {"distractors": [D], "followed": 1})
    assert score(f"{A}, {B}, {C}", CHAIN).details == {"followed": 3}
    assert score("The text does not say.", CHAIN).verdict == "abstained"


@given(st.permutations([START, A, B, C, D, E]))
@settings(max_examples=200, deadline=None)
def test_no_order_of_all_keys_is_an_answer(keys: list[str]) -> None:
    assert score(", ".join(keys), CHAIN).value == 0.0


@given(st.lists(st.sampled_from([A, B, C]), min_size=1, unique=True))
@settings(max_examples=50, deadline=None)
def test_only_the_right_order_is_right(keys: list[str]) -> None:
    assert (score(" ".join(keys), CHAIN).value == 1.0) is (keys == [A, B, C])


def test_keys_that_are_no_uuids_are_followed_too() -> None:
    words = Reference(("amber", "cobalt"), "From teal on, what follows?", ("ochre",))

    assert score("teal, amber, cobalt", words).value == 1.0
    assert score("cobalt, amber", words).value == 0.0
    assert score("amber, ochre", words).value == 0.5
    assert score("amber, cobalt, ochre", words).value == 0.0
