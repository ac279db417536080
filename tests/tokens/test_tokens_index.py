"""The token index: counts that add up at safe points, in every vocabulary and script."""

from __future__ import annotations

from array import array
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_haystack.tokens.index import STRIDE, TokenIndex
from pytest_haystack.tokens.safe_points import next_safe_point
from pytest_haystack.tokens.vocabularies import VOCABULARIES, load_encoding
from tests.documents.sample_texts import LANGUAGES, sample_text

vocabularies = st.sampled_from(sorted(VOCABULARIES))

# Characters and short strings around which the tokenizers' expressions behave in special ways.
PIECES = [
    *["a", "B", "é", "ſ", "don't", "'s", "'S", "'", "’", "ж", "क", "ि", "्", "ع", "漢", "本", "ひ", "カ", "ー", "ｶ", "ﾞ"],
    *[" ", "  ", "\n", "\n\n", "\r\n", "\t", "\u3000", "\xa0", "\x1c", "\u2028", "\x85"],
    *[
        "7",
        "1234",
        "²",
        "Ⅷ",
        "½",
        "/",
        "//",
        "-",
        "--",
        ".",
        ",",
        "!",
        "。",
        "、",
        "，",
        "「",
        "」",
        "…",
        "“",
        "”",
        "—",
    ],
    *[
        "🙂",
        "👨‍👩‍👧",
        "🇯🇵",
        "\u0301",
        "\u200d",
        "\ufe0f",
        "<|endoftext|>",
        "_",
        "(",
        ")",
        "{",
        "}",
        "word",
        "Word",
        "WORD",
    ],
]
nasty_texts = st.lists(st.sampled_from(PIECES), max_size=60).map("".join)
sample_texts = st.builds(
    lambda language, seed, start, length: sample_text(language, 3000, seed)[start : start + length],
    st.sampled_from(LANGUAGES),
    st.integers(0, 5),
    st.integers(0, 900),
    st.integers(0, 2000),
)


def safe_points(text: str) -> list[int]:
    points, here = [], next_safe_point(text, 1)
    while here is not None:
        points.append(here)
        here = next_safe_point(text, here + 1)
    return points


@given(text=st.one_of(nasty_texts, sample_texts, st.text(max_size=80)), vocabulary=vocabularies)
@settings(max_examples=400, deadline=None)
def test_at_every_safe_point_the_encoding_is_that_of_both_sides(text: str, vocabulary: str) -> None:
    encode = load_encoding(vocabulary).encode
    whole = encode(text)

    for point in safe_points(text):
        assert whole == encode(text[:point]) + encode(text[point:])


@given(
    before=nasty_texts,
    after=nasty_texts,
    language=st.sampled_from(LANGUAGES),
    vocabulary=vocabularies,
    pick=st.integers(0, 10_000),
)
@settings(max_examples=200, deadline=None)
def test_a_safe_point_stays_one_whatever_stands_further_away(
    before: str, after: str, language: str, vocabulary: str, pick: int
) -> None:
    text = sample_text(language, 1500)
    points = safe_points(text)
    point = points[pick % len(points)]
    left, right = before + text[point - 1], text[point] + after
    encode = load_encoding(vocabulary).encode

    assert encode(left + right) == encode(left) + encode(right)


@given(text=st.one_of(nasty_texts, sample_texts), vocabulary=vocabularies, cut=st.floats(0, 1))
@settings(max_examples=200, deadline=None)
def test_tokens_before_a_position_are_those_of_the_text_up_to_it(text: str, vocabulary: str, cut: float) -> None:
    encoding = load_encoding(vocabulary)
    index = TokenIndex.of(text, encoding)
    position = int(cut * len(text))

    assert index.tokens_before(position) == encoding.count(text[:position])


@given(text=sample_texts, vocabulary=vocabularies, cut=st.floats(0, 1))
@settings(max_examples=100, deadline=None)
def test_the_index_of_a_text_begins_with_the_index_of_its_beginning(text: str, vocabulary: str, cut: float) -> None:
    encoding = load_encoding(vocabulary)
    whole = TokenIndex.of(text, encoding)
    part = TokenIndex.of(text[: int(cut * len(text))], encoding)

    assert list(part.positions) == list(whole.positions)[: len(part.positions)]
    assert list(part.counts) == list(whole.counts)[: len(part.counts)]


@pytest.mark.parametrize("vocabulary", VOCABULARIES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_script_has_safe_points_near_each_other(language: str, vocabulary: str) -> None:
    index = TokenIndex.of(sample_text(language, 20_000), load_encoding(vocabulary))

    gaps = [right - left for left, right in pairwise(index.positions)]

    assert max(gaps) < 2 * STRIDE
    assert len(gaps) > 100


@pytest.mark.parametrize("vocabulary", VOCABULARIES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_number_of_tokens_leads_to_the_position_they_reach(language: str, vocabulary: str) -> None:
    index = TokenIndex.of(sample_text(language, 5000), load_encoding(vocabulary))
    total = index.tokens_before(len(index.text))

    for tokens in range(0, total + 1, 7):
        assert abs(index.tokens_before(index.position_of(tokens)) - tokens) <= 3


@pytest.mark.parametrize("vocabulary", VOCABULARIES)
@pytest.mark.parametrize("text", ["a" * 5000, "7" * 5000, "🙂" * 3000, " " * 5000, "\n" * 5000])
def test_text_without_safe_points_is_still_counted_exactly(text: str, vocabulary: str) -> None:
    encoding = load_encoding(vocabulary)
    index = TokenIndex.of(text, encoding)

    assert list(index.positions) == [0]
    for tokens in (0, 1, 17, 35):
        assert abs(encoding.count(text[: index.position_of(tokens)]) - tokens) <= 1
    assert index.position_of(1_000_000) == len(text)


def test_anchors_are_the_safe_points_around_a_position() -> None:
    index = TokenIndex.of(sample_text("english", 2000), load_encoding("cl100k_base"))
    third = index.positions[3]

    assert index.before(third).position == third
    assert index.before(third - 1).position == index.positions[2]
    assert index.after(third) == index.before(third)
    assert index.after(third + 1) == index.before(index.positions[4])
    assert index.after(index.last.position + 1) is None


def test_an_index_is_two_flat_arrays_that_can_be_stored_as_they_are() -> None:
    index = TokenIndex.of(sample_text("chinese", 4000), load_encoding("cl100k_base"))
    stored = [memoryview(array("I", part).tobytes()).cast("I") for part in (index.positions, index.counts)]

    assert isinstance(index.positions, array)
    assert isinstance(index.counts, array)
    mapped = TokenIndex(index.text, index.encoding, *stored)

    assert mapped.tokens_before(3000) == index.tokens_before(3000)
    assert mapped.position_of(500) == index.position_of(500)
    assert mapped.after(1000) == index.after(1000)


def test_what_an_index_has_told_it_tells_again_however_much_it_was_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    encoding = load_encoding("cl100k_base")
    text = sample_text("english", 4000)
    monkeypatch.setattr("pytest_haystack.tokens.index._REMEMBERED", 7)
    index = TokenIndex.of(text, encoding)
    places = [(3 * number * number) % len(text) for number in range(40)]

    for place in (*places, *reversed(places), *places[::3]):
        assert index.tokens_before(place) == encoding.count(text[:place])
        tokens = index.tokens_before(place)
        assert index.position_of(tokens) == TokenIndex.of(text, encoding).position_of(tokens)
