"""Configs of HaystackBench 0.1, turned into sweep files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_haystack.importing.turning import turn as turn_file
from pytest_haystack.registry import Registry
from pytest_haystack.running.workbench import load_bench
from tests.importing.conftest import Run, write

CONFIG = """\
name: "Two vendors: many needles"
description: Which of the two keeps five facts apart?
tags: [nightly]
task_type: m_rt
context_lengths: [32768, 4096]
depth_percents: [0.9, 0.1, 0.33333]
num_needles: [5, 3]
depth_distribution: centered
trials_per_cell: 2
needle_config: {needle_type: synthetic_numeric, value_range: [10, 99]}
haystack_config: {source: wikipedia, wikipedia_topic: Trains}
models:
  - {provider: google, model: gemini-2.5-flash, system_prompt: Be brief., extra_params: {top_p: 0.9}}
  - {provider: ollama, model: "qwen3:8b", temperature: 0.5, max_tokens: 64, system_prompt: Be brief.}
scoring: {method: exact}
max_concurrency: 3
timeout_seconds: 90
retry_attempts: 1
"""


def bare(task: str, more: str = "") -> str:
    """A config of a task on one model."""
    model = "models: [{provider: openai, model: gpt-4o}]"
    return f"name: b\ntask_type: {task}\ncontext_lengths: [4000]\ndepth_percents: [0.0, 0.5]\n{model}\n{more}"


def test_a_config_becomes_the_same_sweep(turn: Run) -> None:
    outcome = turn(CONFIG)
    limits = {"in_flight": 3, "timeout": 90, "retries": 1}

    assert outcome.code == 0
    assert outcome.settings == {
        "name": "Two-vendors-many-needles",
        "models": [
            {
                "id": "gemini-2.5-flash",
                "model": "gemini/gemini-2.5-flash",
                "api_key_env": "GOOGLE_API_KEY",
                "request": {"temperature": 0, "max_tokens": 512, "top_p": 0.9},
                "limits": limits,
            },
            {
                "id": "qwen3-8b",
                "model": "ollama_chat/qwen3:8b",
                "request": {"temperature": 0.5, "max_tokens": 64},
                "limits": limits,
            },
        ],
        "prompt": {"preset": "default", "system": "Be brief."},
        "haystack": {"source": "essays"},
        "sweep": {"context_lengths": [4096, 32768], "depth_percents": [10.0, 33.33, 90.0], "trials": 2},
        "tasks": [
            {
                "type": "multi",
                "needles": [3, 5],
                "placement": "centered",
                "value": {"type": "int", "min": 10, "max": 99},
                "scorer": "substring",
            }
        ],
        "threshold": 0,
    }
    assert outcome.notes().keys() == {"tags", "haystack_config.source", "haystack_config.wikipedia_topic"}
    assert "# Which of the two keeps five facts apart?" in outcome.text


@pytest.mark.parametrize(
    ("config", "task", "notes"),
    [
        (bare("s_rt"), {"type": "single"}, {"scoring.method"}),
        (bare("s-rt", "num_needles: [4]"), {"type": "single"}, {"num_needles", "scoring.method"}),
        (
            bare("m_rs", "num_needles: [1, 2, 6]\nneedle_config: {reasoning_type: min}"),
            {"type": "reasoning", "needles": [2, 6], "placement": "uniform", "kind": "max"},
            {"needle_config.reasoning_type"},
        ),
        (
            bare("m_rs", "needle_config: {reasoning_type: conditional}\nscoring: {method: numeric}"),
            {"type": "reasoning", "needles": 3, "placement": "uniform", "kind": "conditional"},
            {"needle_config.reasoning_type", "scoring.method"},
        ),
        (
            bare("atc", "needle_config: {atc_structure: tree, atc_hop_depth: 14, atc_relationship_type: mentors}"),
            {"type": "ancestry", "structure": "tree", "hops": 10, "relation": "mixed"},
            {"needle_config.atc_hop_depth", "needle_config.atc_relationship_type"},
        ),
        (bare("counting", "num_needles: [2, 8]"), {"type": "counting", "count": [2, 8], "placement": "uniform"}, set()),
        (bare("key_value", "num_needles: [1]"), {"type": "key_value", "items": 2}, set()),
        (bare("conflicting"), {"type": "conflicting", "first_depth": 15, "last_depth": 85}, set()),
        (bare("distractor", "scoring: {method: substring}"), {"type": "distractor", "scorer": "substring"}, set()),
    ],
)
def test_each_task_has_its_counterpart(turn: Run, config: str, task: dict[str, Any], notes: set[str]) -> None:
    outcome = turn(config)

    assert outcome.settings["tasks"] == [task]
    assert outcome.notes().keys() == notes | {"haystack_config.source"}


@pytest.mark.parametrize(
    ("scoring", "scorer"),
    [
        ("{method: numeric, numeric_tolerance: 0.05}", {"name": "numeric", "rel_tol": 0.05}),
        (
            "{method: llm_judge, judge_provider: openai, judge_model: gpt-4o-mini}",
            {"name": "judge", "model": "openai/gpt-4o-mini", "api_key_env": "OPENAI_API_KEY"},
        ),
        ("{method: llm_judge, judge_provider: acme}", None),
        ("{method: vibes}", None),
    ],
)
def test_scoring_methods_are_scorers(turn: Run, scoring: str, scorer: Any) -> None:
    outcome = turn(bare("s_rt", f"scoring: {scoring}"))

    assert outcome.settings["tasks"][0].get("scorer") == scorer
    assert (scorer is None) == any(key.startswith("scoring.") for key in outcome.notes())


def test_needles_of_ones_own_stay_where_they_are_whole(turn: Run) -> None:
    whole = "{needle_text: The ferry left at 9., expected_answer: '9', question: 'When did it leave?', name: ferry}"
    half = "{needle_text: The gate is blue., expected_answer: blue}"
    outcome = turn(bare("s_rt", f"custom_needles: [{whole}, {half}]"))
    entry = {"needle": "The ferry left at 9.", "question": "When did it leave?", "answer": "9"}

    assert outcome.settings["tasks"] == [{"type": "single", "fixed": [entry]}]
    assert "custom_needles[1].question" in outcome.notes()

    several = turn(bare("m_rt", f"num_needles: [3]\ncustom_needles: [{whole}]"))
    assert "fixed" not in several.settings["tasks"][0]
    assert "custom_needles" in several.notes()
    assert "custom_needles" in turn(bare("counting", f"custom_needles: [{whole}]")).notes()


def test_a_template_asks_for_the_value_of_an_invented_thing(turn: Run) -> None:
    template = "needle_config: {needle_type: template, template: 'Note: {entity} has {attribute} {value} {{kg}}.'}"
    assert turn(bare("s_rt", template), "-o", "sweep.yaml").code == 0
    bench = load_bench(Path("sweep.yaml").absolute(), Registry(), ())
    (needle,) = bench.material(bench.cells[0]).needles

    assert needle.statement.startswith("Note: ")
    assert needle.statement.endswith(f" {needle.expected} {{kg}}.")
    assert turn(bare("s_rt", template.replace("{value}", "{colour}"))).notes()["needle_config.template"]


def test_a_path_of_ones_own_is_read_from_where_the_sweep_file_will_be(turn: Run) -> None:
    write("own/text.md", "A plain text about nothing. " * 900)
    config = bare("s_rt", "haystack_config: {source: custom, custom_path: own/text.md}")
    write("evals/keep", "")

    assert turn(config, "-o", "evals/sweep.yaml").code == 0
    bench = load_bench(Path("evals/sweep.yaml").absolute(), Registry(), ())
    assert "about nothing" in bench.material(bench.cells[0]).document.text
    gone = turn(config.replace("own/text.md", "gone"))
    assert gone.settings["haystack"] == {"source": "essays"}
    assert "haystack_config.custom_path" in gone.notes()


def test_models_are_told_apart_and_unknown_ones_told_of(turn: Run) -> None:
    models = (
        "[{provider: openai, model: a/x}, {provider: groq, model: x, system_prompt: Hi}, {provider: acme, model: x}]"
    )
    outcome = turn(bare("s_rt").replace("[{provider: openai, model: gpt-4o}]", models))

    ids = [model["id"] for model in outcome.settings["models"]]
    assert len(set(ids)) == 3
    assert [model["model"] for model in outcome.settings["models"]][1:] == ["groq/x", "simulated/perfect"]
    assert {"models[1].system_prompt", "models[2].provider"} <= outcome.notes().keys()
    nobody = turn("name: b\ntask_type: s_rt\n")
    assert nobody.settings["models"] == [{"id": "reader", "model": "simulated/perfect"}]
    assert nobody.settings["sweep"]["context_lengths"] == [4096, 8192, 32768]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a: 1\n", "theirs.yaml: its format is not known; known are"),
        ("- 1\n", "theirs.yaml: holds no mapping"),
        ("", "theirs.yaml: holds no mapping"),
        ("a: [1\nb: 2\n", "theirs.yaml:2: is no YAML"),
        (b"name: \xff\xfe", "theirs.yaml: is not UTF-8"),
        ("a: \x00", "theirs.yaml: is no YAML"),
        ("models: []\ntasks: [single]\nsweep: {}\n", "theirs.yaml: is a sweep file of pytest-haystack already"),
        (bare("s_rt", "trials_per_cell: many"), "theirs.yaml: cannot be turned, as a sweep cannot have"),
        (bare("riddles"), "theirs.yaml: task_type: 'riddles' is no task of HaystackBench"),
        (bare("s_rt", "scoring: exact"), "theirs.yaml: scoring: must be a mapping"),
        (bare("s_rt").replace("[{provider: openai, model: gpt-4o}]", "[gpt-4o]"), "theirs.yaml: models[0]: must be"),
        (bare("s_rt").replace("[0.0, 0.5]", "[0, a]"), "theirs.yaml: cannot be turned"),
    ],
)
def test_what_cannot_be_read_is_one_clear_line(turn: Run, text: str | bytes, told: str) -> None:
    outcome = turn(text)

    assert (outcome.code, outcome.text, len(outcome.told)) == (4, "", 1)
    assert outcome.told[0].startswith(told)


def test_a_file_that_is_not_there_is_one_clear_line(turn: Run, command: Any) -> None:
    result = command("import-config", "gone.yaml")

    assert (result.returncode, result.stdout) == (4, "")
    assert result.stderr == "gone.yaml: cannot be read: No such file or directory\n"


NAMES = st.text("abc :/{}$%#é-", max_size=12)
NEEDLES = st.fixed_dictionaries({"needle_text": NAMES, "expected_answer": NAMES}, optional={"question": NAMES})
ANY = st.fixed_dictionaries(
    {
        "name": NAMES,
        "task_type": st.sampled_from(["s_rt", "m_rt", "m_rs", "atc", "counting", "key_value", "conflicting"]),
    },
    optional={
        "context_lengths": st.lists(st.integers(256, 10**6), min_size=1, max_size=4),
        "depth_percents": st.lists(st.floats(0, 1), min_size=1, max_size=4),
        "num_needles": st.lists(st.integers(1, 20), min_size=1, max_size=3),
        "depth_distribution": st.sampled_from(["uniform", "centered", "random", "bookends"]),
        "trials_per_cell": st.integers(1, 10),
        "needle_config": st.fixed_dictionaries(
            {},
            optional={
                "needle_type": st.sampled_from(["synthetic_abstract", "template", "synthetic_numeric", "relational"]),
                "template": st.sampled_from(["{entity} {attribute}: {value}", "{entity}{value}", "{", "x", "{a.b}"]),
                "atc_structure": st.sampled_from(["chain", "tree", "dag"]),
                "atc_hop_depth": st.integers(2, 20),
                "reasoning_type": st.sampled_from(["sum", "max", "min", "mean", "conditional", "chain"]),
            },
        ),
        "models": st.lists(
            st.fixed_dictionaries(
                {"provider": st.sampled_from(["openai", "google", "ollama"]), "model": NAMES},
                optional={"system_prompt": NAMES, "temperature": st.floats(0, 2), "max_tokens": st.integers(1, 8192)},
            ),
            max_size=3,
        ),
        "scoring": st.fixed_dictionaries(
            {"method": st.sampled_from(["exact", "substring", "semantic", "llm_judge", "numeric", "auto"])}
        ),
        "custom_needles": st.lists(NEEDLES, max_size=3),
        "max_concurrency": st.integers(1, 100),
        "retry_attempts": st.integers(0, 10),
    },
)


@given(ANY)
@settings(max_examples=60, deadline=None)
def test_whatever_that_tool_takes_comes_out_valid(tmp_path_factory: pytest.TempPathFactory, config: Any) -> None:
    folder = tmp_path_factory.getbasetemp()
    file = folder / "theirs.yaml"
    file.write_text(yaml.safe_dump(config, allow_unicode=True), encoding="utf-8")

    turned = turn_file(file, (), folder, {})

    assert yaml.safe_load(turned.yaml)["threshold"] == 0
    assert all("\n" not in note for note in turned.notes)
