"""The store on this machine: one SQLite file in a folder of its own."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from datetime import datetime, timezone
from pathlib import Path

from pytest_haystack.running.store.store import Stored, StoreError, dump_stored, load_stored

FILE = "answers.sqlite"
#: Raised when the table changes; a newer file is refused rather than misread.
VERSION = 1
#: An answer that took fewer seconds is asked for again after a power cut: waiting for the disk would take as long.
_QUICK = 0.05
#: Seconds to wait for another process that is writing.
_PATIENCE = 60.0
_IGNORE = "# Written by pytest-haystack: answers of models are not for version control.\n*\n"


class SqliteStore:
    """Answers in ``directory``, which is made where it is missing and kept out of git, as pytest's
    cache is."""

    def __init__(self, directory: Path) -> None:
        """Raises StoreError where it cannot be written."""
        self._directory = directory
        self._path = directory / FILE
        self._lock = threading.Lock()
        self._open()

    def _open(self) -> None:
        self._survives: bool | None = None
        directory = self._directory
        try:
            if not directory.is_dir():
                directory.mkdir(parents=True, exist_ok=True)
                (directory / ".gitignore").write_text(_IGNORE, encoding="utf-8")
        except OSError as error:
            raise StoreError(f"answers cannot be kept in {directory}: {error.strerror or error}; {_ADVICE}") from None
        with self._told("opened"):
            # One connection for all threads of the process, which take turns.
            self._connection = sqlite3.connect(
                self._path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
            )
            # The log survives a process that is killed in the middle of a write.
            self._write_ahead()
            self._survive_power_cuts(True)
            version = self._connection.execute("PRAGMA user_version").fetchone()[0]
            if version > VERSION:
                raise StoreError(f"{self._path}: written by a newer version of pytest-haystack; update it")
            self._connection.execute(
                "CREATE TABLE IF NOT EXISTS answers"
                " (key TEXT PRIMARY KEY, answer TEXT NOT NULL, kept_utc TEXT NOT NULL)"
            )
            if version < VERSION:
                self._connection.execute(f"PRAGMA user_version = {VERSION}")

    def get(self, key: str) -> Stored | None:
        """The answer of this name, None where there is none."""
        with self._told("read"):
            found = self._connection.execute("SELECT answer FROM answers WHERE key = ?", (key,)).fetchone()
            return None if found is None else load_stored(found[0])

    def put(self, key: str, stored: Stored) -> None:
        """Keep an answer, in a transaction of its own."""
        self.put_all({key: stored})

    def put_all(self, answers: Mapping[str, Stored]) -> None:
        """Keep answers, in one transaction."""
        now = datetime.now(timezone.utc).isoformat(timespec="seconds")
        seconds = [stored.completion.latency_seconds for stored in answers.values()]
        if not self._path.exists():
            # Somebody tidied up: what is written into a file that was deleted is lost with this process.
            self.close()
            self._open()
        with self._told("written"):
            self._survive_power_cuts(any(taken is None or taken >= _QUICK for taken in seconds))
            rows = [(key, dump_stored(stored), now) for key, stored in answers.items()]
            with self._connection:
                if len(rows) > 1:
                    self._connection.execute("BEGIN IMMEDIATE")
                self._connection.executemany("INSERT OR REPLACE INTO answers VALUES (?, ?, ?)", rows)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def _write_ahead(self) -> None:
        """Switch the file to its log. Of several processes that do so at once SQLite turns some away unheard."""
        until = time.monotonic() + _PATIENCE
        while True:
            try:
                self._connection.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or time.monotonic() > until:
                    raise
                time.sleep(0.05)

    def _survive_power_cuts(self, wanted: bool) -> None:
        """Whether what is written next, and all before it, waits until the disk has it."""
        if wanted != self._survives:
            self._connection.execute(f"PRAGMA synchronous = {'FULL' if wanted else 'NORMAL'}")
            self._survives = wanted

    @contextmanager
    def _told(self, done: str) -> Generator[None, None, None]:
        with self._lock:
            try:
                yield
            except (sqlite3.Error, ValueError) as error:
                raise StoreError(f"the answer store {self._path} cannot be {done}: {error}; {_ADVICE}") from error


_ADVICE = "make room or move it away, or name another place with --haystack-store"
