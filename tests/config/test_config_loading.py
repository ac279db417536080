from __future__ import annotations

import copy
import string

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

HEAD = "models: [{id: m, model: tame/cat}]\n"
SWEEP = "sweep: {context_lengths: [1000, 2000], depth_percents: [0, 50]}\n"
VALID = HEAD + SWEEP + "tasks: [count]\n"


def test_bare_names_ids_and_options_are_filled_in(load):
    loaded = load(
        "models:\n  - {model: openai/gpt-4o-mini}\n  - {model: 'python:my.mod:answer'}\n"
        "  - {model: 'ollama/llama3:8b'}\n"
        + SWEEP
        + "tasks:\n  - plain\n  - {type: count, needles: 7, scorer: {type: numeric, rel_tol: 0.1}, prompt: terse}\n"
        "haystack: {source: shelf, path: texts}\n",
        name="My sweep (2).yaml",
    )
    config = loaded.config
    assert config.name == "My-sweep-2"
    assert [model.id for model in config.models] == ["gpt-4o-mini", "answer", "llama3-8b"]
    assert [(task.id, task.type) for task in config.tasks] == [("plain", "plain"), ("count", "count")]
    assert config.tasks[0].options == {}
    assert config.tasks[1].options == {
        "needles": 7,
        "order": "given",
        "width": 1.5,
        "flag": False,
        "words": ["a", "b"],
    }
    assert config.tasks[1].scorer is not None
    assert config.tasks[1].scorer.name == "numeric"
    assert config.tasks[1].scorer.options == {"rel_tol": 0.1, "fallback": None}
    assert config.tasks[1].prompt is not None
    assert config.tasks[1].prompt.preset == "terse"
    assert config.haystack.options == {"path": "texts", "limit": None}
    assert config.prompt.preset == "default"


def test_scorer_options_may_stand_beside_the_name_or_apart(load):
    task = "tasks: [{type: count, scorer: {name: numeric, SCORER}}]\n"
    beside = load(HEAD + SWEEP + task.replace("SCORER", "rel_tol: 0.1"))
    apart = load(HEAD + SWEEP + task.replace("SCORER", "options: {rel_tol: 0.1}"))
    assert beside.config == apart.config


def test_lines_are_those_of_the_file(load):
    loaded = load("tasks:\n- count\n- type: plain\n  id: p\n" + HEAD + "\n" + SWEEP)
    assert loaded.line_of("tasks", 0) == 2
    assert loaded.line_of("tasks", 1) == 3
    assert loaded.line_of("tasks", 1, "id") == 4
    assert loaded.line_of("tasks", 1, "options", "x") == 3
    assert loaded.line_of("sweep", "trials") == 7
    assert loaded.line_of("report") == 1


def test_a_model_file_stands_in_the_line_that_names_it(load):
    loaded = load(
        "models:\n- {model: a/b}\n- shared/m.yaml\n" + SWEEP + "tasks: [count]\n",
        files={"shared/m.yaml": "model: a/c\nrequest: {seed: 1}\n"},
    )
    assert loaded.config.models[1].id == "c"
    assert loaded.config.models[1].request == {"seed": 1}
    assert loaded.line_of("models", 1, "request") == 3


def test_numbers_are_read_as_yaml_1_2(load):
    loaded = load(VALID.replace("[1000, 2000]", "[1e3, 2_000, 010]") + "threshold: 5e-1\nname: on\n")
    assert loaded.config.sweep.context_lengths == [1000, 2000, 10]
    assert loaded.config.threshold == 0.5
    assert loaded.config.name == "on"


def test_seeds_make_as_many_trials(load):
    loaded = load(VALID.replace("[0, 50]", "[0, 50], seeds: [3, 5, 8]"))
    assert loaded.config.sweep.trials == 3


@pytest.mark.parametrize("depths", ["[0, 0.5, 1]", "{min: 0.5, max: 1, num: 3}", "[0.5]"])
def test_depths_that_look_like_fractions_are_noted(load, depths):
    loaded = load(HEAD + "tasks: [count]\n" + f"sweep: {{context_lengths: [1], depth_percents: {depths}}}\n")
    assert loaded.notes == ("haystack.yaml:3: sweep.depth_percents: depths are percent 0-100; did you mean 50?",)


@pytest.mark.parametrize("depths", ["[0]", "[0, 1, 2]", "{min: 0, max: 100}", "[0.5, 99.5]"])
def test_depths_in_percent_are_not_noted(load, depths):
    assert load(HEAD + "tasks: [count]\n" + f"sweep: {{context_lengths: [1], depth_percents: {depths}}}\n").notes == ()


