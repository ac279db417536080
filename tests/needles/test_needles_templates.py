"""Templates with variables, and lists of needles: what is drawn, what is refused, what comes in turn."""

from __future__ import annotations

import random
import re
import uuid
from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from pytest_haystack.errors import DocumentError
from pytest_haystack.needles.library import WrittenNeedle, in_turn
from pytest_haystack.needles.origin import NeedleMaker, OriginOptions
from pytest_haystack.needles.templates import TemplateMaker, TemplateOptions
from pytest_haystack.needles.variables import Variable

VAULTS = {
    "template": "The code of {{ entity }} is {{ code }}.",
    "question": "What is the code of {{ entity }}?",
    "answer": "{{ code }}",
    "variables": {
        "entity": {"type": "wordlist", "values": ["Vault A", "Vault B", "Vault C"]},
        "code": {"type": "random_hex", "length": 8},
    },
}

VARIABLES: list[tuple[dict[str, Any], Any]] = [
    ({"type": "wordlist", "values": ["red", "green"]}, lambda text: text in ("red", "green")),
    ({"type": "random_int", "min": -3, "max": 4}, lambda text: -3 <= int(text) <= 4),
    ({"type": "random_int"}, lambda text: 1000 <= int(text) <= 9999),
    ({"type": "random_float", "min": 0.5, "max": 0.75}, lambda text: 0.5 <= float(text) <= 0.75 and len(text) == 4),
    ({"type": "random_hex"}, lambda text: re.fullmatch("[0-9a-f]{8}", text)),
    ({"type": "random_hex", "length": 3}, lambda text: re.fullmatch("[0-9a-f]{3}", text)),
    ({"type": "random_word"}, lambda text: re.fullmatch("[a-z]{3,}", text)),
    ({"type": "uuid"}, lambda text: str(uuid.UUID(text)) == text and uuid.UUID(text).version == 4),
    ({"type": "date"}, lambda text: date(2000, 1, 1) <= date.fromisoformat(text) <= date(2029, 12, 31)),
    (
        {"type": "date", "min": "2024-02-28", "max": "2024-03-01"},
        lambda text: text in ("2024-02-28", "2024-02-29", "2024-03-01"),
    ),
]


def problems(model: Any, options: dict[str, Any]) -> list[tuple[tuple[str | int, ...], str]]:
    with pytest.raises(ValidationError) as caught:
        model.model_validate(options)
    return [(error["loc"], error["msg"]) for error in caught.value.errors()]


@pytest.mark.parametrize(("options", "holds"), VARIABLES)
@given(seed=st.integers(0, 2**64 - 1))
@settings(max_examples=40, deadline=None)
def test_each_type_of_variable_draws_what_it_says(options: dict[str, Any], holds: Any, seed: int) -> None:
    variable = Variable.model_validate(options)
    drawn = variable.draw(random.Random(seed))

    assert holds(drawn)
    assert drawn == variable.draw(random.Random(seed))
    assert Variable.model_validate(variable.model_dump(mode="json")) == variable


@pytest.mark.parametrize(
    ("options", "chance"),
    [
        ({"type": "wordlist", "values": ["red", "green", "red", "blue"]}, 0.5),
        ({"type": "random_int", "min": 1, "max": 4}, 0.25),
        ({"type": "random_hex", "length": 2}, 1 / 256),
        ({"type": "date", "min": "2024-02-28", "max": "2024-03-01"}, 1 / 3),
    ],
)
def test_the_chance_level_of_a_variable_is_that_of_its_likeliest_value(options: dict[str, Any], chance: float) -> None:
    variable = Variable.model_validate(options)
    draws = [variable.draw(random.Random(seed)) for seed in range(4000)]

    assert variable.chance == pytest.approx(chance)
    assert max(draws.count(value) for value in set(draws)) / 4000 == pytest.approx(chance, abs=0.03)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"type": "random_hex", "min": 3}, "min is no option of random_hex; it has length"),
        ({"type": "uuid", "length": 3}, "length is no option of uuid; it has none"),
        ({"type": "random_int", "length": 3}, "length is no option of random_int; it has min and max"),
        ({"type": "wordlist"}, "a wordlist needs values: a list of texts"),
        ({"type": "random_int", "min": 5, "max": 4}, "there is no integer from min 5 to max 4"),
        ({"type": "random_int", "min": "2024-01-01"}, "min and max of random_int are numbers"),
        ({"type": "date", "min": 3}, "min and max of a date are dates such as 2024-05-31"),
        ({"type": "date", "min": "2030-01-01"}, "min 2030-01-01 is after max 2029-12-31"),
    ],
)
def test_options_that_a_variable_does_not_have_are_refused(options: dict[str, Any], words: str) -> None:
    ((_, message),) = problems(Variable, options)

    assert words in message


@given(seed=st.integers(0, 2**64 - 1), count=st.integers(1, 3))
@settings(max_examples=50, deadline=None)
def test_needles_of_one_document_differ_and_follow_the_template(seed: int, count: int) -> None:
    maker = TemplateMaker(TemplateOptions.model_validate(VAULTS))
    needles = maker.needles(count, random.Random(seed), "Ordinary filler.")

    assert needles == maker.needles(count, random.Random(seed), "Ordinary filler.")
    assert len({needle.question for needle in needles}) == len({needle.expected for needle in needles}) == count
    for needle in needles:
        entity, code = re.fullmatch(r"The code of (Vault [ABC]) is ([0-9a-f]{8})\.", needle.statement).groups()  # type: ignore[union-attr]
        assert (needle.question, needle.expected) == (f"What is the code of {entity}?", code)


