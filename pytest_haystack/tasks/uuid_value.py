"""One random UUID stored under another."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_haystack.needles.needle import Needle
from pytest_haystack.needles.pairs import fresh_uuids
from pytest_haystack.tasks.task import Ask, Task, TrialContext, first_of


class UuidValue(Task):
    """A key and a value that are both random UUIDs: nothing to know, nothing to guess (chance 2^-122)."""

    name = "uuid"
    scorer = "uuid"
    chance = 2.0**-122

    def needles(self, context: TrialContext) -> Sequence[Needle]:
        """One key-value pair at the cell's depth."""
        key, value = fresh_uuids(context.rng, context.haystack_text, 2)
        needle = Needle(
            statement=f"The value stored under key {key} is {value}.",
            question=f"Which value is stored under key {key}?",
            expected=value,
            key=key,
        )
        return [needle.at(context.depth_percent)]

    def ask(self, needles: Sequence[Needle], context: TrialContext) -> Ask:
        """The needle's own question and answer."""
        needle = first_of(needles, self.name)
        return Ask(needle.question, needle.expected)
