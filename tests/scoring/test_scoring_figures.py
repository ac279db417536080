"""Numbers are read exactly, in figures and in words."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_haystack.scoring.figures import find_numbers, plain_number, spelled
from pytest_haystack.scoring.number_words import number_words

ONES = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


def in_words(number: int, joiner: str) -> str:
    if number < 20:
        return ONES[number]
    if number < 100:
        return TENS[number // 10] + (f"-{ONES[number % 10]}" if number % 10 else "")
    for size, name in ((10**9, "billion"), (10**6, "million"), (1000, "thousand"), (100, "hundred")):
        if number >= size:
            rest = number % size
            joint = joiner if rest and rest < 100 else " "
            return f"{in_words(number // size, joiner)} {name}" + (f"{joint}{in_words(rest, joiner)}" if rest else "")
    raise AssertionError(number)


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 10**12 - 1), st.sampled_from([" ", " and "]))
def test_every_number_written_in_words_is_read_back(number: int, joiner: str) -> None:
    words = in_words(number, joiner)
    if number == 1:
        words = f"exactly {words}"
    assert [value for _, _, value in number_words(f"the answer: {words}.")] == [Decimal(number)]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("nineteen eighty-four", [19, 84]),
        ("one two three", [1, 2, 3]),
        ("seventy and seven", [70, 7]),
        ("twenty-five hundred", [2500]),
        ("a hundred", [100]),
        ("a dozen", [12]),
        ("minus three point one four", [Decimal("-3.14")]),
        ("no one, this one and one of them", []),
        ("the third and a half", [Decimal("0.5")]),
        ("someone tense", []),
        ("and a point", []),
        ("three quarters", [Decimal("0.75")]),
    ],
)
def test_runs_of_number_words_are_told_apart(text: str, values: list[object]) -> None:
    assert [value for number in find_numbers(text) for value in number.readings] == values


@settings(max_examples=200, deadline=None)
@given(st.integers(-(10**18), 10**18), st.sampled_from([",", "_", "'", "\u202f"]))
def test_thousands_separators_do_not_change_a_number(number: int, separator: str) -> None:
    from pytest_haystack.scoring.text import normalise

    written = f"{number:,}".replace(",", separator)
    assert [found.readings for found in find_numbers(normalise(written))] == [(Decimal(number),)]


@settings(max_examples=200, deadline=None)
@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**9), max_value=10**9, places=4))
def test_an_expected_decimal_is_found_in_its_own_spelling(number: Decimal) -> None:
    if abs(number) >= 1 or number == 0:
        assert number in find_numbers(f"it is {number:f} units")[0].readings
    assert plain_number(spelled(number)) == number


@pytest.mark.parametrize(
    "text",
    [
        "2024-01-15",
        "10.0.0.1",
        "14:05",
        "v5.2",
        "x42",
        "42nd",
        "9c2",
        "alpha-7",
        "1.2.3",
        "5/5/2024",
        "0x1f",
        "1" * 500,
    ],
)
def test_dates_versions_and_codes_are_no_numbers(text: str) -> None:
    assert find_numbers(text) == []


@pytest.mark.parametrize(
    ("value", "number"),
    [(7, 7), (7.5, Decimal("7.5")), ("7.50", Decimal("7.5")), ("1,234", 1234), ("-3", -3), ("\u22123", -3)],
)
def test_a_plain_number_is_known_as_one(value: object, number: object) -> None:
    assert plain_number(value) == number


@pytest.mark.parametrize("value", ["0042", "QR-7", "", "1e5", "--1", True, float("nan"), float("inf"), None, "1,23"])
def test_codes_and_other_things_are_no_plain_numbers(value: object) -> None:
    assert plain_number(value) is None
