"""The embedded reader: a model without key or network that really reads the prompt, within set limits.

A profile limits what the reader attends to, in tokens of ``cl100k_base`` and percent of the document, so that
a first run shows a true heatmap. It never sees the expected answer.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from typing import Any

from pytest_haystack.errors import ConfigError
from pytest_haystack.models.model import Completion, Model, Usage
from pytest_haystack.models.reading import Attends, answer, find_question
from pytest_haystack.registry import suggestion
from pytest_haystack.tokens.encoding import Encoding
from pytest_haystack.tokens.vocabularies import load_encoding

#: What the reader says where it finds nothing.
NOT_FOUND = "The text does not contain the answer."
#: Tokens that ``context-cliff`` reads at most.
CLIFF = 8000
#: Tokens from which on ``lost-in-the-middle`` loses the middle; what ``recency`` and ``primacy`` attend to.
SHORT = 4000
#: Depths (percent) that ``lost-in-the-middle`` is blind to, both included. A needle stands within a
#: percentage point of the depth asked for, and depth in characters is not quite depth in tokens: hence slack.
BLIND, SLACK = (30.0, 70.0), 1.5
#: Tokens at which ``uniform-decay`` misses half of the sentences.
HALF = 64_000
#: Texts up to this many characters are counted exactly, longer ones by samples.
COUNTED = 100_000
#: No vocabulary has text tokens longer than this on average over thousands of tokens of text.
LONGEST_TOKEN = 12
SAMPLES, SAMPLE_LENGTH = 64, 1024


class SimulatedReader(Model):
    """Answers ``simulated/<profile>``."""

    worth_keeping = False

    def __init__(self, entry: Any) -> None:
        """Raises ConfigError for an unknown profile."""
        super().__init__(entry)
        self.validate(entry.model)
        self.profile: str = entry.model.partition("/")[2]
        self._encoding: Encoding | None = None

    @classmethod
    def validate(cls, model: str) -> None:
        """Raises ConfigError for an unknown profile."""
        profile = model.partition("/")[2]
        if profile not in PROFILES:
            raise ConfigError(
                f"{profile!r} is no profile of the embedded reader; {suggestion(profile, list(PROFILES))}"
            )

    def complete(self, prompt: str) -> Completion:
        """Answer from the prompt's text: a value, several separated by commas, or that the text lacks it."""
        started = time.perf_counter()
        encoding = self._encoding = self._encoding or load_encoding("cl100k_base")
        messages = getattr(prompt, "messages", None)
        # What the assistant's turn was begun with tells nothing about the text.
        read = [message["content"] for message in messages if message["role"] != "assistant"] if messages else []
        text = "\n\n".join(read) or str(prompt)
        question, document = parts_of(prompt, text)
        attends = PROFILES[self.profile](document, encoding)
        found = ", ".join(answer(document, question, attends)) or NOT_FOUND
        return Completion(
            found,
            finish_reason="stop",
            usage=Usage(input_tokens=count_tokens(text, encoding), output_tokens=encoding.count(found)),
            cost_usd=0.0,
            latency_seconds=time.perf_counter() - started,
            provider_model=f"simulated/{self.profile}",
        )


def parts_of(prompt: str, text: str) -> tuple[str, str]:
    """Question and document of a prompt whose messages read ``text``.

    A `Prompt` knows both; they count where the text holds them. In any other text the question is looked for,
    and the document is what stands before it, or after it where it opens the text.
    """
    question, document = getattr(prompt, "question", ""), getattr(prompt, "document", "")
    if not question or question not in text:
        question = find_question(text)
    if document and document in text:
        return question, document
    start = text.rfind(question) if question else -1
    if start < 0:
        return question, text
    before, after = text[:start], text[start + len(question) :]
    return question, before if len(before) >= len(after) else after


def count_tokens(text: str, encoding: Encoding) -> int:
    """Tokens of a text; of a long one an estimate from evenly spaced samples, the same on every machine."""
    if len(text) <= COUNTED:
        return encoding.count(text)
    step = (len(text) - SAMPLE_LENGTH) / (SAMPLES - 1)
    starts = [round(i * step) for i in range(SAMPLES)]
    sampled = sum(encoding.count(text[start : start + SAMPLE_LENGTH]) for start in starts)
    return round(sampled * len(text) / (SAMPLES * SAMPLE_LENGTH))


def first_characters(document: str, tokens: int, encoding: Encoding) -> int:
    """Number of characters that the first ``tokens`` tokens of a document take."""
    head = document[: tokens * LONGEST_TOKEN]
    ids = encoding.encode(head)
    return len(head) if len(ids) <= tokens else len(encoding.decode(ids[:tokens]))


def last_characters(document: str, tokens: int, encoding: Encoding) -> int:
    """Number of characters that the last ``tokens`` tokens of a document take."""
    tail = document[-tokens * LONGEST_TOKEN :]
    ids = encoding.encode(tail)
    return len(tail) if len(ids) <= tokens else len(encoding.decode(ids[-tokens:]))


def _perfect(document: str, encoding: Encoding) -> Attends:
    return lambda start, end: True


def _context_cliff(document: str, encoding: Encoding) -> Attends:
    limit = first_characters(document, CLIFF, encoding)
    return lambda start, end: end <= limit


def _primacy(document: str, encoding: Encoding) -> Attends:
    limit = first_characters(document, SHORT, encoding)
    return lambda start, end: end <= limit


def _recency(document: str, encoding: Encoding) -> Attends:
    limit = len(document) - last_characters(document, SHORT, encoding)
    return lambda start, end: start >= limit


def _lost_in_the_middle(document: str, encoding: Encoding) -> Attends:
    if count_tokens(document, encoding) < SHORT:
        return _perfect(document, encoding)
    low, high = BLIND[0] - SLACK, BLIND[1] + SLACK

    def attends(start: int, end: int) -> bool:
        depth = 100 * start / max(1, len(document) - (end - start))
        return not low <= depth <= high

    return attends


def _uniform_decay(document: str, encoding: Encoding) -> Attends:
    tokens = count_tokens(document, encoding)
    missed = tokens / (tokens + HALF)
    seed = hashlib.sha256(document.encode("utf-8", "backslashreplace")).digest()

    def attends(start: int, end: int) -> bool:
        digest = hashlib.sha256(seed + start.to_bytes(8, "big")).digest()
        return int.from_bytes(digest[:8], "big") / 2**64 >= missed

    return attends


#: Given the document, what a reader of this profile attends to.
PROFILES: dict[str, Callable[[str, Encoding], Attends]] = {
    "perfect": _perfect,
    "context-cliff": _context_cliff,
    "lost-in-the-middle": _lost_in_the_middle,
    "recency": _recency,
    "primacy": _primacy,
    "uniform-decay": _uniform_decay,
}
