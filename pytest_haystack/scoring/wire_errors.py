"""How providers and inference servers word an error that a status code alone does not tell.

Collected from the error texts of OpenAI, Azure, Anthropic, Gemini, Mistral, Cohere, Bedrock, xAI, DeepSeek, Qwen,
Together, Groq, OpenRouter, vLLM, SGLang, TGI, llama.cpp, llama-cpp-python and LM Studio. All matching is on lower
case.
"""

from __future__ import annotations

import re

_OVERFLOW_CODES = frozenset(
    {
        "context_length_exceeded",
        "context_window_exceeded",
        "contextwindowexceedederror",
        "exceed_context_size_error",
        "model_context_window_exceeded",
        "string_above_max_length",
        "request_too_large",
        "max_tokens_exceeded",
    }
)
_OVERFLOW_WORDS = re.compile(
    r"maximum context length|max(?:imum)? context (?:window|size)|maximum prompt length|maximum model length"
    r"|context.?length.?exceeded|context.?window.?exceeded|longer than the (?:model'?s|maximum) (?:context|model)"
    r"|exceeds? (?:the )?(?:available |model'?s )?(?:context (?:size|length|window|limit)|max_model_len)"
    r"|(?:prompt|input|request|message) is too long|prompt too long|input too long|too many (?:input )?tokens"
    r"|too large for model with \d+"
    r"|input (?:token count|tokens|length)[^.\n]{0,60}\bexceeds?\b"
    r"|exceed the configured limit of \d+ tokens"
    r"|inputs`? (?:tokens \+ `?max_new_tokens`? must be|must have less than)"
    r"|reduce the length of the (?:messages|prompt|input|completion)"
    r"|context.?(?:size|window|length)[^.\n]{0,30}exceeded"
    r"|greater than the context length|request exceeds the maximum size"
)
#: Limits of tokens per minute use the same words as an overflow.
_PER_MINUTE = re.compile(r"per.?(?:min|day|hour|sec)|\b[tr]p[md]\b|rate.?limit")

_FILTER_CODES = frozenset(
    {
        "content_filter",
        "content_policy_violation",
        "contentpolicyviolationerror",
        "responsibleaipolicyviolation",
        "data_inspection_failed",
        "datainspectionfailed",
        "prohibited_content",
        "moderation_blocked",
    }
)
_FILTER_WORDS = re.compile(
    r"content.?(?:management )?polic|content filter|content_filter|responsible ai polic|prohibited_content"
    r"|flagged (?:as|by|for)|(?:was|were|been) (?:flagged|blocked by (?:our|the) (?:safety|content|moderation))"
    r"|usage polic|data.?inspection.?failed|content exists risk|inappropriate content"
    r"|blocked (?:due to|because of) safety|blocked_reason|requires moderation"
)

_QUOTA_CODES = frozenset(
    {
        "insufficient_quota",
        "billing_hard_limit_reached",
        "billing_not_active",
        "account_deactivated",
        "insufficient_balance",
        "insufficient_credits",
    }
)
_QUOTA_WORDS = re.compile(
    r"insufficient.?(?:quota|balance|credit|funds)|exceeded your current quota|credit balance is too low"
    r"|billing hard limit|payment required|out of credits|never.?paid"
)
#: Gemini words a limit per minute like a spent quota.
_PASSING_QUOTA = re.compile(r"per.?(?:min|day|hour|sec)|retry in|retrydelay|resource.?exhausted|quota_?metric|quotaid")
#: One request that is larger than what an account may send a minute can wait for ever.
_LARGER_THAN_A_MINUTE = re.compile(r"request too large[^\n]{0,200}tokens per min")


def means_overflow(code: str, message: str, status: int | None) -> bool:
    """True where the prompt is longer than the model's context window."""
    if code in _OVERFLOW_CODES:
        return True
    if not _OVERFLOW_WORDS.search(message):
        return False
    return not (status == 429 and _PER_MINUTE.search(message))


def means_filtered(code: str, message: str) -> bool:
    """True where a content policy stopped the request."""
    return code in _FILTER_CODES or bool(_FILTER_WORDS.search(message))


def larger_than_a_minute(message: str) -> bool:
    """True where this request, unlike shorter ones, exceeds what the account may send in a minute."""
    return bool(_LARGER_THAN_A_MINUTE.search(message))


def means_no_quota(code: str, message: str) -> bool:
    """True where the account cannot pay for, or may never send, this request."""
    if code in _QUOTA_CODES or larger_than_a_minute(message):
        return True
    return bool(_QUOTA_WORDS.search(message)) and not _PASSING_QUOTA.search(f"{code} {message}")