def test_a_range_with_fewer_values_than_asked_is_noted(load):
    loaded = load(VALID.replace("[1000, 2000]", "{min: 1, max: 3, num: 9}"))
    assert loaded.notes == (
        "haystack.yaml:2: sweep.context_lengths: num is 9, but only 3 values differ, as lengths are whole tokens",
    )


def test_a_provider_that_is_nearly_a_registered_one_is_noted(load):
    loaded = load(VALID.replace("tame/cat", "tmae/cat"))
    assert loaded.notes == (
        "haystack.yaml:1: models.0.model: 'tmae' is taken for a provider that litellm knows; did you mean 'tame'?",
    )


def test_the_hash_is_of_the_settings_not_of_the_writing(load):
    first = load(VALID)
    assert (
        load("# a comment\n" + VALID.replace("[count]", "[{type: count, id: count, needles: 3}]")).sha256
        == first.sha256
    )
    assert load(VALID + "threshold: 0.5\n").sha256 != first.sha256
    assert load(VALID, "tasks.count.needles=4").sha256 != first.sha256
    assert first.sha256 == load(VALID).sha256


# --- environment


def test_variables_are_filled_in_from_the_environment(load):
    text = VALID.replace("id: m", "id: '${ID}', api_base: 'http://${HOST}:${PORT}/$${x}'").replace(
        "[0, 50]", "[0, 50], trials: '${N}'"
    )
    loaded = load(text, environ={"ID": "big", "HOST": "h", "PORT": "80", "N": "3"})
    assert loaded.config.models[0].id == "big"
    assert loaded.config.models[0].api_base == "http://h:80/${x}"
    assert type(loaded.config.models[0].api_base) is str
    assert loaded.config.sweep.trials == 3
    assert loaded.templates == {
        ("models", 0, "id"): "${ID}",
        ("models", 0, "api_base"): "http://${HOST}:${PORT}/$${x}",
        ("sweep", "trials"): "${N}",
    }


def test_a_variable_that_is_not_set_is_named_once(problems):
    text = VALID.replace("[0, 50]", "[0, 50], trials: '${N}', reserve: '${', seed: '${1}'")
    assert problems(text) == [
        "haystack.yaml:2: sweep.trials: environment variable 'N' is not set; export it, or write $${N} for the text",
        (
            "haystack.yaml:2: sweep.reserve: '${' names no environment variable; write ${NAME}, or $${ for the "
            "characters themselves"
        ),
        (
            "haystack.yaml:2: sweep.seed: '${' names no environment variable; write ${NAME}, or $${ for the "
            "characters themselves"
        ),
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[0, 50]", "[0, 50], trials: '${X}'"),
        ("[0, 50]", "[0, 50], reserve: '${X}'"),
        ("[0, 50]", "['${X}']"),
        ("[0, 50]", "{scale: '${X}'}"),
        ("tame/cat", "'tame/${X}'"),
        ("id: m", "id: '${X} ${X}'"),
        ("id: m", "id: m, api_key_env: '${X} '"),
        ("[count]", "['${X}']"),
        ("[count]", "[{type: count, order: '${X}'}]"),
        ("[count]", "[{type: count, needles: '${X}'}]"),
        ("[count]", "[{type: count, width: '${X}'}]"),
        ("[count]", "[{type: count, scorer: '${X}'}]"),
        ("[count]", "[{type: count, haystack: '${X}'}]"),
        ("[count]", "[count]\ntokenizer: ${X}"),
        ("[count]", "[count]\nprompt: ${X}"),
        ("[count]", "[count]\nknown_failures: [{model: '${X}', reason: x}]"),
        ("[{id: m, model: tame/cat}]", "['${X}']"),
    ],
)
@pytest.mark.parametrize("value", ["hunter2'\"secret", "4k", "chaos", "terze"])
def test_values_from_the_environment_are_never_shown(problems, old, new, value):
    for line in problems(VALID.replace(old, new), environ={"X": value}):
        assert value not in line.split("; known:")[0]
        assert "hunter2" not in line
        assert "${X}" in line
        assert "4000" not in line


def test_text_from_the_environment_that_is_not_utf8_is_refused(problems):
    lines = problems(VALID.replace("id: m", "id: m, api_base: '${X}'"), environ={"X": "\udcff"})
    assert lines == ["haystack.yaml:1: models.0.api_base: '${X}' is not UTF-8 once it is filled in"]


