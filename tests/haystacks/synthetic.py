"""What the tests of the synthetic text share."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from pytest_haystack.haystacks.prose.grammar import DOMAINS, LANGUAGES
from pytest_haystack.haystacks.synthetic import Synthetic, SyntheticOptions

TEXTS = [(language, domain) for language in LANGUAGES for domain in DOMAINS]
EVERY_TEXT = pytest.mark.parametrize(("language", "domain"), TEXTS, ids=["-".join(text) for text in TEXTS])


@cache
def text_of(language: str, domain: str, characters: int = 150_000) -> str:
    options = SyntheticOptions(language=language, domain=domain)  # type: ignore[arg-type]
    source = Synthetic(options, Path())
    # Not by way of the cache on disk: these are the tests of what is written there.
    return source._written(characters)


def sentences(text: str) -> list[str]:
    """The sentences of a text; a closing quote belongs to the one before it."""
    parts = re.split(r"(?<=[.])[\"”»]?\s+|(?<=。)(?!”)|\n+", text)
    return [part for part in parts if part]


def words(text: str) -> list[str]:
    """Words, or characters where a script has no spaces."""
    return re.findall(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+", text.lower())
