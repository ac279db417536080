"""Writing files whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path


def write_whole(path: Path, write: Callable[[Path], object]) -> Path:
    """Let ``write`` write a temporary file beside ``path`` and move it there when it is complete.

    A reader sees the old file or the new one, never a part. The folder is made where it is missing.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.stem}-{os.getpid()}.part{path.suffix}")
    try:
        write(temporary)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return path


def distinct(names: Iterable[str]) -> list[str]:
    """The names, with a number after those that stand there already, also where a file system ignores case."""
    made: list[str] = []
    taken: set[str] = set()
    for stem in names:
        name, number = stem, 1
        while name.lower() in taken:
            number += 1
            name = f"{stem}-{number}"
        taken.add(name.lower())
        made.append(name)
    return made


def write_text(path: Path, text: str) -> Path:
    """Write a text as UTF-8 with Unix line ends, whole or not at all."""
    return write_whole(path, lambda temporary: temporary.write_bytes(text.encode("utf-8", "backslashreplace")))
