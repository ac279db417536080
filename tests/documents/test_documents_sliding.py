"""Windows: where a document's text begins, exact lengths whatever the window, and sentences that end at the depth."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_haystack.documents.builder import build_document, rebuild
from pytest_haystack.documents.document import Insert
from pytest_haystack.documents.haystack_text import HaystackText, Window
from pytest_haystack.errors import DocumentError, SourceError
from pytest_haystack.haystacks.arranged import Arranged, shuffled
from pytest_haystack.haystacks.essays import Essays
from pytest_haystack.haystacks.source import SourceOptions
from pytest_haystack.tokens.index import TokenIndex
from pytest_haystack.tokens.vocabularies import load_encoding
from tests.documents.sample_texts import EndlessSource, TextSource

CL100K = load_encoding("cl100k_base")
NEEDLE = "The access code of Zyranthex-7 is QR-7749."
LANGUAGES = ("english", "chinese", "arabic", "hindi", "russian")
ENDS = ".!?。！？।؟\"'”"


def prepared(language: str, offset: int = 0, sliding: bool = True, tokens: int = 4000) -> HaystackText:
    return HaystackText.prepare(EndlessSource(language), "\n\n", CL100K, tokens, Window(offset, sliding))


@given(
    language=st.sampled_from(LANGUAGES),
    tokens=st.integers(300, 4000),
    depth=st.floats(0, 100),
    offset=st.sampled_from([0, 1, 777]),
)
@settings(max_examples=40, deadline=None)
def test_in_a_sliding_window_a_sentence_ends_exactly_where_the_needle_is_due(
    language: str, tokens: int, depth: float, offset: int
) -> None:
    document = build_document(prepared(language, offset), [Insert(NEEDLE, depth)], tokens, tolerance=1.0)
    place = document.placements[0]
    due = depth / 100 * (tokens - CL100K.count(NEEDLE))

    assert CL100K.count(document.text) == document.tokens == tokens
    # A token more or less where the needle's own tokens differ in the text; at the very start there are few places,
    # and where no text would be left after a needle it closes the document.
    assert abs(place.token_index - due) <= (1.5 if due > 60 and not document.text.endswith(NEEDLE) else 5)
    before = document.text[: place.char_index].rstrip()
    assert before == "" or before[-1] in ENDS


def test_a_shared_window_keeps_the_beginning_and_a_sliding_one_gives_it_up() -> None:
    inserts = [Insert(NEEDLE, depth) for depth in (20, 50, 80)]
    shared = [build_document(prepared("english", 0, False), [one], 2000, tolerance=1.0).text[:500] for one in inserts]
    sliding = [build_document(prepared("english", 0, True), [one], 2000, tolerance=1.0).text[:500] for one in inserts]

    assert len(set(shared)) == 1
    assert len(set(sliding)) > 1


@given(depths=st.lists(st.floats(0, 100), min_size=2, max_size=6), tokens=st.integers(1000, 3000))
@settings(max_examples=20, deadline=None)
def test_of_several_needles_the_first_is_where_it_is_due_and_the_length_is_exact(
    depths: list[float], tokens: int
) -> None:
    inserts = [Insert(f"The code of Vexilor-{n} is QR-77{n}9.", depth) for n, depth in enumerate(depths)]
    document = build_document(prepared("english"), inserts, tokens, tolerance=1.0)

    assert CL100K.count(document.text) == tokens
    first = min(document.placements, key=lambda place: place.token_index)
    before = document.text[: first.char_index].rstrip()
    assert before == "" or before[-1] in ENDS
    assert all(document.text.count(insert.text) == 1 for insert in inserts)


@pytest.mark.parametrize("text", ["word " * 9000, "界" * 9000])
def test_a_text_without_sentences_has_the_places_of_a_shared_window(text: str) -> None:
    documents = [
        build_document(
            HaystackText.prepare(TextSource(text), "\n\n", CL100K, 2000, Window(0, sliding)),
            [Insert(NEEDLE, 50)],
            2000,
            tolerance=1.0,
        )
        for sliding in (False, True)
    ]

    assert documents[0].text == documents[1].text
    assert documents[1].recipe["haystack"]["window"] == "sliding"


def test_the_recipe_of_a_window_rebuilds_the_document_and_no_other_window_does() -> None:
    haystack = prepared("chinese", 300)
    document = build_document(haystack, [Insert(NEEDLE, 40)], 1500, tolerance=1.0)

    assert rebuild(haystack, document.recipe).text == document.text
    with pytest.raises(DocumentError, match="offset is None, not 300"):
        rebuild(prepared("chinese"), document.recipe)
    with pytest.raises(DocumentError, match="window is None, not 'sliding'"):
        rebuild(prepared("chinese", 300, False), document.recipe)


@given(language=st.sampled_from(LANGUAGES), offset=st.integers(1, 3000), tokens=st.integers(50, 2000))
@settings(max_examples=30, deadline=None)
def test_an_offset_leaves_out_so_many_tokens_and_begins_with_a_sentence(
    language: str, offset: int, tokens: int
) -> None:
    whole = prepared(language, 0, False, 6000)
    cut = prepared(language, offset, False, tokens)
    start = whole.text.index(cut.text[:200])

    assert whole.text[start:].startswith(cut.text[:2000])
    assert whole.text[:start].rstrip()[-1] in ENDS
    assert offset - 1 <= whole.index.tokens_before(start) < offset + 200
    document = build_document(cut, [], tokens, tolerance=1.0)
    assert CL100K.count(document.text) == tokens


def test_an_offset_beyond_the_end_goes_round() -> None:
    text = " ".join(f"Sentence number {word} stands here." for word in ("one", "two", "three", "four"))
    haystack = HaystackText.prepare(TextSource(text), " ", CL100K, 100, Window(1000))

    assert haystack.text.startswith("Sentence number")
    assert haystack.base_length == len(text)


@given(language=st.sampled_from(LANGUAGES), position=st.integers(0, 5000))
@settings(max_examples=30, deadline=None)
def test_the_index_of_the_rest_of_a_text_counts_like_a_new_one(language: str, position: int) -> None:
    index = prepared(language).index
    rest = index.starting_at(position)
    fresh = TokenIndex.of(index.text[position:], CL100K)

    assert rest.text == fresh.text
    for place in range(0, 3000, 371):
        assert rest.tokens_before(place) == fresh.tokens_before(place)


def essays(separator: str = "\n\n", unit: str | None = None, seed: int = 1) -> Arranged:
    return Arranged(Essays(SourceOptions(), Path()), separator, unit, seed)


def test_documents_and_paragraphs_come_in_an_order_of_the_seed() -> None:
    plain = essays().read(1)
    orders = {seed: essays(unit="documents", seed=seed).read(1) for seed in (1, 2)}
    paragraphs = essays(unit="paragraphs").read(1)

    assert plain == Essays(SourceOptions(), Path()).read(1)
    assert len({plain, *orders.values(), paragraphs}) == 4
    assert all(sorted(order.split("\n\n")) == sorted(plain.split("\n\n")) for order in (*orders.values(), paragraphs))
    for essay in Essays(SourceOptions(), Path()).documents():
        assert essay in orders[1]
        assert essay not in paragraphs
    assert essays(unit="documents").sha256 == Essays(SourceOptions(), Path()).sha256


def test_the_separator_stands_between_documents() -> None:
    number = len(Essays(SourceOptions(), Path()).documents())

    assert essays("\n\n* * *\n\n").read(1).split("\n\n* * *\n\n") == Essays(SourceOptions(), Path()).documents()
    assert essays("@@", "documents").read(1).count("@@") == number - 1
    assert "@@" not in essays("@@", "paragraphs").read(1)


def test_the_order_of_a_seed_is_pinned() -> None:
    assert "".join(shuffled("abcdefghij", 42)) == "ifbadehjgc"


@pytest.mark.parametrize("unit", ["documents", "paragraphs"])
def test_an_endless_text_cannot_be_shuffled(unit: str) -> None:
    with pytest.raises(SourceError, match=f"has no {unit} to shuffle"):
        Arranged(EndlessSource("english"), "\n\n", unit).read(1)
