"""Names, values and facts: invented, unlike each other, and not in the haystack."""

from __future__ import annotations

import random
import re
import uuid

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from pytest_haystack.errors import DocumentError
from pytest_haystack.needles.draws import pick, shuffled, uuid_text, whole
from pytest_haystack.needles.facts import CODE_ATTRIBUTES, MEASURE_ATTRIBUTES, Fact, FactMaker, stands_in
from pytest_haystack.needles.names import entity_name, stem_of
from pytest_haystack.needles.pairs import fresh_uuids
from pytest_haystack.needles.values import ValueOptions, draw_value

seeds = st.integers(0, 2**64 - 1)
kinds = st.sampled_from(
    [
        ValueOptions(),
        ValueOptions(type="int"),
        ValueOptions(type="float"),
        ValueOptions(type="int", min=1, max=999),
        ValueOptions(type="float", min=-3, max=0.5),
    ]
)


@settings(max_examples=200, deadline=None)
@given(seeds)
def test_names_are_one_invented_word_and_a_suffix(seed: int) -> None:
    name = entity_name(random.Random(seed))

    assert re.fullmatch(r"[A-Z][a-z]{5,12}(-\d{1,2}|( [A-Z][a-z]+){1,2})", name)
    assert name.startswith(stem_of(name))


def test_names_hardly_ever_repeat() -> None:
    rng = random.Random(0)

    assert len({stem_of(entity_name(rng)) for _ in range(5_000)}) > 4_900


def test_names_of_a_seed_are_pinned() -> None:
    rng = random.Random(2024)

    assert [entity_name(rng) for _ in range(4)] == [
        "Kymthyl-81",
        "Kammynbeir Relay Southeast",
        "Thimabys-21",
        "Kromnal-86",
    ]


@settings(max_examples=100, deadline=None)
@given(seeds, kinds)
def test_facts_of_a_document_share_neither_entity_nor_value(seed: int, kind: ValueOptions) -> None:
    maker = FactMaker(random.Random(seed), "", kind)
    facts = [maker.fact("spin quotient") for _ in range(30)]

    assert len({stem_of(fact.entity) for fact in facts}) == 30
    assert len({fact.value for fact in facts}) == 30
    document = " ".join(fact.needle.statement for fact in facts)
    for fact in facts:
        assert len(re.findall(rf"(?<![\w-]){re.escape(fact.value)}(?![\w])", document)) == 1


@settings(max_examples=100, deadline=None)
@given(seeds, kinds)
def test_the_needle_says_what_the_fact_says(seed: int, kind: ValueOptions) -> None:
    fact = FactMaker(random.Random(seed), "", kind).fact()
    needle = fact.needle

    assert needle.statement == f"The {fact.attribute} of {fact.entity} is {fact.value}."
    assert needle.question == f"What is the {fact.attribute} of {fact.entity}?"
    assert (needle.expected, needle.key) == (fact.value, fact.entity)
    assert fact.value not in needle.question
    assert fact.attribute in (CODE_ATTRIBUTES if kind.type == "code" else MEASURE_ATTRIBUTES)


@settings(max_examples=50, deadline=None)
@given(seeds)
def test_names_and_values_in_the_haystack_are_drawn_anew(seed: int) -> None:
    refused = FactMaker(random.Random(seed), "").fact()

    other_name = FactMaker(random.Random(seed), f"They called it {stem_of(refused.entity).upper()}land.").fact()
    other_value = FactMaker(random.Random(seed), f"A label read {refused.value}, faintly.").fact()

    assert stem_of(other_name.entity) != stem_of(refused.entity)
    assert other_value.entity == refused.entity
    assert other_value.value != refused.value


def test_a_name_is_never_used_twice_in_a_document() -> None:
    rng = random.Random(5)
    maker, state = FactMaker(rng, ""), rng.getstate()
    first = maker.fact("echo delay")

    rng.setstate(state)  # the same draws again
    second = maker.fact("echo delay")

    assert stem_of(second.entity) != stem_of(first.entity)
    assert second.value != first.value


def test_a_number_inside_a_longer_one_is_no_occurrence() -> None:
    kind = ValueOptions(type="int", min=7, max=7)

    assert FactMaker(random.Random(1), "17, 70 and A7 are others.", kind).fact().value == "7"


