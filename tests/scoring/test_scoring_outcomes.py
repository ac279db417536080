"""Outcomes of answers and of errors."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_haystack.models.model import Completion
from pytest_haystack.scoring.outcomes import ERRORS, SCORED, SKIPPED, Outcome, classify, classify_error


def test_every_outcome_is_scored_or_an_error_or_a_skip() -> None:
    assert set(Outcome) == SCORED | ERRORS | SKIPPED
    assert len(SCORED) + len(ERRORS) + len(SKIPPED) == len(Outcome)
    assert {outcome for outcome in Outcome if outcome.scored} == SCORED


def test_an_outcome_is_its_text_everywhere() -> None:
    outcome = Outcome("rate_limited")
    assert outcome == "rate_limited"
    assert f"{outcome}|{outcome!s}|{outcome:>13}" == "rate_limited|rate_limited| rate_limited"
    assert json.dumps([outcome]) == '["rate_limited"]'


@pytest.mark.parametrize(
    ("completion", "outcome"),
    [
        (Completion("QR-7749"), "answered"),
        (Completion("QR-7749", finish_reason="end_turn"), "answered"),
        (Completion("QR-7749", finish_reason="tool_calls"), "answered"),
        (Completion("<think>hm</think>QR-7749", finish_reason="STOP"), "answered"),
        (Completion("hm</think>QR-7749"), "answered"),
        (Completion("I'm sorry, but I can't find the code in the text."), "answered"),
        (Completion("I cannot help but notice that the code is QR-7749."), "answered"),
        (Completion("The beam will not help with that problem; the load is 7."), "answered"),
        (Completion("I'm sorry, but I can't assist with that request."), "refused"),
        (Completion("I can’t help with that."), "refused"),
        (Completion("", refusal="No."), "refused"),
        (Completion(None, finish_reason="refusal"), "refused"),
        (Completion("QR", finish_reason="MAX_TOKENS"), "truncated"),
        (Completion("QR", finish_reason="max_output_tokens"), "truncated"),
        (Completion(None, finish_reason="length"), "truncated"),
        (Completion("<think>hm", finish_reason="stop"), "no_final_answer"),
        (Completion("<think>hm</think>\n\u200b "), "no_final_answer"),
        (Completion(None, reasoning="hm"), "no_final_answer"),
        (Completion(None), "empty"),
        (Completion(" \n\ufeff"), "empty"),
        (Completion("part", finish_reason="SAFETY"), "content_filter"),
        (Completion("", finish_reason="BLOCKLIST"), "content_filter"),
        (Completion("", finish_reason="model_context_window_exceeded"), "context_overflow"),
        (Completion("QR", finish_reason="error"), "infra_error"),
    ],
)
def test_a_completion_has_the_outcome_that_its_parts_say(completion: Completion, outcome: str) -> None:
    assert classify(completion) == outcome


OVERFLOWS = [
    (
        400,
        "context_length_exceeded",
        "This model's maximum context length is 128000 tokens. However, your messages ...",
    ),
    (400, None, "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300000 tokens."),
    (400, "invalid_request_error", "prompt is too long: 213462 tokens > 200000 maximum"),
    (400, None, "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000"),
    (413, "request_too_large", "Request exceeds the maximum size"),
    (
        400,
        "INVALID_ARGUMENT",
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    ),
    (400, "BadRequestError", "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens"),
    (400, None, "The decoder prompt (length 5000) is longer than the maximum model length of 4096."),
    (
        400,
        "exceed_context_size_error",
        "the request exceeds the available context size. try increasing the context size",
    ),
    (500, None, "request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it"),
    (400, None, "Requested tokens (5000) exceed context window of 4096"),
    (422, None, "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096."),
    (400, None, "Prompt contains 40000 tokens, too large for model with 32768 maximum context length"),
    (400, "ValidationException", "Input is too long for requested model."),
    (400, None, "This model's maximum prompt length is 131072 but the request contains 150000 tokens."),
    (400, None, "The input (5000 tokens) is longer than the model's context length (4096 tokens)."),
    (400, None, "too many tokens: size limit exceeded by 2000 tokens."),
    (400, None, "The number of tokens to keep from the initial prompt is greater than the context length."),
    (None, "ContextWindowExceededError", ""),
]
OTHERS = [
    (401, "invalid_api_key", "Incorrect API key provided", "config_error"),
    (403, None, "Forbidden", "config_error"),
    (404, "model_not_found", "The model `x` does not exist", "config_error"),
    (400, None, "Unsupported parameter: max_tokens", "config_error"),
    (400, None, "max_tokens is too large: 100000. This model supports at most 16384 completion tokens", "config_error"),
    (402, None, "Insufficient Balance", "config_error"),
    (400, None, "Your credit balance is too low to access the API.", "config_error"),
    (429, "insufficient_quota", "You exceeded your current quota, please check your plan and billing.", "config_error"),
    (429, None, "Request too large for m on tokens per min (TPM): Limit 30000, Requested 128000.", "config_error"),
    (None, "unknown_provider", "LLM Provider NOT provided", "config_error"),
    (429, None, "Too Many Requests", "rate_limited"),
    (429, "rate_limit_exceeded", "Rate limit reached on tokens per min (TPM): Limit 30000, Used 29000", "rate_limited"),
    (429, None, "This request would exceed your rate limit of 40,000 input tokens per minute.", "rate_limited"),
    (429, "RESOURCE_EXHAUSTED", "You exceeded your current quota. Please retry in 23s.", "rate_limited"),
    (None, None, "rate limit exceeded", "rate_limited"),
    (500, None, "Internal server error", "infra_error"),
    (529, "overloaded_error", "Overloaded", "infra_error"),
    (408, None, "Request timeout", "infra_error"),
    (None, None, "timed out after 600 s", "infra_error"),
    (None, None, "Connection refused", "infra_error"),
    (None, None, "", "infra_error"),
    (400, "content_filter", "The response was filtered", "content_filter"),
    (400, None, "Azure OpenAI's content management policy", "content_filter"),
    (400, "data_inspection_failed", "Input data may contain inappropriate content.", "content_filter"),
    (400, None, "Content Exists Risk", "content_filter"),
    (403, None, 'm requires moderation. Your input was flagged for "violence".', "content_filter"),
]


@pytest.mark.parametrize(("status", "code", "message"), OVERFLOWS)
def test_every_wording_of_a_full_context_is_an_overflow(status: int | None, code: str | None, message: str) -> None:
    assert classify_error(status, code, message) is Outcome.context_overflow


@pytest.mark.parametrize(("status", "code", "message", "outcome"), OTHERS)
def test_an_error_has_the_outcome_that_its_words_or_else_its_status_say(
    status: int | None, code: str | None, message: str, outcome: str
) -> None:
    assert classify_error(status, code, message) == outcome


@settings(max_examples=100, deadline=None)
@given(st.none() | st.integers(0, 700), st.none() | st.text(max_size=20), st.text(max_size=200))
def test_an_error_is_never_a_scored_outcome(status: int | None, code: str | None, message: str) -> None:
    assert not classify_error(status, code, message).scored
