"""Several facts that must be joined: the answer stands in no single needle."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from pytest_haystack.config.axis import Axis
from pytest_haystack.errors import HaystackError
from pytest_haystack.needles.facts import FactMaker, stands_in
from pytest_haystack.needles.needle import Needle
from pytest_haystack.needles.values import ValueOptions
from pytest_haystack.registry import Registry
from pytest_haystack.tasks.several import SeveralNeedles, SeveralOptions
from pytest_haystack.tasks.task import Ask, TrialContext, first_of

LOWEST, HIGHEST = 1, 999
#: A mean is right within this share of it.
MEAN_TOLERANCE = 0.01

Kind = Literal["sum", "max", "mean", "conditional", "chain"]


class ReasoningOptions(SeveralOptions):
    """``needles`` is how many facts are hidden, ``kind`` what is asked about them.

    ``steps`` belongs to ``chain``: how often half is given away, at most ``needles`` - 1, which is the default.
    """

    needles: Annotated[int, Field(ge=2, le=500), Axis("n")] = Field(5, description="Facts that are hidden.")
    kind: Kind = Field("sum", description="What is asked about their values.")
    steps: Annotated[int, Field(ge=1)] | None = Field(
        None, description="chain: how often half is given away; default: needles - 1, which is the most."
    )

    @model_validator(mode="after")
    def _steps_and_needles_fit(self) -> ReasoningOptions:
        if self.kind == "conditional" and self.needles < 3:
            raise ValueError("kind conditional needs at least 3 needles: two that satisfy it and one that does not")
        if self.steps is not None and self.kind != "chain":
            raise ValueError(f"steps belongs to kind chain, not to kind {self.kind}")
        if self.steps is not None and self.steps >= self.needles:
            raise ValueError(f"steps {self.steps} takes {self.steps + 1} needles, but needles is {self.needles}")
        return self


class Reasoning(SeveralNeedles):
    """Values from 1 to 999 of one attribute of several entities, and a question that needs more than one of them.

    ``sum`` asks for their total, ``max`` for the entity with the highest, ``mean`` for their average (a whole
    number, right within 1 percent), ``conditional`` for the total of those above a limit, ``chain`` for what the
    last one has after each has given half of what it has to the next. Chance levels are those of the best guess
    without the text.
    """

    name = "reasoning"
    options_model = ReasoningOptions

    def __init__(self, options: Any, registry: Registry | None = None) -> None:
        super().__init__(options, registry)
        self.kind: Kind = options.kind
        self.scorer = "entity" if self.kind == "max" else "numeric"
        self.chance = _chance(self.kind, self.count)

    @property
    def count(self) -> int:
        """Number of needles."""
        return int(self.options.needles)

    @property
    def steps(self) -> int:
        """How often half is given away in a chain."""
        return int(self.options.steps or self.count - 1)

    def needles(self, context: TrialContext) -> Sequence[Needle]:
        """Facts about one attribute whose joint answer stands neither in a needle nor in the haystack text."""
        maker = FactMaker(context.rng, context.haystack_text, ValueOptions(type="int", min=LOWEST, max=HIGHEST))
        attribute = maker.attribute()
        entities = [maker.entity() for _ in range(self.count)]
        values: list[int] = []
        for _ in entities:
            values.append(int(maker.value(self._fits(values, context.haystack_text))))
        needles = [
            Needle(
                statement=f"The {attribute} of {entity} is {value}.",
                question=f"What is the {attribute} of {entity}?",
                expected=str(value),
                key=entity,
            )
            for entity, value in zip(entities, values, strict=True)
        ]
        return self.place(needles, context)

    def _fits(self, before: Sequence[int], text: str) -> Callable[[str], bool]:
        """Whether a value may follow those before it.

        Chains must halve evenly, and an answer must be unlike every value and be nowhere in the text.
        """
        decided = self.steps + 1 if self.kind == "chain" else self.count

        def fits(value: str) -> bool:
            values = [*before, int(value)]
            if self.kind == "chain" and len(values) < decided:
                return _passed_on(values) % 2 == 0
            if self.kind == "max" or len(values) < decided:
                return True
            if self.kind == "mean" and sum(values) % len(values):
                return False
            answer = self._number(values)
            off = MEAN_TOLERANCE * answer if self.kind == "mean" else 0
            if any(abs(answer - other) <= off for other in values):
                return False
            return len(values) > decided or not stands_in(str(answer), text)

        return fits

    def ask(self, needles: Sequence[Needle], context: TrialContext) -> Ask:
        """One question about all needles; they must be facts about whole numbers of one attribute."""
        first_of(needles, self.name)
        keys, subject, values = [needle.key for needle in needles], _subject(needles, self.name), _values(needles)
        if self.kind == "max":
            highest = keys[values.index(max(values))]
            others = tuple(key for key in keys if key != highest)
            return Ask(f"Which of {_listed(keys)} has the highest {subject}?", highest, others)
        answer = self._number(values)
        if self.kind == "sum":
            return Ask(f"What is the total of the {subject} of {_listed(keys)}, all added up?", answer)
        if self.kind == "mean":
            question = f"What is the average (arithmetic mean) of the {subject} of {_listed(keys)}?"
            return Ask(question, answer, options={"rel_tol": MEAN_TOLERANCE})
        if self.kind == "conditional":
            return Ask(
                f"Of {_listed(keys)}, take only those whose {subject} is above {_limit(values)}. "
                f"What is the total of their {subject}, added up?",
                answer,
            )
        return Ask(_chain_question(keys[: self.steps + 1], subject), answer)

    def _number(self, values: Sequence[int]) -> int | float:
        """The answer of every kind but ``max``."""
        if self.kind == "sum":
            return sum(values)
        if self.kind == "mean":
            whole, rest = divmod(sum(values), len(values))
            return whole + rest / len(values) if rest else whole
        if self.kind == "conditional":
            limit = _limit(values)
            return sum(value for value in values if value > limit)
        return _passed_on(values[: self.steps + 1])


def _limit(values: Sequence[int]) -> int:
    """A limit that the greater half of the values is above, and the others are not: the middle of the gap."""
    falling = sorted(values, reverse=True)
    above = (len(falling) + 1) // 2
    return (falling[above - 1] + falling[above]) // 2


def _passed_on(values: Sequence[int]) -> int:
    """What the last one has once each has given half of what it has to the next: v_B + v_A / 2, and so on."""
    held = 0
    for value in values:
        held = value + held // 2
    return held


def _chain_question(keys: Sequence[str], subject: str) -> str:
    story = f"{keys[0]} gives half of its {subject} to {keys[1]}."
    for giver, taker in pairwise(keys[1:]):
        story += f" After that, {giver} gives half of what it then has to {taker}."
    return f"{story} What {subject} does {keys[-1]} have in the end?"


def _listed(keys: Sequence[str]) -> str:
    return f"{', '.join(keys[:-1])} and {keys[-1]}"


def _values(needles: Sequence[Needle]) -> list[int]:
    try:
        return [int(needle.expected) for needle in needles]
    except ValueError:
        raise HaystackError("task 'reasoning' reckons with whole numbers; the fixture `needles` gave others") from None


def _subject(needles: Sequence[Needle], task: str) -> str:
    """The attribute that all the needles' questions ask for."""
    found = {
        needle.question.removeprefix("What is the ").removesuffix(f" of {needle.key}?")
        if needle.key
        else needle.question
        for needle in needles
    }
    if len(needles) < 2 or len(found) != 1 or "?" in "".join(found):
        raise HaystackError(
            f"task {task!r} joins two or more needles whose questions are 'What is the ATTRIBUTE of KEY?' with one "
            "attribute; the fixture `needles` gave others"
        )
    return found.pop()


def _chance(kind: Kind, needles: int) -> float:
    values = HIGHEST - LOWEST + 1
    if kind == "max":
        return 1 / needles
    if kind == "mean":
        # Guessing the middle: means are nearly normal around it, with this standard deviation.
        deviation = values / math.sqrt(12 * needles)
        middle = (LOWEST + HIGHEST) / 2
        return math.erf(MEAN_TOLERANCE * middle / deviation / math.sqrt(2))
    terms = {"sum": needles, "conditional": (needles + 1) // 2, "chain": 1}[kind]
    return 1 / (terms * values)
