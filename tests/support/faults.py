"""Everything that providers do wrong, by name; each is a path of the server in `tests.support.fault_process`.

A name that ends in ``-once`` goes wrong at the first request of a prompt and well at the next.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from tests.support.needles import find, good, tokens_of, usage_of
from tests.support.openai_server import Received, Reply, answer, error

Answer = Callable[[Received], Reply]
#: Seconds that a hanging socket stays silent.
HANG = 30.0


def _always(reply: Reply) -> Answer:
    return lambda request: reply


class _Once:
    """The fault at the first request of each prompt, then the right answer."""

    def __init__(self, fault: Answer) -> None:
        self._fault = fault
        self._asked: Counter[str] = Counter()

    def __call__(self, request: Received) -> Reply:
        key = hashlib.sha256(json.dumps(request.body["messages"]).encode()).hexdigest()
        self._asked[key] += 1
        return self._fault(request) if self._asked[key] == 1 else good(request)


def _said(**message: object) -> Answer:
    """The right answer in a message with these fields beside it, or in place of it."""

    def reply(request: Received) -> Reply:
        content = message.get("content", find(request.text))
        rest = {name: value for name, value in message.items() if name not in ("content", "finish_reason")}
        reason = str(message.get("finish_reason", "stop"))
        return answer(content, finish_reason=reason, usage=usage_of(request), **rest)  # type: ignore[arg-type]

    return reply


def _think(request: Received) -> Reply:
    return answer(f"<think>It says 0000-1.</think>{find(request.text)}", usage=usage_of(request))


def _half(request: Received) -> Reply:
    return replace(good(request), cut=60)


def _no_usage(request: Received) -> Reply:
    return answer(find(request.text), usage=None)


def _no_choices(request: Received) -> Reply:
    return Reply(body={"id": "x", "object": "chat.completion", "created": 1, "model": "served", "choices": []})


def _cut_input(request: Received) -> Reply:
    usage = {"prompt_tokens": tokens_of(request.text) // 4, "completion_tokens": 9}
    return answer("I see no such thing.", usage=usage)


def _other_form(request: Received) -> Reply:
    return Reply(body={"id": "x", "object": "chat.completion", "created": 1, "model": "served", "choices": [None]})


def _html(request: Received) -> Reply:
    return Reply(200, b"<html><body>Sign in</body></html>", {"content-type": "text/html"})


def _wrong_type(request: Received) -> Reply:
    """A right answer that calls itself something else."""
    return replace(good(request), headers={"content-type": "text/plain"})


def _echo(request: Received) -> Reply:
    """What careless servers do: repeat the key in the error."""
    return error(500, f"cannot handle {request.headers.get('authorization')}")


_ANTHROPIC_LONG = {
    "type": "error",
    "error": {"type": "invalid_request_error", "message": "prompt is too long: 210000 tokens > 200000 maximum"},
}
_GEMINI_LONG = [
    {
        "error": {
            "code": 400,
            "message": "The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).",
            "status": "INVALID_ARGUMENT",
        }
    }
]
_VLLM_LONG = {
    "object": "error",
    "message": "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4936 in the "
    "messages, 64 in the completion). Please reduce the length of the messages or completion.",
    "type": "BadRequestError",
    "param": None,
    "code": 400,
}
_TGI_LONG = {
    "error": "Input validation error: `inputs` must have less than 1024 tokens. Given: 2000",
    "error_type": "validation",
}
_OPENAI_LONG = (
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens. "
    "Please reduce the length of the messages."
)

FAULTS: dict[str, Answer] = {
    "good": good,
    "latency": lambda request: replace(good(request), delay=0.4),
    "429": _always(error(429, "Rate limit reached")),
    "429-once": _Once(_always(error(429, "Rate limit reached"))),
    "429-after-once": _Once(_always(error(429, "Rate limit reached", retry_after="1"))),
    "429-tomorrow": _always(error(429, "Come back tomorrow", retry_after="86400")),
    "quota": _always(error(429, "You exceeded your current quota, please check your plan.", "insufficient_quota")),
    **{str(status): _always(error(status, f"trouble {status}")) for status in (500, 502, 503)},
    "500-once": _Once(_always(error(500, "trouble"))),
    "529": _always(Reply(529, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})),
    "529-once": _Once(_always(Reply(529, {"type": "error", "error": {"type": "overloaded_error", "message": "O"}}))),
    "401": _always(error(401, "Incorrect API key provided")),
    "403": _always(error(403, "Not allowed in your country")),
    "307": _always(Reply(307, b"", {"location": "http://127.0.0.2:1/v1/chat/completions"})),
    "404": _always(error(404, "The model does not exist", "model_not_found")),
    "400": _always(error(400, "temperature must be at most 1")),
    "dropped": _always(Reply(drop=True)),
    "dropped-once": _Once(_always(Reply(drop=True))),
    "half": _half,
    "half-once": _Once(_half),
    "no-json": _always(Reply(body=b'{"id": "x", "choices": [{"mess')),
    "no-json-once": _Once(_always(Reply(body=b"{nonsense"))),
    "html": _html,
    "other-form": _other_form,
    "502-page": _always(
        Reply(502, b"<html><head><title>x</title></head><h1>Bad gateway</h1>", {"content-type": "text/html"})
    ),
    "wrong-type": _wrong_type,
    "hang": lambda request: replace(good(request), delay=HANG),
    "hang-once": _Once(lambda request: replace(good(request), delay=HANG)),
    "long-openai": _always(error(400, _OPENAI_LONG, "context_length_exceeded")),
    "long-anthropic": _always(Reply(400, _ANTHROPIC_LONG)),
    "long-gemini": _always(Reply(400, _GEMINI_LONG)),
    "long-vllm": _always(Reply(400, _VLLM_LONG)),
    "long-tgi": _always(Reply(422, _TGI_LONG)),
    "empty": _said(content=""),
    "empty-once": _Once(_said(content="")),
    "no-choices": _no_choices,
    "no-choices-once": _Once(_no_choices),
    "no-usage": _no_usage,
    "length": _said(content="The answer is", finish_reason="length"),
    "filtered": _said(content=None, finish_reason="content_filter"),
    "filtered-400": _always(error(400, "The prompt was filtered by the content management policy.", "content_filter")),
    "reasoning": _said(reasoning="It says 0000-1."),
    "reasoning-content": _said(reasoning_content="It says 0000-1."),
    "think": _think,
    "think-only": _said(content="<think>It says"),
    "refusal": _said(content=None, refusal="I cannot help with that."),
    "refusal-in-words": _said(content="I'm sorry, but I can't assist with that."),
    "cut-input": _cut_input,
    "echo-key": _echo,
}
