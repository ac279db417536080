"""The asking side: what a worker, or the one process of a run, holds of the gateway."""

from __future__ import annotations

import os
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client
from typing import TYPE_CHECKING

from pytest_haystack.errors import ModelError
from pytest_haystack.models.model import Completion
from pytest_haystack.running.gateway.wire import completion_from, pack, parse_address, unpack

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

#: Seconds between looks for an answer. Where a read cannot be interrupted, this is how long Ctrl-C waits.
_LOOK = 0.25


class GatewayClient:
    """Asks the gateway at ``address``. Connects when first asked; threads may share it, each gets its own line."""

    def __init__(self, address: str, authkey: str) -> None:
        self._address = address
        self._authkey = authkey
        self._idle: list[Connection] = []
        self._lock = threading.Lock()
        self._process = os.getpid()

    def complete(
        self,
        model_id: str,
        messages: Sequence[dict[str, str]],
        request_tokens: int | None,
        trial: int,
        afresh: bool = False,
    ) -> Completion:
        """Answer of a model to messages.

        ``request_tokens`` is about what the request counts under ``tokens_per_minute``: its input and the longest
        answer. The same messages of the same model and trial (from 0) are sent once as long as the gateway lives.
        ``afresh`` passes over an answer that was kept from an earlier run.
        Raises ModelError where there is no answer; ``infra_error`` at once where the gateway has ended.
        """
        request = {"model": model_id, "messages": list(messages), "tokens": request_tokens, "trial": trial}
        request["afresh"] = afresh
        with self._connection() as connection:
            connection.send_bytes(pack(request))
            while not connection.poll(_LOOK):
                pass
            reply = unpack(connection.recv_bytes())
        if "completion" in reply:
            return completion_from(reply["completion"])
        raise ModelError(reply["outcome"], reply["message"])

    def close(self) -> None:
        """Hang up. Asking again connects again."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    @contextmanager
    def _connection(self) -> Generator[Connection, None, None]:
        connection: Connection | None = None
        try:
            connection = self._take()
            yield connection
        except (OSError, EOFError, ValueError, AuthenticationError) as error:
            if connection is not None:
                connection.close()
            reason = " ".join(f"{type(error).__name__}: {error}".split())
            raise ModelError(
                "infra_error",
                f"no answer: the gateway, the process that sends the requests, has ended ({reason})",
            ) from error
        except BaseException:
            # Interrupted while waiting: the answer to this request must not meet the next one.
            if connection is not None:
                connection.close()
            raise
        with self._lock:
            self._idle.append(connection)

    def _take(self) -> Connection:
        with self._lock:
            if self._process != os.getpid():
                # After a fork the parent goes on using these lines.
                self._idle, self._process = [], os.getpid()
            if self._idle:
                return self._idle.pop()
        return Client(parse_address(self._address), authkey=self._authkey.encode())
