"""Taking an answer apart into the items that it lists."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection
from dataclasses import dataclass

from pytest_haystack.scoring.abstention import abstains
from pytest_haystack.scoring.answers import mentions_of
from pytest_haystack.scoring.commitment import asserted
from pytest_haystack.scoring.text import fold

_LABEL = re.compile(
    r"(?:\bfinal (?:answer|list|order|set|result)|\banswer|\bfinal)\b\s*(?:is\b)?\s*[:=-]\s*", re.IGNORECASE
)
_BRACKETS = re.compile(r"\[([^\[\]]*)\]|(?<![\w\\])\{([^{}]*)\}")
_BULLET = re.compile(r"^\s*(?:[-•+]\s+|\(?\d{1,3}[.):](?:\s+|(?=[^\W\d]))|\(?[a-z][.)]\s+)", re.IGNORECASE)
_INLINE_NUMBER = re.compile(r"(?:(?<=\s)|(?<=^))\(?\d{1,3}\)\s*|(?:(?<=\s)|(?<=^))\d{1,3}\.\s+(?=\S)")
_SEPARATOR = re.compile(
    r"[,;|\n]|[-=]{1,4}>|>|\s/\s|\s\+\s|\s-\s|—|\.(?=\s|$)|&"
    r"|(?<!\w)(?:and|then|und|dann|et|puis|y|luego|e|followed by|after that|finally|lastly)(?!\w)|(?<=\w)和|и(?=\s)",
    re.IGNORECASE,
)
_TABLE_RULE = re.compile(r"\s*\|?\s*:?-{2,}:?(?:\s*\|\s*:?-{2,}:?)*\s*\|?\s*")
_LEAD_IN = re.compile(r"^.*?:(?=\s|$)", re.DOTALL)
_EDGES = " \t\r\n\"'.,;:!?()[]{}<>-•"
#: Words that are no items by themselves.
_NO_ITEM = re.compile(
    r"none|empty|nothing|null|nil|n/a|na|no|unanswerable|∅|set\(\)|the|an?|answer|final|sure|okay|ok|certainly|yes|here"
    r"|first|next|finally|then|so|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|set|nodes|variables"
    r"|list|result|done|comes?|zuerst|zuletzt|schließlich|d'abord|enfin|primero"
)
_NOTHING = re.compile(r"(?:none|no|nothing|empty)\b")
_MAYBE = re.compile(r"^(?:maybe|perhaps|possibly|probably|or|not|except|but)\b")
#: Longer pieces between separators are talk, not items.
_MOST_WORDS = 2
#: Pieces looked at: more is no answer to a list that fits a question.
_MOST_PIECES = 5000


@dataclass(frozen=True, slots=True)
class Item:
    """An item as it is spelled, folded; ``known`` where it is one of the values that were planted."""

    name: str
    known: bool


def list_part(cased: str) -> str:
    """The part of an answer that holds its list: behind the last label, inside the last brackets, else all."""
    label = _last(_LABEL, cased)
    if label is not None and cased[label.end() :].strip():
        cased = cased[label.end() :].lstrip()
        # A blank line ends a list; what follows is small talk.
        cased = re.split(r"\n\s*\n", cased, maxsplit=1)[0]
    brackets = _last(_BRACKETS, cased)
    if brackets is not None:
        inner = brackets[1] if brackets[1] is not None else brackets[2]
        outer = cased[: brackets.start()] + cased[brackets.end() :]
        if "," in inner or len(outer.strip(_EDGES)) == 0 or not inner.strip():
            return inner or "[]"
    return cased


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    last = deque(pattern.finditer(text), maxlen=1)
    return last[0] if last else None


def listed_items(cased: str, known: Collection[str], question: str = "") -> list[Item]:
    """The items of an answer in order; ``known`` are the keys of values that were planted.

    A piece that holds planted values gives these, unless they are denied; any other short piece is an item of
    its own; a longer one is talk.
    """
    items: list[Item] = []
    shapes = {_shape(key) for key in known}
    numeric = any(key.isdigit() for key in known)
    for line, bulleted in _lines(list_part(cased)):
        found = []
        for piece in _pieces(line):
            folded = fold(piece)
            mentions = mentions_of(folded, known, listed=True)
            if mentions:
                found += [Item(s.mention.key, True) for s in asserted(folded, mentions, question, several=True)]
                found += [Item(word, False) for word in _strays(folded, known, shapes)]
            elif _is_item(folded) and (numeric or not folded.isdigit()):
                found.append(Item(folded, False))
        if bulleted and any(item.known for item in found):
            # What a bulleted line says of its item is no item.
            found = [item for item in found if item.known]
        items += found
    return items


def _lines(text: str) -> list[tuple[str, bool]]:
    """The lines that may hold items, and whether each is bulleted."""
    lines = text.split("\n")[:_MOST_PIECES]
    rules = [i for i, line in enumerate(lines) if "|" in line and _TABLE_RULE.fullmatch(line)]
    for i in reversed(rules):
        # Above the rule of a table stand the names of its columns.
        del lines[max(0, i - 1) : i + 1]
    bulleted = [bool(_BULLET.match(line)) for line in lines]
    if sum(bulleted) > 1:
        # In a bulleted list what has no bullet is lead-in or small talk.
        return [(_BULLET.sub("", line), True) for line, marked in zip(lines, bulleted, strict=True) if marked]
    return [(_BULLET.sub("", line), False) for line in lines]


def _pieces(line: str) -> list[str]:
    line = _INLINE_NUMBER.sub("\n", line)
    lead_in = _LEAD_IN.match(line)
    if lead_in and line[lead_in.end() :].strip():
        line = line[lead_in.end() :]
    pieces = _SEPARATOR.split(line)[:_MOST_PIECES]
    stripped = (_LEAD_IN.sub("", piece).strip(_EDGES) for piece in pieces)
    return [piece for piece in stripped if piece]


def _is_item(piece: str) -> bool:
    words = piece.split()
    if not words or len(words) > _MOST_WORDS or _MAYBE.match(piece) or _NOTHING.match(piece) or abstains(piece):
        return False
    return not all(_NO_ITEM.fullmatch(word) for word in words)


def _strays(piece: str, known: Collection[str], shapes: Collection[str]) -> list[str]:
    """Words beside planted values that look like values: blanks may be all that sets items apart."""
    words = piece.split()
    if len(words) < 2 or re.search(r"\b(?:the|is|are|maybe|perhaps|possibly|not|except|with|of|was|at|in)\b", piece):
        return []
    held = {part for key in known for part in key.split()}
    stripped = [word.strip(_EDGES) for word in words]
    return [w for w in stripped if w not in held and not _NO_ITEM.fullmatch(w) and _shape(w) in shapes]


def _shape(word: str) -> str:
    return re.sub(r"[^\W\d_]", "a", re.sub(r"\d+", "9", word))
