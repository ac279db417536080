"""The child's life: listen, serve, and end when the parent lets go."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
import time
from collections.abc import Coroutine, Mapping
from concurrent.futures import Future
from dataclasses import asdict
from multiprocessing import AuthenticationError
from multiprocessing.connection import Connection, Listener, answer_challenge, deliver_challenge
from pathlib import Path
from typing import Any, BinaryIO

from pytest_haystack.errors import ModelError
from pytest_haystack.running.gateway import folders
from pytest_haystack.running.gateway.budgets import Ledger
from pytest_haystack.running.gateway.credentials import tidy
from pytest_haystack.running.gateway.desk import Desk
from pytest_haystack.running.gateway.http_log import HttpLog
from pytest_haystack.running.gateway.loopback import pass_by_proxies
from pytest_haystack.running.gateway.provider import Provider
from pytest_haystack.running.gateway.pulse import Pulse
from pytest_haystack.running.gateway.server_facts import ServerFacts
from pytest_haystack.running.gateway.settings import ModelSettings, redactor_for
from pytest_haystack.running.gateway.shelf import Shelf
from pytest_haystack.running.gateway.wire import address_text, completion_values, pack, unpack
from pytest_haystack.running.store.kept import KeepSettings
from pytest_haystack.text import one_line, printable

_BACKLOG = 128
#: Characters of an error message; it stands in one line of a report.
_LONGEST_MESSAGE = 600
#: Seconds for open requests to be answered at the end, for the rest to be called off, and for the whole end before
#: it is forced.
_LAST_ANSWERS, _CALL_OFF, _END = 1.0, 0.5, 3.0


def run(stdin: BinaryIO, stdout: BinaryIO) -> None:
    """Serve until ``stdin`` ends. Its first line holds the settings; the address goes to ``stdout``.

    Never returns: libraries leave threads behind that would hold up an ordinary end.
    """
    # Ctrl-C and the end of a job are the parent's to handle; both may be sent to all processes of a run at once.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    settings = unpack(stdin.readline())
    announce = os.fdopen(os.dup(stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), stdout.fileno())  # what libraries print goes where errors go
    folders.clean_up()
    gateway = Gateway(settings)
    try:
        announce.write(pack({"address": gateway.address}) + b"\n")
        announce.close()
        gateway.serve(stdin)
    finally:
        gateway.close()
    sys.stderr.flush()
    os._exit(0)


class Gateway:
    """Listens, and brings what it hears to the desk. ``settings`` are those of `process.GatewayProcess.start`."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        models = {name: ModelSettings.from_entry(entry) for name, entry in settings["models"].items()}
        self._authkey: bytes = settings["authkey"].encode()
        tidy(os.environ)
        pass_by_proxies(os.environ, [model.api_base for model in models.values()])
        self._provider = Provider(os.environ, models.values())
        self._redact = redactor_for(models.values(), os.environ)
        keep = settings["keep"]
        self._shelf = Shelf(None if keep is None else KeepSettings(**keep))
        ledger = Ledger(settings.get("budgets", ()))
        self._desk = Desk(models, settings["concurrency"], self._provider, self._shelf, ledger)
        self._looking = ServerFacts(models, self._provider)
        if settings.get("debug_http"):
            HttpLog(Path(settings["debug_http"]), self._redact).install()
        self._warm: bool = settings["warm"]
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()
        self._orders = {"warm": self._provider.warm, "halt": self._desk.halt, "finish": self._finish}
        self._pulse = Pulse()
        self._waiting: set[Future[Any]] = set()
        self._socket = folders.socket_path()
        # No key for the listener: it would shake hands with one caller at a time, and wait for each.
        self._listener = (
            Listener(str(self._socket), "AF_UNIX", _BACKLOG)
            if self._socket is not None
            else Listener(("127.0.0.1", 0), "AF_INET", _BACKLOG)
        )

    @property
    def address(self) -> str:
        """Where it listens, as `wire.address_text` spells it."""
        return address_text(self._listener.address)

    def serve(self, stdin: BinaryIO) -> None:
        """Answer until ``stdin`` ends or says stop."""
        for target, args in ((self._accept, ()), (self._obey, (stdin,))):
            threading.Thread(target=target, args=args, daemon=True).start()
        self._loop.run_until_complete(self._until_stopped())

    def close(self) -> None:
        """Stop listening; the socket and its folder go, and the servers of local models end."""
        self._provider.close()
        self._listener.close()
        if self._socket is not None:
            folders.remove(self._socket)

    async def _until_stopped(self) -> None:
        if self._warm:
            self._provider.warm()
        beating = asyncio.create_task(self._pulse.beat())
        await self._stop.wait()
        for waiting in tuple(self._waiting):
            waiting.cancel()  # told at once, whatever else is awaited here
        await self._desk.finish(_LAST_ANSWERS)
        beating.cancel()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=_CALL_OFF)
        await asyncio.get_running_loop().run_in_executor(None, self._shelf.close)

    def _finish(self) -> None:
        """End once what is under way has been answered. What waits for its turn is refused at once."""
        last = self._loop.create_task(self._desk.finish(None))
        last.add_done_callback(lambda _: self._stop.set())

    def _obey(self, stdin: BinaryIO) -> None:
        """Orders of the parent, one a line; its death is the end of the lines."""
        try:
            for line in stdin:
                order = unpack(line)["do"]
                if order == "stop":
                    break
                self._loop.call_soon_threadsafe(self._orders[order])
        finally:
            self._loop.call_soon_threadsafe(self._stop.set)
            time.sleep(_END)
            self.close()
            os._exit(1)

    def _accept(self) -> None:
        while not self._stop.is_set():
            try:
                connection = self._listener.accept()
            except OSError:
                time.sleep(0.05)  # a caller that hung up at once, or no more files: go on listening
                continue
            threading.Thread(target=self._talk, args=(connection,), daemon=True).start()

    def _talk(self, connection: Connection) -> None:
        """Serve one line until the caller hangs up."""
        with connection:
            try:
                deliver_challenge(connection, self._authkey)
                answer_challenge(connection, self._authkey)
                while True:
                    ask = unpack(connection.recv_bytes())
                    connection.send_bytes(pack(self._reply(ask, connection)))
            except (OSError, EOFError, ValueError, AuthenticationError):
                return

    def _reply(self, ask: Mapping[str, Any], connection: Connection) -> dict[str, Any]:
        """The answer, or outcome and words of an error; the one place where words leave, and lose their keys.

        While it takes, the caller is told that this process is alive.
        """
        asked: Coroutine[Any, Any, Any]
        if "ahead" in ask:
            asked = self._ahead(ask)
        elif "look" in ask:
            asked = self._looking.number(ask["model"], ask["look"], ask.get("messages", ()))
        else:
            more = ask.get("cell", ""), ask.get("afresh", False)
            asked = self._desk.ask(ask["model"], ask["messages"], ask["tokens"], ask["trial"], *more)
        waiting: Future[Any] = asyncio.run_coroutine_threadsafe(asked, self._loop)
        self._waiting.add(waiting)
        try:
            answer = self._pulse.wait(waiting, connection)
        except ModelError as error:
            return self._error(error.outcome, str(error))
        except BaseException as error:
            # Called off at the end, or a mistake in here: the caller must not wait for ever.
            return self._error("infra_error", f"the gateway gave up: {type(error).__name__}: {error}")
        finally:
            self._waiting.discard(waiting)
        if "ahead" in ask:
            return {"said": answer}
        return {"number": answer} if "look" in ask else {"completion": completion_values(answer)}

    async def _ahead(self, ask: Mapping[str, Any]) -> Any:
        """What is said to whoever knows the cells to come."""
        if ask["ahead"] == "never":
            return self._desk.never((model, cell) for model, cell in ask["cells"])
        if ask["ahead"] == "first":
            first = await self._desk.first_asked(ask["model"], ask["number"])
            return None if first is None else asdict(first)
        return await self._desk.offer(ask["model"], ask["messages"], ask["tokens"], ask["trial"], ask["cell"])

    def _error(self, outcome: str, message: str) -> dict[str, Any]:
        return {"outcome": outcome, "message": one_line(printable(self._redact(message)), _LONGEST_MESSAGE)}
