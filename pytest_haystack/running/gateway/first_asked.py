"""What a model's cells asked first: whoever offers requests compares it with what he would have offered."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FirstAsked:
    """A request that was answered, or not refused: ``cell`` by its id, ``trial`` from 0, ``key`` as of `answer_key`.

    ``input_tokens`` are the provider's count, None where it gave none or has not ``answered`` yet.
    """

    cell: str
    trial: int
    key: str
    input_tokens: int | None
    answered: bool = True
