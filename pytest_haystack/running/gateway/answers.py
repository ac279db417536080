"""From litellm's response to a `Completion`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from pytest_haystack.models.model import Completion, Usage
from pytest_haystack.running.gateway.failures import RequestError

#: Providers' names of an ordinary end; any other name of theirs says more than what litellm makes of it.
_ORDINARY = frozenset(
    {"stop", "end_turn", "stop_sequence", "complete", "eos", "eos_token", "finish_reason_unspecified"}
)
#: Names that say that the answer broke off.
_BROKEN = frozenset({"error", "network_error", "insufficient_system_resource"})
#: A count beyond this, or below zero, is a provider's mistake: unknown.
_MOST_TOKENS = 10**12


def completion_of(response: Any, raw: str | None) -> Completion:
    """The answer in a response; ``raw`` is the provider's own JSON, where litellm showed it.

    Cost and latency are not in it. Raises RequestError where it holds none, or breaks off.
    """
    choices = _part(response, "choices")
    if not choices:
        # The model may have said something; nothing of it arrived.
        raise RequestError("the provider's answer has no choices", code="no_choices")
    choice = choices[0]
    message = _part(choice, "message")
    reason = _finish_reason(choice, message, raw)
    if (reason or "").lower() in _BROKEN:
        raise RequestError(f"the provider broke off its answer (finish reason {reason!r})", code="broken_off")
    return Completion(
        text=_text(_part(message, "content")),
        reasoning=_reasoning(message),
        refusal=_first_text(_fields(message, "refusal")),
        finish_reason=reason,
        usage=usage_of(_part(response, "usage")),
        provider_model=_first_text([_part(response, "model")]),
    )


def usage_of(usage: Any) -> Usage:
    """Token counts; a provider that sent none has zeros in litellm's response, which is unknown, not zero."""
    sent, answered = _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
    if not sent and not answered:
        return Usage()
    return Usage(
        input_tokens=sent,
        output_tokens=answered,
        cached_tokens=_count(_part(usage, "prompt_tokens_details"), "cached_tokens"),
        reasoning_tokens=_count(_part(usage, "completion_tokens_details"), "reasoning_tokens"),
    )


def _part(thing: Any, name: str) -> Any:
    return thing.get(name) if isinstance(thing, Mapping) else getattr(thing, name, None)


def _fields(message: Any, name: str) -> list[Any]:
    """A field of the message, and of what litellm sets apart as the provider's own."""
    return [_part(message, name), _part(_part(message, "provider_specific_fields"), name)]


def _first_text(values: Iterable[Any]) -> str | None:
    return next((value for value in values if isinstance(value, str) and value), None)


def _text(content: Any) -> str | None:
    if isinstance(content, list):
        parts = [part if isinstance(part, str) else _part(part, "text") for part in content]
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else None


def _reasoning(message: Any) -> str | None:
    named = _first_text(_fields(message, "reasoning_content") + _fields(message, "reasoning"))
    if named:
        return named
    for blocks in _fields(message, "thinking_blocks"):
        if isinstance(blocks, list):
            thoughts = [_part(block, "thinking") for block in blocks]
            return "\n".join(thought for thought in thoughts if isinstance(thought, str)) or None
    return None


def _finish_reason(choice: Any, message: Any, raw: str | None) -> str | None:
    """ "stop" for an ordinary end, else the provider's own name: litellm folds a refusal into a filter, and an
    overflow into a length limit.
    """
    own = _first_text(
        [
            _part(_part(choice, "provider_specific_fields"), "native_finish_reason"),
            _part(_part(message, "provider_specific_fields"), "stop_reason"),
            _raw_stop_reason(raw),
            _part(choice, "finish_reason"),
        ]
    )
    return "stop" if own is not None and own.lower() in _ORDINARY else own


def _raw_stop_reason(raw: str | None) -> str | None:
    if raw is None or '"stop_reason"' not in raw:
        return None
    try:
        values = json.loads(raw)
    except ValueError:
        return None
    reason = values.get("stop_reason") if isinstance(values, dict) else None
    return reason if isinstance(reason, str) else None


def _count(thing: Any, name: str) -> int | None:
    value = _part(thing, name)
    return value if isinstance(value, int) and 0 <= value <= _MOST_TOKENS else None
