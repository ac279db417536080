"""Every mistake of a file is one line with file, line, key path and advice."""

from __future__ import annotations

import pytest

HEAD = "models: [{id: m, model: tame/cat}]\n"
SWEEP = "sweep: {context_lengths: [1000, 2000], depth_percents: [0, 50]}\n"
TASKS = "tasks: [count]\n"
VALID = HEAD + SWEEP + TASKS


def test_a_valid_config_has_no_problems(problems):
    assert problems(VALID) == []


def test_the_line_of_the_readme_is_what_is_said(problems):
    text = VALID.replace(SWEEP, "sweep:\n  context_lengths: [1]\n  depth_percents:\n    scale: sigmod\n")
    assert problems(text) == [
        (
            "haystack.yaml:5: sweep.depth_percents.scale: 'sigmod' is not one of linear, log, sigmoid; "
            "did you mean 'sigmoid'?"
        )
    ]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", "haystack.yaml:1: the file is empty; `pytest-haystack init` writes one that runs"),
        ("# nothing\n", "haystack.yaml:1: the file is empty; `pytest-haystack init` writes one that runs"),
        ("\n- a\n", "haystack.yaml:2: the file holds a list; a config has keys: models, sweep, tasks"),
        ("hello", "haystack.yaml:1: the file holds a single value; a config has keys: models, sweep, tasks"),
        ("a: [\n", "haystack.yaml:2: the file ends where a value is expected"),
    ],
)
def test_a_file_without_settings_says_what_belongs_there(problems, text, line):
    assert problems(text) == [line]


def test_a_missing_file_is_named(load, problems, registry, tmp_path):
    from pytest_haystack.config.loader import load_config
    from pytest_haystack.errors import ConfigError

    with pytest.raises(ConfigError) as caught:
        load_config(tmp_path / "gone.yaml", registry, presets=())
    assert caught.value.problems == ("gone.yaml: no such file",)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (
            HEAD + TASKS + SWEEP.replace("sweep", "sweeep"),
            ["haystack.yaml:3: sweeep: unknown key; did you mean 'sweep'?"],
        ),
        (HEAD + TASKS, ["haystack.yaml:1: missing key 'sweep'"]),
        (
            VALID.replace("{id: m, model: tame/cat}", "{id: m}"),
            ["haystack.yaml:1: models.0: missing key 'model'"],
        ),
        (
            VALID.replace("id: m, model", "idd: m, modell"),
            [
                "haystack.yaml:1: models.0.idd: unknown key; did you mean 'id'?",
                "haystack.yaml:1: models.0.modell: unknown key; did you mean 'model'?",
            ],
        ),
        (
            VALID + "\n\nxyzzy: 3\n",
            [
                (
                    "haystack.yaml:6: xyzzy: unknown key; known: name, models, haystack, tokenizer, sweep, tasks, "
                    "prompt, threshold, budget, execution, gates, searches, baseline, known_failures, store, report"
                )
            ],
        ),
        (
            VALID + "threshold: 0.5\nthreshold: 1\n",
            ["haystack.yaml:5: threshold: this key is already on line 4; keep one"],
        ),
        (VALID.replace("[{id: m, model: tame/cat}]", "[]"), ["haystack.yaml:1: models: the list is empty"]),
        (
            VALID.replace("[{id: m, model: tame/cat}]", ""),
            ["haystack.yaml:1: models: has no value; expected a list"],
        ),
        (
            VALID.replace("[{id: m, model: tame/cat}]", "5"),
            ["haystack.yaml:1: models: 5 is not a list; write [5]"],
        ),
        (
            VALID.replace("[{id: m, model: tame/cat}]", "[[1]]"),
            ["haystack.yaml:1: models.0: a list is not a mapping of keys to values"],
        ),
        (VALID + "name: 2024\n", ['haystack.yaml:4: name: 2024 is not text; write "2024"']),
        (VALID + "name: true\n", ['haystack.yaml:4: name: true is not text; write "true"']),
        (
            VALID + "name: a b\n",
            [
                (
                    "haystack.yaml:4: name: 'a b' is not usable as an id; use letters, digits, '.', '_' and '-', "
                    "with a letter or digit first; write a-b"
                )
            ],
        ),
        (
            VALID + f"name: {'a' * 81}\n",
            [f"haystack.yaml:4: name: '{'a' * 39}...{'a' * 15}' is longer than 80 characters"],
        ),
        (
            VALID + "threshold: 90\n",
            ["haystack.yaml:4: threshold: 90 is too large; must be at most 1; did you mean 0.9?"],
        ),
        (VALID + "threshold: -1\n", ["haystack.yaml:4: threshold: -1 is too small; must be at least 0"]),
        (VALID + "threshold: high\n", ["haystack.yaml:4: threshold: 'high' is not a number"]),
        (VALID + "threshold: true\n", ["haystack.yaml:4: threshold: true is not a number"]),
        (VALID + "threshold: .nan\n", ["haystack.yaml:4: threshold: '.nan' is not a number"]),
        (
            VALID + "tokenizer: cl100k\n",
            ["haystack.yaml:4: tokenizer: 'cl100k' is no known tokenizer; did you mean 'cl100k_base'?"],
        ),
        (
            VALID + "prompt: tersely\n",
            ["haystack.yaml:4: prompt: 'tersely' is no known prompt preset; did you mean 'terse'?"],
        ),
        (
            VALID + "prompt: '{{ document }} {{ question }}'\n",
            [
                (
                    "haystack.yaml:4: prompt: a text here is the name of a preset; for wording of your own write "
                    "{template: ...}"
                )
            ],
        ),
        (
            VALID + "prompt: {preset: terse, template: x}\n",
            ["haystack.yaml:4: prompt: give either preset or template, not both"],
        ),
        (
            VALID + "haystack: shelv\n",
            ["haystack.yaml:4: haystack: 'shelv' is no known haystack source; did you mean 'shelf'?"],
        ),
        (
            VALID + "haystack:\n  source: shelv\n",
            ["haystack.yaml:5: haystack.source: 'shelv' is no known haystack source; did you mean 'shelf'?"],
        ),
        (VALID + "haystack: {source: shelf}\n", ["haystack.yaml:4: haystack: missing key 'path'"]),
        (
            VALID + "haystack: {source: shelf, pth: x, limit: x}\n",
            [
                "haystack.yaml:4: haystack.limit: 'x' is not a whole number",
                "haystack.yaml:4: haystack.pth: unknown key; did you mean 'path'?",
            ],
        ),
    ],
)
def test_mistakes_at_the_top(problems, text, lines):
    assert sorted(problems(text)) == lines


