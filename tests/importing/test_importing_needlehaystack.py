"""Run configs and model files of needlehaystack 2, turned into sweep files."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_haystack.registry import Registry
from pytest_haystack.running.workbench import load_bench
from tests.importing.conftest import Run, write

MODEL = """\
id: served one
agent: {MAX_ACTIONS: 5}
runtime: {sdk: openai-python, api: chat_completions, state: manual_rolling}
client: {api_key_env: SERVED_KEY, base_url_env: NIAH_BASE, organization: acme}
request: {model: qwen-3, max_tokens: 12_000, temperature: 0.0, stream: true, thinking: {effort: low}}
pricing: {input: 2.5, output: 10}
"""

RUN = """\
run_name: "night run: 1"
model: served
task: {type: uuid_chain, chain_length: 6, snap_to_periods: true}
haystack: {type: files, path: PaulGrahamEssays}
sweep:
  context_lengths: {min: 2000, max: 32_000, num: 8, scale: linear}
  depth_percents: {min: 0, max: 100, num: 11, scale: sigmoid}
  seeds: [1, 2, 3]
runner: {concurrency: 2, retries: 4, sleep_between_seconds: 0.0, resume: yes}
store: {type: jsonl, path: results/night.jsonl}
"""


def bare(task: str, more: str = "") -> str:
    """A run config around a task."""
    sweep = "sweep: {context_lengths: [1000], depth_percents: [0, 50]}"
    return f"run_name: r\nmodel: m\ntask: {task}\nhaystack: {{type: files}}\n{sweep}\nstore: {{path: r.jsonl}}\n{more}"


def test_a_run_config_with_its_model_file_becomes_the_same_sweep(turn: Run) -> None:
    write("configs/models/served.yaml", MODEL)
    outcome = turn(RUN)

    assert outcome.code == 0
    assert outcome.settings == {
        "name": "night-run-1",
        "models": [
            {
                "id": "served-one",
                "model": "openai/qwen-3",
                "api_key_env": "SERVED_KEY",
                "api_base": "${NIAH_BASE}",
                "request": {"max_tokens": 12000, "temperature": 0.0, "thinking": {"effort": "low"}},
                "pricing": {"input": 2.5, "output": 10},
                "limits": {"in_flight": 2, "retries": 4},
            }
        ],
        "haystack": {"source": "essays"},
        "sweep": {
            "context_lengths": {"min": 2000, "max": 32000, "num": 8, "scale": "linear"},
            "depth_percents": {"min": 0, "max": 100, "num": 11, "scale": "sigmoid"},
            "seeds": [1, 2, 3],
        },
        "tasks": [{"type": "uuid_chain", "chain_length": 5, "decoys": 0, "placement": "even_spread"}],
        "threshold": 0,
        "report": {"dir": "results/night"},
    }
    assert outcome.notes().keys() == {
        "model served.yaml.client.base_url_env",
        "model served.yaml.client.organization",
        "model served.yaml.request.stream",
        "model served.yaml.agent",
        "runner.resume",
        "haystack.path",
        "task.type",
        "store.path",
    }


def test_the_file_that_is_written_can_be_planned_and_names_what_is_missing(
    turn: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NIAH_BASE", "http://127.0.0.1:9/v1")
    write("elsewhere/served.yaml", MODEL)
    outcome = turn(RUN, "-o", "sweep.yaml", "--model-dir", "elsewhere")

    assert (outcome.code, outcome.text) == (0, "")
    assert outcome.told[-1] == "Wrote sweep.yaml. Look at it, then run it: pytest --haystack-config sweep.yaml"
    assert "model served.yaml.client.base_url_env" not in outcome.notes()
    assert len(load_bench(Path("sweep.yaml").absolute(), Registry(), ()).cells) == 88
    text = Path("sweep.yaml").read_text(encoding="utf-8")
    assert all(f"# - {line.removeprefix('not carried over: ')}" in text for line in outcome.told[:-1])


def test_a_file_that_exists_is_never_written_over(turn: Run) -> None:
    kept = write("mine.yaml", "precious")
    outcome = turn(bare("{type: uuid}"), "-o", "mine.yaml")

    assert (outcome.code, outcome.told) == (4, ["mine.yaml: exists already; name another file"])
    assert kept.read_text() == "precious"
    assert turn(bare("{type: uuid}"), "-o", "no/such.yaml").told == ["no: no such folder"]


@pytest.mark.parametrize(
    ("runtime", "model"),
    [
        ("{sdk: openai-python, api: chat_completions}", "openai/big"),
        ("{sdk: anthropic-python, api: messages}", "anthropic/big"),
        ("{sdk: cohere-python, api: chat}", "cohere_chat/big"),
        ("{sdk: fake, api: fake}", "simulated/perfect"),
        ("{sdk: acme, api: v9, state: kept}", "simulated/perfect"),
    ],
)
def test_each_sdk_has_its_provider_and_an_unknown_one_a_stand_in(turn: Run, runtime: str, model: str) -> None:
    write("configs/models/m.yaml", f"id: m\nruntime: {runtime}\nrequest: {{model: big, top_p: 0.5}}\n")
    outcome = turn(bare("{type: uuid}"))
    (entry,) = outcome.settings["models"]

    assert entry["model"] == model
    stands_in = model.startswith("simulated/")
    assert entry.get("request") == (None if stands_in else {"top_p": 0.5})
    assert ("model m.yaml.runtime.sdk" in outcome.notes()) == stands_in
    assert ("model m.yaml.request.top_p" in outcome.notes()) == stands_in


def test_a_model_that_is_nowhere_is_told_and_the_embedded_reader_stands_in(turn: Run) -> None:
    outcome = turn(bare("{type: uuid}"))

    assert outcome.settings["models"] == [{"id": "m", "model": "simulated/perfect"}]
    assert "--model-dir" in outcome.notes()["model"]


def test_a_key_in_the_place_of_its_name_is_neither_carried_over_nor_shown(turn: Run) -> None:
    key = "sk-" + "q7" * 24
    write("configs/models/m.yaml", MODEL.replace("SERVED_KEY", key))
    outcome = turn(bare("{type: uuid}"))

    assert "api_key_env" not in outcome.settings["models"][0]
    assert "never the key" in outcome.notes()["model m.yaml.client.api_key_env"]
    assert key not in outcome.text + "".join(outcome.told)


def test_sentences_of_ones_own_stay_and_the_famous_ones_do_not(turn: Run) -> None:
    own = "needle_text: 'The {lamp} costs ${X}.', question_template: 'What costs?', expected_answer: the lamp"
    assert turn(bare(f"{{type: single, {own}}}")).settings["tasks"] == [
        {
            "type": "single",
            # A dollar and a brace would be a variable here.
            "fixed": [{"needle": "The {lamp} costs $${X}.", "question": "What costs?", "answer": "the lamp"}],
            "rotate": False,
            "scorer": "substring",
        }
    ]

    outcome = turn(bare("{type: single}"))
    assert outcome.settings["tasks"] == [{"type": "single"}]
    assert "training data" in outcome.notes()["task.needle_text"]


def test_several_needles_share_their_question(turn: Run) -> None:
    parts = "needle_texts: [One is a., Two is b.], expected_fragments: [a, b]"
    (task,) = turn(bare(f"{{type: multi, {parts}, question_template: 'Which?'}}")).settings["tasks"]
    assert (task["needles"], task["placement"], len(task["fixed"])) == (2, "even_spread", 2)
    assert {entry["question"] for entry in task["fixed"]} == {"Which?"}

    lopsided = turn(bare("{type: multi, needle_texts: [One is a., Two is b.], expected_fragments: [a]}"))
    assert "fixed" not in lopsided.settings["tasks"][0]
    assert "task.expected_fragments" in lopsided.notes()
    assert turn(bare("{type: multi}")).settings["tasks"][0]["needles"] == 3


def test_a_template_for_an_identifier_becomes_one_here_with_odd_characters_as_they_stand(turn: Run) -> None:
    template = "{type: uuid, needle_template: 'A {{b}} {{% {uuid} and {{# too.', question_template: 'What {{is}} it?'}"
    assert turn(bare(template), "-o", "uuid.yaml").code == 0
    bench = load_bench(Path("uuid.yaml").absolute(), Registry(), ())
    (needle,) = bench.material(bench.cells[0]).needles

    assert needle.statement == f"A {{b}} {{% {needle.expected} and {{# too."
    assert needle.question == "What {{is}} it?"


@pytest.mark.parametrize("template", ["no place for it", "{uuid} of {owner}", "a lone { and {uuid}", "{0} {uuid}"])
def test_a_template_that_cannot_be_one_here_is_told(turn: Run, template: str) -> None:
    outcome = turn(bare(f"{{type: uuid, needle_template: '{template}', question_template: 'What is it?'}}"))

    assert outcome.settings["tasks"] == [{"type": "uuid", "scorer": "substring"}]
    assert "task.needle_template" in outcome.notes()


def test_a_folder_of_texts_is_read_from_where_the_sweep_file_will_be(turn: Run) -> None:
    write("texts/one.txt", "Some text. " * 400)
    write("evals/keep", "")
    config = bare("{type: uuid}").replace("{type: files}", "{type: files, path: texts}")
    assert turn(config).settings["haystack"] == {"source": "files", "path": "texts/*.txt"}

    assert turn(config, "-o", "evals/sweep.yaml").code == 0
    bench = load_bench(Path("evals/sweep.yaml").absolute(), Registry(), ())
    assert "Some text." in bench.material(bench.cells[0]).document.text


@pytest.mark.parametrize(
    ("sweep", "expected"),
    [
        ("context_lengths: [1000.0, 2000, 1000], depth_percents: [0]", {"context_lengths": [1000, 2000]}),
        (
            "context_lengths: {min: 1000.0, max: 2e3, num: 2}, depth_percents: [0]",
            {"context_lengths": {"min": 1000, "max": 2000, "num": 2}},
        ),
        ("context_lengths: [900], depth_percents: [12.5], seeds: [null]", {"depth_percents": [12.5]}),
        ("context_lengths: [900], depth_percents: [1], seeds: [null, 7, 7]", {"seeds": [7]}),
    ],
)
def test_odd_axes_come_out_as_axes(turn: Run, sweep: str, expected: dict[str, object]) -> None:
    config = bare("{type: uuid}").replace("context_lengths: [1000], depth_percents: [0, 50]", sweep)
    made = turn(config).settings["sweep"]

    assert {key: made[key] for key in expected} == expected
    assert ("seeds" in made) == ("seeds" in expected)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (bare("{type: aliens}"), "theirs.yaml: task.type: 'aliens' is a task of somebody's own; only single, multi"),
        (bare("{type: uuid_chain, chain_length: 1}"), "theirs.yaml: task.chain_length: must be a number"),
        (bare("{type: uuid}").replace("[1000]", "[-4]"), "theirs.yaml: cannot be turned, as a sweep cannot have"),
        (bare("{type: uuid}").replace("[0, 50]", "[0, 150]"), "theirs.yaml: cannot be turned, as a sweep cannot have"),
        (bare("{type: uuid}").replace("[1000]", "4k"), "theirs.yaml: sweep.context_lengths: must be a list"),
        (bare("{type: uuid}").replace("{type: files}", "essays"), "theirs.yaml: haystack: must be a mapping"),
        (MODEL, "theirs.yaml: is a model file of needlehaystack 2; give the run config that names it"),
    ],
)
def test_what_cannot_be_a_sweep_is_one_clear_line(turn: Run, text: str, told: str) -> None:
    outcome = turn(text)

    assert (outcome.code, outcome.text, len(outcome.told)) == (4, "", 1)
    assert outcome.told[0].startswith(told)
