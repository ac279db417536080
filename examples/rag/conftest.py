"""BM25 in front of the sweep's model."""

from __future__ import annotations

import re
from typing import Any

import bm25s
import pytest

from pytest_haystack.models.model import Completion, Prompt

#: Sentences of a passage, and passages that the model gets to see.
SENTENCES, PASSAGES = 3, 8


class Retrieval:
    """Sends the question to ``model`` with the best passages of the document in the document's place."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def complete(self, prompt: Prompt) -> Completion:
        passages = split(prompt.document)
        index = bm25s.BM25()
        index.index(words(passages), show_progress=False)
        found, _ = index.retrieve(words([prompt.question]), k=min(PASSAGES, len(passages)), show_progress=False)
        # In the order of the text, which is the order the facts were told in.
        best = [passages[number] for number in sorted(found[0])]
        completion: Completion = self.model.complete(prompt.about("\n\n".join(best)))
        return completion


def split(document: str) -> list[str]:
    """Passages of a few sentences each."""
    sentences = re.split(r"(?<=[.!?])\s+", document.strip())
    return [" ".join(sentences[at : at + SENTENCES]) for at in range(0, len(sentences), SENTENCES)]


def words(texts: list[str]) -> Any:
    """Texts as bm25s wants them, common words left out. Identifiers with hyphens stay whole."""
    return bm25s.tokenize(texts, stopwords="en", token_pattern=r"(?u)\b\w[\w-]*\w\b", show_progress=False)


@pytest.fixture
def model(model: Any, haystack_cell: Any) -> Any:
    """The sweep's model, behind the retriever where the entry says so."""
    return Retrieval(model) if haystack_cell.model.startswith("bm25") else model
