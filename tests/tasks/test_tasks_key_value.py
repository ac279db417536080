"""The task key_value: pairs in filler, pairs as a JSON object, pairs that follow a pattern."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from pytest_haystack.errors import ConfigError
from pytest_haystack.registry import Registry
from pytest_haystack.tasks.key_value import KeyValueOptions
from tests.tasks.records import Asked, asked

seeds = st.integers(0, 2**32)
depths = st.sampled_from([0, 3.95, 25, 50, 77.7, 100])
HEX = r"[0-9a-f]"
FORMS = {
    "uuid": rf"{HEX}+",
    "letters": r"[a-z]+",
    "numbers": r"[1-9][0-9]*",
    "mixed": r"(?=.*[0-9])(?=.*[a-z])[0-9a-z]+",
}


def pairs_of(text: str) -> list[tuple[str, Any]]:
    """The members of a document that is one JSON object, in its order, no key twice."""
    pairs = json.loads(text, object_pairs_hook=list)
    assert len(dict(pairs)) == len(pairs)
    return [(str(key), value) for key, value in pairs]


def key_of(cell: Asked) -> str:
    """The key that the question names."""
    (key,) = re.findall(r'"(\w[\w-]*)"', cell.material.ask.question)
    return str(key)


def place_of(cell: Asked, pairs: list[tuple[str, Any]]) -> int:
    """Where the asked pair stands; what it holds is the expected answer."""
    place = [key for key, _ in pairs].index(key_of(cell))
    assert str(pairs[place][1]) == cell.expected
    return place


@given(seed=seeds, depth=depths, length=st.integers(3000, 9000), items=st.integers(2, 30))
@settings(max_examples=25, deadline=None)
def test_filler_holds_the_pairs_and_the_asked_one_at_its_depth(
    seed: int, depth: float, length: int, items: int
) -> None:
    cell = asked("key_value", {"items": items}, seed=seed, length=length, depth=depth)
    pairs = dict(re.findall(rf"\b(kv_{HEX}{{6}}): ({HEX}{{32}})\.", cell.text))
    (key,) = re.findall(rf"kv_{HEX}{{6}}", cell.material.ask.question)

    assert cell.document_tokens == cell.tokens(cell.text) == length
    assert len(pairs) == cell.text.count("kv_") == items
    assert pairs[key] == cell.expected
    assert cell.text.count(cell.expected) == 1
    (needle,) = (needle for needle in cell.material.needles if needle.role == "needle")
    assert needle.actual_depth_percent == pytest.approx(depth, abs=2.5)
    assert cell.text[: int(len(cell.text) * (depth + 10) / 100)].count(cell.expected) == 1
    assert cell.score(cell.expected) == cell.score(f"{key} is {cell.expected}.") == 1
    for other in set(pairs.values()) - {cell.expected}:
        assert cell.score(other) == 0
        assert cell.score(f"{cell.expected} or {other}") == 0


@given(
    seed=seeds,
    depth=depths,
    length=st.integers(400, 6000),
    kind=st.sampled_from(sorted(FORMS)),
    size=st.sampled_from([8, 16, 32, 48, 56, 64]),
    items=st.integers(2, 40) | st.just("fit"),
)
@settings(max_examples=60, deadline=None)
def test_json_holds_the_items_of_the_kind_and_length_asked_for(
    seed: int, depth: float, length: int, kind: str, size: int, items: Any
) -> None:
    options = {"format": "json", "data_type": kind, "item_length": size, "items": items}
    room = length if items == "fit" else 8000
    cell = asked("key_value", options, seed=seed, length=room, depth=depth)
    pairs = pairs_of(cell.text)
    place = place_of(cell, pairs)

    texts = [text for pair in pairs for text in pair]
    assert len(set(texts)) == len(texts)
    assert all(len(text) == size and re.fullmatch(FORMS[kind], text) for text in texts)
    assert abs(place - depth / 100 * (len(pairs) - 1)) <= 0.5
    assert cell.text.count(cell.expected) == 1
    check_length(cell, pairs, items, room)
    check_scores(cell, [str(value) for _, value in pairs], texts)


def check_length(cell: Asked, pairs: list[tuple[str, Any]], items: Any, length: int) -> None:
    """As many pairs as asked for, or so many that one more would not fit."""
    assert cell.document_tokens == cell.tokens(cell.text) <= length
    if items == "fit":
        largest = max(cell.tokens(f',\n "{key}": "{value}"') for key, value in pairs)
        assert length - cell.document_tokens <= largest + 16
    else:
        assert len(pairs) == items


def check_scores(cell: Asked, values: list[str], texts: list[str]) -> None:
    """The pair's value is right; other values, keys and lists of values are not."""
    assert cell.score(cell.expected) == 1
    assert cell.score(f'{{"{key_of(cell)}": "{cell.expected}"}}') == 1
    assert cell.score(f"The value of {key_of(cell)} is {cell.expected}.") == 1
    for other in [text for text in texts if text != cell.expected][:8]:
        assert cell.score(other) == 0
    assert cell.score(", ".join(values)) == 0


