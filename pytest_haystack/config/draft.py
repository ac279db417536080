"""A config on its way to being valid: plain values, where each was written, and the mistakes found so far."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from pytest_haystack.config.credentials import mask
from pytest_haystack.config.yaml_text import KeyPath
from pytest_haystack.errors import ConfigError
from pytest_haystack.text import printable

T = TypeVar("T")

MISSING: Final = object()

#: Places of command line options sort after all lines of files.
AFTER_FILES: Final = 10**9


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value was written.

    ``label`` stands in front of a message (``haystack.yaml:12``), ``order`` sorts as a reader meets them, ``line``
    is the 1-based line in the main file, ``base`` the key path that ``label`` itself stands for.
    """

    label: str
    order: tuple[int, ...]
    line: int
    base: KeyPath = ()


@dataclass(frozen=True, slots=True)
class Derived:
    """A list entry made from what was written.

    ``origins`` has, by key path below the entry, the key path of what stands there in the file; ``()`` is the entry.
    """

    value: Any
    origins: Mapping[KeyPath, KeyPath]


class Draft:
    """Values that are being completed and checked, with all mistakes found."""

    def __init__(self, data: dict[str, Any], places: dict[KeyPath, Place]) -> None:
        self.data = data
        self._places = places
        self._problems: list[tuple[tuple[int, ...], KeyPath, str]] = []
        self._notes: list[str] = []
        #: The key path in the file of what stands elsewhere in ``data``.
        self.origins: dict[KeyPath, KeyPath] = {}
        #: Text that must not be shown, and what is shown in its place.
        self.hidden: dict[str, str] = {}
        #: Key paths whose mistake is told: nothing more is said about them.
        self.settled: set[KeyPath] = set()
        #: Lists such as ``models`` with an entry that could not be read, so that a missing id may be a consequence.
        self.incomplete: set[str] = set()

    def place(self, path: KeyPath) -> Place:
        """Where the key path, or the nearest one that holds it, was written."""
        while path not in self._places and path:
            path = path[:-1]
        return self._places[path]

    def was_written(self, path: KeyPath) -> bool:
        """True where the user wrote this very key, False where it was filled in."""
        return path in self._places

    def lines(self) -> dict[KeyPath, int]:
        """Line in the main file by key path."""
        return {path: place.line for path, place in self._places.items()}

    def value(self, path: KeyPath) -> Any:
        """The value at a key path, or MISSING."""
        value: Any = self.data
        for part in path:
            in_mapping = isinstance(value, dict) and part in value
            in_list = isinstance(value, list) and isinstance(part, int) and 0 <= part < len(value)
            if not in_mapping and not in_list:
                return MISSING
            value = value[part]
        return value

    def known_part(self, path: KeyPath) -> KeyPath:
        """As much of the key path as exists."""
        while path and self.value(path) is MISSING:
            path = path[:-1]
        return path

    def put(self, path: KeyPath, value: Any, places: Mapping[KeyPath, Place]) -> None:
        """Set the value at a key path whose parent exists; ``places`` are those of it and all it holds."""
        parent = self.value(path[:-1])
        parent[path[-1]] = value
        for stale in [known for known in self._places if known[: len(path)] == path]:
            del self._places[stale]
        self._places.update(places)

    def derive(self, key: str, entries: Sequence[Derived]) -> None:
        """Put these entries in place of list ``key``; messages about them keep to what was written."""
        self.data[key] = [entry.value for entry in entries]
        self._places = {**_outside(self._places, key), **_moved(self._places, key, entries)}
        settled = dict.fromkeys(self.settled, True)
        self.settled = {*_outside(settled, key), *_moved(settled, key, entries)}
        for index, entry in enumerate(entries):
            self.origins.update({(key, index, *below): written for below, written in entry.origins.items()})

    def written(self, path: KeyPath) -> KeyPath:
        """The key path in the file of what stands at this key path."""
        return written_path(self.origins, path)

    def entries(self, key: str) -> Iterator[tuple[int, dict[str, Any]]]:
        """Index and mapping of each entry of a list such as ``tasks``; what is no mapping is left out."""
        entries = self.data.get(key)
        if isinstance(entries, list):
            yield from ((index, entry) for index, entry in enumerate(entries) if isinstance(entry, dict))

    def problem(self, path: KeyPath, words: str, shown: KeyPath | None = None) -> None:
        """Note a mistake at a key path. ``shown`` is the path in the message where it is another one."""
        if any(path[:length] in self.settled for length in range(1, len(path) + 1)):
            return
        place = self.place(path)
        self._problems.append((place.order, path, self._line(place, path if shown is None else shown, words)))

    def told_elsewhere(self, path: KeyPath, error: ConfigError) -> None:
        """Take over lines that already say where they come from."""
        self._problems.extend((self.place(path).order, path, line) for line in error.problems)

    def problem_on_line(self, place: Place, path: KeyPath, words: str) -> None:
        """Note a mistake that stands elsewhere than what the key path now holds."""
        self._problems.append((place.order, path, self._line(place, path, words)))

    def note(self, path: KeyPath, words: str) -> None:
        """Something that is allowed, but looks like a slip."""
        self._notes.append(self._line(self.place(path), path, words))

    def notes(self) -> tuple[str, ...]:
        """All notes, each one line."""
        return tuple(_clean(note) for note in dict.fromkeys(self._notes))

    def raise_problems(self) -> None:
        """Raise ConfigError with all mistakes, in the order of their lines, where there are any."""
        if self._problems:
            ordered = sorted(self._problems, key=lambda problem: problem[0])
            raise ConfigError(dict.fromkeys(_clean(line) for _, _, line in ordered))

    def _line(self, place: Place, path: KeyPath, words: str) -> str:
        path = self.written(path)
        if path[: len(place.base)] == place.base:
            path = path[len(place.base) :]
        where = dotted(path)
        return f"{place.label}: {where}: {self._hide(words)}" if where else f"{place.label}: {self._hide(words)}"

    def _hide(self, words: str) -> str:
        words = " ".join(words.split())
        shown = {
            form: text
            for secret, text in self.hidden.items()
            for form in (secret, repr(secret)[1:-1], " ".join(secret.split()))
            if form.strip()
        }
        if not shown:
            return words
        # Short texts are hidden as whole words only, or every message would be riddled.
        patterns = [
            re.escape(form) if len(form) > 3 else rf"(?<!\w){re.escape(form)}(?!\w)"
            for form in sorted(shown, key=len, reverse=True)
        ]
        return re.sub("|".join(patterns), lambda match: shown[match.group()], words)


