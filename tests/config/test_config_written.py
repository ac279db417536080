"""What is written for others: the resolved config, the JSON Schema, the starter config."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_haystack.config.json_schema import json_schema
from pytest_haystack.config.loader import load_config
from pytest_haystack.config.resolved import resolved_yaml
from pytest_haystack.config.template import starter_config
from pytest_haystack.config.yaml_text import read_yaml
from pytest_haystack.registry import Registry

VALID = (
    "models: [{id: m, model: tame/cat}]\n"
    "sweep: {context_lengths: [1000, 2000], depth_percents: [0, 50]}\n"
    "tasks: [count]\n"
)

FULL = """
name: n
models:
  - {id: a, model: tame/cat, limits: {timeout: 5}, request: {stop: ["\\n", "on"]}, pricing: {input: 1, output: 2}}
  - {model: openai/b, api_key_env: KEY, context_window: 1000, threshold: 0.5}
  - models/c.yaml
haystack: {source: shelf, path: /texts, limit: 5, separator: "\\t"}
tokenizer: o200k_base
sweep:
  context_lengths: [1000, 2000]
  depth_percents: {min: 0, max: 100, num: 5, scale: sigmoid}
  seeds: [5, 6]
  reserve: 7
tasks:
  - plain
  - {id: c, type: count, needles: 5, words: [x], scorer: {name: numeric, rel_tol: 1}, prompt: {preset: terse}}
  - {id: d, type: count, haystack: essays, prompt: terse, context_lengths: {min: 5, max: 9, num: 2}}
  - {id: e, type: count, needles: [2, 5], order: [given, random], prompts: [terse, {template: "{{ document }}"}]}
prompt: {template: "a\\n  {{ document }}\\n{{ question }}", system: " s "}
threshold: 0.5
known_failures:
  - {model: a, task: [c, d], context_lengths: [1000], depth_percents: {min: 3}, reason: r, strict: true, run: false}
