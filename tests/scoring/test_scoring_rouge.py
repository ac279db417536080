"""ROUGE-1 by the package rouge-score, with words of any script."""

from __future__ import annotations

import json
import string
import unicodedata
import warnings
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_haystack.registry import Registry
from pytest_haystack.scoring.rouge import UnicodeTokens
from pytest_haystack.scoring.score import Reference, Score

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    own_tokens = pytest.importorskip(
        "rouge_score.tokenizers", reason="rouge-score is not installed: pip install 'pytest-haystack[rouge]'"
    )

QUICK = settings(max_examples=80, deadline=None)


def scored(answer: str, expected: Any, **options: Any) -> Score:
    return Registry().scorers["rouge1"](answer, Reference(expected, options=options))


@pytest.mark.parametrize(
    ("expected", "answer", "precision", "recall"),
    [
        ("the cat lay on a mat", "The cat sat on the mat.", 4 / 6, 4 / 6),
        ("the cat", "the the the", 1 / 3, 1 / 2),
        ("the cat", "cat the", 1, 1),
        ("the cat", "", 0, 0),
        ("the cat", "!?", 0, 0),
        ("QR-7749", "qr 7749", 1, 1),
        ("紫色大象", "紫色大象", 1, 1),
        ("紫色大象", "紫色的象", 3 / 4, 3 / 4),
        ("紫色 elephant", "Elephant 紫", 1, 2 / 3),
        ("むらさき", "むらさきのぞう", 4 / 7, 1),
        ("보라색 코끼리", "코끼리", 1, 1 / 2),
        ("фиолетовый слон", "Слон!", 1, 1 / 2),
        ("हाथी बैंगनी है", "हाथी", 1, 1 / 3),
        ("สีม่วง", "สีม่วง", 1, 1),
        ("٤١٢ metres", "412", 0, 0),  # digits of another script are other tokens
        ("４１２", "412", 1, 1),  # but width is presentation
        ("café", "cafe\u0301", 1, 1),
        (412, "412", 1, 1),
        (("a", "b"), "b a", 1, 1),
    ],
)
def test_the_figures_are_those_of_shared_words(expected: Any, answer: str, precision: float, recall: float) -> None:
    score = scored(answer, expected)
    mean = 2 * precision * recall / (precision + recall) if precision + recall else 0
    assert score.value == pytest.approx(mean)
    assert scored(answer, expected, measure="recall").value == pytest.approx(recall)
    assert scored(answer, expected, measure="precision").value == pytest.approx(precision)
    assert (score.details if mean < 1 else {"precision": 1.0, "recall": 1.0}).items() >= {
        "precision": pytest.approx(precision),
        "recall": pytest.approx(recall),
    }.items()


@QUICK
@given(st.text(string.printable, max_size=80))
def test_on_ascii_the_tokens_are_those_of_the_package(text: str) -> None:
    assert UnicodeTokens().tokenize(text) == own_tokens.DefaultTokenizer().tokenize(text)


ANY = st.one_of(
    st.text(max_size=60), st.text(st.characters(categories=["Cs", "Cf", "Mn", "Mc", "Lo", "Nd"]), max_size=40)
)


@QUICK
@given(answer=ANY, expected=ANY, measure=st.sampled_from(["fmeasure", "precision", "recall"]))
def test_any_text_gets_a_score_from_0_to_1(answer: str, expected: str, measure: str) -> None:
    score = scored(answer, expected, measure=measure)
    assert 0.0 <= score.value <= 1.0
    assert (score.verdict == "right") == (score.value == 1.0)
    json.dumps(dict(score.details))


@QUICK
@given(text=ANY)
def test_a_text_with_any_letter_is_wholly_like_itself(text: str) -> None:
    # "⒜" is a symbol that stands for a letter.
    has_letter = any(character.isalnum() for character in unicodedata.normalize("NFKC", text))
    assert scored(text, text).value == (1.0 if has_letter else 0.0)
