"""The tasks single, multi, uuid and uuid_chain: what is hidden, what is asked, what counts as right."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from pytest_haystack.errors import ConfigError, HaystackError
from pytest_haystack.needles.needle import Needle
from pytest_haystack.registry import Registry
from pytest_haystack.tasks.multi import Multi, MultiOptions, joint_question
from pytest_haystack.tasks.single import Single, SingleOptions
from pytest_haystack.tasks.task import Task, TrialContext
from pytest_haystack.tasks.uuid_chain import UuidChain, UuidChainOptions
from pytest_haystack.tasks.uuid_value import UuidValue
from tests.tasks.benches import DEPTHS, TRIALS, Bench, cell_of, check_length, scored

seeds = st.integers(0, 2**64 - 1)
depths = st.floats(0, 100)
RETRIEVAL = ("single", "multi", "uuid", "uuid_chain")


def context(seed: int = 1, depth: float = 40.0, text: str = "Ordinary filler.") -> TrialContext:
    return TrialContext(1000, depth, 0, random.Random(seed), text, 1000, len)


def make(name: str, options: Mapping[str, Any] | None = None) -> Task:
    cls = Registry().tasks[name]
    return cls(cls.options_model.model_validate(options or {}))


@pytest.mark.parametrize("name", RETRIEVAL)
@given(seed=seeds, depth=depths)
@settings(max_examples=20, deadline=None)
def test_every_task_runs_with_its_bare_name_and_depends_on_the_seed_alone(name: str, seed: int, depth: float) -> None:
    task, here = make(name), context(seed, depth)
    needles = task.needles(here)
    ask = task.ask(needles, here)

    assert needles == make(name).needles(context(seed, depth))
    assert needles != task.needles(context(seed + 1, depth))
    assert all(needle.depth_percent is not None and 0 <= needle.depth_percent <= 100 for needle in needles)
    assert task.ask(needles, here) == ask


@pytest.mark.parametrize("name", ["single", "multi", "uuid", "uuid_chain"])
@given(seed=seeds, depth=depths)
@settings(max_examples=40, deadline=None)
def test_what_is_retrieved_stands_once_in_its_needle_and_not_in_the_question(
    name: str, seed: int, depth: float
) -> None:
    task, here = make(name), context(seed, depth)
    needles = task.needles(here)
    ask = task.ask(needles, here)

    assert all(needle.statement.count(needle.expected) == 1 for needle in needles)
    expected = ask.expected if isinstance(ask.expected, tuple) else (str(ask.expected),)
    assert expected == tuple(needle.expected for needle in needles if needle.role == "needle")
    assert not any(value in ask.question for value in expected)
    assert ask.question.rstrip(".").count("?") == 1


@pytest.mark.parametrize("name", RETRIEVAL)
def test_every_task_has_a_name_a_scorer_and_a_chance_level(name: str) -> None:
    task = make(name)

    assert task.name == name
    assert task.scorer in Registry().scorers
    assert 0 < task.chance <= 1


@pytest.mark.parametrize("name", list(Registry().tasks))
def test_a_fixture_that_leaves_no_needle_gets_a_clear_error(name: str) -> None:
    with pytest.raises(HaystackError, match=f"task '{name}' has no needle to ask about"):
        make(name).ask([], context())


@given(seed=seeds, depth=depths)
@settings(max_examples=40, deadline=None)
def test_single_hides_one_fact_at_the_depth_of_the_cell(seed: int, depth: float) -> None:
    (needle,) = make("single").needles(context(seed, depth))

    assert re.fullmatch(r"The [a-z]+ [a-z]+ of \S.* is [A-Z]{2}-\d{4}\.", needle.statement)
    assert needle.depth_percent == depth
    assert needle.key in needle.question


def test_single_states_the_kind_of_value_that_is_asked_for() -> None:
    task = make("single", {"value": {"type": "int", "min": 10, "max": 19}})
    values = {task.needles(context(seed))[0].expected for seed in range(200)}

    assert values == {str(value) for value in range(10, 20)}
    assert task.chance == pytest.approx(0.1)
    assert Single.chance == 0.0


def test_single_asks_about_a_needle_of_ones_own() -> None:
    own = Needle("The cat sleeps in the piano.", "Where does the cat sleep?", "in the piano")

    ask = make("single").ask([own], context())

    assert (ask.question, ask.expected) == (own.question, own.expected)


@given(seed=seeds, count=st.integers(1, 20))
@settings(max_examples=40, deadline=None)
def test_multi_hides_one_attribute_of_different_entities(seed: int, count: int) -> None:
    task, here = make("multi", {"needles": count}), context(seed)
    needles = task.needles(here)
    ask = task.ask(needles, here)

    attributes = {re.match(r"The (.+?) of ", needle.statement).group(1) for needle in needles}  # type: ignore[union-attr]
    assert len(needles) == count
    assert len(attributes) == 1
    assert len({needle.key for needle in needles}) == count
    assert all(needle.key in ask.question for needle in needles)
    assert ask.expected == tuple(needle.expected for needle in needles)


def test_multi_places_five_needles_uniformly_by_default() -> None:
    needles = make("multi").needles(context(depth=40))

    assert [needle.depth_percent for needle in needles] == [5, 27.5, 50, 72.5, 95]


def test_multi_passes_delta_to_the_placement() -> None:
    needles = make("multi", {"needles": 3, "placement": "centered", "delta": 5}).needles(context(depth=40))

    assert [needle.depth_percent for needle in needles] == [35, 40, 45]


@pytest.mark.parametrize(
    ("options", "matters"),
    [
        ({}, False),
        ({"placement": "bookends"}, False),
        ({"needles": 1}, True),
        ({"needles": 1, "placement": "bookends"}, True),
        ({"placement": "centered"}, True),
        ({"placement": "even_spread"}, True),
        ({"placement": "random"}, True),
    ],
)
def test_the_depth_axis_of_multi_collapses_where_it_makes_no_difference(options: dict[str, Any], matters: bool) -> None:
    assert make("multi", options).depth_matters is matters


def test_the_joint_question_names_every_entity_once() -> None:
    needles = [
        Needle("", "What is the echo delay of Zyranthex-7?", "1", "Zyranthex-7"),
        Needle("", "What is the echo delay of Velmora North?", "2", "Velmora North"),
        Needle("", "What is the echo delay of Ombral Tau?", "3", "Ombral Tau"),
    ]

    assert joint_question(needles) == (
        "What is the echo delay of each of Zyranthex-7, Velmora North and Ombral Tau? Give all the values."
    )
    assert joint_question(needles[:1]) == needles[0].question


def test_questions_that_cannot_be_joined_are_asked_one_after_another() -> None:
    needles = [Needle("", "Where is the cat?", "in"), Needle("", "Who has the key?", "Ada")]

    assert joint_question(needles) == "Where is the cat? Who has the key? Give all the answers."


def test_a_question_that_all_needles_share_is_asked_once() -> None:
    needles = [Needle(f"The stew holds {what}.", "What does the stew hold?", what) for what in ("fennel", "barley")]

    assert joint_question(needles) == "What does the stew hold? Give all the answers."


@pytest.mark.parametrize("name", ["multi", "uuid_chain"])
def test_an_unknown_placement_is_refused_with_a_suggestion(name: str) -> None:
    with pytest.raises(ConfigError, match=r"placement: 'centred' is no known placement; did you mean 'centered'\?"):
        make(name, {"placement": "centred"})


def test_a_registered_placement_of_ones_own_is_used() -> None:
    registry = Registry()
    registry.placements.add("ends", lambda count, depth, rng, options: [0.0] * (count - 1) + [100.0])

    needles = Multi(MultiOptions(needles=3, placement="ends"), registry).needles(context())

    assert [needle.depth_percent for needle in needles] == [0, 0, 100]


@pytest.mark.parametrize("depths", [[10.0], [10.0, 101.0], [float("nan"), 10.0]])
def test_a_placement_that_gives_other_than_one_depth_a_needle_is_an_error(depths: list[float]) -> None:
    registry = Registry()
    registry.placements.add("odd", lambda count, depth, rng, options: depths)

    with pytest.raises(ConfigError, match=r"placement 'odd' gave \[.*\] for 2 needles; it must give one depth from 0"):
        Multi(MultiOptions(needles=2, placement="odd"), registry).needles(context())


@given(seed=seeds, depth=depths)
@settings(max_examples=40, deadline=None)
def test_uuid_hides_one_pair(seed: int, depth: float) -> None:
    task = UuidValue(UuidValue.options_model())
    (needle,) = task.needles(context(seed, depth))

    assert needle.statement == f"The value stored under key {needle.key} is {needle.expected}."
    assert needle.question == f"Which value is stored under key {needle.key}?"
    assert needle.depth_percent == depth
    assert task.depth_matters


def follow(text: str, start: str) -> list[str]:
    """Follow links as a text states them, knowing nothing else of the task."""
    leads = dict(re.findall(r"The key (\S+) leads to the key (\S+)\.", text))
    reached = []
    while start in leads:
        start = leads.pop(start)
        reached.append(start)
    return reached


@given(
    trial=st.integers(0, TRIALS - 1),
    length=st.sampled_from([1500, 4000]),
    depth=st.sampled_from(DEPTHS),
    links=st.sampled_from([1, 3, 6]),
    decoys=st.sampled_from([0, 1, 3, 5]),
)
@settings(max_examples=40, deadline=None)
def test_the_chain_is_what_following_its_links_gives(
    bench: Bench, trial: int, length: int, depth: float, links: int, decoys: int
) -> None:
    made = bench("uuid_chain", chain_length=links, decoys=decoys)
    cell = cell_of(made, length, depth)
    material = made.material(cell, trial)
    text = material.document.text
    (start,) = re.findall(r"[0-9a-f-]{36}", material.ask.question)
    path = follow(text, start)
    everything = list(dict.fromkeys(re.findall(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", text)))

    def score(answer: str) -> float | None:
        return scored(made, cell, trial, material, answer).score

    check_length(made, cell, material)
    assert material.ask.expected == tuple(path)
    assert len(path) == links
    assert start not in path
    assert len(everything) == links + 1 + (decoys + 1 if decoys else 0)
    assert score(" -> ".join(path)) == score(" -> ".join([start, *path])) == 1.0
    assert score(start) == score(material.ask.question) == 0.0
    assert score("\n".join(path[: links // 2])) == (links // 2) / links
    if decoys:
        assert score(", ".join(everything)) == score(", ".join(reversed(everything))) == 0.0
        other = next(key for key in everything if key not in path and key != start)
        assert score(other) == 0.0
        assert score(" -> ".join([*path[:-1], other])) == (links - 1) / links


def test_the_links_of_a_chain_stand_in_any_order_of_the_document() -> None:
    task = UuidChain(UuidChainOptions(chain_length=3))
    orders = set()
    for seed in range(80):
        links = [needle for needle in task.needles(context(seed)) if needle.role == "needle"]
        places = [link.depth_percent or 0.0 for link in links]
        orders.add(tuple(sorted(range(3), key=places.__getitem__)))

    assert len(orders) == 6


def test_a_chain_of_one_link_stands_at_the_depth_of_the_cell() -> None:
    task = make("uuid_chain", {"chain_length": 1})

    assert [n.depth_percent for n in task.needles(context(depth=12.5)) if n.role == "needle"] == [12.5]
    assert task.depth_matters


@pytest.mark.parametrize(
    ("model", "options"),
    [
        (SingleOptions, {"needles": 2}),
        (MultiOptions, {"needles": 0}),
        (MultiOptions, {"delta": -1}),
        (MultiOptions, {"value": {"type": "hex"}}),
        (UuidChainOptions, {"chain_length": 0}),
        (UuidChainOptions, {"decoys": -1}),
    ],
)
def test_options_that_make_no_sense_are_refused(model: Any, options: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        model.model_validate(options)
