"""A JSON Schema of haystack.yaml, for editors."""

from __future__ import annotations

from collections.abc import Callable
from inspect import getdoc
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema

from pytest_haystack.config.options import scorer_options_model
from pytest_haystack.config.schema import Config
from pytest_haystack.config.variants import axis_options
from pytest_haystack.registry import Names, Registry

#: Entries that a bare name may stand for; their definitions offer both.
_SHORT = {"HaystackEntry": "haystack", "ScorerEntry": "scorer", "PromptEntry": "prompt"}

_PROMPTS = {
    "type": "array",
    "items": {"$ref": "#/$defs/prompt"},
    "minItems": 1,
    "description": "Several prompts, each a variant of every task that names none of its own.",
}

#: What stands for a number, a flag or a choice that comes from the environment.
_VARIABLE = {
    "type": "string",
    "pattern": r"\$\{[A-Za-z_][A-Za-z0-9_]*\}",
    "description": "A value from the environment: ${NAME}.",
}


class _Untitled(GenerateJsonSchema):
    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def json_schema(registry: Registry) -> dict[str, Any]:
    """The schema (draft 2020-12) of a config, with the options of every registered task type, source and scorer.

    It describes what a user writes: names may stand for mappings, ids may be left out, options stand beside their
    type. What needs several fields at once (ids that differ, ranges that rise) is left to the loader.
    """
    schema = Config.model_json_schema(schema_generator=_Untitled)
    defs: dict[str, Any] = schema["$defs"]
    schema["properties"]["prompts"] = _PROMPTS
    defs["TaskEntry"]["properties"]["prompts"] = _PROMPTS
    schema["properties"]["tasks"]["items"] = {"$ref": "#/$defs/task"}
    schema["properties"]["models"]["items"] = {"$ref": "#/$defs/model"}
    _make_optional(schema, "name")
    _make_optional(defs["ModelEntry"], "id")
    _make_optional(defs["GateEntry"], "id")
    _make_optional(defs["SearchEntry"], "id")
    defs["GateEntry"]["properties"]["metric"] |= _name(registry.metrics)

    model_file = {"type": "string", "description": "Path of a YAML file that holds one model entry."}
    variants = {
        "task": _variants("task", defs.pop("TaskEntry"), "type", registry.tasks, defs, ()),
        "haystack": _variants("haystack", defs.pop("HaystackEntry"), "source", registry.sources, defs, ("essays",)),
        "scorer": _scorers(registry, defs),
        "prompt": [{"type": "string", "description": "Name of a preset."}, {"$ref": "#/$defs/PromptEntry"}],
        "model": [model_file, {"$ref": "#/$defs/ModelEntry"}],
    }
    defs.update({name: {"anyOf": choices} for name, choices in variants.items()})
    schema = _rewritten(schema, _as_written)
    # Its mapping keeps its own definition, which the rewriting took for one more place to write a name.
    schema["$defs"]["prompt"]["anyOf"][1] = {"$ref": "#/$defs/PromptEntry"}
    schema["$defs"]["variable"] = _VARIABLE
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def _make_optional(schema: dict[str, Any], key: str) -> None:
    schema["required"] = [name for name in schema["required"] if name != key]


def _name(names: Names[Any]) -> dict[str, Any]:
    return {"enum": list(names)}


def _variants(
    kind: str, entry: dict[str, Any], key: str, names: Names[Any], defs: dict[str, Any], unnamed: tuple[str, ...]
) -> list[dict[str, Any]]:
    """A bare name, or a mapping: one for each registered thing, with its options beside the entry's own keys.

    ``unnamed`` are those that are meant where the key is left out.
    """
    variants = [_name(names)]
    for name in names:
        thing = names[name]
        options = _definitions_of(thing.options_model, f"{kind}.{name}", defs)
        for axis in axis_options(thing.options_model):
            options["properties"][axis] = _one_or_more(options["properties"][axis])
        own = {field: value for field, value in entry["properties"].items() if field not in ("options", key)}
        required = {*entry.get("required", ()), *options.get("required", ()), key} - {"id"}
        defs[f"{kind}.{name}"] = {
            "type": "object",
            "description": (getdoc(thing) or "").partition("\n")[0],
            "properties": {key: {"const": name}, **options.get("properties", {}), **own},
            "required": sorted(required - ({key} if name in unnamed else set())),
            "additionalProperties": False,
        }
        variants.append({"$ref": f"#/$defs/{kind}.{name}"})
    return variants