def sweep_problems(problems, sweep: str) -> list[str]:
    return [line.removeprefix("haystack.yaml:3: sweep") for line in problems(HEAD + TASKS + f"sweep: {{{sweep}}}\n")]


@pytest.mark.parametrize(
    ("lengths", "words"),
    [
        ("4000", ": 4000 is not a list or a mapping of keys to values; write [4000]"),
        ("4k", ": '4k' is not a list or a mapping of keys to values; write [4000]"),
        ("[]", ": the list is empty"),
        ("[4k]", ".0: '4k' is not a number of tokens; write 4000"),
        ("[1000, 128K]", ".1: '128K' is not a number of tokens; write 128000"),
        ("[1.5M]", ".0: '1.5M' is not a number of tokens; write 1500000"),
        ("['32,000 tokens']", ".0: '32,000 tokens' is not a number of tokens; write 32000"),
        ("[12:30]", ".0: '12:30' is not a number of tokens"),
        ("[on]", ".0: 'on' is not a number of tokens"),
        ("[true]", ".0: true is not a number of tokens"),
        ("[1000.5]", ".0: 1000.5 is not a number of tokens"),
        ("[0]", ".0: 0 is too small; must be more than 0"),
        ("[2000000000]", ".0: 2000000000 is too large; must be at most 1000000000"),
        ("[null]", ".0: has no value; expected a number of tokens"),
        ("[500, 500]", ": 500 is listed twice"),
        ("{min: 1, max: 5}", ": missing key 'num'"),
        ("{min: 9, max: 5, num: 2}", ": min 9 is more than max 5"),
        ("{min: 1, max: 5, num: 0}", ".num: 0 is too small; must be at least 1"),
        ("{min: 1, max: 5, num: x}", ".num: 'x' is not a whole number"),
        ("{min: 1, max: 5, num: 2, sclae: log}", ".sclae: unknown key; did you mean 'scale'?"),
        ("{min: 1k, max: 5, num: 2}", ".min: '1k' is not a number of tokens; write 1000"),
    ],
)
def test_mistakes_in_lengths_are_told_for_the_form_that_was_meant(problems, lengths, words):
    found = sweep_problems(problems, f"depth_percents: [1], context_lengths: {lengths}")
    assert found == [f".context_lengths{words}"]


@pytest.mark.parametrize(
    ("depths", "words"),
    [
        ("[150]", ".0: 150 is too large; must be at most 100"),
        ("[50%]", ".0: '50%' is not a number; write 50"),
        ("[50, 50.001]", ": 50 is listed twice"),
        ("{min: 60, max: 40}", ": min 60 is more than max 40"),
        ("{scale: 3}", ".scale: 3 is not one of linear, log, sigmoid"),
        ("{num: 1e9}", ".num: 1000000000.0 is too large; must be at most 10000"),
    ],
)
def test_mistakes_in_depths(problems, depths, words):
    found = sweep_problems(problems, f"context_lengths: [1], depth_percents: {depths}")
    assert found == [f".depth_percents{words}"]


