"""What a score and a scorer are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from pytest_haystack.models.model import Completion, Prompt

Verdict: TypeAlias = Literal["right", "wrong", "abstained", "distractor", "format_failure"]
Expected: TypeAlias = "str | int | float | tuple[str, ...]"
#: Asks a model; raises ModelError where there is no answer.
Complete: TypeAlias = "Callable[[Prompt], Completion]"


@dataclass(frozen=True, slots=True)
class Reference:
    """What an answer is held against.

    ``alternatives`` are the competing values that were planted in the context: asserting several values is no
    answer. ``question`` is what was asked (names that it holds are not counted as answers). ``statements`` are the
    planted sentences that hold the answer. ``complete`` asks the model that the scorer's options name (see
    `pytest_haystack.scoring.options.ScorerOptions.asks`), None where they name none.
    """

    expected: Expected
    question: str = ""
    alternatives: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    statements: tuple[str, ...] = ()
    complete: Complete | None = None


@dataclass(frozen=True, slots=True)
class Score:
    """``value`` is from 0 (wrong) to 1 (right); ``details`` are JSON values that explain it."""

    value: float
    verdict: Verdict
    details: Mapping[str, Any] = field(default_factory=dict)


#: A scorer gets the final answer (reasoning removed) and the reference.
Scorer: TypeAlias = Callable[[str, Reference], Score]
