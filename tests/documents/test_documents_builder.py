"""Documents: exact length, needles where they were asked for, text left whole, the same bytes again."""

from __future__ import annotations

import re
from functools import cache

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pytest_haystack.documents.builder import build_document, tokens_needed
from pytest_haystack.documents.document import Document, Insert
from pytest_haystack.documents.haystack_text import SLACK_TOKENS, HaystackText
from pytest_haystack.errors import DocumentError
from pytest_haystack.haystacks.source import Source
from pytest_haystack.tokens.vocabularies import VOCABULARIES, load_encoding
from tests.documents.sample_texts import LANGUAGES, EndlessSource, TextSource, hard_wrapped, sample_text

NEEDLES = (
    "The special magic number for the harbour of Zorbluth is 4719203.",
    "北京图书馆的密码是八六四二。",
    "合言葉は「りんご」です。",
    "नियम यह है कि संख्या ९९ है।",
    "🙂👨‍👩‍👧 the emoji needle 🇯🇵",
    '{"key": "a1", "values": [1, 2, {"x": null}]}',
    " leading and trailing space ",
    "\nits own line\n",
    "<|endoftext|> is only text",
    "'s apostrophe first",
    "/slash/first",
    "7",
    "The code is " + "9f2c" * 30 + ".",
)
#: Texts in which counts add up nowhere, or that are made to confuse.
ODD_TEXTS = {
    "one letter": "a" * 100_000,
    "digits": "1234567890" * 8000,
    "only emoji": "👨‍👩‍👧‍👦🙂🇯🇵❤️" * 3000,
    "white space": "word\n" + " " * 30_000 + "word\n" * 3000 + "\n" * 30_000 + "word " * 9000,
    "special tokens": "<|endoftext|> and <|fim_prefix|>word<|endofprompt|>. " * 2000,
    "one short sentence": "Only this one.",
    "one word": "Word",
    "base64": "QUJD+a/9" * 10_000,
    "Thai": "สวัสดีครับวันนี้อากาศดีมาก" * 1500,
    "CRLF": sample_text("english", 50_000).replace("\n", "\r\n"),
    "hard-wrapped": hard_wrapped(sample_text("english", 50_000)),
}
vocabularies = st.sampled_from(sorted(VOCABULARIES))
depths = st.one_of(st.sampled_from([0, 50, 100, 3.95, 96.05]), st.floats(0, 100))


@cache
def haystack_of(kind: str, vocabulary: str, tokens: int = 33_000) -> HaystackText:
    source: Source = EndlessSource(kind) if kind in LANGUAGES else TextSource(ODD_TEXTS[kind])
    return HaystackText.prepare(source, "\n\n", load_encoding(vocabulary), tokens)


def without_needles(document: Document) -> str:
    """The text of a document with its needles cut out and a space in their place."""
    parts, here = [], 0
    for placement in sorted(document.placements, key=lambda placement: placement.char_index):
        parts.append(document.text[here : placement.char_index])
        here = placement.char_index + len(placement.text)
    return " ".join([*parts, document.text[here:]])


def check(document: Document, haystack: HaystackText, inserts: list[Insert], tokens: int) -> None:
    """What holds for every document."""
    encoding = haystack.encoding
    assert document.tokens == tokens
    assert len(encoding.encode(document.text)) == tokens
    assert "\ufffd" not in document.text

    # Needles stand where the placements say, in the order of their depths, with space around them.
    assert [placement.text for placement in document.placements] == [insert.text for insert in inserts]
    order = sorted(range(len(inserts)), key=lambda member: inserts[member].depth_percent)
    places = [document.placements[member] for member in order]
    here = 0
    for placement in places:
        start, end = placement.char_index, placement.char_index + len(placement.text)
        assert start >= here
        assert document.text[start:end] == placement.text
        assert start == 0 or document.text[start - 1].isspace()
        assert end == len(document.text) or document.text[end].isspace()
        assert 0 <= placement.actual_depth_percent <= 100
        # A token at a needle's edge may hold white space beside it.
        assert 0 <= encoding.count(document.text[:start]) - placement.token_index <= 2
        here = end
    if places and places[0].requested_depth_percent == 0:
        assert places[0].char_index == places[0].actual_depth_percent == 0
    if places and places[-1].requested_depth_percent == 100:
        assert document.text.endswith(places[-1].text)
        assert places[-1].actual_depth_percent == 100

    # The rest is the haystack's beginning and, at its end, a little filler.
    rest, whole = ("".join(text.split()) for text in (without_needles(document), haystack.text[: len(document.text)]))
    shared = next((i for i, (one, other) in enumerate(zip(rest, whole, strict=False)) if one != other), len(rest))
    assert len(rest) - shared <= 150