def _one_or_more(value: dict[str, Any]) -> dict[str, Any]:
    """A value, or a list of them that makes an axis."""
    outer: dict[str, Any] = {key: value[key] for key in ("description", "default") if key in value}
    one = {key: item for key, item in value.items() if key not in outer}
    several = {"type": "array", "items": one, "minItems": 1, "uniqueItems": True}
    return {**outer, "anyOf": [one, several]}


def _definitions_of(model: type[BaseModel], prefix: str, defs: dict[str, Any]) -> dict[str, Any]:
    """The schema of an options model, its own definitions moved to ``defs`` under a prefix: names may repeat."""
    schema = model.model_json_schema(schema_generator=_Untitled)

    def prefixed(node: dict[str, Any]) -> dict[str, Any]:
        reference = node.get("$ref")
        if isinstance(reference, str):
            return {**node, "$ref": reference.replace("#/$defs/", f"#/$defs/{prefix}.")}
        return node

    for name, definition in schema.pop("$defs", {}).items():
        defs[f"{prefix}.{name}"] = _rewritten(definition, prefixed)
    options: dict[str, Any] = _rewritten(schema, prefixed)
    return options


def _scorers(registry: Registry, defs: dict[str, Any]) -> list[dict[str, Any]]:
    """A bare name, or a mapping: one for each scorer, with its options beside its name or in a mapping of their own."""
    del defs["ScorerEntry"]
    variants = [_name(registry.scorers)]
    for name in registry.scorers:
        model = scorer_options_model(registry, name)
        options = _definitions_of(model, f"scorer.{name}", defs) if model is not None else {}
        own = {"type": "object", "properties": options.get("properties", {}), "additionalProperties": model is None}
        defs[f"scorer.{name}"] = {
            "type": "object",
            "description": (getdoc(registry.scorers[name]) or "").partition("\n")[0],
            "properties": {**own["properties"], "name": {"const": name}, "type": {"const": name}, "options": own},
            "oneOf": [{"required": ["name"]}, {"required": ["type"]}],
            "additionalProperties": model is None,
        }
        variants.append({"$ref": f"#/$defs/scorer.{name}"})
    return variants


def _as_written(node: dict[str, Any]) -> dict[str, Any]:
    """A node of the schema, with what may stand in its place in a file."""
    reference = str(node.get("$ref", "")).removeprefix("#/$defs/")
    if reference in _SHORT:
        node = {**node, "$ref": f"#/$defs/{_SHORT[reference]}"}
    if "description" in node:
        node = {**node, "description": " ".join(str(node["description"]).replace("``", "").split())}
    strict_text = node.get("type") == "string" and not {"enum", "pattern"}.isdisjoint(node)
    if strict_text or node.get("type") in ("integer", "number", "boolean"):
        outer: dict[str, Any] = {key: node[key] for key in ("description", "default") if key in node}
        inner = {key: value for key, value in node.items() if key not in outer}
        return {**outer, "anyOf": [inner, {"$ref": "#/$defs/variable"}]}
    return node


#: Keywords whose value maps names of the user's to schemas, and those whose value is data.
_NAMED = {"properties", "$defs", "patternProperties"}
_DATA = {"default", "const", "enum", "examples", "required"}


def _rewritten(node: Any, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
    """A copy of a schema with each of its nodes changed, the inner ones first."""
    if isinstance(node, list):
        return [_rewritten(item, change) for item in node]
    if not isinstance(node, dict):
        return node
    result: dict[str, Any] = {}
    for key, value in node.items():
        if key in _NAMED:
            result[key] = {name: _rewritten(item, change) for name, item in value.items()}
        else:
            result[key] = value if key in _DATA else _rewritten(value, change)
    return change(result)
