"""What makes an option of a task an axis."""

from __future__ import annotations

from dataclasses import dataclass

#: Name of the axis that several prompts make.
PROMPT = "prompt"


@dataclass(frozen=True, slots=True)
class Axis:
    """Marks an option of a task that may be a list: ``needles: Annotated[int, Axis("n")] = 5``.

    A list makes each of its values a variant of the entry with an id of its own, in which ``short`` stands before
    the value: ``multi-n2``, ``multi-n5``.
    """

    short: str = ""