@pytest.mark.parametrize("items", [75, 140, 300])
def test_the_lost_in_the_middle_set_up(items: int) -> None:
    uuid = rf"{HEX}{{8}}-{HEX}{{4}}-4{HEX}{{3}}-[89ab]{HEX}{{3}}-{HEX}{{12}}"
    cell = asked("key_value", {"format": "json", "items": items, "item_length": 36}, length=20_000)
    pairs = pairs_of(cell.text)

    assert len(pairs) == items
    assert all(re.fullmatch(uuid, text) for pair in pairs for text in pair)
    assert place_of(cell, pairs) == items // 2
    assert cell.score(cell.expected) == 1


def test_shorter_items_begin_uuids_and_the_longest_are_two_of_them() -> None:
    for size in (16, 32, 64):
        cell = asked("key_value", {"format": "json", "item_length": size}, length=6000)
        values = [value for _, value in pairs_of(cell.text)]

        assert {value[12] for value in values} == {"4"}
        assert size < 32 or {value[16] for value in values} <= set("89ab")
        assert size < 64 or {value[44] for value in values} == {"4"}


def patterned(pattern: str, key: str, options: dict[str, int], pairs: list[tuple[str, Any]]) -> str:
    """The value that the pattern gives a key, told from two of the ``pairs``, which keep to it, or as defined."""
    if pattern == "letters":
        return key.upper()
    if pattern == "linear":
        (first, one), (second, two) = [(int(k), v) for k, v in pairs[:2]]
        multiplier = (two - one) / (second - first)
        assert multiplier in range(1, 11)
        assert one - first * multiplier in range(1, 21)
        return str(int(one + (int(key) - first) * multiplier))
    values = [0]
    for i in range(1, 101):
        if i == 1:
            values.append(options.get("initial", 3))
        elif i % 5 == 1:
            values.append(values[i - 5] + options.get("increment", 2))
        else:
            values.append(2 * values[i - 1])
    return str(values[int(key)])


@pytest.mark.parametrize("mode", ["original", "break"])
@given(
    seed=seeds,
    depth=depths,
    pattern=st.sampled_from(["linear", "compound", "letters"]),
    initial=st.none() | st.integers(1, 20),
)
@settings(max_examples=40, deadline=None)
def test_all_pairs_follow_the_pattern_but_the_broken_one(
    mode: str, seed: int, depth: float, pattern: str, initial: int | None
) -> None:
    extra = {} if initial is None or pattern == "letters" else {"initial": initial}
    cell = asked("key_value", {"format": "json", "pattern": pattern, "mode": mode, **extra}, seed=seed, depth=depth)
    pairs = pairs_of(cell.text)
    place, asked_key = place_of(cell, pairs), key_of(cell)

    if pattern == "letters":
        assert all(re.fullmatch("[a-z]{2}", key) for key, _ in pairs)
    else:
        assert [key for key, _ in pairs] == [str(number) for number in range(1, 101)]
    assert len(pairs) == 100
    assert abs(place - depth / 100 * 99) <= 0.5
    others = [pair for pair in pairs if pair[0] != asked_key]
    right = {key: patterned(pattern, key, extra, others) for key, _ in pairs}
    assert all(str(value) == right[key] for key, value in others)
    assert (cell.expected == right[asked_key]) is (mode == "original")
    assert cell.score(cell.expected) == 1
    assert "label" not in cell.details(cell.expected)
    wrong = [str(value) for _, value in pairs if str(value) != cell.expected]
    assert all(cell.score(value) == 0 for value in wrong[:5])
    if mode == "break":
        texts = [text for pair in pairs for text in map(str, pair)]
        assert texts.count(cell.expected) == 1
        check_inferred(cell, right[asked_key], wrong)


