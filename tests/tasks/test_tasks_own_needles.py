"""Needles of one's own in single and multi: files, templates, turns, mistakes, and the resolved config."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pytest_haystack.config.json_schema import json_schema
from pytest_haystack.config.loader import LoadedConfig, load_config
from pytest_haystack.config.resolved import resolved_yaml
from pytest_haystack.errors import ConfigError
from pytest_haystack.registry import Registry
from pytest_haystack.running.prompts import PRESETS
from pytest_haystack.running.workbench import Workbench
from tests.tasks.benches import check_length, scored

ENTRIES = [
    {
        "needle": "The red gate, they say, opens at seven.",
        "question": "When does the red gate open?",
        "answer": "at seven",
    },
    {"needle": 'The sign reads "Löwe 🦁".', "question": "What does the sign read?", "answer": "Löwe 🦁"},
    {"needle": "The cat sleeps in the piano.", "question": "Where does the cat sleep?", "answer": "in the piano"},
]

HEAD = """\
models: [{id: reader, model: simulated/perfect}]
haystack: essays
sweep: {context_lengths: [600, 900], depth_percents: [0, 50, 100], trials: 2}
tasks:
"""


def as_csv(entries: list[dict[str, str]]) -> str:
    file = io.StringIO()
    writer = csv.DictWriter(file, ["needle", "question", "answer"])
    writer.writeheader()
    writer.writerows(entries)
    return file.getvalue()


LIBRARIES = {
    "facts.yaml": "".join(f"- {json.dumps(entry, ensure_ascii=False)}\n" for entry in ENTRIES),
    "facts.json": json.dumps(ENTRIES, indent="\t"),
    "facts.csv": as_csv(ENTRIES),
}


@pytest.fixture
def load(tmp_path: Path) -> Any:
    def load(tasks: str, name: str = "haystack.yaml", **files: str) -> LoadedConfig:
        for other, content in files.items():
            (tmp_path / other.replace("__", ".")).write_text(content, encoding="utf-8")
        path = tmp_path / name
        path.write_text(HEAD + tasks, encoding="utf-8")
        return load_config(path, Registry(), presets=tuple(PRESETS))

    return load


def told(load: Any, tasks: str, **files: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        load(tasks, **files)
    return list(caught.value.problems)


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_library_is_gone_through_from_cell_to_cell_whatever_its_format(load: Any, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(LIBRARIES[name], encoding="utf-8")
    bench = Workbench(load(f"- {{type: single, library: {name}}}\n"), Registry())
    seen = []
    for cell in bench.cells:
        for trial in range(cell.trials):
            material = bench.material(cell, trial)
            check_length(bench, cell, material)
            (needle,) = material.needles
            entry = next(entry for entry in ENTRIES if entry["needle"] == needle.statement)
            assert (material.ask.question, material.ask.expected) == (entry["question"], entry["answer"])
            assert material.document.text.count(entry["needle"]) == 1
            assert scored(bench, cell, trial, material, entry["answer"]).score == 1.0
            seen.append(needle.statement)

    assert len(seen) == 12
    assert set(Counter(seen).values()) == {4}


def test_where_a_library_begins_is_given_by_seed_and_trial(load: Any) -> None:
    def first(seed: int, trial: int, trials: str = "") -> str:
        text = f"- {{type: single, library: facts.json{trials}}}\n"
        loaded = load(text, facts__json=LIBRARIES["facts.json"])
        sweep = loaded.config.sweep.model_copy(update={"seed": seed})
        bench = Workbench(
            LoadedConfig(
                loaded.config.model_copy(update={"sweep": sweep}), loaded.path, loaded.lines, (), loaded.sha256
            ),
            Registry(),
        )
        return bench.material(bench.cells[0], trial).needles[0].statement

    assert first(1, 0) == ENTRIES[1]["needle"]
    assert first(2, 0) == first(1, 1) == ENTRIES[2]["needle"]
    assert first(3, 0) == first(2, 1) == ENTRIES[0]["needle"]


def test_several_needles_of_a_library_are_asked_for_at_once(load: Any) -> None:
    loaded = load("- {type: multi, needles: 2, library: facts.yaml}\n", facts__yaml=LIBRARIES["facts.yaml"])
    bench = Workbench(loaded, Registry())
    cell = bench.cells[0]
    material = bench.material(cell, 0)

    assert len({needle.statement for needle in material.needles}) == 2
    assert all(needle.question in material.ask.question for needle in material.needles)
    assert scored(bench, cell, 0, material, ", ".join(material.ask.expected)).score == 1.0  # type: ignore[arg-type]
    assert scored(bench, cell, 0, material, material.needles[0].expected).score == 0.5


@pytest.mark.parametrize("name", LIBRARIES)
def test_the_resolved_config_holds_the_entries_and_needs_no_file(load: Any, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(LIBRARIES[name], encoding="utf-8")
    loaded = load(f"- {{type: single, library: {name}}}\n")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    path = elsewhere / "config.resolved.yaml"
    path.write_text(resolved_yaml(loaded), encoding="utf-8")
    again = load_config(path, Registry(), presets=tuple(PRESETS))

    assert again.config.tasks[0].options["library"] == ENTRIES
    assert again.config.tasks == loaded.config.tasks
    prompts = [Workbench(one, Registry()) for one in (loaded, again)]
    assert prompts[0].material(prompts[0].cells[0]).prompt == prompts[1].material(prompts[1].cells[0]).prompt


def test_a_template_gives_a_fresh_needle_in_every_cell_and_trial(load: Any) -> None:
    loaded = load(
        """\
