"""Documents under a tokenizer.json: exactly as long as asked, whatever family it is of."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from pytest_haystack.documents.builder import build_document, tokens_needed
from pytest_haystack.documents.composed import composed_document
from pytest_haystack.documents.document import Insert
from pytest_haystack.documents.haystack_text import HaystackText
from pytest_haystack.needles.needle import Needle
from pytest_haystack.tokens.huggingface import HuggingFaceEncoding, load_tokenizer
from tests.documents.sample_texts import LANGUAGES, EndlessSource, TextSource, sample_text
from tests.support.tokenizer_files import FAMILIES, tokenizer_json

NEEDLES = (
    "The special magic number for the harbour of Zorbluth is 4719203.",
    "佐布鲁斯港的神秘数字是四七一九二零三。",
    "ज़ोरब्लुथ बंदरगाह की जादुई संख्या ४७१९२०३ है।",
    '{"key": "a1", "values": [1, 2, {"x": null}]}',
    "🙂👍🏽 the emoji needle 😀",
    " leading and trailing space ",
)
#: Families whose counts add up nowhere: each document is encoded as a whole, again and again.
SLOW = {"unigram-raw", "bytes-raw"}
#: Families that cut a text into words before anything else.
WORDS = set(FAMILIES) - SLOW - {"llama"}


@cache
def encoding_of(family: str) -> HuggingFaceEncoding:
    with TemporaryDirectory() as folder:
        Path(folder, "tokenizer.json").write_bytes(tokenizer_json(family))
        return load_tokenizer("hf:tokenizer.json", Path(folder))


@cache
def library_of(family: str) -> Tokenizer:
    """The library's own object, which this package's code has not touched."""
    tokenizer = Tokenizer.from_buffer(tokenizer_json(family))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True
    return tokenizer


@cache
def haystack_of(kind: str, family: str) -> HaystackText:
    return HaystackText.prepare(EndlessSource(kind), "\n\n", encoding_of(family), 4000)


def own_count(family: str, text: str) -> int:
    return len(library_of(family).encode(text, add_special_tokens=False).ids)


@pytest.mark.parametrize("family", FAMILIES)
@given(
    kind=st.sampled_from(LANGUAGES),
    tokens=st.one_of(st.integers(60, 600), st.integers(600, 4000)),
    needles=st.lists(
        st.tuples(st.sampled_from(NEEDLES), st.one_of(st.sampled_from([0, 50, 100]), st.floats(0, 100))),
        min_size=1,
        max_size=3,
    ),
)
@settings(max_examples=12, deadline=None)
def test_a_document_has_exactly_the_asked_number_of_tokens(
    family: str, kind: str, tokens: int, needles: list[tuple[str, float]]
) -> None:
    haystack = haystack_of(kind, family)
    inserts = [Insert(text, depth) for text, depth in needles]
    tokens = max(
        min(tokens, 300) if family in SLOW else tokens,
        tokens_needed([insert.text for insert in inserts], haystack.encoding.count),
    )

    document = build_document(haystack, inserts, tokens, tolerance=1.0)

    assert own_count(family, document.text) == document.tokens == tokens
    for placement in document.placements:
        assert document.text[placement.char_index :].startswith(placement.text)
        # A token at the needle's edge may hold white space beside it; without words it may hold much more.
        slack = 2 if family in WORDS else 12
        assert abs(own_count(family, document.text[: placement.char_index]) - placement.token_index) <= slack
    if len(inserts) == 1 and tokens >= 1000:
        [placement] = document.placements
        assert abs(placement.actual_depth_percent - placement.requested_depth_percent) <= 1.6


@pytest.mark.parametrize("family", FAMILIES)
def test_a_text_that_begins_with_a_space_is_counted_as_it_is(family: str) -> None:
    haystack = HaystackText.prepare(
        TextSource("   " + sample_text("english", 20_000)), "\n\n", encoding_of(family), 400
    )
    document = build_document(haystack, [Insert("A needle.", 50)], 300, tolerance=1.0)

    assert document.text.startswith(" ")
    assert own_count(family, document.text) == 300


@pytest.mark.parametrize("family", FAMILIES)
def test_records_without_filler_are_counted_as_a_whole(family: str) -> None:
    needle = Needle(" key-7: the value 12", "Which?", "12")
    text = f"{needle.statement}\nkey-8: the value 13\n 名前：値。 end"

    document = composed_document(text, [needle], encoding_of(family), 10_000)

    assert document.tokens == own_count(family, text)


@pytest.mark.parametrize(
    ("family", "adds_up"),
    [("claude", True), ("word-piece", True), ("unigram", True), ("llama", True), ("bytes", True)]
    + [(family, False) for family in sorted(SLOW)],
)
def test_where_counts_add_up_is_found_when_the_file_is_read(family: str, adds_up: bool) -> None:
    assert (encoding_of(family).next_safe_point("The ferry left at dawn.", 1) is not None) is adds_up
    assert (encoding_of(family).whole is not None) is adds_up


@pytest.mark.parametrize("family", FAMILIES)
def test_neither_special_tokens_nor_the_models_own_limit_count(family: str) -> None:
    encoding = encoding_of(family)
    text = sample_text("english", 4000)

    assert encoding.count(text) == own_count(family, text) > 64
    assert encoding.count("<|endoftext|></s>[UNK]<unk>") > 4


def test_half_a_surrogate_pair_counts_as_a_character() -> None:
    assert encoding_of("bytes").count("a \ud83d b") >= 3


@pytest.mark.parametrize("family", FAMILIES)
@given(kind=st.sampled_from(LANGUAGES), tokens=st.integers(1, 400))
@settings(max_examples=10, deadline=None)
def test_the_first_tokens_reach_as_far_as_they_are_told_to(family: str, kind: str, tokens: int) -> None:
    encoding, text = encoding_of(family), sample_text(kind, 3000)
    tokens = min(tokens, encoding.count(text))
    reach = encoding.reach(text, tokens)

    # The end of a text may be cut into other tokens than the same letters with more behind them.
    assert abs(encoding.count(text[:reach]) - tokens) <= 4
