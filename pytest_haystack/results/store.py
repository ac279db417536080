"""results.jsonl: appended and flushed row by row, read back with a clear error."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_haystack.errors import HaystackError
from pytest_haystack.results.rows import SCHEMA_VERSION, dump_row

RESULTS = "results.jsonl"


class RowWriter:
    """Appends the rows of one run. The file of an earlier run is moved to ``results-<its run id>.jsonl``."""

    def __init__(self, directory: Path, run_id: str) -> None:
        """Raises OSError where the folder cannot be written."""
        directory.mkdir(parents=True, exist_ok=True)
        self.path = directory / RESULTS
        if self.path.exists():
            self.path.replace(directory / f"results-{_run_id_of(self.path)}.jsonl")
        self._run_id = run_id
        self._file = self.path.open("a", encoding="ascii", newline="\n")

    def append(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Write one row to disk now; returns it as written."""
        written = {**row, "run_id": self._run_id}
        self._file.write(dump_row(written) + "\n")
        self._file.flush()
        return written

    def close(self) -> None:
        """Close the file; appending is over."""
        self._file.close()


def read_rows(path: Path) -> list[dict[str, Any]]:
    """All rows of a file; of a trial that stands there twice the later row holds.

    Raises HaystackError where the file is missing or a line is no row. A last line without its end is left out: the
    run that wrote it was killed.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise HaystackError(f"{path}: cannot be read ({error}); name a results.jsonl") from None
    rows: dict[tuple[object, ...], dict[str, Any]] = {}
    for number, line in enumerate(text.split("\n")[:-1], start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            # A search has trials of one number at several lengths and depths.
            key = (row["nodeid"], row.get("context_length"), row.get("depth_percent"), row["trial"])
            version = row["schema_version"]
        except (ValueError, KeyError, TypeError):
            raise HaystackError(f"{path}:{number}: not a row of results; name a results.jsonl") from None
        if version > SCHEMA_VERSION:
            raise HaystackError(f"{path}:{number}: written by a newer version; update pytest-haystack")
        rows[key] = row
    return list(rows.values())


def _run_id_of(path: Path) -> str:
    try:
        with path.open(encoding="utf-8") as file:
            run_id = json.loads(file.readline())["run_id"]
    except (OSError, ValueError, KeyError, TypeError):
        run_id = ""
    # The name of a file is made of it: nothing but what run ids consist of.
    safe = "".join(c for c in str(run_id) if c.isalnum() or c in "-_")
    return safe or str(int(path.stat().st_mtime))
