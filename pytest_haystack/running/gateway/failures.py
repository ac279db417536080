"""From an exception of litellm to what went wrong: status, code and words.

Nothing of litellm is imported here. Its exceptions wrap those of the SDKs beneath, and each layer keeps another
part of the truth, so the whole chain is read.
"""

from __future__ import annotations

import json
import math
import re
import socket
import time
from collections.abc import Iterator, Mapping
from email.utils import parsedate_to_datetime
from typing import Any

from pytest_haystack.running.gateway.redirects import RedirectedError
from pytest_haystack.running.gateway.unreadable import unreadable
from pytest_haystack.text import one_line

#: Codes that stay until someone changes something, whatever the status: a spent quota comes as 429.
_STAYING = frozenset(
    {
        "insufficient_quota",
        "insufficient_balance",
        "insufficient_credits",
        "billing_hard_limit_reached",
        "billing_not_active",
        "account_deactivated",
        "unknown_provider",
        "missing_key",
        "unusable_entry",
        "broken_install",
    }
)
#: Code of an error of this package's own: nobody was there to be asked.
NO_CONNECTION = "no_connection"
#: Codes of what is found before anything is sent.
_UNSENT = frozenset({"unknown_provider", "missing_key", "unusable_entry", "broken_install", NO_CONNECTION})

#: litellm's exceptions that say more than status and body.
_CODE_OF_TYPE = {
    "ContextWindowExceededError": "context_length_exceeded",
    "ContentPolicyViolationError": "content_filter",
}
_CONNECTION_TYPES = frozenset({"APIConnectionError", "ConnectError", "ReadError", "WriteError", "RemoteProtocolError"})
_PREFIX = re.compile(r"^(?:(?:litellm\.)?\w*(?:Error|Exception|Timeout)(?: Error)?(?::| -) )+")
#: What an SDK says where it does not know the form of an error.
_SAYS_NOTHING = re.compile(r"Error code: \d+")
_TAG = re.compile(r"(?s)<(?:head|style|script)\b.*?</(?:head|style|script)>|<[^<>]*>")
#: Characters of a body that stand in for a message, and that are looked at for them.
_LONGEST_BODY, _LONGEST_READ = 300, 5_000
_DEEPEST = 12


class RequestError(Exception):
    """A try without an answer. ``status`` is the HTTP status, None where no answer came at all."""

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        code: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.code = code
        self.retry_after = retry_after

    @property
    def staying(self) -> bool:
        """True where no waiting helps, whatever the status says."""
        return self.code in _STAYING

    @property
    def sent(self) -> bool:
        """True where a request may have left."""
        return self.code not in _UNSENT

    @property
    def perhaps_paid(self) -> bool:
        """True where the provider may have answered, and only its answer is lost; a refusal costs nothing."""
        return self.sent and (self.status is None or self.code == "timeout")


def request_error(error: BaseException, model: str) -> RequestError:
    """What an exception raised by a call of a litellm model string says."""
    chain = list(_chain(error))
    if any("LLM Provider NOT provided" in str(layer) for layer in chain):
        return RequestError(
            f"litellm knows no provider of {model!r}; write provider/model, e.g. openai/gpt-4o-mini",
            code="unknown_provider",
        )
    if any("Missing credentials" in str(layer) or "api_key client option must be set" in str(layer) for layer in chain):
        return RequestError(
            f"{model} needs an API key: name the environment variable that holds it in api_key_env", code="missing_key"
        )
    if (moved := next((layer for layer in chain if isinstance(layer, RedirectedError)), None)) is not None:
        return RequestError(str(moved), status=moved.status)
    if (wrong := unreadable(str(error))) is not None:
        # The status is litellm's own: the server's was a good one.
        return RequestError(wrong[0], code=wrong[1])
    status = _status(chain)
    body = _body(chain)
    if status in (None, 500) and _never_connected(chain):
        return RequestError(_connection_words(chain), code=NO_CONNECTION)
    if status in (None, 500) and _lost_connection(chain):
        return RequestError(_connection_words(chain))
    if status == 500 and _wordless(chain) and any(isinstance(layer, json.JSONDecodeError) for layer in chain):
        return RequestError("the server's answer is no JSON")
    return RequestError(
        _words(error, chain, body),
        status=status,
        code=_code(chain, body),
        retry_after=_retry_after(chain),
    )


def _chain(error: BaseException) -> Iterator[BaseException]:
    layer: BaseException | None = error
    for _ in range(_DEEPEST):
        if layer is None:
            return
        yield layer
        layer = layer.__cause__ or layer.__context__


