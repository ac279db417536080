"""Validation errors to lines that a reader can act on, one for each mistake."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from pytest_haystack.config.draft import MISSING, Draft
from pytest_haystack.config.interpolation import FromEnvironment
from pytest_haystack.config.synonyms import key_advice
from pytest_haystack.config.wording import choices_of, expected_kind, shown, wrong_kind, wrong_value
from pytest_haystack.config.yaml_text import KeyPath
from pytest_haystack.registry import suggestion


@dataclass(frozen=True, slots=True)
class _Finding:
    """One validation error: the key path in the draft, and the branch of the first union it went through."""

    error: Mapping[str, Any]
    path: KeyPath
    union: KeyPath | None = None
    branch: str = ""

    @property
    def whole_value(self) -> bool:
        """True where the branch of the union does not fit at all, so that the user cannot have meant it."""
        return self.path == self.union and expected_kind(self.error, self.path) is not None


def add_validation_errors(
    draft: Draft, error: ValidationError, base: KeyPath, model: type[BaseModel], also_known: Collection[str] = ()
) -> None:
    """Note every mistake that pydantic found in the value at ``base``, which ``model`` describes.

    ``also_known`` are keys that may stand beside those of the model.
    """
    findings = [_finding(draft, details, base) for details in error.errors(include_url=False)]
    unknown = [f for f in findings if f.error["type"] == "extra_forbidden"]
    advice = {f.path: _advice(f.path, base, model, also_known) for f in unknown}
    for group in _alternatives(findings):
        first = group[0]
        kind, path = first.error["type"], first.path
        if kind == "extra_forbidden":
            draft.problem(path, f"unknown key{advice[path]}")
        elif kind == "missing":
            meant = f"did you mean {path[-1]!r}?"
            if not any(other[:-1] == path[:-1] and meant in words for other, words in advice.items()):
                draft.problem(path[:-1], f"missing key {path[-1]!r}")
        else:
            _add_value_problem(draft, group)


def _add_value_problem(draft: Draft, group: Sequence[_Finding]) -> None:
    first = group[0]
    path = draft.known_part(first.path)
    value = draft.value(path)
    hints = not isinstance(value, FromEnvironment)
    if isinstance(value, FromEnvironment):
        value = value.template
    elif path != first.path:
        value = first.error["input"]
    kinds = [expected_kind(finding.error, first.path) for finding in group]
    if all(kinds):
        choices = [
            choice for f in group if f.error["type"] in ("literal_error", "enum") for choice in choices_of(f.error)
        ]
        draft.problem(path, wrong_kind(value, [kind for kind in kinds if kind], choices, path, hints=hints))
    else:
        draft.problem(path, wrong_value(first.error, value, path, hints=hints))


def _finding(draft: Draft, error: Mapping[str, Any], base: KeyPath) -> _Finding:
    """Follow an error's location through the draft: what is neither key nor index there names a union's branch."""
    path, union, branch = base, None, ""
    location = error["loc"]
    for position, part in enumerate(location):
        is_key = error["type"] == "missing" and position == len(location) - 1
        if is_key or draft.value((*path, part)) is not MISSING:
            path = (*path, part)
        elif union is None:
            union, branch = path, str(part)
    return _Finding(error, path, union, branch)


def _alternatives(findings: Sequence[_Finding]) -> Iterator[list[_Finding]]:
    """Each mistake once. Where no branch of a union fits at all, its errors come together as one mistake."""
    unions: dict[KeyPath, dict[str, list[_Finding]]] = {}
    for finding in findings:
        if finding.union is None:
            yield [finding]
        else:
            unions.setdefault(finding.union, {}).setdefault(finding.branch, []).append(finding)
    for branches in unions.values():
        meant = [branch for branch in branches.values() if not any(finding.whole_value for finding in branch)]
        if meant:
            yield from ([finding] for finding in min(meant, key=len))
        else:
            yield [branch[0] for branch in branches.values()]


def _advice(path: KeyPath, base: KeyPath, model: type[BaseModel], also_known: Collection[str]) -> str:
    below = path[len(base) : -1]
    names = list(dict.fromkeys([*known_keys(model, below), *(also_known if not below else ())]))
    if not names:
        return ""
    owner = next((part for part in reversed(path[:-1]) if isinstance(part, str)), "")
    return f"; {key_advice(owner, str(path[-1]), names) or suggestion(str(path[-1]), names)}"


def known_keys(model: type[BaseModel], path: KeyPath = ()) -> list[str]:
    """Keys of the mapping at a key path below ``model``."""
    models = [model]
    for part in path:
        if isinstance(part, str):
            fields = [owner.model_fields[part] for owner in models if part in owner.model_fields]
            models = [found for field in fields for found in _models_in(field.annotation)]
    return [field.alias or name for owner in models for name, field in owner.model_fields.items()]


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models_in(argument)


def not_one_of(value: Any, known: Collection[str], what: str) -> str:
    """``'x' is no known WHAT; did you mean 'y'?``"""
    return f"{shown(value)} is no known {what}; {suggestion(str(value), list(known))}"
