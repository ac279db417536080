"""Haystack texts through the front door: languages and domains, order, offset, window, and what is told beforehand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_haystack.errors import HaystackError
from pytest_haystack.registry import Registry
from pytest_haystack.running.haystack_notes import haystack_notes
from pytest_haystack.running.reconstruction import pick_row, rebuild_prompt
from pytest_haystack.running.workbench import load_bench

#: A report from before the synthetic text had versions.
RECORDED = Path(__file__).parents[1] / "golden" / "rows-of-synthetic-1"
CONFIG = """\
models: [{model: simulated/perfect}]
haystack: HAYSTACK
sweep: {context_lengths: [LENGTHS], depth_percents: [0, 30, 50, 100]}
tasks: [single]
"""
#: Facts, questions and things that they are about, in the language of the text.
FACTS = {
    "de": ("Der Code der Anlage {{ name }} ist {{ code }}.", "Was ist der Code der Anlage {{ name }}?", "Zorvenal"),
    "zh": ("{{ name }}号仓库的门禁代码是{{ code }}。", "{{ name }}号仓库的门禁代码是什么？", "琥珀"),
    "ar": ("رمز الدخول إلى مستودع {{ name }} هو {{ code }}.", "ما رمز الدخول إلى مستودع {{ name }}؟", "زمردة"),
}  # fmt: skip


def config(haystack: str, lengths: str = "2000", needle: str = "") -> str:
    text = CONFIG.replace("HAYSTACK", haystack).replace("LENGTHS", lengths)
    return text.replace("[single]", f"[{{type: single, needle: {needle}}}]") if needle else text


def rebuilt(rows: Path, number: int, config: Path | None = None) -> str:
    """SHA-256 of the prompt that is rebuilt for a row (from 1)."""
    row = pick_row(rows, None, number, 0)
    return rebuild_prompt(rows, row, config, lambda _: Registry()).sha256


@pytest.mark.parametrize(
    ("language", "domain", "window"),
    [
        ("de", "legal", "shared"),
        ("zh", "medical", "sliding"),
        ("ar", "technical", "sliding"),
        ("ar", "general", "shared"),
    ],
)
def test_a_needle_is_found_in_text_of_its_own_language(
    write: Any, run: Any, rows: Any, language: str, domain: str, window: str
) -> None:
    statement, question, name = FACTS[language]
    needle = json.dumps(
        {
            "template": statement,
            "question": question,
            "answer": "{{ code }}",
            "variables": {
                "name": {"type": "wordlist", "values": [name]},
                "code": {"type": "random_int", "min": 100000, "max": 999999},
            },
        },
        ensure_ascii=False,
    )
    source = f"{{source: synthetic, language: {language}, domain: {domain}, window: {window}}}"
    write(config(source, "1000, 32000", needle))

    run().assert_outcomes(passed=8)

    for row in rows():
        assert row["recipe"]["haystack"]["source"] == "synthetic@2"
        assert row["recipe"]["haystack"]["options"] == {"language": language, "domain": domain, "seed": 42}
        assert row["recipe"]["document_tokens"] == row["context_length"]


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_rows_from_before_there_were_versions_are_rebuilt_byte_for_byte(number: int) -> None:
    row = json.loads((RECORDED / "results.jsonl").read_text().splitlines()[number - 1])
    assert row["recipe"]["haystack"]["source"] == "synthetic"
    assert row["recipe"]["haystack"]["options"] == {"seed": 7}

    assert rebuilt(RECORDED / "results.jsonl", number) == row["prompt_sha256"]


@pytest.mark.parametrize(
    ("haystack", "recorded"),
    [
        ("{source: essays, shuffle: documents}", {"shuffle": {"unit": "documents", "seed": 42}}),
        ("{source: essays, shuffle: {unit: paragraphs, seed: 7}}", {"shuffle": {"unit": "paragraphs", "seed": 7}}),
        ("{source: essays, offset: 5000}", {"offset": 5000}),
        ("{source: synthetic, language: zh, offset: 700, window: sliding}", {"offset": 700, "window": "sliding"}),
        ('{source: essays, separator: "\\n\\n* * *\\n\\n"}', {"parts": "documents", "separator": "\n\n* * *\n\n"}),
        ("{source: essays}", {}),
    ],
)
def test_rows_know_how_the_text_was_arranged_and_are_rebuilt(
    write: Any, run: Any, rows: Any, pytester: pytest.Pytester, haystack: str, recorded: dict[str, Any]
) -> None:
    write(config(haystack))
    run().assert_outcomes(passed=4)

    for number, row in enumerate(rows(), 1):
        told = row["recipe"]["haystack"]
        extra = {key: value for key, value in told.items() if key not in ("source", "sha256", "options", "separator")}
        assert extra | ({"separator": told["separator"]} if told["separator"] != "\n\n" else {}) == recorded
        assert row["recipe"]["document_tokens"] == 2000
        if number == 2:
            assert rebuilt(pytester.path / "haystack-report" / "results.jsonl", number) == row["prompt_sha256"]


def test_what_has_changed_about_the_arrangement_is_told(write: Any, run: Any, pytester: pytest.Pytester) -> None:
    write(config("{source: essays, offset: 900, shuffle: documents}"))
    run("-k", "depth50")
    path = write(config("{source: essays, window: sliding}"), "now.yaml")

    with pytest.raises(HaystackError) as raised:
        rebuilt(pytester.path / "haystack-report" / "results.jsonl", 1, path)

    told = str(raised.value)
    assert "haystack.shuffle was {'unit': 'documents', 'seed': 42}, now it is None" in told
    assert "haystack.offset was 900, now it is 0" in told
    assert "haystack.window was 'shared', now it is 'sliding'" in told


def test_rows_from_when_the_separator_stood_between_repetitions_alone_are_rebuilt(
    write: Any, run: Any, rows: Any, pytester: pytest.Pytester
) -> None:
    for name in ("a", "b"):
        (pytester.path / f"{name}.txt").write_text(f"The {name} text tells of a ferry and its owner. " * 30)
    write(config('{source: files, path: "*.txt", separator: "\\n***\\n"}', "300"))
    run("-k", "depth50")
    row = rows()[0]
    assert row["recipe"]["haystack"]["parts"] == "documents"
    del row["recipe"]["haystack"]["parts"]
    (pytester.path / "haystack-report" / "results.jsonl").write_text(json.dumps(row) + "\n")

    # 300 tokens end before the first text does: the same bytes either way.
    assert rebuilt(pytester.path / "haystack-report" / "results.jsonl", 1) == row["prompt_sha256"]


NOISE = "The grass is green. The sky is blue. Here we go. There and back again.\n"


@pytest.mark.parametrize("args", [(), ("--haystack-dry-run",), ("-n", "1")], ids=["run", "dry run", "workers"])
def test_a_text_in_which_a_needle_stands_out_is_told_once(
    write: Any, run: Any, pytester: pytest.Pytester, args: tuple[str, ...]
) -> None:
    (pytester.path / "noise.txt").write_text(NOISE * 100)
    write(config("{source: files, path: noise.txt}", "500, 4000"))

    result = run(*args)

    lines = [line for line in result.outlines if "note:" in line or "the text of files" in line]
    assert sum("the text of files repeats itself (9" in line or "itself (100%" in line for line in lines) == 1, lines
    assert sum("comes 2.1 times in documents of 4,000" in line for line in lines) == 1, lines


def test_validate_tells_it_and_ordinary_texts_are_passed_over(
    write: Any, command: Any, pytester: pytest.Pytester
) -> None:
    (pytester.path / "noise.txt").write_text(NOISE * 3000)
    noisy = write(config("{source: files, path: noise.txt}"), "noisy.yaml")
    plain = write(
        config("{source: essays}", "50000").replace("[single]", "[single, {id: z, type: single, haystack: synthetic}]")
    )
    too_long = write(config("{source: essays}", "100000"), "long.yaml")

    assert "note: the text of files repeats itself (100% of its runs" in command("validate", noisy).stdout
    notes = []
    for path in (plain, too_long):
        bench = load_bench(path, Registry())
        notes.append(haystack_notes(bench, bench.cells))
    assert notes[0] == []
    assert len(notes[1]) == 1
    assert "the text of essays@2 has 82,551 tokens and comes 1.2 times in documents of 100,000" in notes[1][0]


def test_an_endless_text_has_no_documents_to_shuffle(write: Any, run: Any) -> None:
    write(config("{source: synthetic, shuffle: documents}"))

    run().stderr.fnmatch_lines(
        ["*haystack.yaml:2: haystack: the text of synthetic@2 has no documents to shuffle; leave*"]
    )
