"""results.jsonl: written as rows come in, put in order at the end, read back with a clear error."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from pytest_haystack.errors import HaystackError
from pytest_haystack.results.row_checks import fault_of
from pytest_haystack.results.rows import SCHEMA_VERSION, dump_row
from pytest_haystack.writing_together import WritingTogether

RESULTS = "results.jsonl"


class RowWriter:
    """Appends the rows of one run.

    The file of an earlier run is moved to ``results-<its run id>.jsonl``; with ``resume`` it is repaired and goes on,
    and ``earlier`` has its rows.
    """

    def __init__(self, directory: Path, run_id: str, resume: bool = False) -> None:
        """Raises OSError where the folder cannot be written, HaystackError where a file to resume is no such file."""
        directory.mkdir(parents=True, exist_ok=True)
        self.path = directory / RESULTS
        #: Where the file of an earlier run went, None where it did not go.
        self.moved: Path | None = None
        self.earlier: list[dict[str, Any]] = []
        if self.path.exists() and resume:
            repair(self.path)
            self.earlier = read_rows(self.path)
        elif self.path.exists():
            self.moved = self.path.replace(directory / f"results-{_run_id_of(self.path)}.jsonl")
        self._run_id = run_id
        self._resumed = resume
        self._appended: list[tuple[str, int]] = []
        self._waiting: list[dict[str, Any]] = []
        self._together = WritingTogether()
        # Unbuffered: what could not be written must not be tried again when the file is closed.
        self._file = self.path.open("ab", buffering=0)

    def append(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Write one row to disk, now or soon; returns it as written. Raises what `flush` raises."""
        written = {**row, "run_id": self._run_id}
        self._waiting.append(written)
        if self._together.add(written["latency_seconds"]):
            self.flush()
        return written

    def flush(self) -> None:
        """Write the rows that wait. Raises OSError, and leaves no part of a row behind."""
        waiting, self._waiting = self._waiting, []
        self._together.done()
        if not waiting:
            return
        lines = b"".join(dump_row(row).encode("ascii") + b"\n" for row in waiting)
        if not os.fstat(self._file.fileno()).st_nlink:
            # On POSIX systems a file that was deleted takes on rows as before, and nobody will see them.
            raise FileNotFoundError(errno.ENOENT, "the file was deleted while the run went on")
        left = memoryview(lines)
        try:
            while left:
                left = left[self._file.write(left) :]
        except OSError:
            there = len(lines) - len(left)
            part = there - (lines.rfind(b"\n", 0, there) + 1)
            with suppress(OSError):
                self._file.truncate(os.fstat(self._file.fileno()).st_size - part)
            raise
        finally:
            whole = lines.count(b"\n", 0, len(lines) - len(left))
            self._appended += [(row["nodeid"], row["trial"]) for row in waiting[:whole]]

    def close(self) -> None:
        """Close the file; appending is over. Rows that wait are lost: `flush` writes them."""
        self._file.close()

    def write_anew(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Write a file that has gone once more: what was there when the run began, and these rows. Raises OSError."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        kept = {(row["nodeid"], row["trial"]): row for row in (*self.earlier, *rows)}
        replace_file(self.path, "".join(f"{dump_row(row)}\n" for row in kept.values()).encode("ascii"))

    def settle(self, rank: Callable[[str], Any]) -> None:
        """Put the rows in the order of ``rank``, a function of the node id, and of their trials.

        Rows arrive as workers finish and as runs were broken off; afterwards nothing tells of that. Where the run
        was resumed, its rows replace all earlier ones of the same test. Raises OSError where it cannot be written;
        the file is as it was then.
        """
        ranks = [(rank(nodeid), trial) for nodeid, trial in self._appended]
        once = len(set(self._appended)) == len(self._appended)
        if not self._resumed and once and ranks == sorted(ranks):
            return
        lines = self.path.read_bytes().splitlines(keepends=True)
        keyed = [(key, line) for line in lines if (key := _key_of(line)) is not None]
        if self._resumed:
            again = {nodeid for nodeid, _ in self._appended}
            first = len(keyed) - len(self._appended)
            keyed = [item for number, item in enumerate(keyed) if number >= first or item[0][0] not in again]
        # A test that ran again has left rows of the same trials.
        keyed = list(dict(keyed).items())
        ordered = sorted(keyed, key=lambda item: (rank(item[0][0]), item[0][1]))
        if [line for _, line in ordered] != lines:
            replace_file(self.path, b"".join(line for _, line in ordered))


def replace_file(path: Path, data: bytes) -> None:
    """Write a file whole, or leave what was there. Raises OSError."""
    temporary = path.with_name(f".{path.name}.part")
    try:
        temporary.write_bytes(data)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def repair(path: Path) -> None:
    """Make the last line of a file of rows whole: a run that was killed, or a full disk, may have left a part of it."""
    data = path.read_bytes()
    end = data.rfind(b"\n") + 1
    tail = data[end:]
    if not tail:
        return
    if _key_of(tail) is not None:  # only its line end is missing
        with path.open("ab") as file:
            file.write(b"\n")
    else:
        with path.open("r+b") as file:
            file.truncate(end)


def read_rows(path: Path) -> list[dict[str, Any]]:
    """All rows of a file; of a trial that stands there twice the later row holds.

    Raises HaystackError where the file is missing or a line is no row. A last line without its end is left out: the
    run that wrote it was killed.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")  # some editors put a mark at its start
    except (OSError, UnicodeDecodeError) as error:
        raise HaystackError(f"{path}: cannot be read ({error}); name a results.jsonl") from None
    rows: dict[tuple[str, int], dict[str, Any]] = {}
    for number, line in enumerate(text.split("\n")[:-1], start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            raise HaystackError(f"{path}:{number}: not a row of results; name a results.jsonl") from None
        version = row.get("schema_version") if isinstance(row, dict) else None
        if isinstance(version, int) and version > SCHEMA_VERSION:
            raise HaystackError(f"{path}:{number}: written by a newer version; update pytest-haystack")
        if (fault := fault_of(row)) is not None:
            raise HaystackError(f"{path}:{number}: {fault}; name a results.jsonl, or take that line out")
        rows[row["nodeid"], row["trial"]] = row
    return list(rows.values())


def _key_of(line: bytes) -> tuple[str, int] | None:
    """Node id and trial of a row, None for anything else."""
    try:
        row = json.loads(line)
        return str(row["nodeid"]), int(row["trial"])
    except (ValueError, KeyError, TypeError):
        return None


def _run_id_of(path: Path) -> str:
    try:
        with path.open(encoding="utf-8") as file:
            run_id = json.loads(file.readline())["run_id"]
    except (OSError, ValueError, KeyError, TypeError):
        run_id = ""
    # The name of a file is made of it: nothing but what run ids consist of.
    safe = "".join(c for c in str(run_id) if c.isalnum() or c in "-_")
    return safe or str(int(path.stat().st_mtime))
