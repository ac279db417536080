"""What became of a request, decided before any scoring.

An answer that is merely wrong is ``answered``; a request that never had a fair chance must not become a 0 in a mean.
"""

from __future__ import annotations

import re
from enum import Enum

from pytest_haystack.models.model import Completion
from pytest_haystack.scoring.reasoning import split_reasoning
from pytest_haystack.scoring.wire_errors import means_filtered, means_no_quota, means_overflow


class Outcome(str, Enum):
    """The outcome of a request; a member is its own text: ``Outcome.answered == "answered"``."""

    answered = "answered"
    refused = "refused"
    truncated = "truncated"
    no_final_answer = "no_final_answer"
    empty = "empty"
    content_filter = "content_filter"
    silent_truncation = "silent_truncation"
    rate_limited = "rate_limited"
    infra_error = "infra_error"
    config_error = "config_error"
    context_overflow = "context_overflow"
    budget = "budget"

    # Python 3.11 changed what f"{member}" of such a mix gives; this is the text on every version.
    def __str__(self) -> str:
        return str(self.value)

    def __format__(self, spec: str) -> str:
        return format(str(self.value), spec)

    @property
    def scored(self) -> bool:
        """True where the trial gets a number (0 unless it was answered)."""
        return self in SCORED


#: The trial gets a score: the scorer's for ``answered``, 0 for the others.
SCORED: frozenset[Outcome] = frozenset(
    {Outcome.answered, Outcome.refused, Outcome.truncated, Outcome.no_final_answer, Outcome.empty}
)
#: The trial is an error and has no score.
ERRORS: frozenset[Outcome] = frozenset(
    {
        Outcome.content_filter,
        Outcome.silent_truncation,
        Outcome.rate_limited,
        Outcome.infra_error,
        Outcome.config_error,
    }
)
#: The trial was not run, or cannot be: no score, and no error either.
SKIPPED: frozenset[Outcome] = frozenset({Outcome.context_overflow, Outcome.budget})

#: Finish reasons of OpenAI, Anthropic, Gemini, Bedrock, Cohere and Mistral, in lower case.
_FINISH_REASONS: dict[str, Outcome] = {
    **dict.fromkeys(("length", "max_tokens", "max_output_tokens"), Outcome.truncated),
    "refusal": Outcome.refused,
    **dict.fromkeys(
        (
            "content_filter", "content_filtered", "safety", "recitation", "prohibited_content", "blocklist",
            "spii", "guardrail_intervened", "error_toxic", "sensitive",
        ),
        Outcome.content_filter,
    ),
    **dict.fromkeys(("model_context_window_exceeded", "model_length", "error_limit"), Outcome.context_overflow),
    **dict.fromkeys(("error", "network_error", "insufficient_system_resource"), Outcome.infra_error),
}  # fmt: skip

_ZERO_WIDTH = re.compile("[\u200b-\u200f\u2060-\u2064\ufeff]")
#: A refusal in so many words is short and says nothing else; longer texts are for the scorer to judge.
_LONGEST_REFUSAL = 300
_REFUSAL = re.compile(
    r"(?:\b(?:i|we)\b[^.!?\n]{0,30}?|\bsorry\W{1,3}(?:but )?)"
    r"\b(?:can(?:no|')t|can not|won't|will not|unable to|not able to)\s+"
    r"(?:assist|help|comply|fulfil+|provide (?:assistance|help))\b(?:\s+(?:you|further))?"
    r"(?:\s+(?:with|in|on|to)\s+(?:this|that|your|these|those)(?:\s+\w+)?)?\s*(?:[.!]|$)",
    re.IGNORECASE,
)


def classify(completion: Completion) -> Outcome:
    """The outcome of a completion that came back.

    Whether a provider silently cut the input cannot be told from the completion alone; the caller, who knows
    what was sent, compares token counts.
    """
    if completion.refusal and completion.refusal.strip():
        return Outcome.refused
    stopped = _FINISH_REASONS.get((completion.finish_reason or "").strip().lower())
    if stopped is not None:
        return stopped
    text = _visible(completion.text)
    if not text:
        return Outcome.no_final_answer if _visible(completion.reasoning) else Outcome.empty
    answer, _ = split_reasoning(text)
    if not _visible(answer):
        return Outcome.no_final_answer
    return Outcome.refused if _says_no(_visible(answer)) else Outcome.answered


def _visible(text: str | None) -> str:
    return _ZERO_WIDTH.sub("", text or "").strip()


def _says_no(text: str) -> bool:
    if len(text) > _LONGEST_REFUSAL:
        return False
    return bool(_REFUSAL.search(text.replace("\u2019", "'").replace("*", "")))


def classify_error(status: int | None, code: str | None, message: str) -> Outcome:
    """The outcome of a request that ended in an error.

    ``status`` is the HTTP status, None where no response came; ``code`` the provider's own name for the error.
    What the provider says counts before the status: the same 400 can be a filter, an overflow or a mistake of ours.
    An exhausted quota comes as 429, yet waiting never helps: ``config_error``.
    """
    name, words = (code or "").lower(), message.lower()
    if means_filtered(name, words):
        return Outcome.content_filter
    if means_overflow(name, words, status):
        return Outcome.context_overflow
    if means_no_quota(name, words):
        return Outcome.config_error
    if status is None:
        return _without_status(name, words)
    if status == 413:
        return Outcome.context_overflow
    if status == 429:
        return Outcome.rate_limited
    if status in (408, 409, 425, 499) or status >= 500 or status < 300:
        return Outcome.infra_error
    return Outcome.config_error


_LIMITED = re.compile(r"rate.?limit|too many requests|resource.?exhausted|throttl")
_OURS = re.compile(
    r"api.?key|authenti|unauthori[sz]ed|permission|forbidden|model.?not.?found|no such model|does not exist|"
    r"invalid.?request|unsupported|provider not provided|unknown_provider|missing_key"
)
_CONNECTION = re.compile(r"time[d ]?.?out|connection|connect|reset|unreachable|temporar|refused|closed")


def _without_status(name: str, words: str) -> Outcome:
    both = f"{name} {words}"
    if _LIMITED.search(both):
        return Outcome.rate_limited
    if _OURS.search(both) and not _CONNECTION.search(both):
        return Outcome.config_error
    return Outcome.infra_error
