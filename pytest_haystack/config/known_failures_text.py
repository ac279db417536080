"""The text of a sweep file with other known failures: what stays keeps every character, comments included."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import yaml

from pytest_haystack.config.resolved import flow_yaml
from pytest_haystack.config.yaml_text import CoreLoader, read_yaml
from pytest_haystack.errors import ConfigError

KEY = "known_failures"
Entry: TypeAlias = "Mapping[str, Any]"
#: From, to, and the text to stand there.
_Edit: TypeAlias = "tuple[int, int, str]"
_CONTENT = (
    yaml.ScalarToken,
    yaml.AliasToken,
    yaml.AnchorToken,
    yaml.TagToken,
    yaml.ValueToken,
    yaml.FlowSequenceEndToken,
    yaml.FlowMappingEndToken,
)


def rewrite_known_failures(
    text: str, name: str, replaced: Mapping[int, Sequence[Entry]], added: Sequence[Entry]
) -> str:
    """The text with some entries of ``known_failures`` (by index, from 0) replaced and others added at the end.

    No entry in the place of one removes it. Comments on lines of their own stay, as does all else in the file. Raises
    ConfigError where the result would not read as exactly that; ``name`` stands for the file.
    """
    before = read_yaml(text, name).value
    edits = _edits(text, name, replaced, added)
    for start, end, words in sorted(edits, reverse=True):
        text = text[:start] + words + text[end:]
    _check(before, text, name, replaced, added)
    return text


def _check(before: Any, text: str, name: str, replaced: Mapping[int, Sequence[Entry]], added: Sequence[Entry]) -> None:
    """Nothing is trusted that was not read back."""
    was = list(before.get(KEY) or ())
    expected = [entry for index, old in enumerate(was) for entry in replaced.get(index, [old])]
    expected += added
    try:
        read = read_yaml(text, name)
    except ConfigError as error:
        raise ConfigError(f"{name}: {KEY} cannot be rewritten in its present form: {error}") from None
    now = read.value
    same = {key: value for key, value in now.items() if key != KEY} == {
        key: value for key, value in before.items() if key != KEY
    }
    if read.problems or not same or list(now.get(KEY) or ()) != [dict(entry) for entry in expected]:
        raise ConfigError(
            f"{name}: {KEY} cannot be rewritten in its present form (anchors, aliases or a merge?); write it as a "
            "plain list of entries, each on a line of its own"
        )


def _edits(text: str, name: str, replaced: Mapping[int, Sequence[Entry]], added: Sequence[Entry]) -> list[_Edit]:
    root = yaml.compose(text, Loader=CoreLoader)
    if not isinstance(root, yaml.MappingNode):
        raise ConfigError(f"{name}: the file holds no mapping")
    found = next(((key, value) for key, value in root.value if getattr(key, "value", None) == KEY), None)
    if found is None:
        if root.flow_style:
            raise ConfigError(f"{name}: add an empty '{KEY}: []'; a file in braces is not extended")
        return [_appended(text, root, added)] if added else []
    key, value = found
    if isinstance(value, yaml.SequenceNode) and value.value:
        if value.flow_style:
            return [_flow_edit(text, value, replaced, added)]
        return _block_edits(text, key, value, replaced, added)
    if not added:
        return []
    start, end = value.start_mark.index, value.end_mark.index
    if root.flow_style:
        return [(start, end, f"[{', '.join(map(flow_yaml, added))}]")]
    lines = _lines(added, " " * (root.start_mark.column + 2), _newline(text))
    after = _line_end(text, max(end, key.end_mark.index))
    # What stands between the key and nothing is a space too many.
    begin = len(text[:start].rstrip(" ")) if start > key.end_mark.index else start
    return [(begin, end, ""), _inserted(text, after, lines)]


def _appended(text: str, root: yaml.MappingNode, added: Sequence[Entry]) -> _Edit:
    newline = _newline(text)
    margin = " " * root.start_mark.column
    block = f"{margin}{KEY}:{newline}" + _lines(added, margin + "  ", newline)
    end = root.end_mark.index if root.end_mark.column == 0 else len(text)
    gap = "" if text[:end].endswith(newline * 2) or not text[:end].endswith(newline) else newline
    return _inserted(text, end, gap + block)


def _flow_edit(
    text: str, value: yaml.SequenceNode, replaced: Mapping[int, Sequence[Entry]], added: Sequence[Entry]
) -> _Edit:
    spans = [(item.start_mark.index, item.end_mark.index) for item in value.value]
    parts: list[str] = []
    for index, (start, end) in enumerate(spans):
        entries = list(map(flow_yaml, replaced[index])) if index in replaced else [text[start:end]]
        for number, words in enumerate(entries):
            gap = text[spans[index - 1][1] : start] if number == 0 and index else ", "
            parts += [gap, words] if parts else [words]
    for entry in added:
        parts += [", ", flow_yaml(entry)] if parts else [flow_yaml(entry)]
    return spans[0][0], spans[-1][1], "".join(parts)


def _block_edits(
    text: str,
    key: yaml.Node,
    value: yaml.SequenceNode,
    replaced: Mapping[int, Sequence[Entry]],
    added: Sequence[Entry],
) -> list[_Edit]:
    spans = list(_block_spans(text, value))
    first = text[spans[0][0] : spans[0][1]]
    newline, margin = _newline(text), first[: len(first) - len(first.lstrip(" "))]
    edits = [(*spans[index], _lines(entries, margin, newline)) for index, entries in replaced.items()]
    if added:
        edits.append(_inserted(text, spans[-1][1], _lines(added, margin, newline)))
    elif all(not replaced.get(index, [None]) for index in range(len(spans))):
        colon = text.index(":", key.end_mark.index) + 1
        edits.append((colon, colon, " []"))
    return edits


def _block_spans(text: str, value: yaml.SequenceNode) -> Iterator[tuple[int, int]]:
    """Where each item of a block sequence stands: whole lines, from its dash to the end of its last line."""
    start, end, last = value.start_mark.index, value.end_mark.index, 0
    # An anchor may stand before the first dash.
    dash: int | None = None
    column: int | None = None
    for token in yaml.scan(text, Loader=CoreLoader):
        mark = token.end_mark
        if not start <= token.start_mark.index < end:
            continue
        if isinstance(token, yaml.BlockEntryToken) and column in (None, token.start_mark.column):
            column = token.start_mark.column
            if dash is not None:
                yield dash, last
            dash, last = _line_start(text, token.start_mark.index), _line_end(text, mark.index)
        elif isinstance(token, _CONTENT):
            # A block text ends where its last line does, at the start of the next.
            block = mark.column == 0 and mark.index > token.start_mark.index
            last = mark.index if block else _line_end(text, mark.index)
    if dash is not None:
        yield dash, last


def _lines(entries: Sequence[Entry], margin: str, newline: str) -> str:
    return "".join(f"{margin}- {flow_yaml(entry)}{newline}" for entry in entries)


def _inserted(text: str, index: int, words: str) -> _Edit:
    """Lines put in before ``index``, on lines of their own also where the text before has no line end."""
    before = text[:index]
    return index, index, words if not before or before.endswith("\n") else _newline(text) + words


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _line_start(text: str, index: int) -> int:
    return text.rfind("\n", 0, index) + 1


def _line_end(text: str, index: int) -> int:
    """Index behind the end of the line that holds ``index``."""
    end = text.find("\n", index)
    return len(text) if end < 0 else end + 1