@given(
    kind=st.sampled_from(LANGUAGES),
    vocabulary=vocabularies,
    tokens=st.one_of(st.integers(60, 1000), st.integers(1000, 33_000)),
    needle=st.sampled_from(NEEDLES),
    depth=depths,
)
@settings(max_examples=150, deadline=None)
def test_one_needle_stands_at_its_depth_in_a_document_of_exactly_the_asked_length(
    kind: str, vocabulary: str, tokens: int, needle: str, depth: float
) -> None:
    haystack = haystack_of(kind, vocabulary)
    inserts = [Insert(needle, depth)]
    tokens = max(tokens, tokens_needed([insert.text for insert in inserts], haystack.encoding.count))

    document = build_document(haystack, inserts, tokens, tolerance=1.0)

    check(document, haystack, inserts, tokens)
    if tokens >= 1000:
        # An emoji of up to 30 tokens cannot be opened, which is more than a percent of the shortest documents.
        slack = 0.6 if kind == "emoji" else 0
        assert abs(document.placements[0].actual_depth_percent - depth) <= 1.0 + slack


@given(
    kind=st.sampled_from(LANGUAGES),
    vocabulary=vocabularies,
    tokens=st.integers(60, 6000),
    needles=st.lists(st.tuples(st.sampled_from(NEEDLES), depths), min_size=1, max_size=10),
)
@settings(max_examples=100, deadline=None)
def test_several_needles_with_any_depths_keep_their_order_and_the_length(
    kind: str, vocabulary: str, tokens: int, needles: list[tuple[str, float]]
) -> None:
    haystack = haystack_of(kind, vocabulary)
    inserts = [Insert(text, depth) for text, depth in needles]
    tokens = max(tokens, tokens_needed([insert.text for insert in inserts], haystack.encoding.count))

    check(build_document(haystack, inserts, tokens, tolerance=1.0), haystack, inserts, tokens)


@given(
    kind=st.sampled_from([language for language in LANGUAGES if language != "emoji"]),
    vocabulary=vocabularies,
    tokens=st.integers(2500, 20_000),
    first=st.floats(0, 10),
    last=st.floats(90, 100),
    needles=st.permutations(NEEDLES),
    count=st.integers(2, 10),
)
@settings(max_examples=100, deadline=None)
def test_depths_of_several_needles_refer_to_the_finished_document(
    kind: str, vocabulary: str, tokens: int, first: float, last: float, needles: list[str], count: int
) -> None:
    haystack = haystack_of(kind, vocabulary)
    # From 8 percentage points on, i.e. 200 tokens, there is room between any two.
    inserts = [
        Insert(text, first + (last - first) * number / (count - 1)) for number, text in enumerate(needles[:count])
    ]

    document = build_document(haystack, inserts, tokens, tolerance=1.0)

    check(document, haystack, inserts, tokens)
    for placement in document.placements:
        assert abs(placement.actual_depth_percent - placement.requested_depth_percent) <= 1.0


@given(
    kind=st.sampled_from(sorted(ODD_TEXTS)),
    vocabulary=vocabularies,
    tokens=st.integers(60, 3000),
    needles=st.lists(st.tuples(st.sampled_from(NEEDLES), depths), max_size=3),
)
@settings(max_examples=80, deadline=None)
def test_odd_texts_are_held_to_the_same(
    kind: str, vocabulary: str, tokens: int, needles: list[tuple[str, float]]
) -> None:
    haystack = haystack_of(kind, vocabulary, 4000)
    inserts = [Insert(text, depth) for text, depth in needles]
    tokens = max(tokens, tokens_needed([insert.text for insert in inserts], haystack.encoding.count))

    check(build_document(haystack, inserts, tokens, tolerance=1.0), haystack, inserts, tokens)