def written_path(origins: Mapping[KeyPath, KeyPath], path: KeyPath) -> KeyPath:
    """Where the value at a key path stands in the file, given the origins of what was moved."""
    for length in range(len(path), 0, -1):
        if path[:length] in origins:
            return (*origins[path[:length]], *path[length:])
    return path


def _outside(paths: Mapping[KeyPath, T], key: str) -> dict[KeyPath, T]:
    """What does not stand in an entry of list ``key``."""
    return {path: value for path, value in paths.items() if path[:1] != (key,) or len(path) == 1}


def _moved(paths: Mapping[KeyPath, T], key: str, entries: Sequence[Derived]) -> dict[KeyPath, T]:
    """What stood at or below the origins of list ``key``'s entries, by its new key path."""
    below: dict[KeyPath, list[tuple[KeyPath, T]]] = {}
    for path, value in paths.items():
        for length in range(len(path) + 1):
            below.setdefault(path[:length], []).append((path[length:], value))
    moved: dict[KeyPath, T] = {}
    for index, entry in enumerate(entries):
        own: dict[KeyPath, T] = {}
        # What an inner origin brings stands in the place of what came with the outer one.
        for target, written in sorted(entry.origins.items(), key=lambda item: len(item[0])):
            own = {path: value for path, value in own.items() if path[: len(target)] != target}
            own.update({(*target, *rest): value for rest, value in below.get(written, ())})
        moved.update({(key, index, *path): value for path, value in own.items()})
    return moved


def _clean(line: str) -> str:
    return mask(printable(" ".join(line.split())))


def dotted(path: KeyPath) -> str:
    """A key path as messages show it: ``models.0.threshold``."""
    return ".".join(str(part) for part in path)
