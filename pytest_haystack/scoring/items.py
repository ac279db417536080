"""Taking an answer apart into the items that it lists."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from pytest_haystack.scoring.abstention import abstains
from pytest_haystack.scoring.answers import mentions_of
from pytest_haystack.scoring.commitment import asserted
from pytest_haystack.scoring.text import fold

_LABEL = re.compile(r"(?:\bfinal (?:answer|list|order|set|result)|\banswer|\bfinal)\b\s*(?:is\b)?\s*[:=-]\s*", re.IGNORECASE)
_BRACKETS = re.compile(r"\[([^\[\]]*)\]|(?<![\w\\])\{([^{}]*)\}")
_BULLET = re.compile(r"^\s*(?:[-•+]\s+|\(?\d{1,3}[.):](?:\s+|(?=[^\W\d]))|\(?[a-z][.)]\s+)", re.IGNORECASE)
_INLINE_NUMBER = re.compile(r"(?:(?<=\s)|(?<=^))\(?\d{1,3}\)\s*|(?:(?<=\s)|(?<=^))\d{1,3}\.\s+(?=\S)")
_SEPARATOR = re.compile(
    r"[,;|\n]|[-=]{1,4}>|>|\s/\s|\s\+\s|\s-\s|—|\.(?=\s|$)|&"
    r"|(?<!\w)(?:and|then|und|dann|et|puis|y|luego|e|followed by|after that|finally|lastly)(?!\w)|(?<=\w)和|и(?=\s)",
    re.IGNORECASE,
)
_LEAD_IN = re.compile(r"^.*?:(?=\s|$)", re.DOTALL)
_EDGES = " \t\r\n\"'.,;:!?()[]{}<>-•"
_ABSENT = frozenset(
    "none empty nothing null nil n/a na no unanswerable ∅ set() the a an answer final sure okay ok certainly yes here first"
    " next finally then so second third last nodes variables list result done".split()
)
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
    label = None
    for label in _LABEL.finditer(cased):
        pass
    if label is not None and cased[label.end() :].strip():
        cased = cased[label.end() :].lstrip()
        # A blank line ends a list; what follows is small talk.
        cased = re.split(r"\n\s*\n", cased, maxsplit=1)[0]
    brackets = None
    for brackets in _BRACKETS.finditer(cased):
        pass
    if brackets is not None:
        inner = brackets[1] if brackets[1] is not None else brackets[2]
        outer = cased[: brackets.start()] + cased[brackets.end() :]
        if "," in inner or len(outer.strip(_EDGES)) == 0 or not inner.strip():
            return inner or "[]"
    return cased


def listed_items(cased: str, known: Collection[str], question: str = "") -> list[Item]:
    """The items of an answer in order; ``known`` are the keys of values that were planted.

    A piece that holds planted values gives these, unless they are denied; any other short piece is an item of
    its own; a longer one is talk.
    """
    items: list[Item] = []
    shapes = {_shape(key) for key in known}
    for piece in _pieces(list_part(cased)):
        folded = fold(piece)
        mentions = mentions_of(folded, known, listed=True)
        if mentions:
            items += [Item(stance.mention.key, True) for stance in asserted(folded, mentions, question, several=True)]
            items += [Item(word, False) for word in _strays(folded, known, shapes)]
        elif _is_item(folded):
            items.append(Item(folded, False))
    return items


def _pieces(text: str) -> list[str]:
    lines = text.split("\n")[:_MOST_PIECES]
    if sum(bool(_BULLET.match(line)) for line in lines) > 1:
        # In a bulleted list what has no bullet is lead-in or small talk.
        lines = [_BULLET.sub("", line) for line in lines if _BULLET.match(line)]
    pieces = []
    for line in lines:
        line = _INLINE_NUMBER.sub("\n", _BULLET.sub("", line))
        for piece in _SEPARATOR.split(line):
            piece = _LEAD_IN.sub("", piece).strip(_EDGES)
            if piece:
                pieces.append(piece)
    return pieces[:_MOST_PIECES]


def _is_item(piece: str) -> bool:
    words = piece.split()
    if not words or len(words) > _MOST_WORDS or _MAYBE.match(piece) or abstains(piece):
        return False
    return not all(word in _ABSENT for word in words)


def _strays(piece: str, known: Collection[str], shapes: Collection[str]) -> list[str]:
    """Words beside planted values that look like values: blanks may be all that sets items apart."""
    words = piece.split()
    if len(words) < 2 or re.search(r"\b(?:the|is|are|maybe|perhaps|possibly|not|except|with|of|was|at|in)\b", piece):
        return []
    held = {part for key in known for part in key.split()}
    return [word for word in (w.strip(_EDGES) for w in words) if word not in held and word not in _ABSENT and _shape(word) in shapes]


def _shape(word: str) -> str:
    return re.sub(r"[^\W\d_]", "a", re.sub(r"\d+", "9", word))
