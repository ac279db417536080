"""Finding the part of an answer that the model marked as its answer: a tag, a box, a JSON object."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest_haystack.scoring.wording as wording
from pytest_haystack.scoring.clauses import last_clause

_TAGS = ("answer", "final_answer", "final-answer", "finalanswer", "final", "result", "response", "output")
_BOXES = ("\\boxed{", "\\fbox{", "\\framebox{")
#: Keys that hold the answer, the most telling first.
_ANSWER_KEYS = ("final_answer", "finalanswer", "final answer", "answer", "answers", "result", "value", "values")
#: Keys that hold something about the answer.
_ABOUT_KEYS = re.compile(
    r"reason|explan|thought|rationale|confiden|certain|source|section|evidence|quote|citation|location|comment"
    r"|note|page|line|question|key|analysis|steps|context",
    re.IGNORECASE,
)
#: Longer texts are no JSON answer; parsing them would only cost time.
_LONGEST_JSON = 200_000
_MOST_LEAVES = 2000
_MOST_BOXES, _LONGEST_BOX = 50, 20_000
_BRACE = re.compile(r"(?<!\\)[{}]")
_WORD = re.compile(r"[^\W_]+")
_LANGUAGE = re.compile(r"^\s*(?:json5?|jsonc)\b", re.IGNORECASE)
_BETWEEN = re.compile(r"(?:[\W_]|\b(?:or|and)\b)*", re.IGNORECASE)


def unwrap(answer: str, question: str = "", *, several: bool = False) -> str:
    """What stands in the last ``<answer>`` tag, else in the last ``\\boxed{}``, else in a JSON value; else all.

    Wrappers that stand side by side with nothing said between them count together: filling a row of tags with
    every candidate commits to none. Where ``several`` values are asked for all wrappers count, back to the last
    correction. Wrappers may be nested. Items of a JSON list come one a line; of an object without an answer in so
    many words what stands under names that the (folded) question holds, if there are such.
    """
    for _ in range(3):
        inner = _tagged(answer, several) or _boxed(answer, several) or _json(answer, "" if several else question)
        if not inner or inner == answer:
            break
        answer = inner
    return answer


def _tagged(text: str, several: bool) -> str:
    lowered = text.lower()
    # Lower-casing may change the length of a text; positions would not fit then.
    if "<" not in lowered or len(lowered) != len(text):
        return ""
    for tag in _TAGS:
        spans = list(_spans(lowered, f"<{tag}>", f"</{tag}>"))
        if spans:
            return _last_of(text, spans, len(tag) + 2, len(tag) + 3, several)
    # Where the closing tag is a stop sequence it never arrives.
    _, opened, rest = lowered.rpartition("<answer>")
    return text[len(text) - len(rest) :].strip() if opened else ""


def _spans(text: str, opening: str, closing: str) -> Iterator[tuple[int, int]]:
    """Content of the last 50 closed pairs, last one first."""
    end = len(text)
    for _ in range(50):
        end = text.rfind(closing, 0, end)
        start = text.rfind(opening, 0, end) if end >= 0 else -1
        if start < 0:
            return
        yield start + len(opening), end
        end = start


def _last_of(text: str, spans: list[tuple[int, int]], opening: int, closing: int, several: bool) -> str:
    contents = [text[slice(*spans[0])].strip()]
    for (start, _), (_, end) in pairwise(spans):
        between = text[end + closing : start - opening]
        if several:
            if wording.CORRECTION.search(between[-_LONGEST_BOX:].lower()):
                break
        elif len(between) > 200 or not _BETWEEN.fullmatch(between):
            break
        index = len(contents)
        contents.append(text[slice(*spans[index])].strip())
    if several:
        # "But not \boxed{B}": what denies a value stands outside its box.
        contents = [
            content
            for content, (start, _) in zip(contents, spans, strict=False)
            if len(contents) == 1 or not _is_denied(text[max(0, start - opening - 100) : max(0, start - opening)])
        ]
    return "\n".join(reversed([content for content in contents if content]))


def _is_denied(before: str) -> bool:
    clause = wording.AFFIRMED.sub(" ", last_clause(before.lower()))
    return bool(wording.DENIED_BEFORE.search(clause))


def _boxed(text: str, several: bool) -> str:
    spans: list[tuple[int, int]] = []
    position, opening = len(text), 0
    while len(spans) < _MOST_BOXES:
        start, box = max((text.rfind(box, 0, position), box) for box in _BOXES)
        if start < 0:
            break
        content = start + len(box)
        spans.append((content, _closing_brace(text, content)))
        opening, position = len(box), start
    if not spans:
        return ""
    # A box inside another one comes first here; the outer one says the same.
    flat = [span for span in spans if not any(a < span[0] and span[1] < b for a, b in spans)]
    return _last_of(text, flat, opening, 1, several)


def _closing_brace(text: str, start: int) -> int:
    """Where the brace that was opened before ``start`` is closed; where it is not, the end of what can be a box."""
    depth, limit = 1, min(len(text), start + _LONGEST_BOX)
    for brace in _BRACE.finditer(text, start, limit):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return brace.start()
    return limit


def _json(text: str, question: str) -> str:
    stripped = text.strip()
    if len(stripped) > _LONGEST_JSON or ("{" not in stripped and "[" not in stripped):
        return ""
    asked = frozenset(_WORD.findall(question))
    closing = stripped.rfind("```")
    fence = stripped.rfind("```", 0, max(0, closing))
    if fence >= 0:
        value = _parse(_LANGUAGE.sub("", stripped[fence + 3 : closing]))
        if value is not None:
            return _said(value, asked)
    value = _parse(stripped)
    if value is not None:
        return _said(value, asked)
    start, end = stripped.find("{"), stripped.rfind("}")
    if 0 <= start < end:
        value = _parse(stripped[start : end + 1])
        # Amid prose an object is the answer only where it says so.
        if isinstance(value, dict) and any(str(key).strip().lower() in _ANSWER_KEYS for key in value):
            return _said(value, asked)
    return ""


def _parse(text: str) -> Any:
    """The JSON value, numbers as they are spelled; None where it is no object or list."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        # Spelling matters: 7.10 is not 7.1 for a code, and long digit runs must not become floats.
        value = json.loads(text, parse_int=str, parse_float=str, parse_constant=str)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, (dict, list)) else None


def _said(value: Any, asked: frozenset[str]) -> str:
    leaves: list[str] = []
    try:
        _collect(value, leaves, asked)
    except RecursionError:
        return ""
    return "\n".join(leaves)


def _collect(value: Any, leaves: list[str], asked: frozenset[str]) -> None:
    if len(leaves) >= _MOST_LEAVES:
        return
    if isinstance(value, dict):
        by_name = {str(key).strip().lower(): item for key, item in value.items()}
        marked = [by_name[key] for key in _ANSWER_KEYS if key in by_name]
        if marked:
            _collect(marked[0], leaves, asked)
            return
        telling = {key: item for key, item in value.items() if not _ABOUT_KEYS.search(str(key))}
        named = [item for key, item in telling.items() if _names(str(key), asked)]
        for item in named or telling.values() or value.values():
            _collect(item, leaves, asked)
    elif isinstance(value, list):
        for item in value:
            _collect(item, leaves, asked)
    elif value is None or isinstance(value, bool):
        leaves.append({None: "none", True: "yes", False: "no"}[value])
    else:
        leaves.append(str(value))


def _names(key: str, asked: frozenset[str]) -> bool:
    """True where every word of a key, ``accessCode`` and ``access_code`` alike, is one of the question's."""
    words = _WORD.findall(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", key).casefold())
    return bool(words) and asked.issuperset(words)