def _status(chain: list[BaseException]) -> int | None:
    statuses = [
        status
        for layer in chain
        for status in (getattr(layer, "status_code", None), getattr(_response(layer), "status_code", None))
        if isinstance(status, int) and status >= 400
    ]
    # litellm's own reading counts, except that 500 is also its word for what it does not know.
    return next((status for status in statuses if status != 500), statuses[0] if statuses else None)


def _response(layer: BaseException) -> Any:
    return getattr(layer, "response", None)


def _body(chain: list[BaseException]) -> Mapping[str, Any]:
    """The provider's own error object, or an empty mapping."""
    for layer in chain:
        for found in (getattr(layer, "body", None), _json(getattr(_response(layer), "text", None)), _json(str(layer))):
            if isinstance(found, list) and found:
                found = found[0]  # Gemini sends a list of one
            if isinstance(found, Mapping):
                inner = found.get("error")
                if isinstance(inner, Mapping):
                    return inner
                if "message" in found:
                    return found
                # Servers that are none of OpenAI's: Ollama and TGI, FastAPI.
                if said := next((found[name] for name in ("error", "detail") if found.get(name)), None):
                    return {**found, "message": said if isinstance(said, str) else json.dumps(said)}
    return {}


def _json(text: Any) -> Any:
    """The JSON that a text is, or ends with."""
    if not isinstance(text, str):
        return None
    start = min((place for place in (text.find("{"), text.find("[{")) if place >= 0), default=-1)
    if start < 0:
        return None
    try:
        return json.loads(text[start:])
    except (ValueError, RecursionError):
        return None


def _words(error: BaseException, chain: list[BaseException], body: Mapping[str, Any]) -> str:
    """What the provider says: in its error object, else in its body of whatever form, else in litellm's words."""
    if body.get("message"):
        return str(body["message"])
    words = _PREFIX.sub("", str(error))
    if not words or _SAYS_NOTHING.fullmatch(words):
        texts = (str(getattr(_response(layer), "text", "") or "") for layer in chain)
        bodies = (_TAG.sub(" ", text[:_LONGEST_READ]) for text in texts)
        words = next((one_line(text, _LONGEST_BODY) for text in bodies if text.strip()), words)
    return words or type(error).__name__


def _code(chain: list[BaseException], body: Mapping[str, Any]) -> str | None:
    for layer in chain:
        code = _CODE_OF_TYPE.get(type(layer).__name__)
        if code:
            return code
    named = (body.get(name) for name in ("code", "type", "status"))
    return next((code for code in named if isinstance(code, str) and code and not code.isdigit()), None)


def _lost_connection(chain: list[BaseException]) -> bool:
    named = any(type(layer).__name__ in _CONNECTION_TYPES for layer in chain)
    return any(isinstance(layer, ConnectionError) for layer in chain) or (named and _wordless(chain))


def _never_connected(chain: list[BaseException]) -> bool:
    """True where no connection came about: a name without an address, a closed port, a certificate of another's."""
    return any(
        isinstance(layer, ConnectionRefusedError | socket.gaierror)
        or type(layer).__name__.startswith("ClientConnector")
        # Of httpx itself there is also what litellm makes of a connection that broke off later.
        or (type(layer).__name__ == "ConnectError" and type(layer).__module__.startswith("httpcore"))
        for layer in chain
    )


def _wordless(chain: list[BaseException]) -> bool:
    """True where no layer holds a response with a body."""
    return not any(getattr(_response(layer), "text", None) for layer in chain)


def _connection_words(chain: list[BaseException]) -> str:
    """The innermost reason is the one that tells host and port."""
    reasons = [" ".join(str(layer).split()) for layer in chain]
    inner = next((reason for reason in reversed(reasons) if reason), "")
    outer = _PREFIX.sub("", reasons[0]).rstrip(".") or "connection error"
    return outer if not inner or inner in outer else f"{outer}: {inner}"


def _retry_after(chain: list[BaseException]) -> float | None:
    """Seconds that the provider asks to wait, from ``retry-after-ms`` or ``retry-after`` (seconds or a date)."""
    for layer in chain:
        for headers in (getattr(_response(layer), "headers", None), getattr(layer, "litellm_response_headers", None)):
            if headers is None:
                continue
            seconds = retry_after_seconds(headers, time.time())
            if seconds is not None:
                return seconds
    return None


def retry_after_seconds(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds to wait from ``now`` (seconds since the epoch) as response headers say; None where they do not."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        text = headers.get(name)
        if not text:
            continue
        try:
            seconds = float(text) * unit
        except ValueError:
            try:
                seconds = parsedate_to_datetime(text).timestamp() - now
            except (ValueError, TypeError, OverflowError):
                continue
        if math.isfinite(seconds):
            return max(0.0, seconds)
    return None
