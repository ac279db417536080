"""Names of people: enough of them, none twice, no two that sound alike."""

from __future__ import annotations

import random
import re
from itertools import combinations

import pytest

from pytest_haystack.errors import DocumentError
from pytest_haystack.needles.people import GIVEN_NAMES, MOST_PEOPLE, SURNAMES, People

SPELLINGS = {"ph": "f", "ck": "k", "th": "t", "sh": "s", "ch": "s", "qu": "k", "gh": "g"}
SOUNDS = str.maketrans("bpdtgkcqvfwszxj", "ppttkkkkfffssss", "aeiouyh")


def sound(name: str) -> str:
    """A name's consonants, voiced and voiceless ones alike, and whether it opens with a vowel."""
    word = name.lower()
    for spelling, one in SPELLINGS.items():
        word = word.replace(spelling, one)
    opening = "a" if word[0] in "aeiouyh" else ""
    return re.sub(r"(.)\1+", r"\1", opening + word.translate(SOUNDS))


@pytest.mark.parametrize("names", [GIVEN_NAMES, SURNAMES], ids=["given names", "surnames"])
def test_no_two_names_sound_alike(names: tuple[str, ...]) -> None:
    assert sound("Philippa") == sound("Villeba")
    assert len({sound(name) for name in names}) == len(names)


def test_no_two_people_have_both_names_in_common() -> None:
    people = People(random.Random(1))

    assert len({people.name(number) for number in range(MOST_PEOPLE)}) == MOST_PEOPLE
    with pytest.raises(DocumentError, match="too few for this context length"):
        people.name(MOST_PEOPLE)


def test_few_people_have_no_name_in_common() -> None:
    people = People(random.Random(7))
    names = [people.name(number).split() for number in range(len(GIVEN_NAMES))]

    assert not any(set(one) & set(other) for one, other in combinations(names, 2))
    assert names != [People(random.Random(8)).name(number).split() for number in range(len(GIVEN_NAMES))]