- type: multi
  needles: 2
  needle:
    template: "The code of {{ entity }} is {{ code }}."
    question: "What is the code of {{ entity }}?"
    answer: "{{ code }}"
    variables:
      entity: {type: wordlist, values: [Vault A, Vault B, Vault C]}
      code: {type: random_hex, length: 8}
"""
    )
    bench = Workbench(loaded, Registry())
    materials = [(cell, trial, bench.material(cell, trial)) for cell in bench.cells for trial in range(cell.trials)]

    assert len({needle.expected for _, _, material in materials for needle in material.needles}) == 2 * len(materials)
    for cell, trial, material in materials:
        check_length(bench, cell, material)
        assert all(material.document.text.count(needle.expected) == 1 for needle in material.needles)
        assert scored(bench, cell, trial, material, " ".join(material.ask.expected)).score == 1.0  # type: ignore[arg-type]


def test_fixed_needles_are_the_same_everywhere_unless_they_rotate(load: Any) -> None:
    for rotate, number in (("false", 1), ("true", 3)):
        loaded = load(f"- {{type: single, rotate: {rotate}, fixed: {json.dumps(ENTRIES, ensure_ascii=False)}}}\n")
        bench = Workbench(loaded, Registry())
        assert len({bench.material(cell).needles[0].statement for cell in bench.cells}) == number


BAD_CSV = 'needle,question,answr\nA.,B?,c\n\n"x\ny",,\n'
BAD_YAML = "- {needle: A., question: B, answer: c}\n- needle: A.\n  question: [B]\n  answer: c\n- text\n"


def test_mistakes_in_a_library_are_told_with_its_own_lines(load: Any) -> None:
    assert told(load, "- {type: single, library: facts.csv}\n", facts__csv=BAD_CSV) == [
        "facts.csv:2: 0.answr: unknown key; did you mean 'answer'?",
        "facts.csv:4: 1.question: is empty",
        "facts.csv:4: 1.answr: unknown key; did you mean 'answer'?",
    ]
    assert told(load, "- {type: single, library: facts.yaml}\n", facts__yaml=BAD_YAML) == [
        "facts.yaml:3: 1.question: a list is not text",
        "facts.yaml:5: 2: 'text' is not a mapping of keys to values",
    ]
    json_text = json.dumps([ENTRIES[0], {**ENTRIES[1], "answer": ""}], indent=1)
    assert told(load, "- {type: single, library: facts.json}\n", facts__json=json_text) == [
        "facts.json:7: 1.answer: is empty"
    ]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("facts.json", '[{"needle": 1,]', "facts.json:1: not JSON: "),
        ("facts.json", '{"needle": "A."}', "facts.json:1: must hold a list of entries"),
        ("facts.yaml", "needle: A.\n", "facts.yaml:1: must hold a list of entries"),
        ("facts.yaml", "- [\n", "facts.yaml:"),
        ("facts.csv", 'needle,question,answer\n"A.,B?,c\n', "facts.csv:2: not CSV: "),
        (
            "facts.csv",
            "needle,question,answer\nA, b.,B?,c\n",
            "facts.csv:2: 4 fields, but the header has 3; quote commas",
        ),
        ("facts.csv", "", "facts.csv:1: the list is empty"),
        ("facts.csv", "needle,question,answer\n", "facts.csv:1: the list is empty"),
        ("facts.yaml", "", "facts.yaml:1: must hold a list of entries"),
    ],
)
def test_a_file_that_is_no_library_is_refused(load: Any, tmp_path: Path, name: str, content: str, words: str) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    lines = told(load, f"- {{type: single, library: {name}}}\n")

    assert len(lines) == 1
    assert lines[0].startswith(words)


@pytest.mark.parametrize(
    ("task", "words"),
    [
        (
            "- {type: single, library: none.yaml}",
            "haystack.yaml:5: tasks.0.library: 'none.yaml': no such file (a text here is the path of a file)",
        ),
        (
            "- type: multi\n  fixed:\n  - {needle: A., question: B, answer: c}",
            "haystack.yaml:5: tasks.0: 5 needles are to be hidden, but fixed has 1; lower needles",
        ),
        (
            (
                "- type: single\n  needle:\n    template: '{{ a }}'\n    question: B?\n    answer: '{{ b }}'\n"
                "    variables:\n      a: {type: uuid}"
            ),
            "haystack.yaml:9: tasks.0.needle.answer: unknown variable 'b'; known: a",
        ),
        (
            (
                "- type: single\n  needle:\n    template: A.\n    question: B?\n    answer: c\n"
                "    variables:\n      a: {type: uuid}"
            ),
            (
                "haystack.yaml:11: tasks.0.needle.variables.a: variable 'a' is used in none of template, "
                "question, answer; remove it"
            ),
        ),
        (
            (
                "- type: single\n  needle:\n    template: '{{ a }}'\n    question: B?\n    answer: c\n"
                "    variables:\n      a: {type: random_hx}"
            ),
            (
                "haystack.yaml:11: tasks.0.needle.variables.a.type: 'random_hx' is not one of wordlist, random_int, "
                "random_float, random_hex, random_word, uuid, date; did you mean 'random_hex'?"
            ),
        ),
        (
            "- {type: uuid, library: facts.yaml}",
            "haystack.yaml:5: tasks.0.library: unknown key; ",
        ),
    ],
)
def test_mistakes_are_told_at_their_line(load: Any, task: str, words: str) -> None:
    (line,) = told(load, task)

    assert line.startswith(words)


def test_the_schema_for_editors_takes_a_path_or_the_entries() -> None:
    import jsonschema

    schema = json_schema(Registry())
    good = [
        {"type": "single", "library": "facts.csv"},
        {"type": "single", "library": ENTRIES},
        {"type": "multi", "needle": {"template": "A.", "question": "B?", "answer": "c"}},
    ]
    config = {
        "models": [{"model": "simulated/perfect"}],
        "sweep": {"context_lengths": [100], "depth_percents": [0]},
    }

    jsonschema.validate({**config, "tasks": good}, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**config, "tasks": [{"type": "single", "library": 3}]}, schema)
