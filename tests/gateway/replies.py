"""What servers say that is worth a name."""

from __future__ import annotations

from tests.support.openai_server import Received, Reply, answer, error


def anthropic(stop_reason: str) -> Reply:
    """An answer in Anthropic's form."""
    return Reply(
        body={
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "claude-served",
            "content": [
                {"type": "thinking", "thinking": "It said 7421.", "signature": "s"},
                {"type": "text", "text": "7421"},
            ],
            "stop_reason": stop_reason,
            "usage": {"input_tokens": 100, "output_tokens": 20, "cache_read_input_tokens": 50},
        }
    )


class PatientServer:
    """Asks to wait a second, and means it."""

    def __init__(self) -> None:
        self._first: float | None = None

    def __call__(self, request: Received) -> Reply:
        if self._first is None:
            self._first = request.at
        return answer("7421") if request.at >= self._first + 1 else error(429, retry_after="1")


def echo_key(request: Received) -> Reply:
    """What careless servers do: repeat the header in the error."""
    return error(500, f"cannot handle Authorization: {request.headers['authorization']} at {request.path}")


def echo_header(request: Received) -> Reply:
    return error(400, f"unknown team {request.headers['x-team']}")
