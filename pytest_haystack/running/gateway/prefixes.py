"""How prompts begin: what a cache of prefixes can use again."""

from __future__ import annotations

from collections.abc import Sequence

#: Characters of a beginning that is worth keeping: about the 1,024 tokens from which on providers do.
WORTH_KEEPING = 4096


def text_of(messages: Sequence[dict[str, str]]) -> str:
    """All that is read before the answer, in order."""
    return "\n".join(message["content"] for message in messages)


def shared(one: str, other: str) -> int:
    """Characters that two texts have in common at their beginning."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def group_of(messages: Sequence[dict[str, str]]) -> str | None:
    """The beginning that a prompt shares with others of its group, None where it is too short to be kept."""
    text = text_of(messages)
    return text[:WORTH_KEEPING] if len(text) >= WORTH_KEEPING else None
