"""Options that a task type, a haystack source or a scorer defines itself: told apart, checked, completed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from pytest_haystack.config.checks import check_model
from pytest_haystack.config.draft import Draft
from pytest_haystack.config.haystack import HaystackEntry
from pytest_haystack.config.interpolation import FromEnvironment
from pytest_haystack.config.parts import Part, flag_as_text
from pytest_haystack.config.problems import add_validation_errors
from pytest_haystack.config.schema import ScorerEntry, TaskEntry
from pytest_haystack.config.variants import level_of
from pytest_haystack.config.yaml_text import KeyPath
from pytest_haystack.errors import ConfigError
from pytest_haystack.registry import NEWEST, Registry


class NoOptions(Part):
    """The options of a scorer that has none."""


def with_options(draft: Draft, registry: Registry, environ: Mapping[str, str]) -> dict[str, Any]:
    """The draft's data as `pytest_haystack.config.schema.Config` wants it: options apart, and complete.

    Mistakes in options, and what a task's constructor refuses, are noted in the draft. ``environ`` reaches the
    validators of options as ``info.context["environ"]``: which keys are there may decide a default.
    """
    data: dict[str, Any] = plain(draft.data)
    data.setdefault("haystack", {})
    _separate_parts(draft, data, (), registry, environ)
    tasks = data["tasks"] if isinstance(data.get("tasks"), list) else []
    for index, task in enumerate(tasks):
        if isinstance(task, dict):
            path: KeyPath = ("tasks", index)
            _separate_parts(draft, task, path, registry, environ)
            tasks[index] = _separate_task(draft, task, path, registry)
    return data


def plain(value: Any) -> Any:
    """A copy of the value in which text from the environment is ordinary text."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return str(value) if isinstance(value, FromEnvironment) else value


def _separate_parts(
    draft: Draft, owner: dict[str, Any], path: KeyPath, registry: Registry, environ: Mapping[str, str]
) -> None:
    haystack = owner.get("haystack")
    if isinstance(haystack, dict):
        owner["haystack"] = _separate_haystack(draft, haystack, (*path, "haystack"), registry)
    if path and isinstance(owner.get("scorer"), dict):
        owner["scorer"] = _separate_scorer(draft, owner["scorer"], (*path, "scorer"), registry, environ)


def _separate_haystack(draft: Draft, entry: dict[str, Any], path: KeyPath, registry: Registry) -> dict[str, Any]:
    own, options = _split(entry, HaystackEntry)
    source = own.get("source", HaystackEntry.model_fields["source"].default)
    if isinstance(source, str) and source in registry.sources:
        # Rows and the resolved config tell which version it was, whatever is the newest one by then.
        own["source"] = NEWEST.get(source, source)
        own["options"] = _complete(draft, options, path, registry.sources[source].options_model, HaystackEntry)[0]
    return own


def _separate_task(draft: Draft, entry: dict[str, Any], path: KeyPath, registry: Registry) -> dict[str, Any]:
    own, options = _split(entry, TaskEntry)
    name = own.get("type")
    if not isinstance(name, str) or not name:
        return own
    if name not in registry.tasks:
        draft.problem((*path, "type"), registry.tasks.unknown(name), shown=_shown_type(draft, path))
        return own
    cls = registry.tasks[name]
    own["options"], model = _complete(draft, options, path, cls.options_model, TaskEntry)
    variant = own.get("variant")
    if isinstance(variant, dict):
        # The level of an axis is the option's value as it was understood.
        own["variant"] = {key: level_of(own["options"].get(key, level)) for key, level in variant.items()}
    if model is not None:
        try:
            cls(model, registry)
        except ConfigError as error:
            for problem in error.problems:
                _add_refusal(draft, path, problem, own["options"])
    return own


def _shown_type(draft: Draft, path: KeyPath) -> KeyPath:
    return (*path, "type") if draft.was_written((*path, "type")) else path


def _add_refusal(draft: Draft, path: KeyPath, problem: str, options: Mapping[str, Any]) -> None:
    """A constructor's ``placement: what is wrong`` belongs to the key ``placement``."""
    key, colon, words = problem.partition(": ")
    if colon and key in options:
        draft.problem((*path, key), words)
    else:
        draft.problem(path, problem)


def _separate_scorer(
    draft: Draft, entry: dict[str, Any], path: KeyPath, registry: Registry, environ: Mapping[str, str]
) -> dict[str, Any]:
    """``type`` is another word for ``name``; options stand beside it, or in a mapping of their own."""
    own, options = _split(entry, ScorerEntry)
    if "name" not in own and "type" in options:
        own["name"] = options.pop("type")
    nested = options.pop("options", None)
    if nested is not None and not isinstance(nested, dict):
        return {**own, "options": nested}
    twice = nested.keys() & options.keys() if nested else ()
    for key in twice:
        draft.problem((*path, "options", key), "this key also stands beside the scorer's name; keep one")
    model = scorer_options_model(registry, own.get("name"))
    if model is None or twice:
        return {**own, "options": options | (nested or {})}
    # Mistakes are told where their key stands; options in both places are a rare mixture, told at the scorer.
    place: KeyPath = (*path, "options") if nested and not options else path
    complete, checked = _complete(draft, options | (nested or {}), place, model, ScorerEntry, environ)
    asks = getattr(checked, "asks", None)
    asked = asks() if asks else None
    if asked is not None and asked.model is not None:
        check_model(draft, (*place, "model"), asked.model, registry)
    return {**own, "options": complete}


def scorer_options_model(registry: Registry, name: object) -> type[BaseModel] | None:
    """The model of a scorer's options, None where anything goes: for one of the user's own that states none."""
    if not isinstance(name, str) or name not in registry.scorers:
        return None
    default = NoOptions if registry.scorers.is_builtin(name) else None
    return getattr(registry.scorers[name], "options_model", default)


def _split(entry: Mapping[str, Any], model: type[BaseModel]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The keys of the entry itself, and all others."""
    names = model.model_fields.keys() - {"options"}
    own = {key: value for key, value in entry.items() if key in names}
    return own, {key: value for key, value in entry.items() if key not in names}


def _complete(
    draft: Draft,
    options: dict[str, Any],
    path: KeyPath,
    model: type[BaseModel],
    entry_model: type[BaseModel],
    environ: Mapping[str, str] | None = None,
) -> tuple[dict[str, Any], BaseModel | None]:
    """The options with all defaults, as JSON values, and as their model; {} and None where they are not valid."""
    numeric = {name for name, field in model.model_fields.items() if not _takes_flags(field.annotation)}
    given = {key: flag_as_text(value) if key in numeric else value for key, value in options.items()}
    beside = [name for name in entry_model.model_fields if name != "options"]
    try:
        complete = model.model_validate(given, context={"environ": environ})
    except ValidationError as error:
        add_validation_errors(draft, error, path, model, beside)
        return {}, None
    except ConfigError as error:
        for problem in error.problems:
            draft.problem(path, problem)
        return {}, None
    return complete.model_dump(mode="json", by_alias=True), complete


def _takes_flags(annotation: Any) -> bool:
    """True where ``true`` may be a value of this type; it is never one of a number's."""
    arguments = get_args(annotation)
    if arguments:
        return any(_takes_flags(argument) for argument in arguments)
    return annotation not in (int, float, type(None)) and not isinstance(annotation, str | int)
