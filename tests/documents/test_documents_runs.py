"""The fast path and a plain encoding of the whole text agree, also where a text has a run without any safe point."""

from __future__ import annotations

from functools import cache

import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_haystack.documents.builder import build_document, tokens_needed
from pytest_haystack.documents.document import Document, Insert
from pytest_haystack.documents.haystack_text import HaystackText
from pytest_haystack.tokens.index import TokenIndex
from pytest_haystack.tokens.vocabularies import VOCABULARIES, cache_folder, load_encoding, vocabulary_folder
from tests.documents.sample_texts import LANGUAGES, TextSource, sample_text

RUNS = {
    "one letter": "a" * 100_000,
    "digits": "1234567890" * 2000,
    "spaces": " " * 20_000,
    "line breaks": "\n" * 20_000,
    "spaces and line breaks": "  \n" * 7000,
    "tabs": "\t" * 20_000,
    "punctuation": "!?" * 10_000,
    "one ideograph": "漢" * 10_000,
}
vocabularies = st.sampled_from(sorted(VOCABULARIES))
languages = st.sampled_from(LANGUAGES)
runs = st.sampled_from(sorted(RUNS))
depths = st.one_of(st.sampled_from([0, 50, 100]), st.floats(0, 100))


@cache
def plain(vocabulary: str) -> tiktoken.Encoding:
    """tiktoken's own object, past this package's code."""
    with cache_folder(vocabulary_folder(vocabulary)):
        return tiktoken.get_encoding(vocabulary)


def plain_count(vocabulary: str, text: str) -> int:
    return len(plain(vocabulary).encode_ordinary(text))


@cache
def text_with_run(language: str, run: str) -> str:
    """Prose, the run in the midst of it, and prose."""
    return f"{sample_text(language, 4000)[:4000]} {RUNS[run]} {sample_text(language, 60_000, seed=1)}"


@cache
def haystack_of(language: str, run: str, vocabulary: str) -> HaystackText:
    text = text_with_run(language, run)
    whole = plain_count(vocabulary, text)
    return HaystackText.prepare(TextSource(text), "\n\n", load_encoding(vocabulary), whole - 2000)


def agree(document: Document, vocabulary: str, tokens: int, inserts: list[Insert]) -> None:
    """What the document says of itself is what counting it again as a whole says."""
    assert document.tokens == tokens == plain_count(vocabulary, document.text)
    assert "\ufffd" not in document.text
    for placement, insert in zip(document.placements, inserts, strict=True):
        assert document.text[placement.char_index :].startswith(insert.text)
        # A token at a needle's edge may hold white space beside it.
        before = plain_count(vocabulary, document.text[: placement.char_index])
        assert 0 <= before - placement.token_index <= 2


@given(language=languages, run=runs, vocabulary=vocabularies, depth=depths, beyond=st.integers(200, 3000))
@settings(max_examples=8, deadline=None)
def test_a_document_that_goes_beyond_a_run_is_exact(
    language: str, run: str, vocabulary: str, depth: float, beyond: int
) -> None:
    haystack = haystack_of(language, run, vocabulary)
    tokens = plain_count(vocabulary, haystack.text[: 4000 + len(RUNS[run])]) + beyond
    inserts = [Insert("The special magic number for the harbour of Zorbluth is 4719203.", depth)]

    agree(build_document(haystack, inserts, tokens, tolerance=1.0), vocabulary, tokens, inserts)


@given(language=languages, run=runs, vocabulary=vocabularies, share=st.floats(0.01, 0.2))
@settings(max_examples=8, deadline=None)
def test_a_document_that_ends_inside_a_run_is_exact(language: str, run: str, vocabulary: str, share: float) -> None:
    haystack = haystack_of(language, run, vocabulary)
    before = plain_count(vocabulary, haystack.text[:4000])
    tokens = before + int(share * plain_count(vocabulary, RUNS[run]))
    inserts = [Insert("The harbour's number is 4719203.", 40)]
    tokens = max(tokens, tokens_needed([insert.text for insert in inserts], haystack.encoding.count))

    agree(build_document(haystack, inserts, tokens, tolerance=1.0), vocabulary, tokens, inserts)


@given(language=languages, run=runs, vocabulary=vocabularies, depth=depths, length=st.integers(1, 4000))
@settings(max_examples=12, deadline=None)
def test_a_needle_that_is_a_run_is_exact(language: str, run: str, vocabulary: str, depth: float, length: int) -> None:
    haystack = haystack_of(language, "one letter", vocabulary)
    inserts = [Insert(f"x{RUNS[run][:length]}x", depth), Insert(f"7{RUNS[run][:40]}", 100 - depth)]
    tokens = tokens_needed([insert.text for insert in inserts], haystack.encoding.count) + 700

    agree(build_document(haystack, inserts, tokens, tolerance=1.0), vocabulary, tokens, inserts)


@pytest.mark.parametrize("vocabulary", VOCABULARIES)
@pytest.mark.parametrize("run", sorted(RUNS))
def test_the_index_counts_a_run_as_it_is_counted_whole(run: str, vocabulary: str) -> None:
    text = text_with_run("english", run)
    index = TokenIndex.of(text, load_encoding(vocabulary))

    for place in (4000, 4001, 4002, 4100, 4002 + len(RUNS[run]) // 2, 4001 + len(RUNS[run]), len(text)):
        assert index.tokens_before(place) == plain_count(vocabulary, text[:place])
