"""Why no sentence of the synthetic prose comes twice, and that it is the same everywhere."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tracemalloc
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from pytest_haystack.errors import SourceError
from pytest_haystack.haystacks import synthetic as module
from pytest_haystack.haystacks.prose.grammar import DOMAINS, LANGUAGES, grammar_of
from pytest_haystack.haystacks.prose.notation import tokens_of
from pytest_haystack.haystacks.prose.nouns import noun_of
from pytest_haystack.haystacks.prose.patterns import Cast, Pattern
from pytest_haystack.haystacks.prose.permutation import Permutation
from pytest_haystack.haystacks.prose.phrases import Phrases
from pytest_haystack.haystacks.prose.writer import Writer
from pytest_haystack.haystacks.synthetic import Synthetic, SyntheticOptions, paragraphs
from pytest_haystack.registry import NEWEST, Registry
from tests.haystacks.synthetic import EVERY_TEXT, TEXTS, sentences

HERE = Path(__file__).parent
#: Sentences of 10 million tokens: none of the grammars needs fewer than 15 tokens a sentence on average.
SENTENCES_OF_TEN_MILLION_TOKENS = 10_000_000 // 15
#: Draws that a sentence may take.
DRAWS = 4
#: SHA-256 of the first 20,000 characters. Whoever changes one changes every prompt of synthetic@2: make it synthetic@3.
PINNED: dict[tuple[str, str], str] = {
    ("en", "general"): "058fa27143d3e8de",
    ("en", "legal"): "41112152648d466a",
    ("en", "medical"): "67a06fbb21fe75e3",
    ("en", "technical"): "26b56cb388e2d7bb",
    ("de", "general"): "bf7eecc9e9ebefe7",
    ("de", "legal"): "254ae540bd65be0e",
    ("de", "medical"): "17a4be1a99a90559",
    ("de", "technical"): "e795ad02aa965c24",
    ("zh", "general"): "f588f5b57b0b4a53",
    ("zh", "legal"): "b260663da6a599e5",
    ("zh", "medical"): "e8387fa90ad9f3e6",
    ("zh", "technical"): "8dde6046d29d1622",
    ("ar", "general"): "c6b9266c3075e3c7",
    ("ar", "legal"): "c1bf1d2546610364",
    ("ar", "medical"): "e4a1dd9af91dd7bc",
    ("ar", "technical"): "e5c57e3cbaed2dc3",
}


def source(language: str = "en", domain: str = "general", seed: int = 42) -> Synthetic:
    return Synthetic(SyntheticOptions(language=language, domain=domain, seed=seed), HERE)  # type: ignore[arg-type]


@EVERY_TEXT
def test_the_text_of_the_default_seed_is_pinned(language: str, domain: str) -> None:
    sample = source(language, domain).read(20_000)[:20_000]

    assert hashlib.sha256(sample.encode()).hexdigest()[:16] == PINNED[language, domain]


def test_another_process_writes_the_same_text() -> None:
    program = (
        "import hashlib, pathlib\n"
        "from pytest_haystack.haystacks.synthetic import Synthetic, SyntheticOptions\n"
        "text = Synthetic(SyntheticOptions(seed=5, language='de'), pathlib.Path()).read(20_000)\n"
        "print(hashlib.sha256(text.encode()).hexdigest())\n"
    )

    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout

    assert printed.strip() == hashlib.sha256(source("de", seed=5).read(20_000).encode()).hexdigest()


@given(st.integers(1, 3000), st.integers(0, 2**64 - 1))
@settings(max_examples=60, deadline=None)
def test_a_permutation_has_every_number_once(size: int, key: int) -> None:
    order = Permutation(size, key)

    assert sorted(order[n] for n in range(size)) == list(range(size))


@given(st.integers(10**6, 10**15), st.integers(0, 2**64 - 1))
@settings(max_examples=20, deadline=None)
def test_a_permutation_of_many_numbers_begins_with_different_ones(size: int, key: int) -> None:
    order = Permutation(size, key)
    first = [order[n] for n in range(2000)]

    assert len(set(first)) == 2000
    assert max(first) < size
    # Spread over the whole range, as the sentences of a pattern should be.
    assert min(first) < size / 100
    assert max(first) > size - size / 100


@EVERY_TEXT
def test_patterns_have_more_sentences_than_ten_million_tokens_need(language: str, domain: str) -> None:
    """No sentence comes twice, for these reasons, each of which is tested here or in the quality tests.

    A pattern in a topic goes through its numbers in the order of a permutation, each at most once; different numbers
    are different choices, which read differently; no phrase is in two topics. What remains is whether the numbers
    last: patterns that are used up are left out, so all that is needed is that there are enough in all, even where
    every sentence takes all the draws that it may. Short patterns are used up before long ones.
    """
    grammar = grammar_of(language, domain)
    patterns = {id(pattern): pattern for topic in grammar.topics for pattern in topic.patterns}
    by_topic = [sum(pattern.size for pattern in topic.patterns) * len(grammar.topics) for topic in grammar.topics]

    assert sum(pattern.size for pattern in patterns.values()) > 2 * DRAWS * SENTENCES_OF_TEN_MILLION_TOKENS
    assert min(by_topic) > 2 * DRAWS * SENTENCES_OF_TEN_MILLION_TOKENS, "a topic would run dry"


@pytest.mark.parametrize(("language", "domain"), TEXTS[::3])
def test_numbers_of_a_pattern_read_differently(language: str, domain: str) -> None:
    topic = grammar_of(language, domain).topics[0]
    who, other = topic.people[:2]
    cast = Cast(who, str(who.forms[0]), other)

    for pattern in topic.patterns:
        order = Permutation(pattern.size, 7)
        written = [pattern.sentence(pattern.drawn(order[n]), cast) for n in range(min(pattern.size, 400))]
        assert len(set(written)) == len(written), pattern.text


def test_a_grammar_that_is_used_up_ends_without_a_repetition() -> None:
    grammar = grammar_of("de", "medical")
    small = grammar._replace(
        topics=tuple(
            topic._replace(patterns=tuple(p for p in topic.patterns if p.size < 60)) for topic in grammar.topics
        )
    )
    all_of_them = {id(pattern): pattern.size for topic in small.topics for pattern in topic.patterns}

    said = [sentence for paragraph in Writer(small, "1").paragraphs() for sentence in sentences(paragraph)]

    assert 0 < len(said) <= sum(all_of_them.values())
    assert len(set(said)) == len(said)


def test_memory_does_not_grow_with_the_text() -> None:
    written = paragraphs(SyntheticOptions())
    for _ in islice(written, 100):
        pass
    tracemalloc.start()
    for _ in islice(written, 600):
        pass
    grown, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert grown < 60_000, "bytes"


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 2**70),
    st.sampled_from(sorted(LANGUAGES)),
    st.sampled_from(DOMAINS),
    st.lists(st.integers(0, 20_000), min_size=1, max_size=4),
)
def test_every_read_is_long_enough_and_a_prefix_of_longer_ones(
    seed: int, language: str, domain: str, lengths: list[int]
) -> None:
    text = source(language, domain, seed)
    whole = source(language, domain, seed).read(20_000)

    for length in lengths:
        part = text.read(length)
        assert len(part) >= length
        assert whole.startswith(part)


@pytest.mark.parametrize("folder", ["cache", "a file"])
def test_long_texts_are_kept_on_disk_and_are_the_same_from_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    if folder == "a file":
        (tmp_path / folder).write_text("no folder")
    monkeypatch.setenv("PYTEST_HAYSTACK_CACHE_DIR", str(tmp_path / folder))
    fresh = source()._written(400_000)

    assert source().read(250_000) == fresh[: len(source().read(250_000))]
    longer = source()
    longer.read(250_000)
    assert longer.read(300_000) + "\n\n" in fresh[:340_000] + "\n\n"
    assert fresh.startswith(longer.read(390_000))


def test_a_kept_text_is_read_and_not_written_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_HAYSTACK_CACHE_DIR", str(tmp_path))
    source().read(250_000)
    [file] = (tmp_path / "texts").glob("*.text")
    marked = file.read_bytes()[32:].replace(b"the", b"eht")
    file.write_bytes(hashlib.sha256(marked).digest() + marked)

    assert source().read(250_000) == marked.decode()[: len(source().read(250_000))]


def test_a_damaged_text_on_disk_is_written_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_HAYSTACK_CACHE_DIR", str(tmp_path))
    text = source().read(250_000)
    [file] = (tmp_path / "texts").glob("*.text")
    file.write_bytes(file.read_bytes().replace(b"the", b"eht"))

    assert source().read(250_000) == text
    assert b"eht" not in file.read_bytes()


def test_seeds_languages_and_domains_have_hashes_of_their_own() -> None:
    hashes = {source(*chosen).sha256 for chosen in [*TEXTS, ("en", "general", 43)]}

    assert len(hashes) == len(TEXTS) + 1
    assert source().sha256 == source().sha256


def test_the_bare_name_means_the_newest_version() -> None:
    assert NEWEST["synthetic"] == Synthetic.name == "synthetic@2"
    assert Registry().sources["synthetic"] is Synthetic


@pytest.mark.parametrize("wrong", [{"domain": "law"}, {"language": "fr"}, {"length": 3}])
def test_other_options_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError, match=next(iter(wrong))):
        SyntheticOptions.model_validate(wrong)


def test_notation() -> None:
    slots = {"did": ["<sah|las> / <den Brief|die Karte>", "ging / ^er|sie^ heim"], "thing": ["m alte~ Bote~", "f =Ina"]}
    phrases = Phrases(slots, "de")
    pattern = Pattern("{did:1} {who} {did:2} mit {thing:dat} und {thing2:dat}<.|!>", phrases)
    who, other = noun("f Wirtin"), noun("m Mandant°")
    cast = Cast(who, str(who.forms[0]), other)
    written = {pattern.sentence(pattern.drawn(number), cast) for number in range(pattern.size)}

    assert [phrase.forms[0] for phrase in phrases["did"]] == ["sah", "sah", "las", "las", "ging"]
    assert pattern.size == len(written) == 5 * 2 * 1 * 2
    assert "ging die Wirtin sie heim mit dem alten Boten und Ina." in written
    assert "las die Wirtin den Brief mit Ina und dem alten Boten!" in written
    assert other.forms == ("der Mandant", "den Mandanten", "dem Mandanten")
    with pytest.raises(SourceError, match="no slot 'place'"):
        Pattern("{place}", phrases)
    assert [type(token).__name__ for token in tokens_of("a{b}<c|d>^e|f^")] == [
        "Literal",
        "Reference",
        "Choice",
        "ByGender",
    ]


def noun(text: str) -> object:
    found = noun_of(text, "de")
    assert found is not None
    return Phrases({"people": [text]}, "de")["people"][0]


def test_the_module_says_where_long_texts_begin() -> None:
    assert module.SHORTEST_KEPT < 250_000
