"""docs/configuration.md from the models that check a sweep file: python docs/tools/config_reference.py"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from inspect import getdoc
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from pytest_haystack.config.axis import Axis
from pytest_haystack.config.json_schema import PROMPTS
from pytest_haystack.config.options import scorer_options_model
from pytest_haystack.config.parts import MOST_TOKENS, Unit
from pytest_haystack.config.schema import Config, PromptEntry, TaskEntry
from pytest_haystack.registry import NEWEST, Names, Registry

PAGE = Path(__file__).parents[1] / "configuration.md"
BEGIN = "<!-- What follows is made by docs/tools/config_reference.py -->\n"

#: Keys that the loader fills with what stands beside the others.
_INNER = {"options"}
_STATED = re.compile(r"(?:[;,] default:?|\. Default:) (.+?)\.?$")
_SCALARS = {int: "whole number", float: "number", bool: "true or false", str: "text", type(None): "null"}


@dataclass(frozen=True)
class Key:
    """A key as a reader sees it; ``unit`` is empty for what is no number, or one without a unit."""

    name: str
    kind: str
    unit: str
    default: str
    description: str


@dataclass(frozen=True)
class Section:
    """The keys of one mapping."""

    title: str
    about: str
    keys: tuple[Key, ...]

    @property
    def anchor(self) -> str:
        """What a link to the section is."""
        return anchor_of(self.title)


def anchor_of(heading: str) -> str:
    """The anchor that GitHub and MkDocs give a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def sections(registry: Registry) -> list[Section]:
    """Every mapping of a sweep file: the fixed ones, then the options of each registered name."""
    titles: dict[type[BaseModel], str] = {Config: "Top level"}
    found = list(_walk(Config, "", titles))
    made = [(model, titles[model], (getdoc(model) or "")) for model in found]
    names: Names[Any]
    for kind, path, names in (
        ("Task", "tasks", registry.tasks),
        ("Haystack", "haystack", registry.sources),
        ("Scorer", "tasks.scorer", registry.scorers),
    ):
        for name in (name for name in names if name not in NEWEST.values()):
            scorer = names is registry.scorers
            model = scorer_options_model(registry, name) if scorer else names[name].options_model
            if model is not None:
                made.append((model, f"{kind} {name}", getdoc(names[name]) or ""))
                inner = [one for one in _walk(model, path, titles) if one is not model]
                made += [(one, titles[one], getdoc(one) or "") for one in inner]
    return [_section(title, model, about, titles) for model, title, about in made]


def _walk(model: type[BaseModel], path: str, titles: dict[type[BaseModel], str]) -> Iterator[type[BaseModel]]:
    """The model and every one inside it that has not been met, each titled by the key that first leads to it."""
    titles.setdefault(model, path)  # options of a name are walked again: their own title is never linked
    yield model
    for name, field in model.model_fields.items():
        for inner in _models_in(field.annotation):
            if inner not in titles:
                yield from _walk(inner, f"{path}.{name}".lstrip("."), titles)


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models_in(argument)


def _section(title: str, model: type[BaseModel], about: str, titles: dict[type[BaseModel], str]) -> Section:
    keys = [
        _key(field.alias or name, field, titles) for name, field in model.model_fields.items() if name not in _INNER
    ]
    if model in (Config, TaskEntry):
        one = titles[PromptEntry]
        keys.append(Key("prompts", f"list: [{one}](#{anchor_of(one)})", "", "none", PROMPTS))
    return Section(title, " ".join(about.partition("\n\n")[0].replace("``", "`").split()), tuple(keys))


def _key(name: str, field: FieldInfo, titles: dict[type[BaseModel], str]) -> Key:
    description = field.description or ""
    stated = _STATED.search(description)
    if stated:
        default, description = stated[1], f"{description[: stated.start()]}."
    elif field.is_required():
        default = "required"
    else:
        default = _default(field.get_default(call_default_factory=True))
    marks = list(_marks(field))
    axis = " A list makes an axis." if any(isinstance(mark, Axis) for mark in marks) else ""
    kind = _kind(field.annotation, list(field.metadata), titles)
    return Key(name, kind, _unit(field, marks), default, description + axis)


def _default(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, BaseModel):
        return "its own defaults"
    if value in ([], {}, ()):
        return "empty"
    if isinstance(value, str) and value.isprintable():
        return f"`{value}`"
    return f"`{str(value).lower() if isinstance(value, bool) else repr(value)}`"


