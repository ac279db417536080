"""``prompt_cache: explicit``: messages for providers that cache what stands before a breakpoint, and nothing else.

Such a provider (Anthropic's way) keeps the prompt up to each content block that is marked, and finds again what it
kept only at the end of a block, at most `_LOOK_BACK` blocks before a mark. Prompts of a sweep share a beginning: the
frame and the haystack up to the first insert. So that beginning is cut into blocks at places which follow from the
position in the document alone, the same in every prompt, and ends with a mark; what follows is the cell's own.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from pytest_haystack.models.model import Prompt

#: Blocks are this many characters long at first, and from `_PER_DOUBLING` of them on grow with their position: there
#: are so many in each doubling of the length, whatever it is.
_SHORTEST_BLOCK = 512
_PER_DOUBLING = 32
#: No provider caches less: characters of some 450 tokens.
_LEAST = 2048
#: Marks that a request may have, and blocks before a mark that are looked at.
_MARKS = 4
_LOOK_BACK = 20
_MARK = {"cache_control": {"type": "ephemeral"}}
#: Characters of the document that are enough to find it in its prompt.
_SAMPLE = 4096


def sent_messages(prompt: Prompt, prompt_cache: str | None) -> list[dict[str, Any]]:
    """The messages of a prompt as they are sent: with breakpoints where the model's entry says ``explicit``.

    Nothing is marked where prompts share too little, e.g. because the question stands before the document.
    """
    if prompt_cache != "explicit" or prompt.shared < _LEAST:
        return prompt.messages
    return [
        {**message, "content": _parts(message["content"], prompt)} if message["role"] == "user" else message
        for message in prompt.messages
    ]


def _parts(text: str, prompt: Prompt) -> str | list[dict[str, Any]]:
    """The user message in blocks, those at the end of the shared beginning marked."""
    start = text.find(prompt.document[:_SAMPLE])
    if start < 0 or (prompt.question and prompt.question in text[:start]):
        return text
    cuts = [start + cut for cut in _cuts(prompt.shared)]
    end = start + prompt.shared
    # The place itself serves prompts that have their first insert there too, the last common cut all later ones.
    edges = [0, *(cut for cut in cuts if cut < end), end]
    parts: list[dict[str, Any]] = [{"type": "text", "text": text[here:there]} for here, there in pairwise(edges)]
    last = len(parts) - 1
    marked = {last, *(last - 1 - _LOOK_BACK * number for number in range(_MARKS - 1))}
    parts = [{**part, **_MARK} if number in marked else part for number, part in enumerate(parts)]
    return [*parts, {"type": "text", "text": text[end:]}]


def _cuts(length: int) -> Iterator[int]:
    """Places up to this one (characters of the document) where every prompt is cut."""
    place = block = _SHORTEST_BLOCK
    while place <= length:
        yield place
        if place == 2 * _PER_DOUBLING * block:
            block *= 2
        place += block
