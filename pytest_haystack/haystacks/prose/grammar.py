"""A grammar as its file has it: patterns, phrases for all topics, and topics with people and phrases of their own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from pytest_haystack.haystacks.prose.patterns import Pattern
from pytest_haystack.haystacks.prose.phrases import Phrase, Phrases

FOLDER = Path(__file__).parent
#: The file of what all domains of a language have in common.
SHARED = "shared"
DOMAINS = ("general", "legal", "medical", "technical")


class Language(NamedTuple):
    """How sentences are put into paragraphs; ``pronouns`` for each gender of a person (m, f).

    Where verbs tell who it is, a pronoun is "" and nothing stands in its place.
    """

    between_sentences: str
    pronouns: tuple[str, str]


LANGUAGES = {
    "en": Language(" ", ("he", "she")),
    "de": Language(" ", ("er", "sie")),
    "zh": Language("", ("他", "她")),
    "ar": Language(" ", ("", "")),
}


class Topic(NamedTuple):
    """What some paragraphs are about."""

    name: str
    people: tuple[Phrase, ...]
    patterns: tuple[Pattern, ...]


class Grammar(NamedTuple):
    """The grammar of a language and domain."""

    language: Language
    topics: tuple[Topic, ...]


@cache
def grammar_of(language: str, domain: str) -> Grammar:
    """The grammar of a language (a key of `LANGUAGES`) and a domain (one of `DOMAINS`)."""
    everyday, own = (read_grammar(file) for file in grammar_files(language, domain))
    common = Phrases({**slots_of(everyday["common"], language), **slots_of(own["common"], language)}, language)
    texts = [text for data in (everyday, own) for text in data["patterns"].strip().splitlines()]
    # A pattern without anything of the topic in it is one and the same in all topics: it counts its sentences once.
    shared: dict[str, Pattern] = {}
    topics = []
    for name, written in own["topics"].items():
        phrases = Phrases(slots_of(written, language), language, common)
        patterns = []
        for text in texts:
            pattern = Pattern(text, phrases)
            if not any(phrases.is_of_topic(slot) for slot in pattern.slots):
                pattern = shared.setdefault(text, pattern)
            patterns.append(pattern)
        topics.append(Topic(name, phrases["people"], tuple(patterns)))
    return Grammar(LANGUAGES[language], tuple(topics))


def grammar_files(language: str, domain: str) -> tuple[Path, Path]:
    """The files that a grammar is made of: that of its language, and its own."""
    return FOLDER / language / f"{SHARED}.yaml", FOLDER / language / f"{domain}.yaml"


def read_grammar(file: Path) -> dict[str, Any]:
    """A file of a grammar: patterns, common phrases by slot, and topics with theirs."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    data: dict[str, Any] = yaml.load(file.read_text(encoding="utf-8"), loader)
    return data


def slots_of(written: Mapping[str, str], language: str) -> dict[str, list[str]]:
    """Phrases by slot; where they are written, semicolons part them, and line breaks stand for spaces."""
    nouns = re.compile(r"(?<=^[mfn]) ")
    found = {}
    for slot, texts in written.items():
        phrases = [re.sub(r"\s*\|\s*", "|", " ".join(text.split())) for text in texts.split(";")]
        if not LANGUAGES[language].between_sentences:
            # No spaces between words either, but behind the letter of a noun's gender.
            phrases = [nouns.sub("\0", phrase).replace(" ", "").replace("\0", " ") for phrase in phrases]
        found[slot] = phrases
    return found
