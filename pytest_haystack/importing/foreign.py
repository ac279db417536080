"""A mapping of another tool's config, read key by key, and what of it could not be carried over."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pytest_haystack.config.axes import DEPTH_DECIMALS
from pytest_haystack.config.entries import id_safe
from pytest_haystack.errors import HaystackError
from pytest_haystack.text import one_line

_LONGEST = 200


class FromVariable(str):
    """Text that names an environment variable on purpose, ``${NAME}``; all other text is taken as it stands."""


class Foreign:
    """One mapping. ``notes`` is shared by all mappings of a config; ``where`` is the dotted key of this one."""

    def __init__(self, data: Any, where: str, notes: list[str]) -> None:
        """Raises HaystackError where ``data`` is no mapping."""
        if not isinstance(data, Mapping):
            raise HaystackError(f"{where}: must be a mapping of keys and values")
        self._data = {str(key): value for key, value in data.items()}
        self._read: set[str] = set()
        self._where, self.notes = where, notes

    def __contains__(self, key: str) -> bool:
        return self._data.get(key) is not None

    def take(self, key: str, default: Any = None) -> Any:
        """The value of a key, which counts as carried over unless `lost` says otherwise."""
        self._read.add(key)
        value = self._data.get(key)
        return default if value is None else value

    def mapping(self, key: str) -> Foreign:
        """The mapping at a key; an empty one where there is none."""
        return Foreign(self.take(key, {}), self.path(key), self.notes)

    def items(self, key: str, default: Any = ()) -> list[Any]:
        """The list at a key. Raises HaystackError where it is something else."""
        value = self.take(key, default)
        if not isinstance(value, list | tuple):
            raise HaystackError(f"{self.path(key)}: must be a list")
        return list(value)

    def text(self, key: str) -> str | None:
        """The text at a key, None where there is none. Raises HaystackError where it is something else."""
        value = self.take(key)
        if value is not None and not isinstance(value, str):
            raise HaystackError(f"{self.path(key)}: must be a text")
        return value

    def path(self, key: str) -> str:
        """The dotted key, from the top of the file."""
        return f"{self._where}.{key}" if self._where else key

    def lost(self, key: str, why: str) -> None:
        """Note that a key was not carried over, or not as it was, and why."""
        self._read.add(key)
        self.notes.append(one_line(f"{self.path(key)}: {why}", _LONGEST))

    def lost_if(self, key: str, why: str, *harmless: Any) -> None:
        """Note it where the key is there with a value that would have made a difference."""
        if self.take(key) not in (None, *harmless):
            self.lost(key, why)

    def others(self) -> dict[str, Any]:
        """Every key that nobody has read, with its value; they are read by this."""
        found = {key: value for key, value in self._data.items() if key not in self._read and value is not None}
        self._read |= found.keys()
        return found

    def rest(self, why: str) -> None:
        """Note every key that nobody has read."""
        for key in self.others():
            self.lost(key, why)


def name_of(text: Any, default: str) -> str:
    """A name as ids are written here."""
    return id_safe(str(text)) or default


def distinct(values: Iterable[Any]) -> list[Any]:
    """The values, each once; depths count as equal here from two decimals on. What is no axis is left as it is."""
    kept = [round(value, DEPTH_DECIMALS) if isinstance(value, float) else value for value in values]
    return [value for number, value in enumerate(kept) if value not in kept[:number]]


def literal(text: str) -> str:
    """Text in a Jinja2 template that is to stand as it is."""
    return text.replace("{", "{{ '{' }}")


def variable_name(value: Any) -> str | None:
    """The name of an environment variable; None for what is none, such as a key that stands in its place."""
    return value if isinstance(value, str) and value.isidentifier() and value.isascii() and len(value) < 60 else None
