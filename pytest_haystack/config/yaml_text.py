"""YAML to plain values, safely, with the line of every key.

Plain scalars follow the YAML 1.2 core schema, so that ``on``, ``yes``, ``12:30`` and dates are text, ``010`` is ten,
``0o10`` is eight and ``1e3`` is a number. Keys are always text, as written. Merge keys (``<<``) work.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import yaml

from pytest_haystack.errors import ConfigError

KeyPath: TypeAlias = "tuple[str | int, ...]"

#: Limits on what one file may make of memory and time.
MAX_BYTES = 2_000_000
MAX_DEPTH = 40
MAX_VALUES = 100_000
MAX_CHARACTERS = 10_000_000
MAX_DIGITS = 100

_SURROGATE = re.compile("[\ud800-\udfff]")
_TAG = "tag:yaml.org,2002:"
_NULL = re.compile(r"^(?:~|null|Null|NULL|)$")
_BOOL = re.compile(r"^(?:true|True|TRUE|false|False|FALSE)$")
_INT = re.compile(r"^(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$")
_FLOAT = re.compile(r"^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$")


class CoreLoader(yaml.SafeLoader):
    """A safe loader whose plain scalars are those of YAML 1.2 core; infinity and not-a-number stay text."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 (PyYAML's own shape)


#: Tag, pattern and first characters of each kind of plain scalar, in the order in which they are tried.
CORE_SCALARS = (
    ("null", _NULL, ["~", "n", "N", ""]),
    ("bool", _BOOL, list("tTfF")),
    ("int", _INT, list("-+0123456789")),
    ("float", _FLOAT, list("-+.0123456789")),
)
for _kind, _pattern, _first in CORE_SCALARS:
    CoreLoader.add_implicit_resolver(_TAG + _kind, _pattern, _first)


@dataclass(frozen=True, slots=True)
class YamlText:
    """The value of a YAML text, the 1-based line of each key path in it, and its mistakes as (path, line, words)."""

    value: Any
    lines: dict[KeyPath, int]
    problems: tuple[tuple[KeyPath, int, str], ...] = ()


def read_yaml_file(path: Path, name: str) -> YamlText:
    """Read a YAML file (UTF-8, at most 2 MB). ``name`` stands for it in messages. Raises ConfigError."""
    return read_yaml(read_text_file(path, name), name)


