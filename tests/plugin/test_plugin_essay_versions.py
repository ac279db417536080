"""The bundled essays have versions: a sweep names the one it used, and rows of older ones are rebuilt all the same."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from pytest_haystack.registry import Registry
from pytest_haystack.running.workbench import load_bench

#: A report from before the essays had versions, when the eight of `essays@1` were all there were.
RECORDED = Path(__file__).parents[1] / "golden" / "rows-of-essays-1"
CONFIG = """\
models: [{model: simulated/perfect}]
HAYSTACK
sweep: {context_lengths: [400, 20000], depth_percents: [0, 50]}
tasks: [single]
"""
#: 20,000 tokens are more than the first version has: it is repeated.
HASHES = {
    "essays@1": ["033b4842b92dcbf0", "5230863bd3706b00", "8d34a540e6e0ef68", "46f3a7911f7e72d7"],
    "essays@2": ["033b4842b92dcbf0", "5230863bd3706b00", "0ce3d85d549e6732", "d03b0bf30d8778e7"],
}


def config(haystack: str) -> str:
    return CONFIG.replace("HAYSTACK\n", f"haystack: {haystack}\n" if haystack else "")


@pytest.fixture
def reconstructed(command: Any, tmp_path: Path) -> Any:
    """SHA-256 of the prompt that `reconstruct` writes for a row."""

    def rebuild(*args: str | Path) -> str:
        out = tmp_path / "prompt.txt"
        result = command("reconstruct", *args, "--out", out)
        assert result.returncode == 0, result.stderr
        return hashlib.sha256(out.read_bytes()).hexdigest()

    return rebuild


@pytest.mark.parametrize("version", HASHES)
def test_prompts_of_a_version_are_the_same_bytes_for_ever(write: Any, version: str) -> None:
    bench = load_bench(write(config(version)), Registry())
    hashes = [bench.material(cell).prompt.sha256[:16] for cell in bench.cells]

    # Those of essays@1 were recorded before there was a second version. New essays get a version of their own.
    assert hashes == HASHES[version]


@pytest.mark.parametrize(("length", "same"), [(13_000, True), (20_000, False)])
def test_documents_that_the_first_version_holds_are_the_same_in_both(write: Any, length: int, same: bool) -> None:
    prompts = []
    for version in HASHES:
        bench = load_bench(write(config(version).replace("400, 20000", str(length))), Registry())
        prompts.append([bench.material(cell).prompt.sha256 for cell in bench.cells])

    assert (prompts[0] == prompts[1]) is same


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_rows_from_before_there_were_versions_are_rebuilt_byte_for_byte(reconstructed: Any, number: int) -> None:
    rows = [json.loads(line) for line in (RECORDED / "results.jsonl").read_text().splitlines()]
    row = rows[number - 1]
    assert row["recipe"]["haystack"]["source"] == "essays"

    assert reconstructed(RECORDED / "results.jsonl", "--row", str(number)) == row["prompt_sha256"]


@pytest.mark.parametrize(
    ("written", "version"),
    [
        ("", "essays@2"),
        ("essays", "essays@2"),
        ("{source: essays}", "essays@2"),
        ("{separator: '\\n'}", "essays@2"),
        ("essays@2", "essays@2"),
        ("essays@1", "essays@1"),
        ("{source: essays@1}", "essays@1"),
    ],
)
def test_rows_and_the_resolved_config_tell_the_version(
    write: Any, run: Any, rows: Any, pytester: pytest.Pytester, written: str, version: str
) -> None:
    write(config(written))
    run("-k", "len400-depth50").assert_outcomes(passed=1)

    assert rows()[0]["recipe"]["haystack"]["source"] == version
    resolved = yaml.safe_load((pytester.path / "haystack-report" / "config.resolved.yaml").read_text())
    assert resolved["haystack"]["source"] == version


def test_a_task_may_have_another_version_than_the_sweep(write: Any, run: Any, rows: Any, reconstructed: Any) -> None:
    write(config("essays").replace("[single]", "[single, {id: old, type: single, haystack: essays@1}]"))
    run("-k", "len400-depth50").assert_outcomes(passed=2)

    found = rows()
    assert [row["recipe"]["haystack"]["source"] for row in found] == ["essays@2", "essays@1"]
    for number, row in enumerate(found, 1):
        assert reconstructed("haystack-report/results.jsonl", "--row", str(number)) == row["prompt_sha256"]


@pytest.mark.parametrize(("was", "now"), [("essays@1", "essays"), ("essays", "essays@1")])
def test_a_row_is_rebuilt_with_its_own_version_whatever_the_config_says_by_now(
    write: Any, run: Any, rows: Any, reconstructed: Any, was: str, now: str
) -> None:
    write(config(was))
    run("-k", "len400-depth50")
    path = write(config(now))

    again = reconstructed("haystack-report/results.jsonl", "--row", "1", "--config", path)

    assert again == rows()[0]["prompt_sha256"]


def test_a_version_that_there_is_not_is_told_with_one_that_there_is(write: Any, run: Any) -> None:
    write(config("essays@7"))

    run().stderr.fnmatch_lines(
        ["*haystack.yaml:2: haystack: 'essays@7' is no known haystack source; did you mean 'essays@*'?"]
    )


def test_a_text_that_no_version_has_is_not_taken_for_one(
    write: Any, run: Any, rows: Any, pytester: pytest.Pytester, command: Any
) -> None:
    write(config("essays"))
    run("-k", "len400-depth50")
    row = rows()[0]
    row["recipe"]["haystack"]["sha256"] = "0" * 64
    (pytester.path / "haystack-report" / "results.jsonl").write_text(json.dumps(row) + "\n")

    result = command("reconstruct", "haystack-report/results.jsonl", "--row", "1")

    assert result.returncode == 4
    assert "cannot be rebuilt: the text of the haystack source essays@2 has changed" in result.stderr