@given(kind=st.sampled_from(LANGUAGES), vocabulary=vocabularies, tokens=st.integers(1, 33_000))
@settings(max_examples=100, deadline=None)
def test_a_document_without_needles_is_the_haystacks_beginning(kind: str, vocabulary: str, tokens: int) -> None:
    haystack = haystack_of(kind, vocabulary)

    document = build_document(haystack, [], tokens, tolerance=1.0)

    check(document, haystack, [], tokens)
    assert document.placements == ()


@given(
    kind=st.sampled_from(["english", "russian", "arabic", "hindi"]),
    vocabulary=vocabularies,
    tokens=st.integers(200, 8000),
    depth=depths,
)
@settings(max_examples=100, deadline=None)
def test_no_word_is_cut_in_two(kind: str, vocabulary: str, tokens: int, depth: float) -> None:
    # p50k_base takes up to thirty tokens for one Hindi word: no word may start within the tolerance of a depth.
    assume(kind != "hindi" or vocabulary != "p50k_base")
    haystack = haystack_of(kind, vocabulary)

    document = build_document(haystack, [Insert("Needle.", depth)], tokens, tolerance=1.0)

    # The filler may be words of the haystack's or a full stop that is set to the last word.
    stops = "".join(re.findall(r"[^\w\s]", haystack.text)) + "[]….।"
    words = {word.strip(stops) for word in haystack.text.split()}
    assert {word.strip(stops) for word in without_needles(document).split()} <= {*words, ""}


@pytest.mark.parametrize(("kind", "most"), [("english", 8), ("russian", 45), ("japanese", 20), ("code", 12)])
def test_few_documents_need_a_filler_and_it_repeats_no_phrase(kind: str, most: int) -> None:
    haystack = haystack_of(kind, "cl100k_base")
    documents = [build_document(haystack, [], tokens, tolerance=1.0) for tokens in range(1000, 1100)]
    fillers = [document.recipe["filler"] for document in documents]

    assert all(document.text.endswith(filler) for document, filler in zip(documents, fillers, strict=True))
    assert sum(map(bool, fillers)) <= most
    assert not any(re.search(r"(\w+ \w+)\W+\1", filler) for filler in fillers)


@pytest.mark.parametrize("vocabulary", VOCABULARIES)
@pytest.mark.parametrize("kind", ["emoji", "code"])
def test_words_that_fill_a_document_are_the_haystacks_own(kind: str, vocabulary: str) -> None:
    haystack = haystack_of(kind, vocabulary)
    for tokens in range(1000, 1060):
        filler = build_document(haystack, [], tokens, tolerance=1.0).recipe["filler"]
        assert filler in haystack.text or not re.search(r"\w", filler)


@given(
    kind=st.sampled_from([*LANGUAGES, *sorted(ODD_TEXTS)]),
    vocabulary=vocabularies,
    tokens=st.integers(300, 2000),
    needles=st.lists(st.tuples(st.sampled_from(NEEDLES), depths), max_size=3),
)
@settings(max_examples=80, deadline=None)
def test_a_document_does_not_depend_on_how_much_text_was_prepared(
    kind: str, vocabulary: str, tokens: int, needles: list[tuple[str, float]]
) -> None:
    inserts = [Insert(text, depth) for text, depth in needles]
    source: Source = EndlessSource(kind) if kind in LANGUAGES else TextSource(ODD_TEXTS[kind])
    barely = HaystackText.prepare(source, "\n\n", load_encoding(vocabulary), tokens)
    amply = haystack_of(kind, vocabulary, 6000)

    small, large = (build_document(haystack, inserts, tokens, tolerance=1.0) for haystack in (barely, amply))

    assert small == large


