"""Options of scorers are checked, completed and written out like those of tasks."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import pytest
import yaml
from pydantic import Field

from pytest_haystack.config.json_schema import json_schema
from pytest_haystack.config.loader import LoadedConfig, load_config
from pytest_haystack.config.resolved import resolved_yaml
from pytest_haystack.errors import ConfigError
from pytest_haystack.registry import Registry
from pytest_haystack.scoring.options import ScorerOptions, takes
from pytest_haystack.scoring.score import Reference, Score
from tests.config.conftest import PRESETS, Count, Tame

HEAD = """\
models: [{id: m, model: openai/x}]
sweep: {context_lengths: [1000], depth_percents: [0]}
tasks:
- type: count
"""


class OwnOptions(ScorerOptions):
    shade: Annotated[int, Field(ge=0)] = 3


@takes(OwnOptions)
def shaded(answer: str, reference: Reference) -> Score:
    return Score(0.0, "wrong")


def unmarked(answer: str, reference: Reference) -> Score:
    return Score(0.0, "wrong")


Load = Callable[..., LoadedConfig]


@pytest.fixture
def own() -> Registry:
    registry = Registry()
    registry.tasks.add("count", Count)
    registry.providers.add("tame", Tame)
    registry.scorers.add("shaded", shaded)
    registry.scorers.add("unmarked", unmarked)
    return registry


@pytest.fixture
def load(own: Registry, tmp_path: Path) -> Load:
    def load(text: str, environ: Mapping[str, str] | None = None) -> LoadedConfig:
        path = tmp_path / "haystack.yaml"
        path.write_text(text, encoding="utf-8")
        return load_config(path, own, (), environ or {}, presets=PRESETS)

    return load


def scorer_of(load: Load, text: str, environ: dict[str, str] | None = None) -> Any:
    scorer = load(f"{HEAD}  scorer: {text}\n", environ=environ or {}).config.tasks[0].scorer
    return scorer.name, scorer.options


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{name: numeric, rel_tool: 0.1}", "scorer.rel_tool: unknown key; did you mean 'rel_tol'?"),
        ("{type: numeric, rel_tool: 0.1}", "scorer.rel_tool: unknown key; did you mean 'rel_tol'?"),
        ("{name: numeric, options: {rel_tool: 0.1}}", "scorer.options.rel_tool: unknown key; did you mean 'rel_tol'?"),
        ("{name: numeric, rel_tol: 5}", "scorer.rel_tol: 5 is too large; must be at most 1"),
        ("{name: numeric, options: {rel_tol: -1}}", "scorer.options.rel_tol: -1 is too small; must be at least 0"),
        ("{name: numeric, rel_tol: wide}", "scorer.rel_tol: 'wide' is not a number"),
        ("{name: auto, rel_tol: true}", "scorer.rel_tol: true is not a number"),
        (
            "{name: conflict, expect: frist}",
            "scorer.expect: 'frist' is not one of any, first, last; did you mean 'first'?",
        ),
        ("{name: abstain, answerable: 7}", "scorer.answerable: 7 is not true or false"),
        ("{name: verbatim, prefix: 5}", 'scorer.prefix: 5 is not text; write "5"'),
        ("{name: uuid, rel_tol: 1}", "scorer.rel_tol: unknown key; known: name"),
        ("{name: rails, labels: [yes-man]}", "scorer.labels: "),
        ("{name: rails, labels: yes-man}", "scorer.labels: 'yes-man' is not a list"),
        ("{name: judge, modell: a/b}", "scorer.modell: unknown key; did you mean 'model'?"),
        ("{name: judge, model: a/b, limits: {retry: 1}}", "scorer.limits.retry: unknown key; did you mean 'retries'?"),
        ("{name: judge, model: simulated/nobody}", "scorer.model: "),
        ("{name: judge}", "scorer: scorer 'judge' has no model to ask: name one with `model:`, or export one of"),
        ("judge", "scorer: scorer 'judge' has no model to ask"),
        ("{name: judge, api_base: http://x}", "scorer: scorer 'judge': name the model that api_base serves"),
        ("{name: numeric, fallback: value}", "scorer.fallback"),
        ("{name: numeric, fallback: judge}", "scorer: scorer 'judge' has no model to ask"),
        ("{name: shaded, shade: -1}", "scorer.shade: -1 is too small; must be at least 0"),
    ],
)
def test_a_mistake_in_an_option_is_told_at_its_place(load: Load, text: str, told: str) -> None:
    with pytest.raises(ConfigError) as caught:
        scorer_of(load, text)
    assert len(caught.value.problems) == 1
    assert f"haystack.yaml:5: tasks.0.{told}" in caught.value.problems[0]


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("numeric", {"rel_tol": 0.0, "fallback": None}),
        ("{name: auto, rel_tol: 1}", {"rel_tol": 1.0, "fallback": None}),
        ("conflict", {"expect": "any"}),
        ("{name: abstain, answerable: true}", {"answerable": True}),
        ("{name: verbatim, prefix: kT9}", {"prefix": "kT9"}),
        ("value", {"match_case": False}),
        ("uuid", {}),
        ("{name: rails, options: {labels: [a, b]}}", {"labels": ["a", "b"]}),
        ("shaded", {"shade": 3}),
        ("{name: unmarked, anything: [goes]}", {"anything": ["goes"]}),
    ],
)
def test_options_are_completed(load: Load, text: str, options: dict[str, Any]) -> None:
    assert scorer_of(load, text)[1] == options


@pytest.mark.parametrize(
    ("environ", "model", "key"),
    [
        ({"ANTHROPIC_API_KEY": "x"}, "anthropic/", "ANTHROPIC_API_KEY"),
        ({"OPENAI_API_KEY": "x", "COHERE_API_KEY": ""}, "openai/", "OPENAI_API_KEY"),
    ],
)
def test_without_a_model_the_judge_is_one_that_has_a_key(load: Load, environ: Any, model: str, key: str) -> None:
    options = scorer_of(load, "judge", environ)[1]
    assert options["model"].startswith(model)
    assert options["api_key_env"] == key
    nested = scorer_of(load, "{name: numeric, fallback: judge}", environ)[1]["fallback"]
    assert nested == {**options, "name": "judge"}


def test_a_named_judge_needs_no_key_in_the_environment(load: Load) -> None:
    name, options = scorer_of(load, "{name: judge, model: openai/judge, api_base: 'http://localhost:1/v1'}")
    assert name == "judge"
    assert options["api_key_env"] is None
    assert options["request"] == {"temperature": 0, "max_tokens": 1000}


@pytest.mark.parametrize(
    ("name", "module", "extra"),
    [("rouge1", "rouge_score", "rouge"), ("semantic", "sentence_transformers", "semantic")],
)
def test_a_missing_package_is_told_with_the_command_that_installs_it(
    load: Load, monkeypatch: pytest.MonkeyPatch, name: str, module: str, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ConfigError) as caught:
        scorer_of(load, name)
    (told,) = caught.value.problems
    assert told.startswith("haystack.yaml:5: tasks.0.scorer: ")
    assert f"pip install 'pytest-haystack[{extra}]'" in told


@pytest.mark.parametrize(
    "secret", ["api_key_env: sk-0123456789abcdefgh", "request: {api_key: abcdefghijklmnopqrstuvwxyz}"]
)
def test_a_key_written_into_the_judge_is_refused_and_not_shown(load: Load, secret: str) -> None:
    with pytest.raises(ConfigError, match="looks like a key") as caught:
        scorer_of(load, f"{{name: judge, model: a/b, {secret}}}")
    assert "0123456789" not in str(caught.value)
    assert "abcdefghij" not in str(caught.value)


@pytest.mark.parametrize("form", ["{name: judge, KEYS}", "{type: judge, KEYS}", "{name: judge, options: {KEYS}}"])
def test_the_resolved_config_has_the_judge_with_its_environment_by_name(load: Load, form: str) -> None:
    keys = "model: '${JUDGE}', api_base: 'http://${HOST}/v1', request: {user: '${USER_ID}'}"
    environ = {"JUDGE": "openai/secret-judge", "HOST": "inner-host", "USER_ID": "user-17"}
    text = f"{HEAD}  scorer: {form.replace('KEYS', keys)}\n"
    loaded = load(text, environ=environ)
    resolved = resolved_yaml(loaded)
    scorer = yaml.safe_load(resolved)["tasks"][0]["scorer"]
    assert (scorer["name"], scorer["model"], scorer["api_base"]) == ("judge", "${JUDGE}", "http://${HOST}/v1")
    assert not any(value in resolved for value in environ.values())
    again = load(resolved, environ=environ)
    assert again.config == loaded.config
    assert again.sha256 == loaded.sha256


def test_the_json_schema_knows_each_scorers_options(own: Registry) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    validator = jsonschema.Draft202012Validator(json_schema(own))

    def mistakes(scorer: str) -> list[Any]:
        return list(validator.iter_errors(yaml.safe_load(f"{HEAD}  scorer: {scorer}\n")))

    for right in (
        "numeric",
        "{name: numeric, rel_tol: 0.1}",
        "{type: numeric, options: {rel_tol: 0.1}}",
        "{name: conflict, expect: last}",
        "{name: judge, model: openai/judge, limits: {retries: 1}}",
        "{name: numeric, fallback: {name: judge, model: a/b}}",
        "{name: shaded, shade: 1}",
        "{name: unmarked, anything: goes}",
    ):
        assert mistakes(right) == []
    for wrong in (
        "{name: numeric, rel_tool: 0.1}",
        "{name: value, rel_tol: 0.1}",
        "{name: conflict, expect: frist}",
        "{name: judge, limits: {retry: 1}}",
        "{rel_tol: 0.1}",
        "{name: shaded, shade: -1}",
    ):
        assert mistakes(wrong) != []