# --- command line


def test_options_override_single_values(load):
    loaded = load(
        HEAD + SWEEP + "tasks:\n  - count\n  - {id: p.1, type: plain}\n",
        "sweep.trials=3",
        "models.0.request.temperature=0",
        "models.m.threshold=0.5",
        "tasks.count.needles=9",
        "tasks.p.1.threshold=0.25",
        "sweep.context_lengths.1=5",
        "haystack.separator=' '",
        "haystack.source=synthetic",
        "known_failures=[{model: m, reason: a=b}]",
        "sweep.trials=4",
        "name=${literally}",
        "name=n",
    )
    config = loaded.config
    assert config.sweep.trials == 4
    assert config.models[0].request == {"temperature": 0}
    assert config.models[0].threshold == 0.5
    assert config.tasks[0].options["needles"] == 9
    assert config.tasks[1].threshold == 0.25
    assert config.sweep.context_lengths == [1000, 5]
    assert config.haystack.separator == " "
    assert config.haystack.source == "synthetic@2"
    assert config.known_failures[0].reason == "a=b"
    assert config.name == "n"
    assert loaded.line_of("sweep", "trials") == 2


def test_an_option_reaches_into_a_model_file(load):
    loaded = load(
        "models: [shared/m.yaml]\n" + SWEEP + "tasks: [count]\n",
        "models.c.threshold=0.5",
        files={"shared/m.yaml": "model: a/c\n"},
    )
    assert loaded.config.models[0].threshold == 0.5


@pytest.mark.parametrize(
    ("option", "line"),
    [
        ("sweep.trialz=3", " sweep.trialz: unknown key; did you mean 'trials'?"),
        ("sweep.trials=many", " sweep.trials: 'many' is not a whole number or a mapping of keys to values"),
        ("sweep={trials: 2}", " sweep: missing key 'context_lengths'"),
        ("sweep.trials", ": write KEY=VALUE with a dotted key, e.g. sweep.trials=3"),
        ("sweep..trials=3", " sweep..trials: write KEY=VALUE with a dotted key, e.g. sweep.trials=3"),
        ("=3", ": write KEY=VALUE with a dotted key, e.g. sweep.trials=3"),
        (".".join("a" * 41) + "=1", f" {'.'.join('a' * 41)}: write KEY=VALUE with a dotted key, e.g. sweep.trials=3"),
        (
            "threshold=[1",
            (" threshold: the value is not YAML: expected ',' or ']' in a list that starts with '['; put it in quotes"),
        ),
        ("threshold=!x 1", " threshold: the value is not usable: the tag !x is not allowed here; leave it out"),
        ("models.5.threshold=1", " models.5.threshold: models has 1 entries, so the last index is 0"),
        ("models.mm.threshold=1", " models.mm.threshold: models has no entry 'mm'; did you mean 'm'?"),
        (
            "sweep.context_lengths.x=1",
            " sweep.context_lengths.x: sweep.context_lengths has no entry 'x'; write an index from 0 to 1",
        ),
        ("models.m.id.x=1", " models.m.id.x: models.0.id holds a value, not keys; 'x' cannot be set in it"),
        ("models.m.pricing.input=1", " models.m.pricing.input: missing key 'output'"),
        (
            "models.m.request.api_key=sk-abcdefghijklmnop",
            " models.m.request.api_key: looks like a key; name its environment variable with api_key_env instead",
        ),
        ("tasks.count.needles=0", " tasks.count.needles: 0 is too small; must be at least 1"),
        ("tasks.count.type=cuont", " tasks.count.type: 'cuont' is no known task; did you mean 'count'?"),
        ("known_failures=[{model: x, reason: y}]", " known_failures: 0.model: there is no model 'x'; known: m"),
    ],
)
def test_a_mistake_in_an_option_names_the_option(problems, option, line):
    assert problems(VALID, option)[0] == f"--haystack-set{line}"


def test_options_come_after_the_lines_of_the_file(problems):
    lines = problems(VALID.replace("[0, 50]", "[0, 500]"), "sweep.x=1", "threshold=2")
    assert [line.split(": ")[0] for line in lines] == [
        "haystack.yaml:2",
        "--haystack-set sweep.x",
        "--haystack-set threshold",
    ]


# --- any file


