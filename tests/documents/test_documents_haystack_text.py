"""Haystack text: long enough, prefix-stable, repeated where the source is short."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_haystack.documents.haystack_text import HaystackText
from pytest_haystack.errors import SourceError
from pytest_haystack.tokens.vocabularies import VOCABULARIES, load_encoding
from tests.documents.sample_texts import LANGUAGES, EndlessSource, TextSource

CL100K = load_encoding("cl100k_base")


@given(
    language=st.sampled_from(LANGUAGES),
    vocabulary=st.sampled_from(sorted(VOCABULARIES)),
    lengths=st.lists(st.integers(1, 30_000), min_size=2, max_size=2).map(sorted),
)
@settings(max_examples=30, deadline=None)
def test_the_text_for_more_tokens_begins_with_the_text_for_fewer(
    language: str, vocabulary: str, lengths: list[int]
) -> None:
    encoding = load_encoding(vocabulary)
    short, long = (HaystackText.prepare(EndlessSource(language), "\n\n", encoding, tokens) for tokens in lengths)

    assert long.text.startswith(short.text)
    assert encoding.count(short.text) >= lengths[0]
    assert encoding.count(long.text) >= lengths[1]


@given(
    text=st.text("ab c\n。漢🙂", min_size=1, max_size=40).filter(str.strip),
    separator=st.sampled_from(["\n\n", "\n", " ", "\n***\n"]),
    lengths=st.lists(st.integers(1, 9000), min_size=2, max_size=2).map(sorted),
)
@settings(max_examples=40, deadline=None)
def test_a_short_source_is_repeated_with_the_separator(text: str, separator: str, lengths: list[int]) -> None:
    short, long = (HaystackText.prepare(TextSource(text), separator, CL100K, tokens) for tokens in lengths)

    assert long.text.startswith(short.text)
    assert CL100K.count(long.text) >= lengths[1]
    repetitions = (len(long.text) + len(separator)) // (len(text) + len(separator))
    assert long.text == separator.join([text] * repetitions)


def test_nothing_in_the_text_is_changed() -> None:
    text = "  Tabs\tand  spaces \r\n\r\n\u3000全角 trailing  \n\n\n"

    assert HaystackText.prepare(TextSource(text), "---", CL100K, 200).text.startswith(text + "---" + text + "---")


def test_repeats_tell_how_often_a_source_is_used() -> None:
    text = "One two three. " * 20
    haystack = HaystackText.prepare(TextSource(text), "\n\n", CL100K, 1000)

    assert haystack.repeats(len(text)) == 1.0
    assert haystack.repeats(3 * (len(text) + 2)) == pytest.approx(3)
    assert HaystackText.prepare(EndlessSource("english"), "\n\n", CL100K, 9000).repeats(1_000_000) == 1.0


def test_a_source_that_begins_with_much_white_space_is_read_on() -> None:
    assert "word" in HaystackText.prepare(TextSource("\n" * 50_000 + "word " * 9000), "\n", CL100K, 4000).text


@pytest.mark.parametrize("text", ["", " \n\t\n"])
def test_a_source_without_text_is_an_error(text: str) -> None:
    with pytest.raises(SourceError, match="haystack source 'text' has no text"):
        HaystackText.prepare(TextSource(text), "\n\n", CL100K, 100)
