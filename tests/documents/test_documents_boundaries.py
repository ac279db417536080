"""Boundaries: where a text may be opened, in every script."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_haystack.documents.boundaries import (
    Level,
    insertion_points,
    is_character_boundary,
    nearest_insertion_point,
    seams,
    separators,
    word_ends,
)
from tests.documents.sample_texts import LANGUAGES, hard_wrapped, sample_text


def opened(text: str, level: Level) -> list[str]:
    """The parts of a text between its boundaries of a level."""
    points = [*insertion_points(text, level, 0, len(text)), len(text)]
    return [text[left:right] for left, right in pairwise(points)]


def test_paragraphs_begin_after_blank_lines_before_their_indentation() -> None:
    text = "One.\n\nTwo\nlines.\n  \t\n    Three.\n\n\n\nFour.\n\n"

    assert opened(text, Level.PARAGRAPH) == ["One.\n\n", "Two\nlines.\n  \t\n", "    Three.\n\n\n\n", "Four.\n\n"]


@pytest.mark.parametrize(
    ("language", "sentences"),
    [
        ("english", ["It rained. ", "Did it? ", '"Yes!" ', "(A little.) ", "The end..."]),
        ("hard-wrapped English", ["It rained.\n", "Did it? ", "Yes,\nit did."]),
        ("russian", ["Шёл дождь. ", "Правда? ", "— Да."]),
        ("hindi", ["बारिश हुई। ", "क्या सच में? ", "हाँ।"]),
        ("arabic", ["هطل المطر. ", "هل حقًا؟ ", "نعم."]),
        ("chinese", ["下雨了。", "真的吗？", "“是的！”", "结束了……"]),
        ("japanese", ["雨が降った。", "「本当？」", "はい。\n", "終わり。"]),
        ("source code", ["f(x);\n", "if (y) {\n", "    g(y);\n", "}\n", "a ? B : C;"]),
        ("abbreviations", ["Mr. Hale met J. Smith, e.g. on 4.25 metres. ", "He left."]),
    ],
)
def test_sentences_are_told_apart(language: str, sentences: list[str]) -> None:
    assert opened("".join(sentences), Level.SENTENCE) == sentences


def test_lines_begin_before_their_indentation() -> None:
    assert opened("for a in b:\n    c()\n\n    d()\n", Level.LINE) == ["for a in b:\n", "    c()\n\n", "    d()\n"]


@pytest.mark.parametrize(
    "words",
    [
        ["The ", "tide\n", "isn't  ", "in."],
        ["下", "雨", "了，“真", "的", "吗？”"],
        ["カー", "ト", "で", "チョ", "コ", "を"],
        ["日", "本ABC123漢", "字"],
        ["👨‍👩‍👧‍👦", "🙂", "👍🏽", "❤️‍🔥", "🇯🇵", "🇧🇷", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "☀️"],
        ["क्या ", "विश्वविद्यालय ", "है"],
    ],
)
def test_words_are_told_apart_with_and_without_spaces(words: list[str]) -> None:
    assert opened("".join(words), Level.WORD) == words


@pytest.mark.parametrize(
    "character",
    ["é", "👨‍👩‍👧‍👦", "👍🏽", "❤️‍🔥", "🏳️‍🌈", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "1️⃣", "🇯🇵", "क्षि", "กำ", "각", "ﾊﾞ", "\r\n", "ی‌"],
)
def test_what_a_reader_sees_as_one_character_is_never_opened(character: str) -> None:
    text = f"a{character}b"

    assert [point for point in range(len(text) + 1) if not is_character_boundary(text, point)] == list(
        range(2, 1 + len(character))
    )


def test_flags_in_a_row_are_opened_between_pairs_only() -> None:
    assert opened("🇯🇵🇧🇷🇮🇳", Level.CHARACTER) == ["🇯🇵", "🇧🇷", "🇮🇳"]


def test_words_end_before_white_space_and_between_ideographs() -> None:
    text = "one two，三四 five"

    assert [text[:end] for end in word_ends(text, 1, len(text) - 1)] == [
        "one",
        "one two，",
        "one two，三",
        "one two，三四",
    ]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("", "Text", ("", "\n\n")),
        ("One.\n\n", "Two.", ("", "\n\n")),
        ("One.\n \n", "Two.", ("", "\n\n")),
        ("line\n", "line", ("", "\n")),
        ("word ", "word", ("", " ")),
        ("\n\n    ", "word", ("", " ")),
        ("雨。", "雨", (" ", " ")),
        ("雨。\u3000", "雨", ("", " ")),
    ],
)
def test_separators_suit_the_place(before: str, after: str, expected: tuple[str, str]) -> None:
    assert separators(before + after, len(before)) == expected


@st.composite
def texts(draw: st.DrawFn) -> str:
    text = sample_text(draw(st.sampled_from(LANGUAGES)), 1500, draw(st.integers(0, 20)))
    return hard_wrapped(text) if draw(st.booleans()) else text


@given(texts(), st.sampled_from(Level), st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
@settings(max_examples=200, deadline=None)
def test_the_nearest_boundary_is_the_nearest_of_all(
    text: str, level: Level, target: float, one: float, other: float
) -> None:
    start, stop = sorted((int(one * len(text)), int(other * len(text))))
    aim = int(target * len(text))
    everywhere = [point for point in insertion_points(text, level, 0, len(text)) if start <= point <= stop]

    found = nearest_insertion_point(text, level, aim, start, stop)

    if found is None:
        assert not everywhere
    else:
        assert found in everywhere
        assert abs(found - min(max(aim, start), stop)) == min(
            abs(point - min(max(aim, start), stop)) for point in everywhere
        )


@given(texts(), st.sampled_from(Level))
@settings(max_examples=60, deadline=None)
def test_no_boundary_lies_inside_a_character_or_a_word(text: str, level: Level) -> None:
    for point in insertion_points(text, level, 1, len(text)):
        assert is_character_boundary(text, point)
        if level < Level.CHARACTER and text[point - 1].isascii():
            assert not (text[point - 1].isalnum() and text[point].isalnum())


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ('He said, "No."  Then', ["He", " ", "said", ",", " ", '"No', ".", '"', " ", " ", "Then"]),
        ("they don't pay 42.7 (net)", ["they", " ", "don't", " ", "pay", " ", "42.7", " ", "(net", ")"]),
        ("a_b(c)\n\n", ["a_b", "(", "c", ")", "\n", "\n"]),
        ("好吗？是", ["好吗", "？", "是"]),
    ],
)
def test_seams_cut_no_word_and_no_number(text: str, parts: list[str]) -> None:
    points = [0, *seams(text, 0, len(text)), len(text)]

    assert [text[start:end] for start, end in pairwise(points)] == parts
