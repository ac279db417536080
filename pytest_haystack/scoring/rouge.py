"""Scorer ``rouge1``: how many words do answer and expected value share?"""

from __future__ import annotations

import unicodedata
import warnings
from functools import cache
from importlib import import_module
from typing import Any, Literal

from pydantic import Field, model_validator

from pytest_haystack.errors import ConfigError, ModelError
from pytest_haystack.scoring.answers import as_text, read_answer
from pytest_haystack.scoring.options import ScorerOptions, missing_extra, takes
from pytest_haystack.scoring.score import Reference, Score
from pytest_haystack.scoring.verdicts import missed

#: Scripts that put no spaces between words; there each character is a token.
_UNSPACED = ("CJK ", "HIRAGANA ", "KATAKANA ", "THAI ", "LAO ", "KHMER ", "MYANMAR ", "TIBETAN ")


class RougeOptions(ScorerOptions):
    """Which of ROUGE's three figures."""

    measure: Literal["fmeasure", "precision", "recall"] = Field(
        "fmeasure", description="recall does not mind further words, precision does not miss any; fmeasure is both."
    )

    @model_validator(mode="after")
    def _package(self) -> RougeOptions:
        words = missing_extra("rouge1", "rouge_score", "rouge")
        if words:
            raise ConfigError(words)
        return self


@takes(RougeOptions)
def score(answer: str, reference: Reference) -> Score:
    """ROUGE-1 (Lin 2004) of the answer against the expected value, by the package rouge-score.

    Its own tokenizer drops every letter but a-z, so that two equal Chinese texts score 0; here tokens are words of
    any script. Raises ModelError where the package is not installed.
    """
    figures = _scorer().score(as_text(reference.expected), answer)["rouge1"]
    value = float(getattr(figures, reference.options.get("measure") or "fmeasure"))
    details: dict[str, Any] = {"precision": float(figures.precision), "recall": float(figures.recall)}
    if value >= 1.0:
        return Score(1.0, "right", details)
    return missed(read_answer(answer, reference), value=value, **details)


class UnicodeTokens:
    """A tokenizer for rouge-score. On ASCII text its tokens are those of rouge-score's own."""

    def tokenize(self, text: str) -> list[str]:
        """Runs of letters, digits and their marks, lowered; single characters of scripts without spaces."""
        tokens: list[str] = []
        # A mark belongs to the character before it; a letter to the token before it, unless either stands alone.
        after_token = open_token = False
        for character in unicodedata.normalize("NFKC", text).lower():
            kind = unicodedata.category(character)[0]
            if kind == "M" and after_token:
                tokens[-1] += character
                continue
            after_token = kind in "LN"
            alone = after_token and _stands_alone(character)
            if after_token and open_token and not alone:
                tokens[-1] += character
            elif after_token:
                tokens.append(character)
            open_token = after_token and not alone
        return tokens


@cache
def _stands_alone(character: str) -> bool:
    return not character.isascii() and unicodedata.name(character, "").startswith(_UNSPACED)


@cache
def _scorer() -> Any:
    words = missing_extra("rouge1", "rouge_score", "rouge")
    if words:
        raise ModelError("config_error", words)
    with warnings.catch_warnings():
        # A run's `-W error` is not for the libraries beneath.
        warnings.simplefilter("ignore")
        return import_module("rouge_score.rouge_scorer").RougeScorer(["rouge1"], tokenizer=UnicodeTokens())
