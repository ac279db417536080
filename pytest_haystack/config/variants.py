"""Several values where a task has one: each entry of ``tasks`` made into its variants, one a combination.

Two things make an axis: a list for an option that is marked with `pytest_haystack.config.axis.Axis`, and
``prompts``, in the entry or for all entries that name no prompt of their own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from pytest_haystack.config.axis import PROMPT, Axis
from pytest_haystack.config.draft import Derived, Draft, dotted
from pytest_haystack.config.entries import id_safe
from pytest_haystack.config.parts import MOST_POINTS
from pytest_haystack.config.yaml_text import KeyPath
from pytest_haystack.registry import Registry

_PROMPTS = "prompts"


@dataclass(frozen=True, slots=True)
class _Choice:
    """One value of an axis: its text in ids, its level in ``variant``, what the entry holds, where it was written."""

    label: str
    level: Any
    value: Any
    written: KeyPath


def expand_variants(draft: Draft, registry: Registry) -> None:
    """Put the variants of each task in its place, in the order of the lists; mistakes are noted in the draft."""
    shared = _take_prompts(draft, draft.data, ())
    tasks = draft.data.get("tasks")
    derived: list[Derived] = []
    for index, entry in enumerate(tasks if isinstance(tasks, list) else []):
        path: KeyPath = ("tasks", index)
        if not isinstance(entry, dict):
            derived.append(Derived(entry, {(): path}))
            continue
        prompts = _take_prompts(draft, entry, path)
        axes = _option_axes(draft, path, entry, registry)
        if prompts or (shared and entry.get(PROMPT) is None):
            axes[PROMPT] = prompts or shared
        derived += _variants(draft, path, entry, axes)
    if isinstance(tasks, list):
        draft.derive("tasks", derived)


def axis_options(options_model: Any) -> dict[str, Axis]:
    """The options of a model that may be lists, by the key that a user writes."""
    return {
        field.alias or name: mark
        for name, field in options_model.model_fields.items()
        for mark in field.metadata
        if isinstance(mark, Axis)
    }


def level_of(value: Any) -> Any:
    """The value of an option as ``variant`` holds it: numbers as they are, all else as text."""
    if isinstance(value, int | float | str) and not isinstance(value, bool):
        return value
    return _words(value)


def _words(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def _take_prompts(draft: Draft, owner: dict[str, Any], path: KeyPath) -> list[_Choice]:
    """The prompts that the owner lists, which is left without the list."""
    listed = owner.pop(_PROMPTS, None)
    path = (*path, _PROMPTS)
    if listed is None:
        return []
    if not isinstance(listed, list) or not listed:
        draft.problem(path, "must be a list of prompts: names of presets, or mappings; for a single one write prompt")
        return []
    if owner.get(PROMPT) is not None:
        draft.problem(path, "prompt stands beside it; keep one of the two")
        return []
    choices: dict[str, _Choice] = {}
    for index, entry in enumerate(listed):
        choice = _prompt((*path, index), entry)
        other = choices.setdefault(choice.label, choice)
        if other is not choice:
            words = f"{choice.label!r} is already the name of {dotted(other.written)}; give each its own id"
            draft.problem(choice.written, words)
    return list(choices.values())


def _prompt(written: KeyPath, entry: Any) -> _Choice:
    entry = {"preset": entry} if isinstance(entry, str) else _copy(entry)
    name = None
    if isinstance(entry, dict):
        if entry.get("template") is None:
            entry.setdefault("preset", "default")
        name = entry.setdefault("id", entry.get("preset") or "template")
    label = name if isinstance(name, str) and id_safe(name) == name else f"prompt{int(written[-1]) + 1}"
    return _Choice(label, label, entry, written)


def _option_axes(
    draft: Draft, path: KeyPath, entry: dict[str, Any], registry: Registry
) -> dict[str, Sequence[_Choice]]:
    """The axes among an entry's options: those that may be lists and are."""
    kind = entry.get("type")
    if not isinstance(kind, str) or kind not in registry.tasks:
        return {}
    axes: dict[str, Sequence[_Choice]] = {}
    for key, axis in axis_options(registry.tasks[kind].options_model).items():
        values = entry.get(key)
        if isinstance(values, list) and not values:
            draft.problem((*path, key), "the list is empty; give one value, or a list of them")
            draft.settled.add((*path, key))
        elif isinstance(values, list):
            axes[key] = _levels(draft, (*path, key), values, axis)
    return axes


def _levels(draft: Draft, path: KeyPath, values: list[Any], axis: Axis) -> list[_Choice]:
    choices: dict[str, _Choice] = {}
    for index, value in enumerate(values):
        # What is no single value is refused with the rest of the options, and only needs some id until then.
        words = str(index + 1) if isinstance(value, list | dict) else _words(value)
        choice = _Choice(id_safe(f"{axis.short}{words}") or str(index + 1), value, value, (*path, index))
        if choices.setdefault(choice.label, choice) is not choice:
            draft.problem(choice.written, f"{words} is listed twice")
    return list(choices.values())


def _variants(draft: Draft, path: KeyPath, entry: dict[str, Any], axes: dict[str, Sequence[_Choice]]) -> list[Derived]:
    count = math.prod(len(choices) for choices in axes.values())
    if count > MOST_POINTS:
        draft.problem(path, f"its lists make {count:,} variants; at most {MOST_POINTS:,} can be")
        axes = {}
    if not axes:
        return [Derived(entry, {(): path})]
    return [_variant(path, entry, dict(zip(axes, chosen, strict=True))) for chosen in product(*axes.values())]


def _variant(path: KeyPath, entry: dict[str, Any], chosen: dict[str, _Choice]) -> Derived:
    """The entry with one value of each axis."""
    value: dict[str, Any] = _copy(entry)
    origins: dict[KeyPath, KeyPath] = {(): path}
    for axis, choice in chosen.items():
        value[axis] = _copy(choice.value)
        origins[(axis,)] = choice.written
    name, variant = entry.get("id"), entry.get("variant") or {}
    # What is no id and no mapping stays as it is, to be refused with the rest.
    if isinstance(name, str):
        value["id"] = "-".join([name, *(choice.label for choice in chosen.values())])
        if entry.get("family") is None:
            value["family"] = name
    if isinstance(variant, dict):
        value["variant"] = {**variant, **{axis: _copy(choice.level) for axis, choice in chosen.items()}}
    return Derived(value, origins)


def _copy(value: Any) -> Any:
    """A copy in which text from the environment is still known as that."""
    if isinstance(value, dict):
        return {key: _copy(item) for key, item in value.items()}
    return [_copy(item) for item in value] if isinstance(value, list) else value