def test_answers_that_stand_in_the_haystack_are_avoided_where_possible() -> None:
    colours = {
        **VAULTS,
        "variables": {**VAULTS["variables"], "code": {"type": "wordlist", "values": ["red", "mauve"]}},  # type: ignore[dict-item]
    }
    maker = TemplateMaker(TemplateOptions.model_validate(colours))

    assert {maker.needles(1, random.Random(seed), "A red door.")[0].expected for seed in range(30)} == {"mauve"}
    both = {maker.needles(1, random.Random(seed), "red, mauve")[0].expected for seed in range(30)}
    assert both == {"red", "mauve"}


def test_more_needles_than_the_variables_give_questions_is_an_error() -> None:
    maker = TemplateMaker(TemplateOptions.model_validate(VAULTS))

    with pytest.raises(DocumentError, match="needle: 200 draws gave only 3 different questions; give the variables"):
        maker.needles(4, random.Random(1), "")


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"question": "What is {{ entty }}?"}, (("question",), "unknown variable 'entty'; did you mean 'entity'?")),
        ({"answer": "{{ code "}, (("answer",), "no valid template: ")),
        ({"answer": " "}, (("answer",), "comes out empty")),
        ({"answer": "{{ code.nothing }}"}, (("answer",), "UndefinedError: ")),
        ({"answer": "{{ code / 0 }}"}, (("answer",), "TypeError: ")),
        ({"answer": "{{ code.__class__.__mro__ }}"}, (("answer",), "SecurityError: ")),
        (
            {"variables": {**VAULTS["variables"], "spare": {"type": "uuid"}}},  # type: ignore[dict-item]
            (("variables", "spare"), "variable 'spare' is used in none of template, question, answer; remove it"),
        ),
        ({"variables": {}}, (("template",), "unknown variable 'entity'; define it under variables")),
    ],
)
def test_mistakes_in_a_template_are_told_where_they_stand(
    change: dict[str, Any], found: tuple[tuple[str, ...], str]
) -> None:
    told = problems(TemplateOptions, {**VAULTS, **change})

    assert any(place == found[0] and words.startswith(found[1]) for place, words in told), told


@given(st.integers(1, 12), st.integers(1, 12), st.integers(-50, 50))
@settings(max_examples=100, deadline=None)
def test_a_list_is_gone_through_evenly(size: int, count: int, first: int) -> None:
    entries = [WrittenNeedle(needle=f"N{i}.", question=f"Q{i}?", answer=str(i)) for i in range(size)]
    turns = [in_turn(entries, count, turn) for turn in range(first, first + size)]
    flat = [needle.expected for turn in turns for needle in turn]

    assert all(flat.count(str(i)) == count for i in range(size))
    assert [int(flat[k + 1]) - int(flat[k]) in (1, 1 - size) for k in range(len(flat) - 1)].count(False) == 0
    if count <= size:
        assert all(len({needle.expected for needle in turn}) == count for turn in turns)


def test_a_number_in_a_library_is_taken_as_text() -> None:
    entry = WrittenNeedle.model_validate({"needle": " A is 7.\n", "question": "What is A?", "answer": 7})

    assert (entry.needle, entry.answer) == ("A is 7.", "7")


ENTRIES = [{"needle": f"The bell {i} is green.", "question": f"Bell {i}?", "answer": "green"} for i in range(3)]


def test_fixed_needles_stay_where_rotate_is_false_and_take_turns_otherwise() -> None:
    rng = random.Random(0)
    still = NeedleMaker(OriginOptions.model_validate({"fixed": ENTRIES, "rotate": False}))
    turning = NeedleMaker(OriginOptions.model_validate({"fixed": ENTRIES}))

    assert {still.needles(1, rng, "", turn)[0].question for turn in range(5)} == {"Bell 0?"}
    assert [turning.needles(1, rng, "", turn)[0].question for turn in range(4)] == [
        "Bell 0?",
        "Bell 1?",
        "Bell 2?",
        "Bell 0?",
    ]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"fixed": ENTRIES, "library": ENTRIES}, "library and fixed cannot go together; keep one"),
        ({"fixed": ENTRIES, "needle": VAULTS}, "needle and fixed cannot go together"),
        ({"fixed": ENTRIES, "value": {"type": "int"}}, "value is for invented facts and does nothing beside fixed"),
        ({"library": ENTRIES, "rotate": False}, "rotate: false is for fixed needles"),
        ({"library": []}, "the list is empty"),
    ],
)
def test_one_origin_at_a_time(options: dict[str, Any], words: str) -> None:
    assert words in problems(OriginOptions, options)[0][1]


def test_the_chance_level_is_known_where_the_answer_is_one_variable() -> None:
    four = {**VAULTS, "answer": "{{ entity }}"}

    assert OriginOptions.model_validate({"needle": VAULTS}).chance == 2.0**-32
    assert OriginOptions.model_validate({"needle": four}).chance == pytest.approx(1 / 3)
    assert OriginOptions.model_validate({"needle": {**VAULTS, "answer": "{{ code }}!"}}).chance == 0
    assert OriginOptions.model_validate({"library": ENTRIES}).chance == 0
