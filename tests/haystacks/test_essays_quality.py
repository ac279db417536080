"""The bundled essays are prose of the kind that a haystack needs: varied, clean, and like no template's.

Bounds of variety come from published prose, measured in the same way: Jane Austen's six novels and "Alice's Adventures
in Wonderland", cut into 483 blocks of 1,450 words for what concerns one essay, and into their first 26,000 words for
what concerns many (the number falls with the length of a text). The range over these books stands beside each bound.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from pathlib import Path

import pytest

from tests.haystacks.essays import EVERY_ESSAY, FILES, TEXTS, paragraphs, runs, words

WHOLE = "\n\n".join(text.strip("\n") for text in TEXTS.values())

#: Phrases that machine-written text repeats, and connectives of the school essay.
WORN = (
    r"tapestry|delv(e|es|ed|ing)|testament to|in a world where|not just|not only|not merely|it is worth noting|"
    r"worth noting|at its core|in today's|a reminder that|more than just|rich in|navigat(e|es|ing) the|"
    r"furthermore|moreover|in conclusion|in summary|ultimately|game.changer|deep dive|ever.evolving|fast.paced|"
    r"seamless(ly)?|multifaceted|nuanced|intricate|vibrant|bustling|nestled|embark(s|ed|ing)?|"
    r"unlock(s|ed|ing)? the|harness(es|ed|ing)? the|underscores?|pivotal|crucial|profound(ly)?|transformative|"
    r"resilien(t|ce)|holistic|synerg\w+|paradigm|a symphony of|the power of|stand(s|ing)? as a|serves as a|"
    r"speaks volumes|when it comes to|let that sink in|here's the thing|the truth is simple|and that's okay|"
    r"little did \w+ know|whispers? of|echoes of|dance of|as an ai|language model"
)
#: "It isn't a wall, it's a door": as a habit it marks the machine; ordinary prose has it now and then.
NOT_BUT = (
    r"\b(?:it|that|this)(?:'s not| isn't| is not| wasn't| was not) (?:[\w']+ ){1,6}?[\w']+[,;.:] ?"
    r"(?:it|that|this)(?:'s| is| was)\b"
)


def test_there_are_sixty_thousand_words_in_forty_essays() -> None:
    assert len(FILES) >= 40
    assert len(WHOLE.split()) >= 60_000


@EVERY_ESSAY
def test_an_essay_has_the_length_and_form_of_one(file: Path) -> None:
    data = file.read_bytes()
    counts = [len(paragraph.split()) for paragraph in paragraphs(file)]

    assert re.fullmatch(r"\d\d-[a-z]+(-[a-z]+)*\.txt", file.name)
    assert 1_200 <= sum(counts) <= 2_500
    assert data.endswith(b"\n")
    assert not re.search(rb"\r|\n\n\n|\n\n$|[ \t]\n|  ", data)
    assert not any("\n" in paragraph or paragraph != paragraph.strip() for paragraph in paragraphs(file))
    assert all(re.search(r"[.!?][\"')]?$", paragraph) for paragraph in paragraphs(file)), "a heading or a list"


@EVERY_ESSAY
def test_paragraphs_of_an_essay_differ_in_length(file: Path) -> None:
    counts = [len(paragraph.split()) for paragraph in paragraphs(file)]

    assert 4 <= len(counts) <= 14
    assert len(set(counts)) >= 0.8 * len(counts)
    assert max(counts) >= 1.4 * min(counts)


def test_no_two_essays_have_one_shape() -> None:
    shapes = Counter(tuple(len(paragraph.split()) // 20 for paragraph in paragraphs(file)) for file in FILES)

    assert max(shapes.values()) == 1


def test_no_two_essays_or_paragraphs_open_alike() -> None:
    openings = Counter(tuple(words(paragraph)[:3]) for file in FILES for paragraph in paragraphs(file))
    first_words = Counter(words(TEXTS[file])[0] for file in FILES)

    assert [" ".join(opening) for opening, count in openings.items() if count > 1] == []
    assert max(first_words.values()) <= len(FILES) // 8


def test_essays_end_in_different_words() -> None:
    endings = Counter(tuple(words(TEXTS[file])[-3:]) for file in FILES)

    assert max(endings.values()) == 1


@EVERY_ESSAY
def test_text_is_ascii_and_quotes_are_straight_and_paired(file: Path) -> None:
    assert TEXTS[file].isascii(), "every tokenizer and every JSON dump has ASCII as one byte a character"
    for paragraph in paragraphs(file):
        assert paragraph.count('"') % 2 == 0
        assert all(re.fullmatch(r"\S(.*\S)?", quoted) for quoted in paragraph.split('"')[1::2])


@EVERY_ESSAY
def test_an_essay_holds_nothing_that_a_needle_could_be_taken_for(file: Path) -> None:
    text = TEXTS[file]

    assert not re.search(r"\d|[A-Z]{2}-|_|[{}<>\[\]|\\@#$%^*=+]|https?:", text)
    assert not re.search(r"\b(orbital|resonance|access code|cipher|uuid|passwords?|magic|passkeys?)\b", text, re.I)
    assert not re.search(r"^\W*(#|[-*] |\d+\.)", text, re.MULTILINE)
    assert not re.search(r"San Francisco|Dolores Park", text)


@EVERY_ESSAY
def test_an_essay_is_as_varied_as_ordinary_prose(file: Path) -> None:
    text = TEXTS[file]
    pairs, triples = runs(text, 2), runs(text, 3)

    assert len(set(pairs)) / len(pairs) > 0.80, "books: 0.77 to 0.92"
    assert len(set(triples)) / len(triples) > 0.96, "books: 0.90 to 1.00, on average 0.98"
    # Templates compress to a third, random words to over a half.
    assert 0.41 < len(zlib.compress(text.encode(), 9)) / len(text) < 0.47, "books: 0.41 to 0.47"


@pytest.mark.parametrize("part", range(2))
def test_many_essays_together_are_as_varied_as_a_novel(part: int) -> None:
    text = " ".join(WHOLE.split()[part * 26_000 :][:26_000])
    distinct = [len(set(found)) / len(found) for found in (runs(text, n) for n in (1, 2, 3, 5))]

    assert distinct[0] > 0.105, "books: 0.099 to 0.128"
    assert distinct[1] > 0.565, "books: 0.553 to 0.630"
    assert distinct[2] > 0.900, "books: 0.866 to 0.931"
    assert distinct[3] > 0.997, "books: 0.986 to 0.998"


def test_the_collection_compresses_like_a_novel() -> None:
    packed = zlib.compress(WHOLE.encode(), 9)

    assert 0.35 < len(packed) / len(WHOLE) < 0.37, "novels of this length: 0.352 to 0.363"


def test_no_eight_words_in_a_row_come_twice_in_all_essays() -> None:
    # A novel repeats from 3 to 53 of them in as many words.
    counts = Counter(run for text in TEXTS.values() for run in runs(text, 8))

    assert [" ".join(run) for run, count in counts.items() if count > 1] == []


def test_no_five_words_in_a_row_are_a_habit() -> None:
    essays = Counter(run for text in TEXTS.values() for run in set(runs(text, 5)))

    assert [" ".join(run) for run, count in essays.items() if count > 6] == []


@EVERY_ESSAY
def test_an_essay_is_free_of_worn_phrases(file: Path) -> None:
    assert [match[0] for match in re.finditer(rf"\b({WORN})\b", TEXTS[file], re.IGNORECASE)] == []


@EVERY_ESSAY
def test_an_essay_does_without_dashes_and_bold_claims(file: Path) -> None:
    text = TEXTS[file]

    assert not re.search(r"--| - |\.\.\.|!!|\?!", text)
    assert text.count("!") <= 4


def test_a_thing_is_seldom_said_by_what_it_is_not() -> None:
    found = [match[0] for match in re.finditer(NOT_BUT, WHOLE, re.IGNORECASE)]

    assert len(found) <= len(FILES) // 4, found


def test_sentences_are_short_and_long() -> None:
    lengths = [len(words(sentence)) for sentence in re.split(r"[.!?][\"')]*\s+", WHOLE)]
    short, long = sum(n <= 6 for n in lengths), sum(n >= 35 for n in lengths)

    assert 0.15 < short / len(lengths) < 0.31, "books: 0.17 to 0.30"
    assert 0.11 < long / len(lengths) < 0.22, "books: 0.12 to 0.21"
