"""A server that speaks OpenAI's chat API on 127.0.0.1 and does as it is told, well or badly."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Reply:
    """One response. ``body`` is JSON, or bytes as they are; ``delay`` in seconds; ``drop`` hangs up instead.

    ``cut`` is how many bytes of the body are sent before the server hangs up.
    """

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    drop: bool = False
    cut: int | None = None


@dataclass(frozen=True)
class Received:
    """A request as it arrived; ``at`` is the monotonic clock's time in seconds."""

    at: float
    path: str
    body: dict[str, Any]
    headers: dict[str, str]

    @property
    def text(self) -> str:
        """Content of the last message."""
        return str(self.body["messages"][-1]["content"])


#: What a path does: the same reply always, replies one after the other (the last again and again), or a function.
Script = Reply | Sequence[Reply] | Callable[[Received], Reply]

USAGE = {
    "prompt_tokens": 1000,
    "completion_tokens": 200,
    "total_tokens": 1200,
    "prompt_tokens_details": {"cached_tokens": 400},
    "completion_tokens_details": {"reasoning_tokens": 150},
}


def answer(
    text: str | None, *, finish_reason: str = "stop", usage: Any = USAGE, delay: float = 0.0, **message: Any
) -> Reply:
    """A chat completion; further arguments are fields of its message."""
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "served-model",
        "choices": [
            {"index": 0, "finish_reason": finish_reason, "message": {"role": "assistant", "content": text} | message}
        ],
    }
    return Reply(body=body if usage is None else body | {"usage": usage}, delay=delay)


def error(status: int, message: str = "no", code: str | None = None, **headers: str) -> Reply:
    """An error in OpenAI's form; further arguments are headers, ``retry_after="1"``."""
    body = {"error": {"message": message, "type": None, "param": None, "code": code}}
    return Reply(status, body, {name.replace("_", "-"): value for name, value in headers.items()})


class OpenAIServer:
    """Runs in threads of its own; a path per behaviour: ``server.base("slow")`` is an ``api_base``."""

    def __init__(self) -> None:
        self._scripts: dict[str, Script] = {}
        self._received: dict[str, list[Received]] = {}
        self._in_flight: Counter[str] = Counter()
        self._peaks: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._http = _Server(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True)

    def __enter__(self) -> OpenAIServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def base(self, path: str, script: Script | None = None) -> str:
        """The ``api_base`` of a path; ``script`` is what it does from now on."""
        if script is not None:
            self._scripts[path] = script
        return f"{self.url}/{path}/v1"

    def forget(self, path: str) -> None:
        """Count the requests of a path from none on, as a test that is tried again needs it."""
        with self._lock:
            self._received.pop(path, None)
            self._peaks.pop(path, None)

    def received(self, path: str) -> list[Received]:
        """The requests that a path got so far."""
        with self._lock:
            return list(self._received.get(path, ()))

    def count(self, path: str) -> int:
        """How many requests a path got so far."""
        return len(self.received(path))

    def peak(self, path: str | None = None) -> int:
        """The most requests that were under way at once, at a path or over all."""
        with self._lock:
            return self._peaks[path or ""]

    def handle(self, path: str, request: Received) -> Reply:
        """Do as the path's script says, and count."""
        with self._lock:
            earlier = self._received.setdefault(path, [])
            number = len(earlier)
            earlier.append(request)
            for name in (path, ""):
                self._in_flight[name] += 1
                self._peaks[name] = max(self._peaks[name], self._in_flight[name])
        try:
            script = self._scripts.get(path, error(404, f"nothing at {path}"))
            if callable(script):
                reply = script(request)
            elif isinstance(script, Reply):
                reply = script
            else:
                reply = script[min(number, len(script) - 1)]
            time.sleep(reply.delay)
            return reply
        finally:
            with self._lock:
                for name in (path, ""):
                    self._in_flight[name] -= 1

    def delivered(self, path: str, request: Received, reply: Reply) -> None:
        """Called when a response has left whole; for a server that counts them."""

    def report(self) -> Any:
        """The requests so far by path, as JSON values."""
        with self._lock:
            return {path: [asdict(one) for one in received] for path, received in self._received.items()}


class _Server(ThreadingHTTPServer):
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that was killed is part of the test."""


def _handler(server: OpenAIServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        #: Head and body leave at once, as from real servers: else the body waits 40 ms until the head is acknowledged.
        disable_nagle_algorithm = True
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers.get("content-length", 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            request = Received(time.monotonic(), self.path, json.loads(self.rfile.read(length)), headers)
            reply = server.handle(self.path.split("/")[1], request)
            if reply.drop:
                self.close_connection = True
                return
            body = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
            self.send_response(reply.status)
            always = {"content-type": "application/json", "content-length": str(len(body))}
            for name, value in (always | reply.headers).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body if reply.cut is None else body[: reply.cut])
            if reply.cut is not None:
                self.close_connection = True
            else:
                server.delivered(self.path.split("/")[1], request, reply)

        def do_GET(self) -> None:
            """What was received so far, for a test in another process."""
            body = json.dumps(server.report()).encode()
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: Any) -> None:
            """Nothing: pytest shows what is printed."""

    return Handler
