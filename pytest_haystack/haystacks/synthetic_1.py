"""The first version of the synthetic text, kept so that rows of it can be rebuilt: English, people at work."""

from __future__ import annotations

import hashlib
import json
import random
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from pytest_haystack.haystacks.source import Source, SourceOptions

T = TypeVar("T")

#: Raised whenever the same seed would give another text.
GRAMMAR_VERSION = 1
VOCABULARY = Path(__file__).with_name("scenes.json")
#: Patterns of sentences. ``who`` is the person the paragraph is about (or a pronoun), ``other`` somebody else of
#: the scene, ``did`` and ``done`` a piece of work in past tense and as participle, ``obs`` something observed.
PATTERNS = (
    "{time} {who} {did} {place}.",
    "{time} {who} {did}, and {other} {idle}.",
    "{time} {obs}.",
    "{time} {obs}, {verdict}.",
    "{time} {obs}, and {other} {did} {place}.",
    "{who} {did}.",
    "{who} {did} {manner}.",
    "{who} {did} {place}, {verdict}.",
    "{who} {did} {place} before {other} {did}.",
    "{who} {did} {place}; {other} {doubt}.",
    "{who} {did} first and {did} only later, {verdict}.",
    "{who} {idle} while {other} {did}.",
    "{who} {idle} {place} until {obs}.",
    "{who} had {done} {place} once before, {verdict}.",
    "{who} said that {obs}, but {other} {doubt}.",
    "{who} told {other} that {obs}, {verdict}.",
    "{who} wanted to know why {other} had {done}.",
    "{who} would not have {done} if {other} had not {done}.",
    "{obs}, so {who} {did} {place}.",
    "{obs}, and {who} {idle} until {obs}.",
    "{obs}, and nobody had {done} yet.",
    "{obs}; {who} {did} {manner}.",
    "{remark}, and {who} {did} {place}.",
    "{remark}; {other} {idle} {place}.",
    "{remark}, but {obs}.",
    "When {obs}, {who} {did} {manner}.",
    "Because {obs}, {who} {did} instead of waiting for {other}.",
    "It was {other} who {did} {manner}.",
    "If {obs}, it was because {other} had {done} {manner}.",
    "Although {obs}, {other} {did} {place}.",
    "After {other} had {done}, {obs}.",
    "Nobody remembered whether {other} had {done} or {done}.",
)
FIELD = re.compile(r"\{(\w+)\}")
#: Sentences a paragraph, as often as they stand here.
PARAGRAPH_SENTENCES = (1, 2, 3, 3, 4, 4, 4, 5, 5, 6, 6, 7, 8, 9, 11)
#: Paragraphs that stay with one scene.
SCENE_PARAGRAPHS = (2, 3, 3, 4, 5, 6)


class FirstSyntheticOptions(SourceOptions):
    """``seed`` chooses the text."""

    seed: int = 42


class FirstSynthetic(Source):
    """Prose about people at work, as long as needed. What was generated is kept and extended."""

    name = "synthetic@1"
    options_model = FirstSyntheticOptions

    def __init__(self, options: Any, base_dir: Path) -> None:
        super().__init__(options, base_dir)
        self._paragraphs = paragraphs(options.seed)
        self._text = ""
        #: Offsets at which paragraphs end.
        self._ends: list[int] = []

    def read(self, characters: int) -> str:
        """Whole paragraphs of at least ``characters`` characters."""
        length, parts = len(self._text), [self._text]
        while not self._ends or self._ends[-1] < characters:
            part = ("\n\n" if self._ends else "") + next(self._paragraphs)
            parts.append(part)
            length += len(part)
            self._ends.append(length)
        if len(parts) > 1:
            self._text = "".join(parts)
        return self._text[: self._ends[bisect_left(self._ends, characters)]]

    @cached_property
    def sha256(self) -> str:
        """Hash of the grammar's version, the seed and the first 20,000 characters."""
        sample = self.read(20_000)[:20_000]
        return hashlib.sha256(f"{GRAMMAR_VERSION}\n{self.options.seed}\n{sample}".encode()).hexdigest()


def paragraphs(seed: int) -> Iterator[str]:
    """Paragraphs without end; no sentence comes twice."""
    vocabulary = json.loads(VOCABULARY.read_text(encoding="utf-8"))
    digest = hashlib.sha256(f"synthetic {seed}".encode()).digest()
    writer = _Writer(random.Random(int.from_bytes(digest[:8], "big")), vocabulary)
    scene = None
    while True:
        others = [candidate for candidate in vocabulary["scenes"] if candidate is not scene]
        scene = writer.choose(others)
        writer.enter(scene)
        for _ in range(writer.choose(SCENE_PARAGRAPHS)):
            yield writer.paragraph()


class _Writer:
    """Draws sentences; only `random.Random.random` is used, which is the same in every Python version."""

    def __init__(self, rng: random.Random, vocabulary: dict[str, Any]) -> None:
        self._random = rng.random
        self._common = vocabulary["common"]
        self._participles = vocabulary["participles"]
        #: Ready phrases of the scene by field name.
        self._pools: dict[str, list[str]] = {}
        self._jobs: list[tuple[list[str], list[str]]] = []
        self._observed: list[tuple[list[str], list[str]]] = []
        #: Hashes of all sentences so far: a fraction of the memory of the sentences.
        self._said: set[bytes] = set()
        self._cast: list[list[str]] = []
        self._who = self._subject = ""
        self._used: set[str] = set()

    def choose(self, items: Sequence[T]) -> T:
        return items[int(self._random() * len(items))]

    def enter(self, scene: dict[str, Any]) -> None:
        """Move to a scene, with three of its people."""
        self._jobs, self._observed = scene["jobs"], scene["observed"]
        self._pools = {**self._common, "place": scene["places"], "idle": scene["idle"]}
        people = list(scene["people"])
        self._cast = [people.pop(int(self._random() * len(people))) for _ in range(3)]

    def paragraph(self) -> str:
        person = self.choose(self._cast)
        self._who, known = person[0], False
        sentences = []
        for _ in range(self.choose(PARAGRAPH_SENTENCES)):
            if self._random() < 0.2:
                person, known = self.choose(self._cast), False
                self._who = person[0]
            self._subject = person[1] if known and self._random() < 0.7 else person[0]
            sentence, names_subject = self._fresh()
            sentences.append(sentence)
            known = known or names_subject
        return " ".join(sentences)

    def _fresh(self) -> tuple[str, bool]:
        """A sentence that was not said before, and whether it is about the paragraph's person."""
        while True:
            pattern = self.choose(PATTERNS)
            self._used.clear()
            sentence = FIELD.sub(self._field, pattern)
            sentence = sentence[0].upper() + sentence[1:]
            mark = hashlib.blake2b(sentence.encode(), digest_size=8).digest()
            if mark not in self._said:
                self._said.add(mark)
                return sentence, "{who}" in pattern

    def _field(self, match: re.Match[str]) -> str:
        name = match.group(1)
        if name == "who":
            return self._subject
        while True:
            drawn = self._draw(name)
            if drawn not in self._used:
                self._used.add(drawn)
                return drawn

    def _draw(self, name: str) -> str:
        if name in ("did", "done"):
            verbs, things = self.choose(self._jobs)
            verb = self.choose(verbs)
            return f"{self._participles.get(verb, verb) if name == 'done' else verb} {self.choose(things)}"
        if name == "obs":
            subjects, predicates = self.choose(self._observed)
            return f"{self.choose(subjects)} {self.choose(predicates)}"
        if name == "other":
            return self.choose([person[0] for person in self._cast if person[0] != self._who])
        return self.choose(self._pools[name])
