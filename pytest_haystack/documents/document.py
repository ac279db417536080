"""What a built document is, and the recipe that rebuilds it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Insert:
    """A text to hide, and the depth (percent of the finished document, 0 to 100) to hide it at."""

    text: str
    depth_percent: float


@dataclass(frozen=True, slots=True)
class Placement:
    """Where an insert came to stand.

    ``token_index`` is the number of document tokens before it, ``char_index`` the offset of its first character,
    ``actual_depth_percent`` = 100 x token_index / (document tokens - the insert's own tokens).
    """

    text: str
    requested_depth_percent: float
    actual_depth_percent: float
    token_index: int
    char_index: int


def recorded(placement: Placement) -> dict[str, Any]:
    """A placement as a recipe has it."""
    return {
        "text": placement.text,
        "requested_depth_percent": placement.requested_depth_percent,
        "actual_depth_percent": placement.actual_depth_percent,
        "token_index": placement.token_index,
    }


@dataclass(frozen=True, slots=True)
class Document:
    """A haystack with its needles: ``text`` of exactly ``tokens`` tokens.

    ``placements`` are in the order of the inserts that were asked for. ``recipe`` holds what rebuilds the text
    byte for byte (see `pytest_haystack.results.rows`). ``repeats`` is how many times the source's text is used,
    1.0 meaning that it was long enough.
    """

    text: str
    tokens: int
    placements: tuple[Placement, ...]
    recipe: dict[str, Any] = field(default_factory=dict)
    repeats: float = 1.0

    def __str__(self) -> str:
        return self.text
