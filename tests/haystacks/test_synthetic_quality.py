"""Synthetic prose is varied, clean, and free of what a needle could be taken for, in each language and domain.

Bounds are what was measured, with some room: they hold a grammar to the variety that it has. A text of a dozen shuffled
sentences packs to .03 of its size, and nearly all of its runs of words come again.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from itertools import pairwise

import pytest

from pytest_haystack.haystacks.prose.grammar import grammar_files, grammar_of, read_grammar, slots_of
from pytest_haystack.haystacks.prose.phrases import Phrases
from pytest_haystack.haystacks.repetition import repetition
from tests.haystacks.synthetic import EVERY_TEXT, sentences, text_of, words

#: Least share of different runs of three words, and the size to which a text packs, by language.
VARIED = {"en": (0.40, 0.175), "de": (0.48, 0.175), "zh": (0.15, 0.17), "ar": (0.44, 0.13)}
SCRIPTS = {"en": "LATIN", "de": "LATIN", "zh": "CJK", "ar": "ARABIC"}


@EVERY_TEXT
def test_no_sentence_comes_twice(language: str, domain: str) -> None:
    said = sentences(text_of(language, domain))

    assert len(said) > 1_200
    assert [sentence for sentence, count in Counter(said).items() if count > 1] == []


@EVERY_TEXT
def test_a_text_is_varied(language: str, domain: str) -> None:
    text = text_of(language, domain)
    found = words(text)
    triples = list(zip(found, found[1:], found[2:], strict=False))
    least, packed = VARIED[language]

    assert len(set(triples)) / len(triples) > least
    measured = repetition(text)
    assert measured.compressed > packed
    assert measured.repeated < 0.035


@EVERY_TEXT
def test_a_text_is_clean(language: str, domain: str) -> None:
    text = text_of(language, domain)

    assert not re.search(r"[{}<>|^_@°~/=]|  | [,.;،؛。，]|,,|\.\.|，，|。。|、、|\n\n\n|[ \t]\n|\n ", text)
    assert not re.search(r"\d", text), "figures may be taken for a needle's"
    assert not any(unicodedata.category(character) in ("Cc", "Cf", "Co", "Cn") for character in set(text) - {"\n"})
    first, last = {"en": '""', "de": "„“", "zh": "“”", "ar": "«»"}[language]
    assert all(paragraph.count(first) == paragraph.count(last) for paragraph in text.split("\n\n"))
    assert not set("\"“”«»„'‘’") & set(text) - {first, last, "'"}


@EVERY_TEXT
def test_letters_are_those_of_the_language(language: str, domain: str) -> None:
    letters = {character for character in text_of(language, domain) if character.isalpha()}

    assert {unicodedata.name(letter).split()[0] for letter in letters} == {SCRIPTS[language]}


@EVERY_TEXT
def test_sentences_begin_and_end_as_they_should(language: str, domain: str) -> None:
    stop = "。" if language == "zh" else "."
    for paragraph in text_of(language, domain).split("\n\n"):
        assert paragraph == paragraph.strip()
        assert paragraph.endswith(stop)
        for sentence in sentences(paragraph):
            opening = sentence.lstrip('"“«„')[0]
            assert opening.isupper() or language in ("zh", "ar"), sentence
    if language == "zh":
        assert not re.search(r"[ ,.;!?]", text_of(language, domain)), (
            "Chinese has punctuation of its own, and no spaces"
        )
    if language == "ar":
        assert not re.search(r"[,;?]", text_of(language, domain)), "Arabic has punctuation of its own"
        assert "،" in text_of(language, domain)


@EVERY_TEXT
def test_sentences_and_paragraphs_differ_in_length(language: str, domain: str) -> None:
    text = text_of(language, domain)
    lengths = [len(words(sentence)) for sentence in sentences(text)]
    paragraphs = Counter(len(sentences(paragraph)) for paragraph in text.split("\n\n"))

    assert max(lengths) >= 2.5 * min(lengths)
    assert len(set(lengths)) >= 12
    assert len(paragraphs) >= 8


@EVERY_TEXT
def test_neighbouring_sentences_do_not_open_alike(language: str, domain: str) -> None:
    openings = [tuple(words(sentence)[:4]) for sentence in sentences(text_of(language, domain))]
    same = sum(one == other for one, other in pairwise(openings))

    assert same < 0.02 * len(openings)


@EVERY_TEXT
def test_phrases_are_so_short_that_eight_words_in_a_row_are_seldom_those_of_one(language: str, domain: str) -> None:
    # Eight words of one phrase would come again as often as the phrase.
    grammar = grammar_of(language, domain)
    long = {
        text
        for topic in grammar.topics
        for pattern in topic.patterns
        for draw in pattern._draws
        for phrase in draw.options
        for text in phrase.parts
        if language != "zh" and len(text.split()) > 8
    }

    assert long == set()


@EVERY_TEXT
def test_topics_share_no_phrase_that_could_make_one_sentence_in_two_of_them(language: str, domain: str) -> None:
    everyday, own = (read_grammar(file) for file in grammar_files(language, domain))
    common = Phrases({**slots_of(everyday["common"], language), **slots_of(own["common"], language)}, language)
    owners: dict[object, str] = {}
    # Nor do two slots of all topics share one: patterns that differ in their slots alone would say the same.
    for slot in (*slots_of(everyday["common"], language), *slots_of(own["common"], language)):
        for phrase in common[slot]:
            assert owners.setdefault(phrase.forms, slot) == slot, phrase.forms
    for name, written in own["topics"].items():
        slots = slots_of(written, language)
        phrases = Phrases(slots, language, common)
        for slot in slots.keys() - {"people"}:
            for phrase in phrases[slot]:
                assert owners.setdefault((slot, phrase.forms), name) == name, phrase.forms


@pytest.mark.parametrize(
    ("language", "wrong"),
    [
        # Article and gender, or case, that do not go together.
        ("de", r"\b(der Mieterin war|die Vermieter|den Bürge |dem Zeuge |des der|in dem dem|zu zu|von dem der)\b"),
        ("de", r"\b(mit|von|nach) (der|die|das) (Mieter|Sachverständige|Orthopäde|Pfleger|Psychologe)\b"),
        ("de", r"\b(für|gegen|ohne) (der|dem) \w+"),
        # Verb and person.
        ("ar", r"(راجع|فحص|سجّل) (طبيبة|ممرضة|مديرة|مهندسة)"),
        ("ar", r"(راجعت|فحصت|سجّلت) (طبيب|المعالج|الجراح|الكهربائي)(?!ة)\b"),
        # Both marks of the finished deed and of the one not yet done.
        ("zh", r"没有\w{1,3}了(?=[^，。]{2})|还没\w{1,4}了"),
        ("en", r"\b(a [aeiou]\w+ly|an [bcdfg]|the the|a the|of of|that that)\b"),
    ],
)
def test_what_agrees_in_the_language_agrees_in_the_text(language: str, wrong: str) -> None:
    for domain in ("general", "legal", "medical", "technical"):
        assert [match[0] for match in re.finditer(wrong, text_of(language, domain))] == []
