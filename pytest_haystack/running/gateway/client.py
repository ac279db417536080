"""The asking side: what a worker, or the one process of a run, holds of the gateway."""

from __future__ import annotations

import os
import socket
import struct
import threading
import time
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, answer_challenge, deliver_challenge
from typing import TYPE_CHECKING, Any

from pytest_haystack.errors import ModelError
from pytest_haystack.models.model import Completion
from pytest_haystack.running.gateway.first_asked import FirstAsked
from pytest_haystack.running.gateway.wire import completion_from, pack, parse_address, unpack

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

#: Seconds between looks for an answer. Where a read cannot be interrupted, this is how long Ctrl-C waits.
_LOOK = 0.25
#: Seconds without a sign of life after which the gateway hangs: it gives one every second, however long an answer
#: takes.
PATIENCE = 60.0
#: The same once it has been found to hang, until it is heard again: cells that follow need not wait as long.
_SHORT_PATIENCE = 5.0


class GatewayClient:
    """Asks the gateway at ``address``. Connects when first asked; threads may share it, each gets its own line.

    ``patience`` is how many seconds the gateway may be silent (default: `PATIENCE`).
    """

    def __init__(self, address: str, authkey: str, patience: float | None = None) -> None:
        self._address = address
        self._authkey = authkey
        self._patience = PATIENCE if patience is None else patience
        self._hangs = False
        self._idle: list[Connection] = []
        self._lock = threading.Lock()
        self._process = os.getpid()

    def complete(
        self,
        model_id: str,
        messages: Sequence[dict[str, str]],
        request_tokens: int | None,
        trial: int,
        cell: str = "",
        afresh: bool = False,
    ) -> Completion:
        """Answer of a model to messages.

        ``request_tokens`` is about what the request counts under ``tokens_per_minute``: its input and the longest
        answer. The same messages of the same model and trial (from 0) are sent once as long as the gateway lives.
        ``cell`` names who asks, ``afresh`` passes over an answer that was kept from an earlier run. Raises ModelError
        where there is no answer; ``infra_error`` at once where the gateway has ended, and where it shows no sign of
        life.
        """
        __tracebackhide__ = True
        request = {
            "model": model_id,
            "messages": list(messages),
            "tokens": request_tokens,
            "trial": trial,
            "cell": cell,
            "afresh": afresh,
        }
        return completion_from(self._reply(request)["completion"])

    def context_window(self, model_id: str) -> int | None:
        """Context window in tokens as the model's server tells it, None where it does not. Raises ModelError."""
        window: int | None = self._reply({"model": model_id, "look": "window"})["number"]
        return window

    def input_tokens(self, model_id: str, messages: Sequence[dict[str, str]]) -> int | None:
        """Tokens of messages as the model's server counts them, None where it does not. Raises ModelError."""
        tokens: int | None = self._reply({"model": model_id, "look": "tokens", "messages": list(messages)})["number"]
        return tokens

    def first_asked(self, model_id: str, number: int = 0) -> FirstAsked | None:
        """The first request (number 0) of a model's cells that was answered, or one of the next, once there is one.

        None where that is of no use any more. Raises ModelError.
        """
        said = self._reply({"ahead": "first", "model": model_id, "number": number})["said"]
        return None if said is None else FirstAsked(**said)

    def offer(
        self, model_id: str, messages: Sequence[dict[str, str]], request_tokens: int, trial: int, cell: str
    ) -> tuple[bool, list[tuple[str, int, int]]]:
        """Offer a request that a cell will make, so that it may be sent before. Waits until there is room for another.

        Returns whether one is welcome, and what came of earlier ones: cell, trial and the input tokens that the
        provider counted. Raises ModelError.
        """
        request = {"ahead": "offer", "model": model_id, "messages": list(messages), "tokens": request_tokens}
        more, seen = self._reply({**request, "trial": trial, "cell": cell})["said"]
        return more, [(cell, trial, tokens) for cell, trial, tokens in seen]

    def never(self, cells: Iterable[tuple[str, str]]) -> None:
        """Tell of cells (model and cell id) that perhaps will not ask, so that nothing of theirs is sent before.

        Raises ModelError.
        """
        self._reply({"ahead": "never", "cells": list(cells)})

    def _reply(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        """The gateway's reply. Raises ModelError where it is an error."""
        __tracebackhide__ = True
        with self._connection() as connection:
            connection.send_bytes(pack(request))
            reply = self._wait(connection)
        if "outcome" in reply:
            raise ModelError(reply["outcome"], reply["message"])
        return reply

    def close(self) -> None:
        """Hang up. Asking again connects again."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    @property
    def _seconds(self) -> float:
        return min(_SHORT_PATIENCE, self._patience) if self._hangs else self._patience

    def _wait(self, connection: Connection) -> Mapping[str, Any]:
        """The reply; on the way to it the gateway says again and again that it is alive."""
        heard = time.monotonic()
        while True:
            if connection.poll(_LOOK):
                reply = unpack(connection.recv_bytes())
                self._hangs = False
                if "alive" not in reply:
                    return reply
                heard = time.monotonic()
            elif time.monotonic() - heard > self._seconds:
                raise TimeoutError

    @contextmanager
    def _connection(self) -> Generator[Connection, None, None]:
        connection: Connection | None = None
        try:
            connection = self._take()
            yield connection
        except (BlockingIOError, TimeoutError) as error:
            # What a socket with a time limit raises when that is over.
            if connection is not None:
                connection.close()
            seconds, self._hangs = self._seconds, True
            raise ModelError(
                "infra_error",
                "no answer: the gateway, the process that sends the requests, hangs: "
                f"no sign of life for {seconds:g} s",
            ) from error
        except (OSError, EOFError, ValueError, AuthenticationError) as error:
            if connection is not None:
                connection.close()
            reason = " ".join(f"{type(error).__name__}: {error}".split()).rstrip(":")
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
        connection = Client(parse_address(self._address))
        try:
            _limit(connection, self._seconds)
            key = self._authkey.encode()
            answer_challenge(connection, key)
            deliver_challenge(connection, key)
        except BaseException:
            connection.close()
            raise
        return connection


def _limit(connection: Connection, seconds: float) -> None:
    """Let no single read or write of the line take longer: a stopped process takes nothing in, and lets none wait."""
    if os.name != "posix":
        return  # there, nothing stops a process from the outside
    with socket.socket(fileno=os.dup(connection.fileno())) as line:
        limit = struct.pack("ll", int(seconds), int(seconds % 1 * 1_000_000))
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, limit)
        line.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, limit)
