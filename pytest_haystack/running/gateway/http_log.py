"""Raw requests and responses as files, for a look at what really crossed the wire; without keys."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from contextlib import suppress
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import Any

from pytest_haystack.models.redaction import HIDDEN, Redactor
from pytest_haystack.running.gateway.redirects import LIBRARIES

#: Headers that hold keys, or stand for them.
_SECRET_HEADER = re.compile(r"auth|key|token(?!s)|secret|cookie|credential|signature", re.IGNORECASE)
_NUMBERED = re.compile(r"(\d+)-(?:request|response)\.txt")


class HttpLog:
    """Writes ``00001-request.txt`` and ``00001-response.txt`` for each request; numbers go on where a folder has some.

    ``redact`` hides keys in addresses and bodies; headers that name one are hidden whole. Prompts and answers stand
    there in full.
    """

    def __init__(self, folder: Path, redact: Redactor) -> None:
        """Raises OSError where the folder cannot be made."""
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._redact = redact
        used = [int(found[1]) for path in folder.iterdir() if (found := _NUMBERED.fullmatch(path.name))]
        self._numbers = itertools.count(max(used, default=0) + 1)

    def install(self) -> None:
        """From now on log what this process sends through the HTTP libraries that litellm and its SDKs use."""
        for name in LIBRARIES:
            with suppress(ImportError):
                library: Any = import_module(name)
                library.AsyncClient.send = self._logged_async(library.AsyncClient.send)
                library.Client.send = self._logged(library.Client.send)

    def _logged_async(self, send: Any) -> Any:
        @wraps(send)
        async def logged(client: Any, request: Any, **arguments: Any) -> Any:
            number = self._request(request)
            try:
                response = await send(client, request, **arguments)
                self._response(number, response, await response.aread())
            except BaseException as error:
                self._failure(number, error)
                raise
            return response

        return logged

    def _logged(self, send: Any) -> Any:
        @wraps(send)
        def logged(client: Any, request: Any, **arguments: Any) -> Any:
            number = self._request(request)
            try:
                response = send(client, request, **arguments)
                self._response(number, response, response.read())
            except BaseException as error:
                self._failure(number, error)
                raise
            return response

        return logged

    def _request(self, request: Any) -> int:
        number = next(self._numbers)
        body = getattr(request, "_content", b"")  # that of a stream has not been read
        self._write(number, "request", f"{request.method} {request.url}", request.headers.multi_items(), body)
        return number

    def _response(self, number: int, response: Any, body: bytes) -> None:
        head = f"HTTP {response.status_code} {response.reason_phrase}"
        self._write(number, "response", head, response.headers.multi_items(), body)

    def _failure(self, number: int, error: BaseException) -> None:
        self._write(number, "response", f"no response: {type(error).__name__}: {error}", (), b"")

    def _write(self, number: int, what: str, head: str, headers: Iterable[tuple[str, str]], body: bytes) -> None:
        lines = [f"{name}: {HIDDEN if _SECRET_HEADER.search(name) else value}" for name, value in headers]
        text = "\n".join([head, *lines, "", body.decode("utf-8", "backslashreplace")])
        path = self._folder / f"{number:05}-{what}.txt"
        with suppress(OSError):  # a full disk must not cost an answer that was paid
            path.write_text(self._redact(text) + "\n", encoding="utf-8", errors="backslashreplace")
