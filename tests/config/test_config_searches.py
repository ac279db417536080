"""``searches:`` of haystack.yaml: what may stand there, and what is said of the rest."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest
import yaml

from pytest_haystack.config.json_schema import json_schema
from pytest_haystack.config.resolved import resolved_yaml

BASE = """\
models: [{id: m, model: tame/cat}]
sweep: {context_lengths: [1000, 2000], depth_percents: [0, 50]}
tasks: [count]
searches:
"""
CLAIM = "metric: mean_score, context_length: 1000"
LONGEST = "metric: effective_context_length, min: 1000"


def text(*searches: str) -> str:
    return BASE + "".join(f"  - {{{search}}}\n" for search in searches)


def test_every_default_is_spelled_out(load: Any) -> None:
    loaded = load(text(CLAIM, f"id: far, {LONGEST}, context_lengths: {{min: 1000, max: 4000, num: 3, scale: log}}"))

    first, second = loaded.config.searches
    assert (first.id, first.stop, first.max, first.alpha, first.threshold) == ("mean_score", "sprt", 66, 0.05, None)
    assert second.id == "far"
    assert second.context_lengths.num == 3
    again = load(resolved_yaml(loaded), name="resolved.yaml")
    assert again.config.searches == loaded.config.searches


def test_a_search_is_overridden_by_its_id(load: Any) -> None:
    loaded = load(text(CLAIM), "searches.mean_score.max=99", "searches.0.threshold=0.8")

    assert (loaded.config.searches[0].max, loaded.config.searches[0].threshold) == (99, 0.8)


@pytest.mark.parametrize("search", [CLAIM, LONGEST, f"{CLAIM}, stop: sprt, indifference: [0.8, 0.95], task: [count]"])
def test_the_json_schema_takes_what_the_loader_takes(search: str, load: Any, registry: Any) -> None:
    load(text(search))

    jsonschema.Draft202012Validator(json_schema(registry)).validate(yaml.safe_load(text(search)))


@pytest.mark.parametrize(
    ("search", "line"),
    [
        ("metric: mean_score", "searches.0: give context_length, in tokens: what mean_score is held to"),
        ("metric: effective_context_length", "searches.0: give min, in tokens: what effective_context_length is held"),
        (f"{CLAIM}, min: 3", "searches.0: min belongs to metric: effective_context_length"),
        (f"{CLAIM}, context_lengths: [3]", "context_lengths belongs to metric: effective_context_length"),
        (f"{LONGEST}, context_length: 3", "context_length belongs to metric: mean_score"),
        ("metric: mean_scor, context_length: 7", "did you mean 'mean_score'?"),
        (f"{CLAIM}, model: n", "searches.0.model: there is no model 'n'; "),
        (f"{CLAIM}, task: [count, cuont]", "searches.0.task.1: there is no task 'cuont'; did you mean 'count'?"),
        (f"{CLAIM}, treshold: 1", "searches.0.treshold: unknown key; did you mean 'threshold'?"),
        (f"{CLAIM}, threshold: 90", "searches.0.threshold: 90 "),
        (f"{LONGEST}, context_lengths: [100, 600]", "searches.0.min: 1,000 is more than the longest of its "),
        (f"{LONGEST}, context_lengths: [300, 300, 9000]", "searches.0.context_lengths: 300 is listed twice"),
        (f"{CLAIM}, depth_percents: {{min: 50, max: 10}}", "searches.0.depth_percents: min 50 is more than max 10"),
        (f"{CLAIM}, stop: point, indifference: [0.8, 0.9]", "indifference belongs to stop: sprt"),
        (f"{CLAIM}, indifference: [0.9, 0.8]", "indifference is [low, high] with 0 < low < high < 1"),
        (f"{CLAIM}, max: 0", "searches.0.max: 0 "),
    ],
)
def test_a_mistake_is_told_with_its_place(search: str, line: str, problems: Any) -> None:
    [found] = problems(text(search))

    assert found.startswith("haystack.yaml:5: searches.0")
    assert line in found


def test_two_searches_of_one_metric_need_ids(problems: Any) -> None:
    [found] = problems(text(CLAIM, CLAIM.replace("1000", "2000")))

    assert found.startswith("haystack.yaml:6: searches.1: 'mean_score' is already the id of searches.0 (line 5)")
    assert problems(text(CLAIM, f"id: far, {CLAIM}")) == []


def test_depths_that_look_like_fractions_are_noted(load: Any) -> None:
    assert any(
        "searches.0.depth_percents: depths are percent" in note
        for note in load(text(f"{CLAIM}, depth_percents: [0, 0.5]")).notes
    )
