"""The first synthetic prose, which old rows were made with: the same bytes for ever."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from pytest_haystack.haystacks.synthetic_1 import PATTERNS, VOCABULARY, FirstSynthetic, FirstSyntheticOptions

HERE = Path(__file__).parent
#: Over 200,000 tokens of English.
LONG = 950_000


def source(seed: int = 42) -> FirstSynthetic:
    return FirstSynthetic(FirstSyntheticOptions(seed=seed), HERE)


def sentences(text: str) -> list[str]:
    return re.split(r"(?<=\.)\s+", text.strip())


def test_the_text_of_the_default_seed_is_pinned() -> None:
    sample = source().read(50_000)[:50_000]

    digest = hashlib.sha256(sample.encode()).hexdigest()

    assert digest == "432c21d286d2223c44498b719769d5c74eef04a30dc67f73f2a10498ac779ef1"
    assert source().sha256 == "6f5449016e28bde326c24e8abcc71d4c03f89a788a2dd3a37bed1a7240520567"


def test_another_process_writes_the_same_text() -> None:
    program = (
        "import hashlib, pathlib\n"
        "from pytest_haystack.haystacks.synthetic_1 import FirstSynthetic, FirstSyntheticOptions\n"
        "text = FirstSynthetic(FirstSyntheticOptions(seed=5), pathlib.Path()).read(20_000)\n"
        "print(hashlib.sha256(text.encode()).hexdigest())\n"
    )

    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout

    assert printed.strip() == hashlib.sha256(source(5).read(20_000).encode()).hexdigest()


def test_no_sentence_comes_twice_in_two_hundred_thousand_tokens() -> None:
    said = sentences(source().read(LONG))

    assert len(said) > 5_000
    assert len(set(said)) == len(said)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**70), st.lists(st.integers(0, 20_000), min_size=1, max_size=5))
def test_every_read_is_long_enough_and_a_prefix_of_longer_ones(seed: int, lengths: list[int]) -> None:
    text = source(seed)
    whole = source(seed).read(20_000)

    for length in lengths:
        part = text.read(length)
        assert len(part) >= length
        assert whole.startswith(part)
        assert part == source(seed).read(length)


def test_seeds_give_different_texts_and_hashes() -> None:
    texts = {source(seed).read(2_000) for seed in range(20)}
    hashes = {source(seed).sha256 for seed in range(20)}

    assert len(texts) == 20
    assert len(hashes) == 20


def test_reading_again_returns_what_was_generated() -> None:
    text = source()
    long = text.read(30_000)

    assert text.read(100) == long[: len(text.read(100))]
    assert text.read(30_000) == long
    assert text.read(31_000).startswith(long)


def test_paragraphs_differ_in_length_and_are_joined_by_blank_lines() -> None:
    paragraphs = source().read(100_000).split("\n\n")
    counts = {len(sentences(paragraph)) for paragraph in paragraphs}

    assert len(counts) >= 8
    assert not any("\n" in paragraph or paragraph != paragraph.strip() for paragraph in paragraphs)


def test_prose_is_clean() -> None:
    text = source().read(LONG)

    assert text.isascii()
    assert not re.search(r"[0-9{}?<>_]|  | ,|,,|\.\.", text)
    assert all(sentence[0].isupper() and sentence.endswith(".") for sentence in sentences(text))


def test_a_paragraph_names_its_person_before_it_says_he_or_she() -> None:
    people = {
        name: pronoun for scene in json.loads(VOCABULARY.read_text())["scenes"] for name, pronoun in scene["people"]
    }

    for paragraph in source().read(100_000).split("\n\n"):
        for pronoun in ("he", "she"):
            first = re.search(rf"\b{pronoun}\b", paragraph, re.IGNORECASE)
            if first:
                before = paragraph[: first.start()].lower()
                assert any(name.lower() in before for name in people if people[name] == pronoun)


def test_participles_stand_after_had() -> None:
    text = source().read(LONG)
    participles = json.loads(VOCABULARY.read_text())["participles"]

    assert not [verb for verb in participles if re.search(rf"\bhad {verb}\b", text)]
    assert any(f"had {participle}" in text for participle in participles.values())


def test_every_pattern_is_used_and_every_field_is_known() -> None:
    known = {"time", "who", "did", "done", "place", "other", "idle", "obs", "verdict", "manner", "doubt", "remark"}

    assert {field for pattern in PATTERNS for field in re.findall(r"\{(\w+)\}", pattern)} == known
    assert len(set(PATTERNS)) == len(PATTERNS)


def test_the_vocabulary_has_no_phrase_twice_in_a_list() -> None:
    def lists(value: object) -> list[list[object]]:
        if isinstance(value, dict):
            return [found for part in value.values() for found in lists(part)]
        if isinstance(value, list):
            return [value, *(found for part in value for found in lists(part))]
        return []

    for phrases in lists(json.loads(VOCABULARY.read_text())):
        texts = [json.dumps(phrase) for phrase in phrases]
        assert len(set(texts)) == len(texts), phrases


def test_adjacent_paragraphs_rarely_repeat_their_opening() -> None:
    openings = [" ".join(p.split()[:4]) for p in source().read(200_000).split("\n\n")]
    same = sum(one == other for one, other in pairwise(openings))

    assert same < 0.02 * len(openings)


def test_unknown_options_are_refused() -> None:
    with pytest.raises(ValidationError, match="domain"):
        FirstSyntheticOptions.model_validate({"domain": "legal"})
