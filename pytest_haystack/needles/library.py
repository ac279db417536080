"""Needles that the user wrote: a list of them, gone through in turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from pytest_haystack.needles.needle import Needle

Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


def _number_as_text(value: object) -> object:
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


class WrittenNeedle(BaseModel):
    """A needle in the user's words: the statement that is hidden, the question for it and the answer expected."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    needle: Words = Field(description="The statement that is hidden.")
    question: Words = Field(description="The question that it answers.")
    answer: Annotated[Words, BeforeValidator(_number_as_text)] = Field(description="The answer expected.")


def in_turn(entries: Sequence[WrittenNeedle], count: int, turn: int) -> list[Needle]:
    """``count`` needles, beginning where turn number ``turn`` does when each turn before took as many.

    Behind the last entry comes the first one again; within one turn none comes twice as long as there are enough.
    """
    chosen = [entries[(turn * count + number) % len(entries)] for number in range(count)]
    return [Needle(entry.needle, entry.question, entry.answer) for entry in chosen]