def _marks(node: Any) -> Iterator[Any]:
    """What the annotation of a field, and all in it, is marked with; the outermost first."""
    if isinstance(node, FieldInfo):
        yield from node.metadata
        yield from _marks(node.annotation)
    elif get_origin(node) is Annotated:
        yield from (mark for mark in node.__metadata__ if not isinstance(mark, FieldInfo))
        for mark in node.__metadata__:
            if isinstance(mark, FieldInfo):
                yield from mark.metadata
        yield from _marks(get_args(node)[0])
    else:
        for argument in get_args(node):
            yield from _marks(argument)


def _unit(field: FieldInfo, marks: list[Any]) -> str:
    named = next((mark.name for mark in marks if isinstance(mark, Unit)), None)
    if named is not None:
        return named or "bare"
    numbers = set(_numbers(field.annotation))
    if not numbers:
        return ""
    counts = numbers == {int} and any(getattr(mark, "ge", getattr(mark, "gt", -1)) in (0, 1, 2) for mark in marks)
    return "count" if counts else "?"


def _numbers(annotation: Any) -> Iterator[type]:
    if annotation in (int, float):
        yield annotation
    elif get_origin(annotation) is not Literal:
        arguments = get_args(annotation)
        for argument in arguments[:1] if get_origin(annotation) is Annotated else arguments:
            yield from _numbers(argument)


def _kind(annotation: Any, marks: list[Any], titles: dict[type[BaseModel], str]) -> str:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        inner = [part for mark in annotation.__metadata__ for part in (getattr(mark, "metadata", None) or [mark])]
        return _kind(arguments[0], [*marks, *inner], titles)
    if origin in (Union, UnionType):
        words = [_kind(argument, marks, titles) for argument in arguments if argument is not type(None)]
        return " or ".join(dict.fromkeys(words))
    if origin is Literal:
        return " \\| ".join(f"`{choice}`" for choice in arguments)
    if origin in (list, tuple, set, frozenset):
        return f"list: {_kind(arguments[0], [], titles)}"
    if origin is dict:
        return "mapping"
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        title = titles.get(annotation, "")
        return f"[{title}](#{anchor_of(title)})" if title else "mapping"
    name = _SCALARS.get(annotation, getattr(annotation, "__name__", "anything").lower())
    return name + _range(marks) if annotation in (int, float) else name


def _range(marks: list[Any]) -> str:
    def bound(*names: str) -> Any:
        return next(
            (value for mark in marks for name in names if (value := getattr(mark, name, None)) is not None), None
        )

    low, above, high, below = bound("ge"), bound("gt"), bound("le"), bound("lt")
    high = None if high == MOST_TOKENS else high  # a guard of the machine, not a limit that a user meets
    if low is not None and high is not None:
        return f", {low:,} to {high:,}"
    bounds = (("at least", low), ("more than", above), ("less than", below), ("at most", high))
    words = [f"{word} {value:,}" for word, value in bounds if value is not None]
    return f", {' and '.join(words)}" if words else ""


def markdown(registry: Registry) -> str:
    """All sections as tables, and the metrics with the keys that they heed."""
    lines: list[str] = []
    for section in sections(registry):
        lines += [f"## {section.title}", "", section.about, ""]
        if not section.keys:
            lines += ["No options.", ""]
            continue
        lines += ["| key | value | unit | default | meaning |", "|---|---|---|---|---|"]
        for key in section.keys:
            unit = "" if key.unit == "bare" else key.unit
            meaning = key.description.replace("|", "\\|")
            lines.append(f"| `{key.name}` | {key.kind} | {unit} | {key.default} | {meaning} |")
        lines.append("")
    lines += ["## Metrics of gates", "", "| metric | the figure | keys of its own |", "|---|---|---|"]
    for name in registry.metrics:
        metric = registry.metrics[name]
        about = (getdoc(metric) or "").partition("\n")[0].replace("``", "`")
        lines.append(f"| `{name}` | {about} | {', '.join(f'`{key}`' for key in sorted(metric.keys or ()))} |")
    return "\n".join(lines) + "\n"


def page(text: str) -> str:
    """The page with its generated part made anew."""
    return text.partition(BEGIN)[0] + BEGIN + "\n" + markdown(Registry())


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