def test_a_value_never_equals_the_number_of_a_name() -> None:
    kind = ValueOptions(type="int", min=1, max=99)
    for seed in range(40):
        maker = FactMaker(random.Random(seed), "", kind)
        facts = [maker.fact() for _ in range(20)]
        assert not any(stands_in(one.value, other.entity) for one in facts for other in facts)


def test_a_haystack_that_holds_every_value_is_a_clear_error() -> None:
    maker = FactMaker(random.Random(1), "1 2 3 4 5", ValueOptions(type="int", min=1, max=5))

    with pytest.raises(DocumentError, match=r"no unused value .*widen `value` \(now int from 1 to 5\) or use another"):
        maker.fact()


@settings(max_examples=200, deadline=None)
@given(seeds)
def test_codes_are_two_letters_and_four_digits(seed: int) -> None:
    assert re.fullmatch(r"[A-HJ-NP-Z]{2}-\d{4}", draw_value(random.Random(seed), ValueOptions()))


@settings(max_examples=200, deadline=None)
@given(seeds, st.integers(-10_000, 10_000), st.integers(0, 500))
def test_numbers_stay_in_their_range(seed: int, low: int, width: int) -> None:
    rng = random.Random(seed)

    whole_number = draw_value(rng, ValueOptions(type="int", min=low, max=low + width))
    fraction = draw_value(rng, ValueOptions(type="float", min=low / 100, max=(low + width) / 100))

    assert low <= int(whole_number) <= low + width
    assert re.fullmatch(r"-?\d+\.\d\d", fraction)
    assert low <= round(float(fraction) * 100) <= low + width


def test_both_ends_of_a_range_are_drawn() -> None:
    rng = random.Random(3)

    assert {draw_value(rng, ValueOptions(type="int", min=-1, max=1)) for _ in range(100)} == {"-1", "0", "1"}
    assert {draw_value(rng, ValueOptions(type="float", min=-0.01, max=0.01)) for _ in range(100)} == {
        "-0.01",
        "0.00",
        "0.01",
    }


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"type": "code", "min": 1}, "min and max go with type int or float"),
        ({"type": "int", "min": 5, "max": 4}, "no integer from min 5 to max 4"),
        ({"type": "int", "min": 1.2, "max": 1.8}, "no integer from min 1.2 to max 1.8"),
        ({"type": "int", "min": 20_000}, "no integer from min 20000 to max 9999"),
        ({"type": "float", "min": 0.001, "max": 0.002}, "no number of two decimals"),
        ({"type": "float", "max": float("inf")}, "must be finite"),
        ({"type": "word"}, "'code', 'int' or 'float'"),
        ({"kind": "int"}, "kind"),
    ],
)
def test_ranges_without_a_value_are_refused(options: dict[str, object], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        ValueOptions.model_validate(options)


def test_chance_is_one_in_the_number_of_values() -> None:
    assert ValueOptions(type="int", min=1, max=10).chance == pytest.approx(1 / 10)
    assert ValueOptions(type="float", min=0, max=1).chance == pytest.approx(1 / 101)
    assert ValueOptions().chance == pytest.approx(1 / (24 * 24 * 10_000))


@settings(max_examples=100, deadline=None)
@given(seeds)
def test_uuids_are_of_version_four(seed: int) -> None:
    text = uuid_text(random.Random(seed))
    parsed = uuid.UUID(text)

    assert str(parsed) == text
    assert (parsed.version, parsed.variant) == (4, uuid.RFC_4122)


def test_uuids_in_the_haystack_are_drawn_anew() -> None:
    first = fresh_uuids(random.Random(4), "", 3)

    again = fresh_uuids(random.Random(4), f"stored under {first[1]}", 3)

    assert len(set(first)) == 3
    assert again[0] == first[0]
    assert first[1] not in again


@settings(max_examples=100, deadline=None)
@given(seeds, st.lists(st.integers(), min_size=1, max_size=20))
def test_draws_stay_within_what_they_draw_from(seed: int, items: list[int]) -> None:
    rng = random.Random(seed)

    assert pick(rng, items) in items
    assert sorted(shuffled(rng, items)) == sorted(items)
    assert 3 <= whole(rng, 3, 5) <= 5


def test_a_fact_is_plain_data() -> None:
    assert Fact("echo delay", "Zyranthex-7", "12").needle.expected == "12"
