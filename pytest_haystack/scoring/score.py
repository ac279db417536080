"""What a score and a scorer are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

Verdict: TypeAlias = Literal["right", "wrong", "abstained", "distractor", "format_failure"]
Expected: TypeAlias = "str | int | float | tuple[str, ...]"


@dataclass(frozen=True, slots=True)
class Reference:
    """What an answer is held against.

    ``alternatives`` are the competing values that were planted in the context: asserting several values is no
    answer. ``question`` is what was asked (names that it holds are not counted as answers).
    """

    expected: Expected
    question: str = ""
    alternatives: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Score:
    """``value`` is from 0 (wrong) to 1 (right); ``details`` are JSON values that explain it."""

    value: float
    verdict: Verdict
    details: Mapping[str, Any] = field(default_factory=dict)


#: A scorer gets the final answer (reasoning removed) and the reference.
Scorer: TypeAlias = Callable[[str, Reference], Score]