def read_text_file(path: Path, name: str) -> str:
    """The text of a file (UTF-8, at most 2 MB). ``name`` stands for it in messages. Raises ConfigError."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise ConfigError(f"{name}: no such file") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a usable file name"
        raise ConfigError(f"{name}: cannot be read: {reason}") from None
    if len(content) > MAX_BYTES:
        raise ConfigError(f"{name}: larger than {MAX_BYTES:,} bytes, which is no config")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{name}:{line}: byte 0x{content[error.start]:02x} is not UTF-8; save as UTF-8") from None


def read_yaml(text: str, name: str) -> YamlText:
    """Read a YAML text. ``name`` stands for it in messages.

    Raises ConfigError, one line, where the text is no YAML or expands beyond the limits of this module. Mistakes
    that leave the rest readable (a repeated key, a tag that is not allowed) are returned as ``problems``.
    """
    try:
        node = _compose(text)
        if node is None:
            return YamlText(None, {(): 1})
        reader = _NodeReader()
        value = reader.value(node, (), 0)
    except _YamlTextError as problem:
        raise ConfigError(f"{name}:{problem.line}: {problem}") from None
    return YamlText(value, reader.lines, tuple(reader.problems))


def read_value(text: str) -> Any:
    """The value of a short YAML text such as ``3`` or ``[a, b]``. Raises ConfigError with the words alone."""
    try:
        node = _compose(text)
        reader = _NodeReader()
        value = None if node is None else reader.value(node, (), 0)
    except _YamlTextError as problem:
        raise ConfigError(f"the value is not YAML: {problem}; put it in quotes") from None
    if reader.problems:
        raise ConfigError(f"the value is not usable: {reader.problems[0][2]}")
    return value


class _YamlTextError(Exception):
    def __init__(self, line: int, words: str) -> None:
        self.line = line
        super().__init__(words)


def _compose(text: str) -> yaml.Node | None:
    """The node graph of the text. Depth is checked on the flat events first: composing recurses."""
    try:
        loader = CoreLoader(text)
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise _YamlTextError(line, f"character U+{ord(text[error.position]):04X} is not allowed in YAML") from None
    depth = 0
    try:
        while loader.check_event():
            event = loader.get_event()  # type: ignore[no-untyped-call]
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > MAX_DEPTH:
                raise _YamlTextError(event.start_mark.line + 1, f"nested deeper than {MAX_DEPTH} levels")
        return CoreLoader(text).get_single_node()
    except yaml.MarkedYAMLError as error:
        raise _YamlTextError(*_words(error, text)) from None
    except (ValueError, OverflowError):
        raise _YamlTextError(loader.line + 1, "not readable as YAML") from None


_PLAIN_WORDS = (
    (r"character '\\t'", "a tab cannot indent YAML; use spaces"),
    (r"character '(.)' that cannot start", r"text that starts with '\1' needs quotes"),
    (r"mapping values are not allowed", "unexpected ':'; put text that holds ': ' in quotes, or check the indentation"),
    (r"sequence entries are not allowed", "unexpected '- '; a list starts on a line of its own"),
    (r"could not find expected ':'", "expected ':' after a key"),
    (r"expected <block end>, but found '([\]}])'", r"unexpected '\1'"),
    (r"expected <block end>, but found '<scalar>'", "unexpected text after a value; check quotes and indentation"),
    (r"expected <block end>", "the indentation does not fit the lines above"),
    (r"expected the node content.*<stream end>", "the file ends where a value is expected"),
    (r"expected the node content", "a value is expected here"),
    (r"expected '<document start>'", "unexpected text after the end of the values"),
    (r"another document", "a second YAML document starts here; a config is one document"),
    (r"expected ',' or '\]'", "expected ',' or ']' in a list that starts with '['"),
    (r"expected ',' or '\}'", "expected ',' or '}' in a mapping that starts with '{'"),
    (r"while scanning an (?:alias|anchor)", "'*' and '&' name values; text that starts with them needs quotes"),
)


def _words(error: yaml.MarkedYAMLError, text: str) -> tuple[int, str]:
    problem = " ".join((error.problem or error.context or "not readable as YAML").split())
    mark = error.problem_mark or error.context_mark
    if "could not find expected ':'" in problem and error.context_mark is not None:
        mark = error.context_mark  # the key's line, not the one behind it
    if "unexpected end of stream" in problem and error.context_mark is not None:
        return error.context_mark.line + 1, "the quote that opens here is never closed"
    for pattern, words in _PLAIN_WORDS:
        if match := re.search(pattern, f"{problem} {error.context or ''}"):
            problem = match.expand(words)
            break
    if mark is None:
        return 1, problem
    if "that starts with" in problem and error.context_mark is not None and error.context_mark.line != mark.line:
        problem += f" on line {error.context_mark.line + 1}"
    lines = text.splitlines()
    near = lines[max(0, mark.line - 1) : mark.line + 1]
    if "in a " in problem and any("${" in line for line in near):
        problem += "; text with ${ needs quotes there"
    return mark.line + 1, problem


@dataclass
class _NodeReader:
    """Expands a node graph. Every use of an alias counts as if its value had been written out."""

    lines: dict[KeyPath, int] = field(default_factory=dict)
    problems: list[tuple[KeyPath, int, str]] = field(default_factory=list)
    values: int = 0
    characters: int = 0

    def value(self, node: yaml.Node, path: KeyPath, depth: int) -> Any:
        line = node.start_mark.line + 1
        self.lines.setdefault(path, line)
        self._spend(node, line, depth)
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node, path, line)
        if node.tag not in (_TAG + "map", _TAG + "seq"):
            self._problem(path, line, _not_allowed(node))
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path, depth)
        result = []
        for index, item in enumerate(node.value):
            self.lines[(*path, index)] = item.start_mark.line + 1
            result.append(self.value(item, (*path, index), depth + 1))
        return result

    def _spend(self, node: yaml.Node, line: int, depth: int) -> None:
        self.values += 1
        self.characters += len(node.value) if isinstance(node, yaml.ScalarNode) else 0
        if depth > MAX_DEPTH:
            raise _YamlTextError(line, f"nested deeper than {MAX_DEPTH} levels (an alias may hold itself)")
        if self.values > MAX_VALUES or self.characters > MAX_CHARACTERS:
            raise _YamlTextError(
                line, f"aliases expand to more than {MAX_VALUES:,} values or {MAX_CHARACTERS:,} letters"
            )

    def _mapping(self, node: yaml.MappingNode, path: KeyPath, depth: int) -> dict[str, Any]:
        result: dict[str, Any] = {}
        own: dict[str, int] = {}
        merged = [value for key, value in reversed(node.value) if _is_merge(key)]
        for value in merged:
            result.update(self._merged(value, path, depth))
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode):
                self._problem(path, line, "a key is a list or a mapping; keys are plain text")
                continue
            if _is_merge(key_node):
                continue
            key = self._text(str(key_node.value), path, line)
            if key in own:
                self._problem((*path, key), line, f"this key is already on line {own[key]}; keep one")
                continue
            own[key] = self.lines[(*path, key)] = line
            result[key] = self.value(value_node, (*path, key), depth + 1)
        return result

    def _merged(self, node: yaml.Node, path: KeyPath, depth: int) -> dict[str, Any]:
        line = node.start_mark.line + 1
        parts = node.value if isinstance(node, yaml.SequenceNode) else [node]
        result: dict[str, Any] = {}
        # The first mapping that has a key wins, so it is written last.
        for part in reversed(parts):
            if not isinstance(part, yaml.MappingNode):
                self._problem(path, line, "'<<' takes a mapping, or a list of mappings")
                continue
            self._spend(part, line, depth)
            result.update(self._mapping(part, path, depth + 1))
        return result

    def _scalar(self, node: yaml.ScalarNode, path: KeyPath, line: int) -> Any:
        text, kind = str(node.value), node.tag.removeprefix(_TAG)
        if kind == "str":
            return self._text(text, path, line)
        if kind == "null" and _NULL.match(text):
            return None
        if kind == "bool" and _BOOL.match(text):
            return text.lower() == "true"
        number = _number(text, kind)
        if number is None:
            written_as_number = (kind == "int" and _INT.match(text)) or (kind == "float" and _FLOAT.match(text))
            words = "this number is too large" if written_as_number else _not_allowed(node)
            self._problem(path, line, words)
            return text
        return number

    def _text(self, text: str, path: KeyPath, line: int) -> str:
        """The text with pairs of escaped surrogates, as JSON writes them, made characters."""
        if not _SURROGATE.search(text):
            return text
        halves = text.encode("utf-16", "surrogatepass")
        try:
            return halves.decode("utf-16")
        except UnicodeDecodeError:
            self._problem(path, line, "half of a surrogate pair is no character")
            return halves.decode("utf-16", "replace")

    def _problem(self, path: KeyPath, line: int, words: str) -> None:
        self.problems.append((path, line, words))


def _is_merge(key: yaml.Node) -> bool:
    return isinstance(key, yaml.ScalarNode) and key.value == "<<" and key.style is None


def _not_allowed(node: yaml.Node) -> str:
    return f"the tag {node.tag.replace(_TAG, '!!')} is not allowed here; leave it out"


def _number(text: str, kind: str) -> int | float | None:
    if len(text) > MAX_DIGITS:
        return None
    if kind == "int" and _INT.match(text):
        return int(text, {"0o": 8, "0x": 16}.get(text[:2], 10))
    if kind == "float" and _FLOAT.match(text) and math.isfinite(float(text)):
        return float(text)
    return None
