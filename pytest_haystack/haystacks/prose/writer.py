"""Writing paragraphs from a grammar, without end and without saying a sentence twice."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator, Sequence
from typing import TypeVar

from pytest_haystack.haystacks.prose.grammar import Grammar, Topic
from pytest_haystack.haystacks.prose.patterns import Cast, Drawn, Pattern
from pytest_haystack.haystacks.prose.permutation import Permutation
from pytest_haystack.haystacks.prose.phrases import Phrase

T = TypeVar("T")

#: Sentences a paragraph, as often as they stand here.
PARAGRAPH_SENTENCES = (1, 2, 3, 3, 4, 4, 4, 5, 5, 6, 6, 7, 8, 9, 11)
#: Paragraphs that stay with one topic.
TOPIC_PARAGRAPHS = (2, 3, 3, 4, 5, 6)
PEOPLE_AT_ONCE = 3
#: How often a sentence is about somebody else than the one before, and how often a pronoun names who is known.
_TURN, _PRONOUN = 0.2, 0.7
#: Draws for a sentence in which nothing comes that the paragraph, or the one before it, has had.
_TRIES = 4
_QUOTES = '"„«“'


class Writer:
    """Writes prose. Its memory does not grow with the text: it keeps a number for each pattern of each topic.

    The sentences of a pattern in a topic are gone through in an order that looks random, each at most once, so none
    can come again; a pattern whose sentences are used up is given up, and a topic without patterns too.
    """

    def __init__(self, grammar: Grammar, seed: str) -> None:
        digest = hashlib.sha256(seed.encode()).digest()
        # Only `random.Random.random` is used, which gives the same numbers in every Python version.
        self._random = random.Random(int.from_bytes(digest[:8], "big")).random
        self._language = grammar.language
        self._topics = list(grammar.topics)
        patterns = {id(pattern): pattern for topic in grammar.topics for pattern in topic.patterns}
        self._orders = {
            key: Permutation(pattern.size, int(self._random() * 2**53)) for key, pattern in patterns.items()
        }
        self._next = dict.fromkeys(patterns, 0)
        self._decks: dict[str, list[Pattern]] = {topic.name: [] for topic in grammar.topics}
        self._cast: list[Phrase] = []
        self._before: set[str] = set()

    def paragraphs(self) -> Iterator[str]:
        """Paragraphs, until all sentences of the grammar have been said."""
        topic: Topic | None = None
        while self._topics:
            topic = self._choose([other for other in self._topics if other is not topic] or self._topics)
            self._cast = self._shuffled(topic.people)[:PEOPLE_AT_ONCE]
            for _ in range(self._choose(TOPIC_PARAGRAPHS)):
                paragraph = self._paragraph(topic)
                if not paragraph:
                    self._topics.remove(topic)
                    break
                yield paragraph

    def _paragraph(self, topic: Topic) -> str:
        who, known = self._choose(self._cast), False
        sentences: list[str] = []
        here: set[str] = set()
        for _ in range(self._choose(PARAGRAPH_SENTENCES)):
            if self._random() < _TURN:
                who, known = self._choose(self._cast), False
            other = self._choose([person for person in self._cast if person is not who])
            pronoun = known and self._random() < _PRONOUN
            pattern = self._pattern(topic)
            if pattern is None:
                break
            subject = self._language.pronouns[who.gender] if pronoun else str(who.forms[0])
            sentences.append(_finished(pattern.sentence(self._drawn(pattern, here), Cast(who, subject, other))))
            known = known or pattern.names_who
        self._before = here
        return self._language.between_sentences.join(sentences)

    def _pattern(self, topic: Topic) -> Pattern | None:
        """The next pattern of the topic: all come once before one comes again. None where all are used up."""
        deck = self._decks[topic.name]
        while True:
            while deck:
                pattern = deck.pop()
                if self._next[id(pattern)] < pattern.size:
                    return pattern
            deck += self._shuffled([one for one in topic.patterns if self._next[id(one)] < one.size])
            if not deck:
                return None

    def _drawn(self, pattern: Pattern, here: set[str]) -> Drawn:
        """A sentence that was not said before; what it is put together from is added to ``here``."""
        key = id(pattern)
        order, first = self._orders[key], self._next[key]
        for number in range(first, min(first + _TRIES, pattern.size)):
            drawn = pattern.drawn(order[number])
            parts = pattern.parts(drawn)
            # The last draws may say again what the paragraph before has said.
            heard = (here, self._before) if number < first + _TRIES // 2 else (here,)
            if all(said.isdisjoint(part) for said in heard for part in parts):
                break
        self._next[key] = number + 1
        here.update(*parts)
        return drawn

    def _choose(self, items: Sequence[T]) -> T:
        return items[int(self._random() * len(items))]

    def _shuffled(self, items: Sequence[T]) -> list[T]:
        order = list(items)
        for last in range(len(order) - 1, 0, -1):
            other = int(self._random() * (last + 1))
            order[last], order[other] = order[other], order[last]
        return order


def _finished(sentence: str) -> str:
    """The sentence with a capital, where its script has capitals, and without the gap of a pronoun left out."""
    if "  " in sentence or sentence[0] == " ":
        # Nobody is named here.
        sentence = sentence.replace("  ", " ").replace(" ،", "،").replace(" .", ".").strip()
    first = 1 if sentence[0] in _QUOTES else 0
    return sentence[:first] + sentence[first].upper() + sentence[first + 1 :]