@pytest.mark.parametrize(
    ("more", "found"),
    [
        ("trials: yes", [".trials: 'yes' is not a whole number or a mapping of keys to values"]),
        ("trials: 0", [".trials: 0 is too small; must be at least 1"]),
        ("trials: 1.5", [".trials: 1.5 is not a whole number or a mapping of keys to values"]),
        ("reserve: atuo", [".reserve: 'atuo' is not 'auto' or a number of tokens; did you mean 'auto'?"]),
        ("reserve: -5", [".reserve: -5 is too small; must be at least 0"]),
        ("seeds: []", [".seeds: the list is empty"]),
        ("seeds: [1, 2, 1]", [".seeds.2: 1 is listed twice"]),
        ("seeds: [1, 2], trials: 3", [".trials: sweep.seeds gives one trial each, which makes 2; leave trials out"]),
        ("depth_tolerance: 0", [".depth_tolerance: 0 is too small; must be more than 0"]),
    ],
)
def test_mistakes_in_the_rest_of_the_sweep(problems, more, found):
    assert sweep_problems(problems, f"context_lengths: [1], depth_percents: [1], {more}") == found


def task_problems(problems, tasks: str) -> list[str]:
    return [line.removeprefix("haystack.yaml:3: tasks") for line in problems(HEAD + SWEEP + f"tasks: {tasks}\n")]


@pytest.mark.parametrize(
    ("tasks", "found"),
    [
        ("[cuont]", [".0: 'cuont' is no known task; did you mean 'count'?"]),
        ("[{type: cuont}]", [".0.type: 'cuont' is no known task; did you mean 'count'?"]),
        ("[{id: x}]", [".0: missing key 'type'"]),
        ("[{type: 5}]", ['.0.type: 5 is not text; write "5"']),
        ("[5]", [".0: 5 is not a mapping of keys to values"]),
        ("[count, count]", [".1: 'count' is already the id of tasks.0 (line 3); give each its own id"]),
        (
            "[count, {id: count, type: plain}]",
            [".1.id: 'count' is already the id of tasks.0 (line 3); give each its own id"],
        ),
        ("[{type: count, neddles: 5}]", [".0.neddles: unknown key; did you mean 'needles'?"]),
        ("[{type: count, treshold: 1}]", [".0.treshold: unknown key; did you mean 'threshold'?"]),
        (
            "[{type: plain, options: {a: 1}}]",
            [
                (
                    ".0.options: unknown key; known: id, type, family, variant, scorer, prompt, haystack, threshold, "
                    "trials, context_lengths, depth_percents"
                )
            ],
        ),
        ("[{type: count, needles: 0}]", [".0.needles: 0 is too small; must be at least 1"]),
        ("[{type: count, needles: true}]", [".0.needles: true is not a whole number"]),
        ("[{type: count, flag: maybe}]", [".0.flag: 'maybe' is not true or false"]),
        ("[{type: count, words: 5}]", [".0.words: 5 is not a list; write [5]"]),
        ("[{type: count, words: [a, 5]}]", ['.0.words.1: 5 is not text; write "5"']),
        ("[{type: count, width: wide}]", [".0.width: 'wide' is not a number or a list"]),
        ("[{type: count, width: [1, wide]}]", [".0.width.1: 'wide' is not a number"]),
        ("[{type: count, order: chaos}]", [".0.order: chaos is no order"]),
        ("[{type: count, order: up}]", [".0.order: 'up' is no known order"]),
        ("[{type: count, needles: 101}]", [".0: 101 needles are too many"]),
        ("[{type: count, scorer: valeu}]", [".0.scorer: 'valeu' is no known scorer; did you mean 'value'?"]),
        (
            "[{type: count, scorer: {type: valeu}}]",
            [".0.scorer.type: 'valeu' is no known scorer; did you mean 'value'?"],
        ),
        ("[{type: count, scorer: {rel_tol: 1}}]", [".0.scorer: missing key 'name'"]),
        (
            "[{type: count, scorer: {name: value, rel_tol: 1, options: {rel_tol: 2}}}]",
            [".0.scorer.options.rel_tol: this key also stands beside the scorer's name; keep one"],
        ),
        (
            "[{type: count, scorer: {name: value, options: 5}}]",
            [".0.scorer.options: 5 is not a mapping of keys to values"],
        ),
        ("[{type: count, prompt: tersse}]", [".0.prompt: 'tersse' is no known prompt preset; did you mean 'terse'?"]),
        (
            "[{type: count, haystack: {source: shelf}}]",
            [".0.haystack: missing key 'path'"],
        ),
        (
            "[{type: count, context_lengths: [4k]}]",
            [".0.context_lengths.0: '4k' is not a number of tokens; write 4000"],
        ),
        (
            "[{type: count, context_lengths: {min: 5, max: 4, num: 2}}]",
            [".0.context_lengths: min 5 is more than max 4"],
        ),
    ],
)
def test_mistakes_in_tasks(problems, tasks, found):
    assert task_problems(problems, tasks) == found


