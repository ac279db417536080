"""``prompt_cache: explicit``: messages for providers that cache what stands before a breakpoint, and nothing else.

Such a provider (Anthropic's way) keeps the prompt up to each content block that is marked, and finds again what it
kept only at the end of a block, at most `_LOOK_BACK` blocks before a mark. Prompts of a sweep share a beginning: the
frame and the haystack up to the first insert. So that beginning is cut into blocks at places which follow from the
position in the document alone, the same in every prompt, and ends with a mark; what follows is the cell's own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from pytest_haystack.models.model import Prompt

#: Where a message that goes to the gateway says what is shared; no provider sees it.
CACHE = "cache"
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
    """The messages of a prompt as they go to the gateway.

    Where the model's entry says ``explicit`` the user message tells where its text is to be cut: under `CACHE` stand
    the places (characters) where the document begins and where the shared beginning ends. Not where prompts share too
    little, e.g. because the question stands before the document.
    """
    if prompt_cache != "explicit" or prompt.shared < _LEAST:
        return prompt.messages
    return [_with_places(message, prompt) for message in prompt.messages]


def with_breakpoints(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The messages as they go to the provider: what `sent_messages` noted is done to the text."""
    sent = []
    for message in messages:
        plain = {name: value for name, value in message.items() if name != CACHE}
        places = message.get(CACHE)
        sent.append({**plain, "content": _parts(plain["content"], *places)} if places else plain)
    return sent


def _with_places(message: dict[str, str], prompt: Prompt) -> dict[str, Any]:
    if message["role"] != "user":
        return message
    start = message["content"].find(prompt.document[:_SAMPLE])
    if start < 0 or (prompt.question and prompt.question in message["content"][:start]):
        return message
    return {**message, CACHE: [start, start + prompt.shared]}


def _parts(text: str, start: int, end: int) -> list[dict[str, Any]]:
    """The text in blocks, those at the end of the shared beginning marked."""
    # The end itself serves prompts that have their first insert there too, the last cut before it all later ones.
    cuts = [start + cut for cut in _cuts(end - start - 1)]
    parts: list[dict[str, Any]] = [
        {"type": "text", "text": text[here:there]} for here, there in pairwise([0, *cuts, end])
    ]
    last = len(parts) - 1
    for number in {last, *(last - 1 - _LOOK_BACK * back for back in range(_MARKS - 1))}:
        if number >= 0:
            parts[number] |= _MARK
    return [*parts, {"type": "text", "text": text[end:]}]


def _cuts(length: int) -> Iterator[int]:
    """Places up to this one (characters of the document) where every prompt is cut."""
    place = block = _SHORTEST_BLOCK
    while place <= length:
        yield place
        if place == 2 * _PER_DOUBLING * block:
            block *= 2
        place += block
