"""Repetitive texts are told from ordinary ones, in any script."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from pytest_haystack.haystacks.essays import Essays
from pytest_haystack.haystacks.repetition import repetition
from pytest_haystack.haystacks.source import SourceOptions
from pytest_haystack.haystacks.synthetic_1 import FirstSynthetic, FirstSyntheticOptions
from tests.documents.sample_texts import LANGUAGES, EndlessSource
from tests.haystacks.synthetic import EVERY_TEXT, text_of

NOISE = "The grass is green. The sky is blue. The sun is yellow. Here we go. There and back again. "
RNG = random.Random(1)
ORDINARY = {
    "essays": Essays(SourceOptions(), Path()).read(1),
    "the first synthetic text": FirstSynthetic(FirstSyntheticOptions(), Path()).read(100_000),
    "source code": "\n\n".join(path.read_text() for path in sorted(Path(__file__).parents[1].glob("tasks/*.py"))),
    "records": "\n".join(f"The number of {RNG.randrange(10**7)} is {RNG.randrange(10**7)}." for _ in range(3000)),
    "a log": "\n".join(
        f"{RNG.randrange(24):02d}:{RNG.randrange(60):02d} worker-{RNG.randrange(9)} "
        f"{RNG.choice(['started', 'ended', 'retries', 'lost its connection'])} {RNG.randrange(10**6)}"
        for _ in range(3000)
    ),
    "a few words": "Only this, and nothing more.",
    "nothing": "",
}


@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary_texts_are_not_striking(name: str) -> None:
    assert not repetition(ORDINARY[name]).is_striking, repetition(ORDINARY[name])


@EVERY_TEXT
def test_synthetic_texts_are_not_striking(language: str, domain: str) -> None:
    assert not repetition(text_of(language, domain)).is_striking


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_dozen_shuffled_sentences_are(language: str) -> None:
    found = repetition(EndlessSource(language).read(100_000))

    assert found.is_striking
    assert found.compressed < 0.05
    assert found.repeated > 0.4


@pytest.mark.parametrize("text", [NOISE * 300, "草是绿的。天是蓝的。我们走吧。去了又回来。" * 500, "word " * 5000])
def test_a_few_sentences_over_and_over_are(text: str) -> None:
    assert repetition(text).is_striking
    assert repetition(text).repeated > 0.9
