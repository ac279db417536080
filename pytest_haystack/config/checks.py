"""What no single field can tell: names that must exist, ids that must differ, axes that must make sense."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from pydantic import TypeAdapter, ValidationError

from pytest_haystack.config.axes import expand_depths, expand_lengths
from pytest_haystack.config.draft import MISSING, Draft, dotted
from pytest_haystack.config.local_names import check_local, is_local
from pytest_haystack.config.problems import not_one_of
from pytest_haystack.config.ranges import DepthRange, Depths, LengthRange, Lengths
from pytest_haystack.config.yaml_text import KeyPath
from pytest_haystack.errors import ConfigError
from pytest_haystack.registry import Names, Registry, suggestion

TOKENIZERS = ("cl100k_base", "o200k_base", "p50k_base")

_LENGTHS: TypeAdapter[Lengths] = TypeAdapter(Lengths)
_DEPTHS: TypeAdapter[Depths] = TypeAdapter(Depths)


def check_names(draft: Draft, registry: Registry, presets: Collection[str]) -> None:
    """Scorers, sources, presets, tokenizer and model providers must be known (task types: see `options`)."""
    owners: list[KeyPath] = [(), *(("tasks", index) for index, _ in draft.entries("tasks"))]
    for owner in owners:
        _check_registered(draft, (*owner, "haystack", "source"), registry.sources)
        named = "type" if draft.value((*owner, "scorer", "name")) is MISSING else "name"
        _check_registered(draft, (*owner, "scorer", named), registry.scorers)
        preset = draft.value((*owner, "prompt", "preset"))
        if isinstance(preset, str) and preset not in presets:
            words = not_one_of(preset, presets, "prompt preset")
            if "{{" in preset:
                words = "a text here is the name of a preset; for wording of your own write {template: ...}"
            draft.problem((*owner, "prompt", "preset"), words, shown=_shown(draft, owner, "prompt", "preset"))
    tokenizer = draft.value(("tokenizer",))
    if isinstance(tokenizer, str) and tokenizer not in TOKENIZERS and not tokenizer.startswith("hf:"):
        words = f"{tokenizer!r} is no known tokenizer; known: {', '.join(TOKENIZERS)}, or hf:FILE for a tokenizer.json"
        draft.problem(("tokenizer",), words)
    for index, entry in draft.entries("models"):
        if isinstance(entry.get("model"), str):
            check_model(draft, ("models", index, "model"), entry["model"], registry)


def _check_registered(draft: Draft, path: KeyPath, names: Names[Any]) -> None:
    name = draft.value(path)
    if isinstance(name, str) and name and name not in names:
        draft.problem(path, names.unknown(name), shown=_shown(draft, path[:-2], *map(str, path[-2:])))


def _shown(draft: Draft, owner: KeyPath, key: str, short_for: str) -> KeyPath:
    """The key path as the user wrote it: a bare name stands at the key itself."""
    return (*owner, key, short_for) if draft.was_written((*owner, key, short_for)) else (*owner, key)


def check_model(draft: Draft, path: KeyPath, model: str, registry: Registry) -> None:
    """Note what is wrong with a model string, and what looks like a slip in it."""
    provider = registry.provider_of(model)
    if provider is not None:
        validate = getattr(registry.providers[provider], "validate", None)
        try:
            if validate is not None:
                validate(model)
        except ConfigError as error:
            for problem in error.problems:
                draft.problem(path, problem)
        return
    if is_local(model):
        try:
            check_local(model)
        except ConfigError as error:
            draft.problem(path, str(error))
        return
    prefix = model.partition("/")[0]
    if "/" in model and (advice := suggestion(prefix, registry.providers)).startswith("did you mean"):
        draft.note(path, f"{prefix!r} is taken for a provider that litellm knows; {advice}")


def check_ids(draft: Draft) -> None:
    """An id may stand once among the models, the tasks, the gates and the searches."""
    for kind in ("models", "tasks", "gates", "searches"):
        first: dict[str, int] = {}
        for index, entry in draft.entries(kind):
            name = entry.get("id")
            if isinstance(name, str) and first.setdefault(name, index) != index:
                path: KeyPath = (kind, index, "id")
                earlier = f"{kind}.{first[name]} (line {draft.place((kind, first[name])).line})"
                words = f"{name!r} is already the id of {earlier}; give each its own id"
                draft.problem(path, words, shown=path if draft.was_written(path) else path[:-1])


def check_variant_ids(draft: Draft) -> None:
    """The ids of variants, and the families they belong to, are not those of other tasks."""
    first: dict[str, int] = {}
    families = {entry["family"]: index for index, entry in draft.entries("tasks") if _is_text(entry.get("family"))}
    for index, entry in draft.entries("tasks"):
        name, family = entry.get("id"), entry.get("family")
        if not isinstance(name, str):
            continue
        other = first.setdefault(name, index)
        # Entries that were written with one id have been told apart already.
        if other != index and not (family is None and draft.data["tasks"][other].get("family") is None):
            words = f"the variant {name!r} has the id of {_where(draft, other)}; rename one"
            draft.problem(("tasks", index), words)
        if name in families and family != name:
            draft.problem(
                ("tasks", index), f"{name!r} is also the family of {_where(draft, families[name])}; rename one"
            )


def _where(draft: Draft, index: int) -> str:
    path: KeyPath = ("tasks", index)
    return f"{dotted(draft.written(path))} (line {draft.place(path).line})"


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


#: Keys of gates that only some metrics heed.
_METRIC_KEYS = frozenset({"alpha", "absolute", "relative", "base_lengths", "options"})


def check_gates(draft: Draft, registry: Registry) -> None:
    """Gates name metrics, models and tasks that there are, and spans from small to large."""
    for index, entry in draft.entries("gates"):
        metric = entry.get("metric")
        if isinstance(metric, str) and metric not in registry.metrics:
            draft.problem(("gates", index, "metric"), registry.metrics.unknown(metric))
        elif isinstance(metric, str) and (heeded := registry.metrics[metric].keys) is not None:
            for key in sorted(_METRIC_KEYS & entry.keys() - heeded):
                has = f"; it has {', '.join(sorted(heeded))}" if heeded else ""
                draft.problem(("gates", index, key), f"{metric} has no {key}{has}")
        by = entry.get("by")
        if isinstance(by, list):
            for position, name in enumerate(by):
                if name in by[:position]:
                    draft.problem(("gates", index, "by", position), f"{name!r} is listed twice")
    _check_selections(draft, "gates")


def check_searches(draft: Draft) -> None:
    """Searches name models and tasks that there are, and axes that make sense; what is claimed can be found."""
    for index, entry in draft.entries("searches"):
        path: KeyPath = ("searches", index)
        _check_selected_names(draft, path, entry)
        _check_axis(draft, (*path, "depth_percents"), _DEPTHS)
        lengths = _check_axis(draft, (*path, "context_lengths"), _LENGTHS)
        least = _number(entry.get("min"))
        if lengths and least is not None and least > max(lengths):
            draft.problem(
                (*path, "min"), f"{least:,} is more than the longest of its context_lengths, {max(lengths):,}"
            )
        _note_fractions(draft, (*path, "depth_percents"))


def check_known_failures(draft: Draft) -> None:
    """Known failures name models and tasks of this config, and spans from small to large."""
    _check_selections(draft, "known_failures")


def _check_selections(draft: Draft, owner: str) -> None:
    for index, entry in draft.entries(owner):
        path: KeyPath = (owner, index)
        _check_selected_names(draft, path, entry)
        for key in ("context_lengths", "depth_percents"):
            span = entry.get(key)
            if isinstance(span, dict):
                low, high = _number(span.get("min")), _number(span.get("max"))
                if low is not None and high is not None and low > high:
                    draft.problem((*path, key), f"min {low:.12g} is more than max {high:.12g}")
        _note_fractions(draft, (*path, "depth_percents"))


def _check_selected_names(draft: Draft, path: KeyPath, entry: Mapping[str, Any]) -> None:
    for key, kind in (("model", "models"), ("task", "tasks")):
        names = [other.get(part) for _, other in draft.entries(kind) for part in ("id", "family")]
        ids = list(dict.fromkeys(name for name in names if isinstance(name, str)))
        if ids and kind not in draft.incomplete:
            _check_known_ids(draft, (*path, key), entry.get(key), ids)


def _check_known_ids(draft: Draft, path: KeyPath, value: Any, ids: list[str]) -> None:
    names = list(enumerate(value)) if isinstance(value, list) else [(None, value)]
    for position, name in names:
        if isinstance(name, str) and name not in ids:
            where = path if position is None else (*path, position)
            draft.problem(where, f"there is no {path[-1]} {name!r}; {suggestion(name, ids)}")


def check_axes(draft: Draft) -> None:
    """Ranges run from small to large, lists repeat nothing; depths that look like fractions are noted."""
    owners: list[KeyPath] = [("sweep",), *(("tasks", index) for index, _ in draft.entries("tasks"))]
    for owner in owners:
        _check_axis(draft, (*owner, "context_lengths"), _LENGTHS)
        path: KeyPath = (*owner, "depth_percents")
        if _check_axis(draft, path, _DEPTHS):
            _note_fractions(draft, path)
    _check_seeds(draft)


def _check_axis(draft: Draft, path: KeyPath, adapter: TypeAdapter[Any]) -> tuple[float, ...]:
    """The values of an axis; empty where there is none, or none that can be told."""
    axis = _parsed(draft, path, adapter)
    return () if axis is None else _expand(draft, path, axis)


def _parsed(draft: Draft, path: KeyPath, adapter: TypeAdapter[Any]) -> Any:
    value = draft.value(path)
    if value is MISSING or value is None:
        return None
    try:
        return adapter.validate_python(value)
    except ValidationError:
        return None  # told with the rest of the schema's errors


def _expand(draft: Draft, path: KeyPath, axis: Any) -> tuple[float, ...]:
    lengths = path[-1] == "context_lengths"
    try:
        values: tuple[float, ...] = expand_lengths(axis) if lengths else expand_depths(axis)
    except ConfigError as error:
        draft.problem(path, str(error))
        return ()
    if isinstance(axis, LengthRange | DepthRange) and len(values) < axis.num:
        kind = "lengths are whole tokens" if lengths else "depths have two decimals"
        draft.note(path, f"num is {axis.num}, but only {len(values)} values differ, as {kind}")
    return values


def _check_seeds(draft: Draft) -> None:
    seeds = draft.value(("sweep", "seeds"))
    if not isinstance(seeds, list) or not seeds:
        return
    seen: set[int] = set()
    for index, seed in enumerate(seeds):
        if isinstance(seed, int):
            if seed in seen:
                draft.problem(("sweep", "seeds", index), f"{seed} is listed twice")
            seen.add(seed)
    owners: list[KeyPath] = [("sweep",), *(("tasks", index) for index, _ in draft.entries("tasks"))]
    for owner in owners:
        trials = draft.value((*owner, "trials"))
        if isinstance(trials, dict) or (_number(trials) is not None and trials != len(seeds)):
            draft.problem(
                (*owner, "trials"), f"sweep.seeds gives one trial each, which makes {len(seeds)}; leave trials out"
            )


def _note_fractions(draft: Draft, path: KeyPath) -> None:
    """A note where all depths are at most 1 and not all are 0, as if they were fractions and not percent."""
    depths = _depths(draft.value(path))
    positive = [depth for depth in depths if depth > 0]
    if positive and max(depths) <= 1:
        draft.note(path, f"depths are percent 0-100; did you mean {positive[0] * 100:.12g}?")


def _depths(depths: Any) -> list[float]:
    values: list[Any] = []
    if isinstance(depths, list):
        values = depths
    elif isinstance(depths, Mapping):
        values = [depths.get("min", 0), depths.get("max", 100)]
    return [number for value in values if (number := _number(value)) is not None]


def _number(value: Any) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
