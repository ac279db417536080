"""Sweeps whose lengths are measured with a tokenizer.json."""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer

from tests.support.tokenizer_files import tokenizer_json

Run = Callable[..., pytest.RunResult]

CONFIG = """\
name: measured
models:
  - {id: reader, model: simulated/perfect}
haystack: {source: essays}
tokenizer: hf:tok/tokenizer.json
sweep: {context_lengths: [300, 700], depth_percents: [0, 50, 100]}
tasks: [single]
"""
NODEID = "sweeps/haystack.yaml::test_cell[single-reader-len700-depth50]"
SWEEP = "sweeps/haystack.yaml"


@pytest.fixture
def measured(write: Any, pytester: pytest.Pytester) -> Path:
    """A sweep in a folder of its own: the file is named relative to the sweep, not to the working directory."""
    path: Path = write(CONFIG, SWEEP)
    file = path.parent / "tok" / "tokenizer.json"
    file.parent.mkdir()
    file.write_bytes(tokenizer_json("word-piece"))
    return file


def test_documents_have_the_length_that_the_models_own_tokenizer_gives(
    measured: Path, run: Run, rows: Any, command: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    run(config=SWEEP).assert_outcomes(passed=6)
    row = next(row for row in rows() if row["nodeid"] == NODEID)

    assert row["recipe"]["tokenizer"] == "hf:tokenizer.json"
    assert row["recipe"]["tokenizer_sha256"] == hashlib.sha256(measured.read_bytes()).hexdigest()
    prompt = command("reconstruct", "haystack-report/results.jsonl", NODEID).stdout
    document = prompt.partition("[text begins]\n")[2].partition("\n[text ends]")[0]
    tokenizer = Tokenizer.from_file(str(measured))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    assert len(tokenizer.encode(document, add_special_tokens=False).ids) == 700
    assert json.loads(Path("haystack-report/summary.json").read_text())["tokenizer"] == "hf:tokenizer.json"
    assert f"tokenizer: hf:{measured}" in Path("haystack-report/config.resolved.yaml").read_text()


def test_a_file_that_has_changed_is_told_of(
    measured: Path, run: Run, command: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    run(config=SWEEP).assert_outcomes(passed=6)
    measured.write_bytes(tokenizer_json("bytes"))
    done = command("reconstruct", "haystack-report/results.jsonl", NODEID)

    assert done.returncode == 4
    assert done.stderr.strip().endswith("cannot be rebuilt: the file hf:tokenizer.json has changed")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "hf:tok/tokenizer.json: no such file or directory"),
        ("{}", "hf:tok/tokenizer.json: is no tokenizer.json of the package tokenizers: *"),
        ("not JSON", "hf:tok/tokenizer.json: is no tokenizer.json of the package tokenizers: *"),
    ],
)
def test_a_missing_or_broken_file_is_one_line(measured: Path, run: Run, content: str | None, words: str) -> None:
    measured.unlink() if content is None else measured.write_text(content)
    result = run(config=SWEEP)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: haystack.yaml:5: tokenizer: {words}"])
    assert len(result.stderr.str().strip().splitlines()) == 1


def test_workers_agree_on_the_prompts(measured: Path, run: Run, rows: Any) -> None:
    run(config=SWEEP).assert_outcomes(passed=6)
    alone = {row["nodeid"]: row["prompt_sha256"] for row in rows()}
    run("-n", "2", config=SWEEP).assert_outcomes(passed=6)

    assert {row["nodeid"]: row["prompt_sha256"] for row in rows()} == alone