report: {dir: d}
"""
FILES = {"models/c.yaml": "model: x/c\n", "models/d.yaml": "model: x/d\n"}


def test_the_resolved_config_is_the_same_config(load):
    loaded = load(FULL, files=FILES)
    again = load(resolved_yaml(loaded))
    assert again.config == loaded.config
    assert again.sha256 == loaded.sha256
    assert again.notes == ()
    assert resolved_yaml(again) == resolved_yaml(loaded)


def test_the_resolved_config_spells_every_default_out(load):
    settings = yaml.safe_load(resolved_yaml(load(VALID)))
    assert settings["name"] == "haystack"
    assert settings["sweep"] == {
        "context_lengths": [1000, 2000],
        "depth_percents": [0, 50],
        "trials": 1,
        "seed": 42,
        "seeds": None,
        "reserve": "auto",
        "depth_tolerance": 1.0,
    }
    assert settings["models"][0]["limits"]["timeout"] == 120
    assert settings["haystack"] == {
        "source": "essays@2",
        "shuffle": None,
        "offset": 0,
        "separator": "\n\n",
        "window": "shared",
    }
    assert settings["tasks"][0] == {
        "id": "count",
        "type": "count",
        "family": None,
        "variant": {},
        "scorer": None,
        "prompt": None,
        "haystack": None,
        "threshold": None,
        "trials": None,
        "context_lengths": None,
        "depth_percents": None,
        "needles": 3,
        "order": "given",
        "width": 1.5,
        "flag": False,
        "words": ["a", "b"],
    }
    assert settings["prompt"] == {
        "id": None,
        "preset": "default",
        "template": None,
        "system": None,
        "prefill": None,
    }


def test_values_from_the_environment_are_written_by_name(load):
    text = (
        VALID.replace("id: m", "id: m, api_base: 'http://${HOST}/$${x}', request: {user: ['${USER}']}")
        .replace("[count]", "[{type: count, order: '${ORDER}', haystack: '${SOURCE}', prompt: '${PRESET}'}]")
        .replace("[0, 50]", "[0, 50], trials: '${N}'")
    )
    environ = {
        "HOST": "hidden-host",
        "USER": "hidden-user",
        "ORDER": "random",
        "N": "7",
        "SOURCE": "essays",
        "PRESET": "terse",
    }
    loaded = load(text, environ=environ)
    written = resolved_yaml(loaded)
    for value in ("hidden-host", "hidden-user", "random", "terse"):
        assert value not in written
    assert "trials: ${N}" in written
    again = load(written, environ=environ)
    assert again.config == loaded.config
    assert again.templates == {
        ("models", 0, "api_base"): "http://${HOST}/$${x}",
        ("models", 0, "request", "user", 0): "${USER}",
        ("sweep", "trials"): "${N}",
        ("tasks", 0, "order"): "${ORDER}",
        ("tasks", 0, "haystack", "source"): "${SOURCE}",
        ("tasks", 0, "prompt", "preset"): "${PRESET}",
    }
    assert again.sha256 == loaded.sha256


def test_relative_paths_of_sources_are_made_absolute(load):
    text = VALID + "haystack: {source: shelf, path: 'texts/*.txt'}\n"
    text = text.replace("[count]", "[{type: count, haystack: {source: shelf, path: '${SUB}/x'}}]")
    loaded = load(text, environ={"SUB": "sub"})
    folder = str(loaded.path.parent)
    written = yaml.safe_load(resolved_yaml(loaded))
    assert written["haystack"]["path"] == f"{folder}/texts/*.txt"
    assert written["tasks"][0]["haystack"]["path"] == f"{folder}/${{SUB}}/x"
    again = load(resolved_yaml(loaded), environ={"SUB": "sub"})
    assert again.config.tasks[0].haystack is not None
    assert again.config.tasks[0].haystack.options["path"] == f"{folder}/sub/x"
    absolute = load(text, environ={"SUB": "/sub"})
    assert yaml.safe_load(resolved_yaml(absolute))["tasks"][0]["haystack"]["path"] == "${SUB}/x"


def test_a_folder_with_odd_characters_is_still_the_folder(registry, tmp_path):
    folder = tmp_path / "a[1] ${x}"
    folder.mkdir()
    (folder / "f.yaml").write_text(VALID + "haystack: {source: shelf, path: 'b/*.txt'}\n")
    loaded = load_config(folder / "f.yaml", registry, environ={}, presets=("default",))
    (tmp_path / "r.yaml").write_text(resolved_yaml(loaded))
    again = load_config(tmp_path / "r.yaml", registry, environ={}, presets=("default",))
    assert again.config.haystack.options["path"] == f"{tmp_path}/a[[]1] ${{x}}/b/*.txt"


ODD_TEXTS = [
    *(
        "on",
        "1e3",
        "012",
        "1_0",
        "~",
        "null",
        "<<",
        "=",
        "0o7",
        ".5",
        "1:30",
        "2024-01-01",
        ": ",
        "- a",
        "#x",
        "'\"",
        "%",
    ),
    *("a\n", "\n\na", " a", "a: b\n  c\n\n", "a\tb\n", "---\n", "|\n", "\x85", "\u2028a", "\ufeff", "${x", "$${A}"),
]
TEXTS = st.one_of(
    st.sampled_from(ODD_TEXTS),
    st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=12),
    st.text(alphabet="ab :\n-#'\"\\$\x85\u2028 \t", max_size=12),
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**40), 10**40)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(TEXTS, VALUES, max_size=4), TEXTS, TEXTS.filter(bool), st.lists(TEXTS, max_size=3))
@settings(max_examples=100, deadline=None)
def test_any_config_survives_being_resolved(load, request_, text, reason, words):
    def escaped(value: Any) -> Any:
        if isinstance(value, str):
            return value.replace("${", "$${")
        if isinstance(value, list):
            return [escaped(item) for item in value]
        return {key: escaped(item) for key, item in value.items()} if isinstance(value, dict) else value

    config = {
        "models": [{"id": "m", "model": "tame/cat", "request": request_, "api_base": f"http://{text}"}],
        "sweep": {"context_lengths": [1], "depth_percents": [0]},
        "tasks": [{"type": "count", "words": words}],
        "prompt": {"template": text, "system": reason},
        "known_failures": [{"reason": reason}],
        "haystack": {"separator": text},
    }
    # JSON is YAML, but for DEL, which only YAML wants escaped.
    loaded = load(json.dumps(escaped(config)).replace("\x7f", "\\u007f"))
    assert loaded.config.models[0].request == request_
    assert loaded.config.prompt.template == text
    again = load(resolved_yaml(loaded))
    assert again.config == loaded.config
    assert resolved_yaml(again) == resolved_yaml(loaded)


# --- JSON Schema


@pytest.fixture(scope="module")
def schema(registry: Registry) -> dict[str, Any]:
    return json_schema(registry)


@pytest.fixture(scope="module")
def validator(schema: dict[str, Any]) -> Any:
    return jsonschema.Draft202012Validator(schema)


def test_the_schema_is_a_schema(schema):
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    jsonschema.Draft202012Validator.check_schema(schema)
    assert json.loads(json.dumps(schema)) == schema


def test_every_reference_of_the_schema_leads_somewhere(schema):
    references = {part.split('"')[0] for part in json.dumps(schema).split('"$ref": "')[1:]}
    assert references
    for reference in references:
        assert reference.removeprefix("#/$defs/") in schema["$defs"]


def test_every_key_of_the_schema_is_described(schema):
    undescribed = [
        f"{name}.{key}"
        for name, part in {"": schema, **schema["$defs"]}.items()
        if "." not in name
        for key, field in part.get("properties", {}).items()
        if "description" not in field
    ]
    assert undescribed == []
    assert "``" not in json.dumps(schema)


@pytest.mark.parametrize("text", [VALID, FULL, starter_config()])
def test_valid_configs_are_valid_by_the_schema(validator, load, text):
    assert list(validator.iter_errors(read_yaml(text, "f").value)) == []
    if text != starter_config():
        written = read_yaml(resolved_yaml(load(text, files=FILES)), "f").value
        assert list(validator.iter_errors(written)) == []


@pytest.mark.parametrize(
    "change",
    [
        {"threshold": "${T}"},
        {"name": "${N}"},
        {"sweep": {"context_lengths": ["${L}"], "depth_percents": {"scale": "${S}"}, "reserve": "${R}"}},
        {
            "tasks": [
                {
                    "type": "count",
                    "scorer": {"type": "numeric", "rel_tol": 1},
                    "haystack": {"separator": ""},
                    "prompt": "terse",
                }
            ]
        },
        {"models": ["models/shared.yaml"]},
        {"haystack": "essays"},
        {"prompts": ["default", {"id": "own", "template": "x", "prefill": "y"}]},
        {"tasks": [{"type": "count", "needles": [2, "${N}"], "order": ["given", "random"], "prompts": ["terse"]}]},
    ],
)
def test_short_ways_of_writing_are_valid_by_the_schema(validator, change):
    assert list(validator.iter_errors({**yaml.safe_load(VALID), **change})) == []


@pytest.mark.parametrize(
    "change",
    [
        {"thresholds": 1},
        {"threshold": 2},
        {"threshold": "high"},
        {"tasks": ["cuont"]},
        {"tasks": [{"type": "count", "neddles": 5}]},
        {"tasks": [{"type": "count", "needles": 0}]},
        {"tasks": [{"type": "plain", "needles": 5}]},
        {"tasks": [{"type": "count", "scorer": {"name": "valeu"}}]},
        {"haystack": {"source": "shelf"}},
        {"haystack": {"source": "essays", "path": "x"}},
        {"haystack": "essay"},
        {"models": [{"id": "m"}]},
        {"models": [{"id": "a b", "model": "x/y"}]},
        {"sweep": {"context_lengths": [0], "depth_percents": [1]}},
        {"sweep": {"context_lengths": [1], "depth_percents": {"max": 101}}},
        {"known_failures": [{}]},
        {"prompts": "default"},
        {"prompts": []},
        {"tasks": [{"type": "count", "needles": [2, 2]}]},
        {"tasks": [{"type": "count", "needles": []}]},
        {"tasks": [{"type": "count", "needles": [0]}]},
        {"tasks": [{"type": "count", "flag": [True, False]}]},
    ],
)
def test_mistakes_are_mistakes_by_the_schema(validator, change):
    assert list(validator.iter_errors({**yaml.safe_load(VALID), **change})) != []


# --- starter


def test_the_starter_config_is_valid_and_shows_what_the_issue_of_it_is(tmp_path):
    path = tmp_path / "haystack.yaml"
    path.write_text(starter_config(), encoding="utf-8")
    loaded = load_config(path, Registry(), environ={}, presets=("default",))
    assert loaded.notes == ()
    assert [model.model for model in loaded.config.models] == ["simulated/lost-in-the-middle"]
    assert [task.id for task in loaded.config.tasks] == ["single", "multi"]
    assert loaded.config.sweep.context_lengths == [1000, 2000, 4000, 8000]
    assert loaded.config.known_failures[0].model == "reader"


def test_what_the_starter_config_keeps_as_comments_is_valid_too(tmp_path):
    lines = starter_config().splitlines()
    start, end = (
        lines.index("models:"),
        lines.index("# The text that the facts are hidden in. Your own: {source: files, path: texts/}"),
    )
    entries = [line.replace("  # ", "  ", 1) for line in lines[start:end] if line.startswith(("  # - ", "  #   "))]
    assert len(entries) == 9
    text = starter_config().replace("models:\n", "models:\n" + "\n".join(entries) + "\n", 1)
    (tmp_path / "h.yaml").write_text(text, encoding="utf-8")
    loaded = load_config(tmp_path / "h.yaml", Registry(), environ={}, presets=("default",))
    assert [model.id for model in loaded.config.models] == ["gpt-4o-mini", "local", "my-rag", "reader"]