BASE = yaml.safe_load("""
name: n
models:
  - {id: a, model: tame/cat, limits: {timeout: 5}, request: {temperature: 0}, pricing: {input: 1, output: 2}}
  - {model: openai/b, api_key_env: KEY, context_window: 1000, threshold: 0.5}
haystack: {source: shelf, path: texts, limit: 5}
tokenizer: o200k_base
sweep:
  context_lengths: [1000, 2000]
  depth_percents: {min: 0, max: 100, num: 5, scale: sigmoid}
  trials: 2
  reserve: auto
tasks:
  - plain
  - {id: c, type: count, needles: 5, words: [x], scorer: {name: numeric, rel_tol: 1}, prompt: {preset: terse}}
  - {id: d, type: count, haystack: essays, prompt: terse, context_lengths: {min: 5, max: 9, num: 2}}
  - {id: e, type: count, needles: [2, 5], prompts: [terse, {template: "{{ document }}", prefill: p}]}
prompts: [default, {id: begun, preset: terse, prefill: p}]
threshold: 0.5
known_failures:
  - {model: a, task: [c, d, e], context_lengths: [1000], depth_percents: {min: 3}, reason: r, strict: true, run: false}
report: {dir: d}
""")

ODD_TEXTS = ["", "x", "auto", "1", "4k", "a b", "${A}", "${B}", "${", "sk-abcdefghijklmnopq", "count", "\x1b[0m", "é😀"]
ODD_NESTS = [
    *([], {}, [[]], [{}], {"x": 1}, {"min": 1, "max": 0, "num": 2}, ["x"]),
    *({"id": None}, {"type": "count"}, {"name": []}),
]
ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 10**12),
    st.floats(allow_nan=False),
    st.sampled_from(ODD_TEXTS),
    st.sampled_from(ODD_NESTS),
    st.text(alphabet=string.printable, max_size=5),
)


def places(value: object, path: tuple = ()) -> list[tuple]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for key, item in items for found in [(*path, key), *places(item, (*path, key))]]


PLACES = places(BASE)


def mutate(data: dict, path: tuple, how: str, odd: object) -> None:
    owner = data
    for part in path[:-1]:
        try:
            owner = owner[part]
        except (KeyError, IndexError, TypeError):
            return
    try:
        owner[path[-1]]
    except (KeyError, IndexError, TypeError):
        return
    if isinstance(owner, str):
        return
    if how == "delete":
        del owner[path[-1]]
    elif how == "rename" and isinstance(owner, dict):
        owner[str(odd)] = owner.pop(path[-1])
    elif how == "repeat" and isinstance(owner, list):
        owner.append(copy.deepcopy(owner[path[-1]]))
    else:
        owner[path[-1]] = copy.deepcopy(odd)


MUTATIONS = st.lists(
    st.tuples(st.sampled_from(PLACES), st.sampled_from(["delete", "rename", "repeat", "retype"]), ODD),
    min_size=1,
    max_size=3,
)


@given(MUTATIONS, st.booleans())
@settings(max_examples=200, deadline=None)
def test_any_change_of_a_valid_file_loads_or_is_told_with_file_and_line(problems, mutations, flow):
    data = copy.deepcopy(BASE)
    for path, how, odd in mutations:
        mutate(data, path, how, odd)
    text = yaml.safe_dump(data, default_flow_style=flow, allow_unicode=True)
    for line in problems(text, environ={"A": "value-of-a"}):
        where, _, words = line.partition(": ")
        name, _, number = where.partition(":")
        assert name == "haystack.yaml"
        assert 1 <= int(number) <= text.count("\n") + 1
        assert words
        assert line.isprintable()
        assert "value-of-a" not in line
        assert "abcdefghijklmnopq" not in line


@given(st.lists(st.tuples(st.sampled_from(PLACES), ODD), min_size=1, max_size=2))
@settings(max_examples=100, deadline=None)
def test_any_option_is_applied_or_told(problems, options):
    given_options = [
        f"{'.'.join(map(str, path))}={yaml.safe_dump(odd, default_flow_style=True).splitlines()[0]}"
        for path, odd in options
    ]
    for line in problems(yaml.safe_dump(BASE), *given_options):
        assert line.startswith(("haystack.yaml:", "--haystack-set "))


@given(st.binary(max_size=40))
@settings(max_examples=150, deadline=None)
def test_any_bytes_after_a_valid_file_load_or_are_told(problems, tail):
    for line in problems(VALID.encode() + tail):
        assert line.startswith("haystack.yaml:")
        assert line.split(":")[1].isdigit()
