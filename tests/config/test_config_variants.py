"""Lists that make one entry of ``tasks`` several: options that are axes, and prompts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_haystack.config.resolved import resolved_yaml

HEAD = """\
models: [{id: cat, model: tame/cat}]
sweep: {context_lengths: [1000], depth_percents: [50]}
"""


def ids(loaded):
    return [task.id for task in loaded.config.tasks]


def test_a_list_makes_an_option_an_axis(load):
    loaded = load(HEAD + "tasks: [plain, {type: count, needles: [2, 5, 10], width: 2}]")
    assert ids(loaded) == ["plain", "count-n2", "count-n5", "count-n10"]
    assert [task.family for task in loaded.config.tasks] == [None, "count", "count", "count"]
    assert [task.variant for task in loaded.config.tasks] == [{}, {"needles": 2}, {"needles": 5}, {"needles": 10}]
    assert [task.options.get("needles") for task in loaded.config.tasks] == [None, 2, 5, 10]
    assert {task.options["width"] for task in loaded.config.tasks[1:]} == {2}


def test_a_list_of_one_value_is_an_axis_too(load):
    (task,) = load(HEAD + "tasks: [{id: few, type: count, needles: [2]}]").config.tasks
    assert (task.id, task.family, task.variant) == ("few-n2", "few", {"needles": 2})


def test_several_axes_are_combined_in_the_order_of_the_options_and_then_the_prompts(load):
    loaded = load(
        HEAD
        + "tasks:\n  - {id: c, prompts: [terse, {id: mine, template: t}], type: count, order: [given, random], "
        + "needles: [2, 5]}\n"
    )
    assert ids(loaded)[:3] == ["c-n2-given-terse", "c-n2-given-mine", "c-n2-random-terse"]
    assert len(ids(loaded)) == 8
    assert loaded.config.tasks[-1].variant == {"needles": 5, "order": "random", "prompt": "mine"}
    assert loaded.config.tasks[-1].prompt.template == "t"


def test_prompts_of_the_sweep_are_for_the_tasks_that_name_none(load):
    loaded = load(
        HEAD
        + "prompts: [default, {id: begun, prefill: 'So:'}]\n"
        + "tasks: [plain, {id: own, type: plain, prompt: terse}, {id: two, type: plain, prompts: [terse]}]\n"
    )
    assert ids(loaded) == ["plain-default", "plain-begun", "own", "two-terse"]
    prompts = [(task.prompt.preset, task.prompt.prefill) for task in loaded.config.tasks]
    assert prompts == [("default", None), ("default", "So:"), ("terse", None), ("terse", None)]


def test_an_option_that_is_no_axis_takes_its_list_as_it_is(load):
    (task,) = load(HEAD + "tasks: [{type: count, width: [1, 2], words: [x, y]}]").config.tasks
    assert task.id == "count"
    assert task.options["width"] == [1, 2]


def test_values_from_the_environment_make_variants_and_stay_out_of_the_file(load):
    loaded = load(HEAD + "tasks: [{type: count, needles: ['${FEW}', 5]}]", environ={"FEW": "2"})
    assert [task.variant["needles"] for task in loaded.config.tasks] == [2, 5]
    assert "needles: ${FEW}" in resolved_yaml(loaded)
    again = load(resolved_yaml(loaded), environ={"FEW": "2"})
    assert again.config == loaded.config


def test_a_variant_stands_on_the_line_of_its_entry(load):
    loaded = load(HEAD + "tasks:\n  - {type: count, needles: [2, 5]}\n  - plain\n")
    assert [loaded.line_of("tasks", index) for index in range(3)] == [4, 4, 5]
    assert loaded.written("tasks", 1, "needles") == "tasks.0.needles.1"
    assert loaded.written("tasks", 2, "trials") == "tasks.1.trials"


def test_the_command_line_speaks_of_the_entry_as_it_is_written(load):
    text = HEAD + "tasks: [{type: count, needles: [2, 5]}]\nprompts: [default, terse]\n"
    assert ids(load(text, "tasks.count.needles=[3]", "prompts=[terse]")) == ["count-n3-terse"]
    assert ids(load(text, "tasks.0.needles=7", "prompts=null")) == ["count"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("tasks: [{type: count, needles: [2, 0]}]", "3: tasks.0.needles.1: 0 is too small; must be at least 1"),
        ("tasks: [{type: count, needles: [2, 2]}]", "3: tasks.0.needles.1: 2 is listed twice"),
        ("tasks: [{type: count, needles: [5, 5.0]}]", "3: tasks.0.needles.1: 5 is listed twice"),
        ("tasks: [{type: count, needles: [x]}]", "3: tasks.0.needles.0: 'x' is not a whole number"),
        ("tasks: [{type: count, needles: [[2]]}]", "3: tasks.0.needles.0: a list is not a whole number"),
        (
            "tasks: [{type: count, needles: []}]",
            "3: tasks.0.needles: the list is empty; give one value, or a list of them",
        ),
        ("tasks: [{type: count, needles: [2, 5], trials: x}]", "3: tasks.0.trials: 'x' is not a whole number"),
        ("tasks: [{type: count, order: [given, odd]}]", "3: tasks.0.order.1: 'odd' is no known order"),
        (
            "tasks:\n  - {id: count-n2, type: plain}\n  - {type: count, needles: [2]}",
            "5: tasks.1: the variant 'count-n2' has the id of tasks.0 (line 4); rename one",
        ),
        (
            "tasks:\n  - plain\n  - {id: a, family: plain, type: count}",
            "4: tasks.0: 'plain' is also the family of tasks.1 (line 5); rename one",
        ),
        (
            "tasks: [plain]\nprompts: [default, tersse]",
            "4: prompts.1: 'tersse' is no known prompt preset; did you mean 'terse'?",
        ),
        (
            "tasks: [{type: plain, prompts: [terse, {preset: terse, prefill: x}]}]",
            "3: tasks.0.prompts.1: 'terse' is already the name of tasks.0.prompts.0; give each its own id",
        ),
        (
            "tasks: [plain]\nprompts: default",
            "4: prompts: must be a list of prompts: names of presets, or mappings; for a single one write prompt",
        ),
        (
            "tasks: [plain]\nprompts: [default]\nprompt: terse",
            "4: prompts: prompt stands beside it; keep one of the two",
        ),
        (
            "tasks: [plain]\nprompts: [{preset: terse, template: x}]",
            "4: prompts.0: give either preset or template, not both",
        ),
        ("tasks: [plain]\nprompts: [{prefil: x}]", "4: prompts.0.prefil: unknown key; did you mean 'prefill'?"),
        ("tasks: [plain]\nprompts: [{id: a b, preset: terse}]", "4: prompts.0.id: 'a b' "),
        ("tasks: [plain]\nprompts: [{prefill: ''}]", "4: prompts.0.prefill: "),
        (
            f"tasks: [{{type: count, needles: {list(range(1, 102))}, order: {[f'o{n}' for n in range(100)]}}}]",
            "3: tasks.0: its lists make 10,100 variants; at most 10,000 can be",
        ),
    ],
)
def test_mistakes_are_told_where_they_were_written_and_once(problems, text, found):
    told = problems(HEAD + text)
    assert told[0].startswith(f"haystack.yaml:{found}")
    assert len(told) == len(set(told))
    if "10,100" not in found:
        assert len(told) == 1


def test_a_known_failure_names_a_variant_or_the_family(load, problems):
    text = HEAD + "tasks: [{type: count, needles: [2, 5]}]\nknown_failures: [{task: %s, reason: r}]\n"
    assert load(text % "count").config.known_failures[0].task == "count"
    assert load(text % "[count-n2]").config.known_failures[0].task == ["count-n2"]
    assert problems(text % "count-n3") == [
        "haystack.yaml:4: known_failures.0.task: there is no task 'count-n3'; did you mean 'count-n5'?"
    ]


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.integers(1, 100), min_size=1, max_size=4, unique=True),
    st.lists(st.sampled_from(["given", "random"]), max_size=2, unique=True),
    st.lists(st.sampled_from(["default", "terse"]), max_size=2, unique=True),
    st.booleans(),
)
def test_each_combination_is_one_variant_and_the_resolved_config_is_equal(load, numbers, orders, prompts, shared):
    listed = f"prompts: {prompts}" if prompts else "threshold: 1"
    text = HEAD + f"tasks:\n  - plain\n  - type: count\n    needles: {numbers}\n"
    text += f"    order: {orders}\n" if orders else ""
    text += listed if shared else f"    {listed}\n"
    loaded = load(text)
    names = [*ids(loaded)]
    assert len(names) == len(set(names))
    count = len(numbers) * max(1, len(orders)) * max(1, len(prompts))
    assert len([task for task in loaded.config.tasks if task.family == "count"]) == count
    again = load(resolved_yaml(loaded))
    assert again.config == loaded.config
    assert again.sha256 == loaded.sha256
    assert resolved_yaml(again) == resolved_yaml(loaded)
