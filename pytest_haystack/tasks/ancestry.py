"""Who descends from whom, in a document of nothing but such relations."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from pytest_haystack.config.axis import Axis
from pytest_haystack.documents.fitting import most_that_fit
from pytest_haystack.errors import ConfigError, DocumentError
from pytest_haystack.needles.draws import pick
from pytest_haystack.needles.lineage import SOUGHT_IN, Edge, Family, FamilyMaker, Sought, Structure, answers
from pytest_haystack.needles.needle import Needle
from pytest_haystack.needles.people import MOST_PEOPLE, People
from pytest_haystack.registry import Registry
from pytest_haystack.tasks.relations import RELATIONS, Relation
from pytest_haystack.tasks.task import Ask, Task, TaskOptions, TrialContext, first_of


class AncestryOptions(TaskOptions):
    """What is related how, and how far one has to go.

    ``structure``: ``chain`` (each has one above and one below), ``tree`` (several below), ``dag`` (several above
    too). ``hops`` is how many relations lead to the answer. ``relation`` is ``parent``, ``reports``, ``precedes``, or
    ``mixed``: one of them for each family. ``question`` is ``ancestor`` (so many steps up; chain and tree),
    ``relative`` (up, then down another line: sibling, cousin; tree), ``common_ancestor`` (tree and dag), or ``any``
    of those that the structure allows, drawn anew for each trial.
    """

    structure: Structure = Field(
        "chain", description="chain: one above and one below each; tree: several below; dag: several above too."
    )
    hops: Annotated[int, Field(ge=2, le=10), Axis("hops")] = Field(3, description="Relations that lead to the answer.")
    relation: Literal["mixed", "parent", "reports", "precedes"] = Field(
        "mixed", description="What relates people; mixed: one of the others for each family."
    )
    question: Literal["any", "ancestor", "relative", "common_ancestor"] = Field(
        "any", description="What is asked; any: what the structure allows, drawn anew for each trial."
    )


@dataclass(frozen=True, slots=True)
class _Line:
    """One relation of the document; ``order`` (0 to 1) says where it stands among the others."""

    statement: str
    upper: str
    lower: str
    order: float


class Ancestry(Task):
    """As many relations between invented people as the context length holds, shuffled; one question over ``hops``.

    All of the text is of one kind, so nothing but following the relations leads to the answer, and the document's
    own relations allow no other answer. Chance: one of the names that exist.
    """

    name = "ancestry"
    options_model = AncestryOptions
    scorer = "entity"
    chance = 1 / MOST_PEOPLE

    def __init__(self, options: Any, registry: Registry | None = None) -> None:
        super().__init__(options, registry)
        known = SOUGHT_IN[options.structure]
        if options.question not in ("any", *known):
            raise ConfigError(
                f"question: {options.question!r} has no unique answer in a {options.structure}; "
                f"use {' or '.join(known)}, or any"
            )

    @property
    def depth_matters(self) -> bool:
        """False: the relations that lead to the answer are spread over the whole document."""
        return False

    @property
    def filler(self) -> bool:
        """False: every line is a relation."""
        return False

    def needles(self, context: TrialContext) -> Sequence[Needle]:
        """All relations in document order; those that lead to the answer are needles, the others records.

        Raises DocumentError where the relations that lead to the answer do not fit.
        """
        draft = _Draft(context.rng, self.options)
        size = most_that_fit(lambda n: _text(draft.shuffled(n)), context.tokens, context.count, draft.asked.core)
        draft.refuse_other_answers(size)
        core = {line.statement for line in draft.core}
        asking = draft.core[0].statement
        return [
            draft.asking(line)
            if line.statement == asking
            else Needle(
                line.statement,
                expected=line.upper,
                key=line.lower,
                role="needle" if line.statement in core else "record",
            )
            for line in draft.shuffled(size)
        ]

    def smallest(self, context: TrialContext) -> str:
        """The relations that lead to the answer."""
        draft = _Draft(context.rng, self.options)
        return _text(draft.shuffled(draft.asked.core))

    def ask(self, needles: Sequence[Needle], context: TrialContext) -> Ask:
        """The question that one of the needles carries; all other people are wrong answers that were planted."""
        first_of(needles, self.name)
        asking = next((needle for needle in needles if needle.question), needles[0])
        people = dict.fromkeys(name for needle in needles for name in (needle.key, needle.expected))
        return Ask(asking.question, asking.expected, tuple(name for name in people if name and name != asking.expected))


class _Draft:
    """A document's relations, made as far as they are needed; the first ones belong to the family asked about."""

    def __init__(self, rng: random.Random, options: AncestryOptions) -> None:
        self._rng = rng
        self._options = options
        known = SOUGHT_IN[options.structure]
        self._sought: Sought = pick(rng, known) if options.question == "any" else options.question
        self._people = People(rng)
        self._maker = FamilyMaker(rng, options.structure, options.hops)
        self._edges: list[Edge] = []
        self._lines: list[_Line] = []
        self._making = self._relations()
        self.asked: Family
        self.relation: Relation
        next(self._making)

    @property
    def core(self) -> list[_Line]:
        """The relations that lead to the answer."""
        return self._lines[: self.asked.core]

    def shuffled(self, size: int) -> list[_Line]:
        """The first ``size`` relations in document order. One more relation leaves the others in their order."""
        while len(self._lines) < size:
            next(self._making)
        return sorted(self._lines[:size], key=lambda line: line.order)

    def refuse_other_answers(self, size: int) -> None:
        """Raise DocumentError unless the first ``size`` relations allow the one answer alone."""
        found = answers(self.asked, self._edges[:size])
        if found != {self.asked.answer}:
            raise DocumentError(f"its relations allow {len(found)} answers instead of one")

    def asking(self, line: _Line) -> Needle:
        """The needle of a relation that carries the question and its answer."""
        family = self.asked
        names = [self._people.name(person) for person in family.asked]
        question = self.relation.question(family.sought, names, family.up, family.down)
        return Needle(line.statement, question, self._people.name(family.answer), line.lower)

    def _relations(self) -> Iterator[None]:
        """Make one relation after another, of one family after another."""
        while True:
            family = self._maker.family(self._sought)
            kind = self._options.relation
            relation = pick(self._rng, tuple(RELATIONS.values())) if kind == "mixed" else RELATIONS[kind]
            if not self._lines:
                self.asked, self.relation = family, relation
            for upper, lower in family.edges:
                names = self._people.name(upper), self._people.name(lower)
                statement = pick(self._rng, relation.statements).format(upper=names[0], lower=names[1])
                self._edges.append((upper, lower))
                self._lines.append(_Line(statement, *names, self._rng.random()))
                yield


def _text(lines: Sequence[_Line]) -> str:
    return "\n".join(line.statement for line in lines)
