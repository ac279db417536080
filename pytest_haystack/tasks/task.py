"""What a task is: which needles are hidden, and what is asked about them."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict

from pytest_haystack.errors import HaystackError
from pytest_haystack.needles.needle import Needle
from pytest_haystack.registry import Registry
from pytest_haystack.scoring.score import Expected


class TaskOptions(BaseModel):
    """Options that stand beside ``type:`` in a task's entry; a task with options subclasses this."""

    model_config = ConfigDict(extra="forbid", frozen=True)


@dataclass(frozen=True, slots=True)
class TrialContext:
    """What a task may know of the trial it makes needles for.

    ``context_length`` in tokens, ``depth_percent`` 0 to 100, ``trial`` from 0. ``rng`` is seeded by config
    seed, task id, context length, depth and trial, never by the model: models are asked the same.
    ``haystack_text`` is the filler; a needle must not use a name that occurs in it. ``tokens`` is how many tokens the
    document may have, ``count`` counts those of a text. ``part`` (from 0) is which of the trial's prompts this
    is; prompts of one trial share everything else, ``rng`` too. ``turn`` counts up by one from cell to cell
    and from trial to trial, starting at the config seed: for generators that go through a list.
    """

    context_length: int
    depth_percent: float
    trial: int
    rng: random.Random
    haystack_text: str
    tokens: int
    count: Callable[[str], int]
    part: int = 0
    turn: int = 0


@dataclass(frozen=True, slots=True)
class Ask:
    """The question about the needles, the answer expected, and the wrong answers that were planted.

    ``options`` are scorer options that follow from the question; those of the config come before them. ``details``
    are JSON values for the row's ``score_details``, whatever the model says.
    ``labels`` name what it means to give one of those wrong answers; the row's ``score_details`` then say so
    (``label``).
    """

    question: str
    expected: Expected
    alternatives: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)


class Task(ABC):
    """A kind of test. One instance a task entry of the config, made once per process."""

    #: Name in ``type:``.
    name: ClassVar[str]
    #: Model of the options.
    options_model: ClassVar[type[TaskOptions]] = TaskOptions
    #: Scorer used where the config names none; an instance may choose by its options.
    scorer: str = "value"
    #: Prompts that each trial of the config stands for, such as a question with and without its needle.
    prompts_per_trial: int = 1
    #: True where reports draw the score against the depth, one line a configuration.
    by_position: ClassVar[bool] = False
    #: Score (0 to 1) that blind guessing reaches; an instance may know it better than its class.
    chance: float = 0.0

    def __init__(self, options: Any, registry: Registry | None = None) -> None:
        """``options`` is an instance of ``options_model``; ``registry`` knows the names that options may use.

        Raises ConfigError where an option names something that is not registered.
        """
        self.options = options
        self.registry = registry or Registry()

    @property
    def depth_matters(self) -> bool:
        """False where the needles' places do not follow the cell's depth; the axis is then one cell (50)."""
        return True

    @property
    def filler(self) -> bool:
        """False where there is no haystack text: the document is then what `compose` makes of the needles."""
        return True

    def compose(self, needles: Sequence[Needle], context: TrialContext) -> str:
        """The document of a task without filler: each needle's statement once, at most ``context.tokens`` tokens."""
        return "\n".join(needle.statement for needle in needles)

    def smallest(self, context: TrialContext) -> str:
        """The smallest document of a task without filler, for checking which context lengths can hold one."""
        return self.compose(self.needles(context), context)

    @abstractmethod
    def needles(self, context: TrialContext) -> Sequence[Needle]:
        """The needles of a trial, in document order where that matters, each with its ``depth_percent``."""

    @abstractmethod
    def ask(self, needles: Sequence[Needle], context: TrialContext) -> Ask:
        """The question about these needles (which a user's fixture may have replaced)."""


def first_of(needles: Sequence[Needle], task: str) -> Needle:
    """The first needle. Raises HaystackError where a fixture left none to ask about."""
    if not needles:
        raise HaystackError(f"task {task!r} has no needle to ask about: the fixture `needles` returned none")
    return needles[0]