@pytest.mark.parametrize("kind", LANGUAGES)
def test_a_document_that_nearly_exhausts_the_prepared_text_does_not_depend_on_it_either(kind: str) -> None:
    encoding = load_encoding("cl100k_base")
    source = EndlessSource(kind)
    # What is prepared at the least suffices for this many tokens and more.
    most = HaystackText.prepare(source, "\n\n", encoding, 1).index.last.tokens - SLACK_TOKENS
    ample = haystack_of(kind, "cl100k_base")

    for tokens in range(most - 60, most + 1, 4):
        barely = HaystackText.prepare(source, "\n\n", encoding, tokens)
        inserts = [Insert("Needle.", 99.7), Insert("Needle.", 100 if tokens % 8 else 12)]
        small, large = (build_document(haystack, inserts, tokens, tolerance=1.0) for haystack in (barely, ample))
        assert small == large


@pytest.mark.parametrize("vocabulary", VOCABULARIES)
@pytest.mark.parametrize("kind", ["english", "chinese", "emoji", "one letter"])
def test_needles_fit_from_exactly_the_needed_tokens_on(kind: str, vocabulary: str) -> None:
    haystack = haystack_of(kind, vocabulary, 4000)
    inserts = [Insert(text, depth) for text, depth in zip(NEEDLES, (0, 100, 50, 50, 30, 99, 1), strict=False)]
    needed = tokens_needed([insert.text for insert in inserts], haystack.encoding.count)

    for tokens in range(needed, needed + 40):
        check(build_document(haystack, inserts, tokens, tolerance=1.0), haystack, inserts, tokens)
    with pytest.raises(DocumentError, match=f"{needed - 1} tokens cannot hold 7 needle.*need {needed}") as error:
        build_document(haystack, inserts, needed - 1, tolerance=1.0)
    assert "\n" not in str(error.value)


def test_haystack_text_that_is_too_short_is_an_error() -> None:
    with pytest.raises(DocumentError, match="the haystack text ends before the 90000 tokens"):
        build_document(haystack_of("english", "cl100k_base", 4000), [], 90_000, tolerance=1.0)


@pytest.mark.parametrize(
    ("tokens", "boundary"), [(20_000, r"\n\n$"), (3000, r"word\. $"), (300, r"word $")], ids=["20000", "3000", "300"]
)
def test_a_needle_is_put_at_the_coarsest_boundary_the_tolerance_allows(tokens: int, boundary: str) -> None:
    # Sentences of 20 tokens, paragraphs of 160.
    sentence = "Word" + " word" * 18 + "."
    source = TextSource("\n\n".join([" ".join([sentence] * 8)] * 150))
    haystack = HaystackText.prepare(source, "\n\n", load_encoding("cl100k_base"), tokens)

    document = build_document(haystack, [Insert("Needle.", 45.3)], tokens, tolerance=1.0)

    assert re.search(boundary, document.text[: document.placements[0].char_index])


def test_a_needle_in_source_code_stands_on_a_line_of_its_own() -> None:
    haystack = haystack_of("code", "cl100k_base")
    document = build_document(
        haystack, [Insert("# the needle", depth) for depth in (20, 40, 60, 80)], 4000, tolerance=1.0
    )

    assert document.text.splitlines().count("# the needle") == 4


def test_needles_at_one_depth_stand_next_to_each_other_in_the_given_order() -> None:
    inserts = [Insert(f"Needle {number}.", 50) for number in range(4)]
    document = build_document(haystack_of("english", "cl100k_base"), inserts, 3000, tolerance=1.0)

    assert re.search(r"Needle 0\.\s+Needle 1\.\s+Needle 2\.\s+Needle 3\.", document.text)


def test_a_repeated_source_is_told() -> None:
    document = build_document(haystack_of("one short sentence", "cl100k_base"), [], 600, tolerance=1.0)

    # Four tokens a time: the line breaks go with the full stop.
    assert document.repeats == pytest.approx(150, rel=0.01)
    assert build_document(haystack_of("english", "cl100k_base"), [], 600, tolerance=1.0).repeats == 1.0
