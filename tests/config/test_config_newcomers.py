"""What newcomers write, and the one line that sets them right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from pytest_haystack.config.resolved import resolved_yaml
from pytest_haystack.config.template import starter_config
from pytest_haystack.registry import METRICS

Problems = Callable[..., Sequence[str]]

BASE = """\
models:
  - {id: reader, model: simulated/perfect}
haystack: {source: essays}
sweep:
  context_lengths: [1000, 2000]
  depth_percents: [0, 50, 100]
tasks:
  - single
  - {id: multi5, type: multi, needles: 5}
threshold: 1.0
"""
PAID = "model: openai/gpt-4o"

#: What is written in place of what, where the mistake is, and the end of its line.
SLIPS = [
    # Units.
    ("[0, 50, 100]", "[50%]", "6: sweep.depth_percents.0", "'50%' is not a number; write 50"),
    ("[0, 50, 100]", "50", "6: sweep.depth_percents", "write [50]"),
    ("[0, 50, 100]", "[0, 120]", "6: sweep.depth_percents.1", "120 is too large; must be at most 100"),
    ("[1000, 2000]", "[4k]", "5: sweep.context_lengths.0", "'4k' is not a number of tokens; write 4000"),
    ("[1000, 2000]", '["32,000"]', "5: sweep.context_lengths.0", "write 32000"),
    ("[1000, 2000]", "[128K tokens]", "5: sweep.context_lengths.0", "write 128000"),
    ("[1000, 2000]", "1M", "5: sweep.context_lengths", "write [1000000]"),
    ("[1000, 2000]", "1000-8000", "5: sweep.context_lengths", "write {min: 1000, max: 8000, num: 5}"),
    ("threshold: 1.0", "threshold: 90%", "10: threshold", "'90%' is not a number; write 0.9"),
    ("threshold: 1.0", "threshold: 90", "10: threshold", "must be at most 1; did you mean 0.9?"),
    ("threshold: 1.0", "threshold: 9", "10: threshold", "must be at most 1; did you mean 0.9?"),
    ("threshold: 1.0", "budget: {usd: $5}", "10: budget.usd", "'$5' is not a number; write 5"),
    ("threshold: 1.0", "budget: 5 USD", "10: budget", "write {usd: 5}"),
    ("threshold: 1.0", "report: out", "10: report", "write {dir: out}"),
    ("model: simulated/perfect", f"{PAID}, limits: {{timeout: 30s}}", "2: models.0.limits.timeout", "write 30"),
    ("model: simulated/perfect", f"{PAID}, limits: {{timeout: 2m}}", "2: models.0.limits.timeout", "write 120"),
    ("model: simulated/perfect", f"{PAID}, context_window: 128k", "2: models.0.context_window", "write 128000"),
    (
        "model: simulated/perfect",
        f"{PAID}, pricing: 0.15",
        "2: models.0.pricing",
        "write {input: USD, output: USD}, per million tokens",
    ),
    # Keys by their names elsewhere.
    ("depth_percents: [0, 50, 100]", "depths: [0]", "6: sweep.depths", "unknown key; did you mean 'depth_percents'?"),
    ("[1000, 2000]", "{min: 1000, max: 8000, step: 1000}", "5: sweep.context_lengths.step", "did you mean 'num'?"),
    ("[1000, 2000]\n", "[1000]\n  repeats: 3\n", "6: sweep.repeats", "unknown key; did you mean 'trials'?"),
    ("id: reader", "name: reader", "2: models.0.name", "unknown key; did you mean 'id'?"),
    ("needles: 5", "n: 5", "9: tasks.1.n", "unknown key; did you mean 'needles'?"),
    ("needles: 5", "needle: 5", "9: tasks.1.needle", "did you mean 'needles'?"),
    ("model: simulated/perfect", f"{PAID}, base_url: x", "2: models.0.base_url", "did you mean 'api_base'?"),
    ("model: simulated/perfect", f"{PAID}, limits: {{rpm: 9}}", "2: models.0.limits.rpm", "'requests_per_minute'?"),
    (
        "model: simulated/perfect",
        f"{PAID}, temperature: 0",
        "2: models.0.temperature",
        "unknown key; it is a parameter of the request; write request: {temperature: ...}",
    ),
    ("model: simulated/perfect", f"{PAID}, timeout: 9", "2: models.0.timeout", "write limits: {timeout: ...}"),
    ("threshold: 1.0", "scorer: value", "10: scorer", "write tasks: [{type: single, scorer: ...}]"),
    ("threshold: 1.0", "report_dir: out", "10: report_dir", "unknown key; write report: {dir: ...}"),
    ("threshold: 1.0", "trials: 3", "10: trials", "unknown key; it belongs under sweep"),
    ("{source: essays}", "{path: texts/}", "3: haystack.path", "write {source: files, path: ...}"),
    ("threshold: 1.0", "gates: [{metric: mean_score, threshold: 0.9}]", "10: gates.0.threshold", "did you mean 'min'?"),
    # Names.
    ("- single", "- singel", "8: tasks.0", "'singel' is no known task; did you mean 'single'?"),
    ("- single", "- S-RT", "8: tasks.0", "'S-RT' is no known task; did you mean 'single'?"),
    ("{source: essays}", "texts/", "3: haystack", "for files write {source: files, path: texts/}"),
    ("simulated/perfect", "simulated/perfct", "2: models.0.model", "did you mean 'perfect'?"),
    ("simulated/perfect", "./x.gguf", "2: models.0.model", "write local:./x.gguf"),
    (
        "simulated/perfect",
        "openai/x, api_base: 'localhost:8000/v1'",
        "2: models.0.api_base",
        "write http://localhost:8000/v1",
    ),
    ("simulated/perfect", "openai/x, api_key_env: $MY_KEY", "2: models.0.api_key_env", "write MY_KEY"),
    ("id: reader", "id: my reader", "2: models.0.id", "write my-reader"),
    ("threshold: 1.0", "tokenizer: gpt-4o", "10: tokenizer", "did you mean 'o200k_base'?"),
    ("threshold: 1.0", "tokenizer: Qwen/Qwen3-8B", "10: tokenizer", "write hf:FILE"),
    ("threshold: 1.0", "prompt: Answer the question.", "10: prompt", "for wording of your own write {template: ...}"),
    (
        "[1000, 2000]",
        "{min: 1, max: 9, num: 3, scale: logarithmic}",
        "5: sweep.context_lengths.scale",
        "did you mean 'log'?",
    ),
    # Shapes.
    (
        "models:\n  - {id: reader, model: simulated/perfect}",
        "models: openai/x",
        "1: models",
        "write [{model: openai/x}]",
    ),
    ("models:\n  - {id: reader,", "models:\n  {id: reader,", "1: models", "begin each entry with '- '"),
    ("threshold: 1.0", "gates: [{metric: mean_score, min: 0.9, by: model}]", "10: gates.0.by", "write [model]"),
    # Gates.
    ("threshold: 1.0", "gates: [{metric: accuracy, min: 0.9}]", "10: gates.0.metric", "did you mean 'mean_score'?"),
    ("threshold: 1.0", "gates: [{metric: mean_score, min: 90%}]", "10: gates.0.min", "write 0.9"),
    (
        "threshold: 1.0",
        "gates: [{metric: mean_score, min: 90}]",
        "10: gates.0.min",
        "mean_score takes from 0 to 1; did you mean 0.9?",
    ),
]


@pytest.mark.parametrize(("right", "wrong", "where", "advice"), SLIPS, ids=[f"{s[2]} {s[1][:30]!r}" for s in SLIPS])
def test_a_slip_is_set_right_in_one_line(problems: Problems, right: str, wrong: str, where: str, advice: str) -> None:
    assert right in BASE
    lines = problems(BASE.replace(right, wrong, 1))

    assert len(lines) == 1, lines
    assert lines[0].startswith(f"haystack.yaml:{where}: ")
    assert lines[0].endswith(advice)


def test_the_config_behind_the_slips_is_right(problems: Problems) -> None:
    assert problems(BASE) == []


@pytest.mark.parametrize(
    ("right", "wrong", "note"),
    [
        ("[0, 50, 100]", "[0, 0.5, 1]", "6: sweep.depth_percents: depths are percent 0-100; did you mean 50?"),
        ("simulated/perfect", "opnai/gpt-4o", "2: models.0.model: 'opnai' is *; did you mean 'openai'?"),
        (
            "threshold: 1.0",
            "gates: [{metric: effective_context_length, min: 32}]",
            "10: gates.0.min: 32 tokens are fewer than any context length; did you mean 32000?",
        ),
    ],
)
def test_what_may_be_meant_is_noted(load: Any, right: str, wrong: str, note: str) -> None:
    from fnmatch import fnmatchcase

    notes = load(BASE.replace(right, wrong, 1)).notes

    assert any(fnmatchcase(line, f"haystack.yaml:{note}") for line in notes), notes


@pytest.mark.parametrize("value", ["[32_000]", "[1e3]", "[2000.0]"])
def test_numbers_in_other_notations_are_numbers(load: Any, value: str) -> None:
    assert load(BASE.replace("[1000, 2000]", value)).config.sweep.context_lengths


def test_a_number_in_quotes_is_one(load: Any) -> None:
    assert load(BASE.replace("threshold: 1.0", 'threshold: "0.9"')).config.threshold == 0.9


def test_the_first_config_can_be_read_back_from_its_run(load: Any) -> None:
    loaded = load(starter_config())

    assert loaded.config.gates
    assert load(resolved_yaml(loaded)).config == loaded.config


@pytest.mark.parametrize("metric", sorted(METRICS))
def test_a_gate_of_every_metric_can_be_read_back(load: Any, metric: str) -> None:
    bounds = {
        "effective_context_length": "min: 2000",
        "regression": "alpha: 0.01",
        "weighted_score": "min: 0.5, weights: {single: 1}",
    }
    bound = bounds.get(metric, "min: 0.5")
    loaded = load(BASE + f"gates: [{{metric: {metric}, {bound}}}]\n")

    assert load(resolved_yaml(loaded)).config == loaded.config


def test_a_part_of_a_name_is_enough_to_be_understood(problems: Problems) -> None:
    lines = problems(BASE.replace("simulated/perfect", "simulated/lost"))

    assert len(lines) == 1
    assert lines[0].endswith("'lost' is no profile of the embedded reader; did you mean 'lost-in-the-middle'?")
