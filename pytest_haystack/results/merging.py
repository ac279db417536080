"""Rows of several machines, or of several runs, as one file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pytest_haystack.errors import HaystackError
from pytest_haystack.results.rows import dump_row
from pytest_haystack.results.store import read_rows, replace_file

#: What must be one for rows to be of the same trial.
_SAME = {"prompt_sha256": "prompt", "model": "model"}


def merged_rows(paths: Sequence[Path]) -> list[dict[str, Any]]:
    """The rows of all files; of a trial that stands in several the row of the last file holds.

    Raises HaystackError where two rows of one trial answer different prompts, or are of different models: then the
    files are not of one sweep.
    """
    rows: dict[tuple[str, int], tuple[Path, dict[str, Any]]] = {}
    for path in paths:
        for row in read_rows(path):
            key = row["nodeid"], row["trial"]
            if key in rows:
                earlier, other = rows[key]
                for field, word in _SAME.items():
                    if other[field] != row[field]:
                        raise HaystackError(
                            f"{path}: trial {row['trial']} of {row['nodeid']} has another {word} than in {earlier}: "
                            "these are not rows of one sweep; merge the files of one sweep only"
                        )
            rows[key] = path, row
    return [row for _, row in rows.values()]


def merge(paths: Sequence[Path], out: Path) -> int:
    """Write the merged rows; returns how many they are. Raises HaystackError."""
    rows = merged_rows(paths)
    try:
        replace_file(out, "".join(dump_row(row) + "\n" for row in rows).encode("ascii"))
    except OSError as error:
        raise HaystackError(f"{out}: cannot be written: {error.strerror or error}") from None
    return len(rows)