def check_inferred(cell: Asked, inferred: str, wrong: list[str]) -> None:
    """Giving the pattern's value is wrong, and told apart from other wrong answers."""
    for answer in (inferred, f"The value is {inferred}."):
        assert cell.score(answer) == 0
        assert cell.details(answer)["label"] == "inferred_pattern"
    other = next(value for value in wrong if value != inferred)
    assert "label" not in cell.details(other)
    assert "label" not in cell.details("I do not know.")


def test_compound_begins_as_published() -> None:
    cell = asked("key_value", {"format": "json", "pattern": "compound"})

    assert [value for _, value in pairs_of(cell.text)][:7] == [3, 6, 12, 24, 48, 5, 10]


def test_items_that_do_not_fit_are_an_error_line() -> None:
    words = r"haystack.yaml:\d+: task-reader-len1000-depth50: its records take [\d,]+ tokens, 1,000 are free"
    with pytest.raises(ConfigError, match=words):
        asked("key_value", {"format": "json"}, length=1000)
    with pytest.raises(ConfigError, match=r"task-reader-len300-depth50: .*cannot hold 20 needle"):
        asked("key_value", {}, length=300)


def test_where_items_only_just_fit_every_trial_is_tried_before_the_run() -> None:
    def fits(seed: int, length: int, trials: int) -> int:
        try:
            return asked("key_value", {"format": "json", "trials": trials}, seed=seed, length=length).document_tokens
        except ConfigError:
            return 0

    tokens = [fits(seed, 4000, 1) for seed in range(6)]
    usual = sorted(tokens)[3]
    seed = next(seed for seed in range(20) if fits(seed, usual, 1))

    assert len(set(tokens)) > 1
    assert not fits(seed, usual, 12)


@pytest.mark.parametrize(
    "options",
    [
        {"pattern": "linear"},
        {"items": "fit"},
        {"items": 1},
        {"item_length": 24},
        {"item_length": 36, "data_type": "letters"},
        {"mode": "break"},
        {"multiplier": 3},
        {"format": "json", "pattern": "linear", "items": 50},
        {"format": "json", "pattern": "linear", "item_length": 8},
        {"format": "json", "pattern": "linear", "increment": 3},
        {"format": "json", "pattern": "compound", "multiplier": 3},
        {"format": "json", "pattern": "letters", "initial": 3},
    ],
)
def test_options_that_do_not_go_together_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        KeyValueOptions.model_validate(options)


def test_chance_is_one_of_the_values_of_the_document() -> None:
    cls = Registry().tasks["key_value"]

    assert cls(KeyValueOptions()).chance == 1 / 20
    assert cls(KeyValueOptions(format="json")).chance == 1 / 50
    assert cls(KeyValueOptions(format="json", pattern="linear")).chance == 1 / 100
    assert 0 < cls(KeyValueOptions(format="json", items="fit")).chance <= 2.0**-122


def test_repeating_the_key_is_not_right_where_the_value_is_the_key_in_capitals() -> None:
    cell = asked("key_value", {"format": "json", "pattern": "letters"})

    assert cell.score(cell.expected) == 1
    assert cell.score(cell.expected.lower()) == 0
