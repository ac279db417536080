"""One run at a time writes into a report folder."""

from __future__ import annotations

import json
import os
import platform
from contextlib import suppress
from pathlib import Path
from typing import Any

from pytest_haystack.errors import HaystackError

#: The lock, and who holds it: the lock's own file is emptied by whoever tries it.
LOCK, HOLDER = ".lock", ".lock-holder"


class FolderLock:
    """Held by this process until `release`, or until it ends, however that comes."""

    def __init__(self, directory: Path, run_id: str) -> None:
        """Raises HaystackError where another run holds the folder, OSError where it cannot be written."""
        from filelock import FileLock, Timeout

        directory.mkdir(parents=True, exist_ok=True)
        self._directory = directory
        self._holder = directory / HOLDER
        # For the whole process: a thread that ends gives nothing back.
        self._lock: Any = FileLock(directory / LOCK, thread_local=False)
        try:
            self._lock.acquire(timeout=0)
            if not (directory / LOCK).exists():  # whoever held it was just leaving, and took the file along
                self._lock.release()
                self._lock.acquire(timeout=0)
        except Timeout:
            raise HaystackError(
                f"the report folder {directory} is in use by {_told(self._holder)}: wait for that run to end, "
                "or give this one another folder with --haystack-report-dir"
            ) from None
        facts = {"pid": os.getpid(), "host": platform.node(), "run_id": run_id}
        with suppress(OSError):  # on a full disk the lock holds all the same
            self._holder.write_text(json.dumps(facts) + "\n", encoding="ascii")

    def release(self) -> None:
        """Let another run have it. Where nothing was written, the folder goes too."""
        for path in (self._holder, self._directory / LOCK):
            with suppress(OSError):
                path.unlink(missing_ok=True)
        self._lock.release()
        with suppress(OSError):
            self._directory.rmdir()


def _told(holder: Path) -> str:
    try:
        facts = json.loads(holder.read_text(encoding="ascii"))
        return f"another run (process {facts['pid']} on {facts['host']}, run {facts['run_id']})"
    except (OSError, ValueError, KeyError, TypeError):
        return "another run, which has just begun"