def model_problems(problems, models: str, **more) -> list[str]:
    return [line.removeprefix("haystack.yaml:3: ") for line in problems(SWEEP + TASKS + f"models: {models}\n", **more)]


@pytest.mark.parametrize(
    ("models", "found"),
    [
        ("[{model: tame/dog}]", ["models.0.model: 'tame/dog' has no such profile; known: cat"]),
        ("[{model: ''}]", ["models.0.model: is empty"]),
        ("[{model: '///'}]", ["models.0: missing key 'id'"]),
        (
            "[{model: a/x}, {model: b/x}]",
            ["models.1: 'x' is already the id of models.0 (line 3); give each its own id"],
        ),
        (
            "[{model: a/x, context_window: 128k}]",
            ["models.0.context_window: '128k' is not a number of tokens; write 128000"],
        ),
        ("[{model: a/x, pricing: {input: 1}}]", ["models.0.pricing: missing key 'output'"]),
        ("[{model: a/x, limits: {timeout: 0}}]", ["models.0.limits.timeout: 0 is too small; must be more than 0"]),
        ("[{model: a/x, request: [1]}]", ["models.0.request: a list is not a mapping of keys to values"]),
        (
            "[{model: a/x, api_key_env: A-B}]",
            ["models.0.api_key_env: 'A-B' is not the name of an environment variable"],
        ),
        (
            "[openai/gpt-4o]",
            [
                (
                    "models.0: 'openai/gpt-4o': no such file (a text in this list is the path of a model file); for a "
                    "model write {model: openai/gpt-4o}"
                )
            ],
        ),
        (
            "[gone.yaml]",
            ["models.0: 'gone.yaml': no such file (a text in this list is the path of a model file)"],
        ),
    ],
)
def test_mistakes_in_models(problems, models, found):
    assert model_problems(problems, models) == found


def test_mistakes_in_a_model_file_carry_its_name_and_lines(problems):
    files = {
        "shared/one.yaml": "model: a/x\nthresold: 1\nthreshold: x\nid: p\nid: q\n",
        "shared/two.yaml": "model: [",
        "shared/three.yaml": "- model: a/z\n",
        "shared/four.yaml": "model: a/w\nrequest:\n  api_key: 'sk-abcdefghijklmnop'\n",
    }
    models = "[shared/one.yaml, shared/two.yaml, shared/three.yaml, shared/four.yaml]"
    assert model_problems(problems, models, files=files) == [
        "shared/two.yaml:1: the file ends where a value is expected",
        "shared/three.yaml:1: must hold one model entry: keys such as model and id",
        "shared/one.yaml:2: thresold: unknown key; did you mean 'threshold'?",
        "shared/one.yaml:3: threshold: 'x' is not a number",
        "shared/one.yaml:5: id: this key is already on line 4; keep one",
        (
            "shared/four.yaml:3: request.api_key: looks like a key or a password; keep it out of the file: export it, "
            "and write 'api_key_env: NAME' on the model, or ${NAME} here"
        ),
    ]


def test_all_mistakes_of_a_file_come_in_the_order_of_their_lines(problems):
    text = (
        "tasks:\n  - cuont\n  - {type: plain, x: 1}\nsweep:\n  depth_percents: [500]\n  trials: many\n"
        "models:\n  - {model: tame/dog}\n  - {model: a/b, c: 1}\nprompt: none\n"
    )
    lines = problems(text)
    assert [line.split(": ")[0] for line in lines] == [f"haystack.yaml:{line}" for line in (2, 3, 4, 5, 6, 8, 9, 10)]


def test_no_message_speaks_the_library_s_language(problems):
    text = (
        "models: [{model: a/b, request: 1, limits: [], pricing: {input: x, output: {}}}, 5]\n"
        "sweep: {context_lengths: {min: []}, depth_percents: [{}], reserve: {}, seeds: {}, seed: []}\n"
        "tasks: [{type: count, needles: [], order: {}, width: {}, flag: [], words: {}}]\n"
        "known_failures: {}\nreport: 5\nprompt: 5\nhaystack: 5\ntokenizer: []\n"
    )
    lines = problems(text)
    assert len(lines) == 22
    for line in lines:
        for jargon in ("Input", "input should", "dict", "instance", "NoneType", "valid", "Config", "Entry", "pydantic"):
            assert jargon not in line.split(": ", 1)[1]
