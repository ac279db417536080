"""Endless prose from grammars: no sentence twice, the same text for a seed on every machine."""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from pytest_haystack.config.parts import BARE
from pytest_haystack.haystacks.prose.grammar import grammar_files, grammar_of
from pytest_haystack.haystacks.prose.writer import Writer
from pytest_haystack.haystacks.source import Source, SourceOptions
from pytest_haystack.haystacks.text_cache import cached_text

#: Shorter texts (characters) are written faster than looked up.
SHORTEST_KEPT = 200_000
_SAMPLE_CHARACTERS = 20_000
_GAP = "\n\n"


class SyntheticOptions(SourceOptions):
    """``seed`` chooses the text."""

    language: Literal["en", "de", "zh", "ar"] = Field("en", description="English, German, Chinese or Arabic.")
    domain: Literal["general", "legal", "medical", "technical"] = Field(
        "general", description="What the text is about, and how it is put."
    )
    seed: Annotated[int, BARE] = Field(42, description="Another seed gives another text.")


class Synthetic(Source):
    """Prose about people at their work, as long as needed. What was written is kept and extended."""

    name = "synthetic@2"
    options_model = SyntheticOptions

    def __init__(self, options: Any, base_dir: Path) -> None:
        super().__init__(options, base_dir)
        self._paragraphs = paragraphs(options)
        self._text = ""
        #: Offsets at which paragraphs end.
        self._ends: list[int] = []

    def read(self, characters: int) -> str:
        """Whole paragraphs of at least ``characters`` characters, or all that the grammar has."""
        if characters >= SHORTEST_KEPT and len(self._text) < characters:
            kept = cached_text(self._key, characters, self._written)
            if len(kept) > len(self._text):
                self._take(kept)
        return self._written(characters)

    @cached_property
    def sha256(self) -> str:
        """Hash of the version, the options and the first 20,000 characters."""
        sample = self.read(_SAMPLE_CHARACTERS)[:_SAMPLE_CHARACTERS]
        chosen = f"{self.name}\n{self.options.language}\n{self.options.domain}\n{self.options.seed}"
        return hashlib.sha256(f"{chosen}\n{sample}".encode()).hexdigest()

    @cached_property
    def _key(self) -> str:
        """What a kept text depends on."""
        digest = hashlib.sha256(self.sha256.encode())
        for file in grammar_files(self.options.language, self.options.domain):
            digest.update(file.read_bytes())
        return digest.hexdigest()

    def _take(self, text: str) -> None:
        """Go on with a longer text that another process has written."""
        self._text, self._ends = text, []
        end = text.find(_GAP)
        while end >= 0:
            self._ends.append(end)
            end = text.find(_GAP, end + 1)
        self._ends.append(len(text))
        # Where it is to be longer still, it is written anew.
        self._paragraphs = _skipped(self.options, len(self._ends))

    def _written(self, characters: int) -> str:
        length, parts = len(self._text), [self._text]
        while not self._ends or self._ends[-1] < characters:
            paragraph = next(self._paragraphs, None)
            if paragraph is None:
                break
            part = (_GAP if self._ends else "") + paragraph
            parts.append(part)
            length += len(part)
            self._ends.append(length)
        if len(parts) > 1:
            self._text = "".join(parts)
        enough = bisect_left(self._ends, characters)
        return self._text[: self._ends[enough]] if enough < len(self._ends) else self._text


def paragraphs(options: SyntheticOptions) -> Iterator[str]:
    """The paragraphs one by one, in memory that does not grow; no sentence comes twice."""
    grammar = grammar_of(options.language, options.domain)
    return Writer(grammar, f"synthetic@2 {options.language} {options.domain} {options.seed}").paragraphs()


def _skipped(options: SyntheticOptions, number: int) -> Iterator[str]:
    following = paragraphs(options)
    for _ in range(number):
        next(following, None)
    yield from following
