"""The environment that a sweep sees: the process's own, and behind it a `.env` file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from pytest_haystack.errors import ConfigError

_FILE = ".env"


class Environment(Mapping[str, str]):
    """Variables by name. What the process has counts before what the file says, and is never changed.

    The file is the `.env` of the first of ``folders`` that has one. It is read when a name is looked for that the
    process lacks, or when `read` asks for it: a sweep that needs neither never opens it. Only what has been read is
    there to be iterated over.
    """

    def __init__(self, folders: Iterable[Path], own: Mapping[str, str] = os.environ) -> None:
        self._folders = tuple(folders)
        self._own = own
        self._read: dict[str, str] | None = None

    def read(self) -> Mapping[str, str]:
        """Variables of the file. Raises ConfigError where it cannot be read."""
        if self._read is None:
            file = next((path for folder in self._folders if (path := folder / _FILE).is_file()), None)
            self._read = _variables(file) if file is not None else {}
        return self._read

    def __getitem__(self, name: str) -> str:
        return self._own[name] if name in self._own else self.read()[name]

    def __iter__(self) -> Iterator[str]:
        return iter({**(self._read or {}), **self._own})

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        # Shown by --showlocals: names and values stay in here.
        return f"Environment({_FILE} {'not read' if self._read is None else 'read'})"


def _variables(file: Path) -> dict[str, str]:
    from dotenv import dotenv_values

    try:
        values = dotenv_values(file, encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = "not UTF-8" if isinstance(error, UnicodeDecodeError) else error.strerror
        raise ConfigError(f"{file}: cannot be read: {why}") from None
    return {name: value for name, value in values.items() if value is not None}
