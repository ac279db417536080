"""Needles from Jinja2 templates with variables that are drawn anew for each needle."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from typing import Any

from jinja2 import StrictUndefined, Template, TemplateError, meta
from jinja2.sandbox import ImmutableSandboxedEnvironment
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import InitErrorDetails, PydanticCustomError

from pytest_haystack.errors import DocumentError
from pytest_haystack.needles.facts import stands_in
from pytest_haystack.needles.needle import Needle
from pytest_haystack.needles.variables import Variable
from pytest_haystack.registry import suggestion

#: Draws before a needle is taken whose answer stands in the haystack text, or before giving up.
TRIES = 200
PARTS = ("template", "question", "answer")
#: A template may fail in any of these ways, by what the user wrote in it.
FAILURES = (TemplateError, TypeError, ValueError, ArithmeticError, LookupError, AttributeError)


class TemplateOptions(BaseModel):
    """Jinja2 texts (sandboxed) of a needle's statement, question and answer, and the variables they use."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    template: str = Field(description="The statement that is hidden.")
    question: str = Field(description="The question that it answers.")
    answer: str = Field(description="The answer expected.")
    variables: dict[str, Variable] = Field(default_factory=dict, description="Name to what is drawn for it.")

    @model_validator(mode="after")
    def _variables_are_those_used(self) -> TemplateOptions:
        problems: dict[tuple[str, ...], str] = {}
        used: set[str] = set()
        for part in PARTS:
            try:
                names = variables_in(getattr(self, part))
            except TemplateError as error:
                problems[(part,)] = f"no valid template: {error}"
                continue
            used |= names
            for name in sorted(names - self.variables.keys()):
                problems[(part,)] = f"unknown variable {name!r}; {_advice(name, self.variables)}"
        if not problems:
            problems = {
                ("variables", name): f"variable {name!r} is used in none of {', '.join(PARTS)}; remove it"
                for name in self.variables
                if name not in used
            }
        if not problems:
            problems = self._failures()
        if problems:
            raise ValidationError.from_exception_data("needle", [_detail(path, problems[path]) for path in problems])
        return self

    def _failures(self) -> dict[tuple[str, ...], str]:
        """Parts that cannot be rendered, or come out empty, with one draw of the variables."""
        values = drawn(self.variables, random.Random(0))
        problems: dict[tuple[str, ...], str] = {}
        for part in PARTS:
            try:
                if not compiled(getattr(self, part)).render(values).strip():
                    problems[(part,)] = "comes out empty"
            except FAILURES as error:
                problems[(part,)] = f"{type(error).__name__}: {error}"
        if not problems and (unstated := self._unstated()):
            problems[("answer",)] = f"{unstated!r} stands neither in template nor in question, so nobody can know it"
        return problems

    def _unstated(self) -> str:
        """A variable of the answer that nothing tells of, "" where there is none or it has one value only."""
        told = variables_in(self.template) | variables_in(self.question)
        names = variables_in(self.answer) - told
        return next((name for name in sorted(names) if self.variables[name].chance < 1), "")

    @property
    def chance(self) -> float:
        """Probability (0 to 1) that a blind guess is right where the answer is one variable, else 0: not known."""
        alone = re.fullmatch(r"\s*\{\{\s*(\w+)\s*\}\}\s*", self.answer)
        return self.variables[alone[1]].chance if alone else 0.0


class TemplateMaker:
    """Draws needles from one template."""

    def __init__(self, options: TemplateOptions) -> None:
        self._variables = options.variables
        self._parts = [compiled(getattr(options, part)) for part in PARTS]

    def needles(self, count: int, rng: random.Random, haystack_text: str) -> list[Needle]:
        """``count`` needles with different statements and questions.

        Where a few draws allow it, their answers differ too and are not in the haystack text. Raises DocumentError
        where the variables do not give enough questions, or the template fails.
        """
        made: list[Needle] = []
        while len(made) < count:
            made.append(self._another(made, rng, haystack_text))
        return made

    def _another(self, made: Sequence[Needle], rng: random.Random, haystack_text: str) -> Needle:
        second_best = None
        statements, questions = {needle.statement for needle in made}, {needle.question for needle in made}
        answers = {needle.expected for needle in made}
        for _ in range(TRIES):
            needle = self._draw(rng)
            if needle.statement in statements or needle.question in questions:
                continue
            if needle.expected not in answers and not stands_in(needle.expected, haystack_text):
                return needle
            second_best = second_best or needle
        if second_best is None:
            raise DocumentError(
                f"needle: {TRIES} draws gave only {len(made)} different questions; give the variables more values, or "
                "hide fewer needles"
            )
        return second_best

    def _draw(self, rng: random.Random) -> Needle:
        values = drawn(self._variables, rng)
        try:
            statement, question, answer = (part.render(values).strip() for part in self._parts)
        except FAILURES as error:
            raise DocumentError(f"needle: a template fails: {type(error).__name__}: {error}") from None
        if not (statement and question and answer):
            raise DocumentError("needle: a template comes out empty")
        return Needle(statement, question, answer)


def drawn(variables: Mapping[str, Variable], rng: random.Random) -> dict[str, str]:
    """A value for each variable."""
    return {name: variable.draw(rng) for name, variable in variables.items()}


def variables_in(source: str) -> set[str]:
    """Names that a template takes from outside. Raises TemplateError where it is none."""
    return set(meta.find_undeclared_variables(_environment().parse(source)))


def compiled(source: str) -> Template:
    """A template that can do no harm and fails on unknown names."""
    return _environment().from_string(source)


def _environment() -> ImmutableSandboxedEnvironment:
    return ImmutableSandboxedEnvironment(undefined=StrictUndefined, autoescape=False)


def _advice(name: str, variables: Mapping[str, Any]) -> str:
    return suggestion(name, list(variables)) if variables else "define it under variables"


def _detail(path: tuple[str, ...], words: str) -> InitErrorDetails:
    return {"type": PydanticCustomError("value_error", "{words}", {"words": words}), "loc": path, "input": None}
