"""Each thing that a provider can do wrong, in a real run over real HTTP: what the user sees of it."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.gateway.entries import CANARY, KEY_ENV
from tests.support.fault_process import FaultProcess
from tests.support.faults import FAULTS
from tests.support.runs import own_process


@dataclass(frozen=True)
class Seen:
    """What a fault leads to: outcome, state of the test, words that it says (a pattern), requests sent."""

    outcome: str
    state: str
    words: str = ""
    requests: int = 1


GOOD = Seen("answered", "passed")
AGAIN = Seen("answered", "passed", requests=2)
OVERFLOW = Seen("context_overflow", "skipped", r"HTTP 400")


def lost(words: str) -> Seen:
    """An error of the network or the provider, tried twice."""
    return Seen("infra_error", "error", words + r".*\(tried 2 times\)", 2)


TABLE: dict[str, Seen] = {
    "good": GOOD,
    "latency": GOOD,
    "429": Seen("rate_limited", "error", r"HTTP 429.*Rate limit reached \(tried 2 times\)", 2),
    "429-once": AGAIN,
    "429-after-once": AGAIN,
    "429-tomorrow": Seen("rate_limited", "error", r"HTTP 429.*it asks to wait 86400 s"),
    "500": lost("HTTP 500: trouble 500"),
    "502": lost("HTTP 502: trouble 502"),
    "503": lost("HTTP 503: trouble 503"),
    "500-once": AGAIN,
    "529": lost("HTTP 529 overloaded_error: Overloaded"),
    "529-once": AGAIN,
    "dropped": lost("check api_base 'http://127.0.0.1"),
    "dropped-once": AGAIN,
    "half": lost("check api_base 'http://127.0.0.1"),
    "half-once": AGAIN,
    "no-json": lost("the server's answer is no JSON"),
    "no-json-once": AGAIN,
    "html": lost("the server's answer is no JSON"),
    "other-form": lost("the server's answer is not in the form of its provider's API"),
    "502-page": lost("HTTP 502: Bad gateway"),
    "wrong-type": GOOD,
    "hang": lost(r"no answer within 0.7 s \(limits.timeout\)"),
    "hang-once": AGAIN,
    "long-openai": OVERFLOW,
    "long-anthropic": OVERFLOW,
    "long-gemini": OVERFLOW,
    "long-vllm": OVERFLOW,
    "long-tgi": Seen("context_overflow", "skipped", r"HTTP 422: Input validation error"),
    "empty": Seen("empty", "failed", "no text", 2),
    "empty-once": AGAIN,
    "no-choices": lost("the provider's answer has no choices"),
    "no-choices-once": AGAIN,
    "no-usage": GOOD,
    "length": Seen("truncated", "failed", "'The answer is'"),
    "filtered": Seen("content_filter", "error", "finish reason 'content_filter'"),
    "filtered-400": Seen("content_filter", "error", "content management policy"),
    "reasoning": GOOD,
    "reasoning-content": GOOD,
    "think": GOOD,
    "think-only": Seen("no_final_answer", "failed"),
    "refusal": Seen("refused", "failed", "no text"),
    "refusal-in-words": Seen("refused", "failed", "can't assist"),
    "cut-input": Seen("silent_truncation", "error", "input tokens of a prompt of at least"),
    "echo-key": lost(r"cannot handle Bearer \[redacted\]"),
}
#: What no second try helps against: the first cell says it, the second is not asked.
HOPELESS: dict[str, str] = {
    "401": r"HTTP 401.*Incorrect API key provided; check the key in GATEWAY_TEST_KEY",
    "403": r"HTTP 403.*Not allowed in your country; check the key in GATEWAY_TEST_KEY",
    "404": r"HTTP 404 model_not_found: The model does not exist; check model 'openai/served'",
    "307": r"HTTP 307: the server redirects to http://127.0.0.2:1/v1/chat/completions, which gets neither key nor",
    "400": r"HTTP 400: temperature must be at most 1",
    "quota": r"HTTP 429 insufficient_quota: You exceeded your current quota",
}

CONFIG = """\
name: {name}
models:
{models}
haystack: {{source: synthetic}}
sweep: {{context_lengths: [400], depth_percents: {depths}}}
tasks: [single]
"""


@dataclass(frozen=True)
class Run:
    """A run that is over: its rows by model, its test cases by model, all that it printed."""

    rows: dict[str, list[dict[str, Any]]]
    cases: dict[str, list[ElementTree.Element]]
    output: str


def run(folder: Path, server: FaultProcess, names: list[str], depths: list[int]) -> Run:
    """Run a sweep with a model for each fault, in two workers."""
    models = [
        f"  - {{id: f{name}, model: {'anthropic' if name == 'long-anthropic' else 'openai'}/served, "
        f"api_base: {server.base(name)}, api_key_env: {KEY_ENV}, request: {{max_tokens: 64}}, "
        f"limits: {{retries: 1, timeout: {0.7 if name.startswith('hang') else 20}}}}}"
        for name in names
    ]
    (folder / "haystack.yaml").write_text(CONFIG.format(name="faults", models="\n".join(models), depths=depths))
    command, environment = own_process("-n", "2", "-rA", "--showlocals")
    environment["COLUMNS"] = "300"
    process = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    rows: dict[str, list[dict[str, Any]]] = {}
    for line in (folder / "haystack-report" / "results.jsonl").read_text().splitlines():
        row = json.loads(line)
        rows.setdefault(row["model_id"][1:], []).append(row)
    cases: dict[str, list[ElementTree.Element]] = {}
    for case in ElementTree.parse(folder / "haystack-report" / "junit.xml").iter("testcase"):
        cases.setdefault(str(case.get("classname")).rpartition(".f")[2], []).append(case)
    return Run(rows, cases, process.stdout + process.stderr)


@pytest.fixture(scope="module")
def faults() -> Generator[FaultProcess, None, None]:
    with FaultProcess() as server:
        yield server


@pytest.fixture(scope="module")
def table(faults: FaultProcess, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return run(tmp_path_factory.mktemp("table"), faults, list(TABLE), [50])


@pytest.fixture(scope="module")
def hopeless(faults: FaultProcess, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return run(tmp_path_factory.mktemp("hopeless"), faults, list(HOPELESS), [0, 50, 100])


def state_of(case: ElementTree.Element) -> str:
    """What JUnit says of a test."""
    found = {"failure": "failed", "error": "error", "skipped": "skipped"}
    return next((found[part.tag] for part in case if part.tag in found), "passed")


def test_every_fault_of_the_server_is_in_the_table() -> None:
    assert {*TABLE, *HOPELESS} == set(FAULTS)


@pytest.mark.parametrize("name", TABLE)
def test_a_fault_has_its_outcome_its_words_and_its_number_of_requests(
    table: Run, faults: FaultProcess, name: str
) -> None:
    wanted = TABLE[name]
    [row], [case] = table.rows[name], table.cases[name]

    assert (row["outcome"], state_of(case)) == (wanted.outcome, wanted.state), row["error"]
    assert faults.count(name) == wanted.requests
    if wanted.state == "passed":
        assert (row["score"], row["error"]) == (1.0, None)
    elif wanted.state == "failed":
        assert (row["score"], row["error"]) == (0.0, None)
    else:
        assert row["score"] is None
        assert re.search(wanted.words, row["error"]), row["error"]
        assert "\n" not in row["error"]
    # The terminal says it too, on one line.
    lines = [line for line in table.output.splitlines() if f"-f{name}-len400" in line or wanted.words]
    assert any(re.search(wanted.words, line) for line in lines)


def test_answers_that_came_in_the_end_keep_what_the_provider_told(table: Run) -> None:
    assert table.rows["no-usage"][0]["usage"]["input_tokens"] is None
    assert table.rows["no-usage"][0]["cost_usd"] is None
    for name in ("reasoning", "reasoning-content"):
        assert table.rows[name][0]["reasoning"] == "It says 0000-1."
    assert table.rows["length"][0]["finish_reason"] == "length"
    assert table.rows["latency"][0]["latency_seconds"] >= 0.4


@pytest.mark.parametrize("name", HOPELESS)
def test_what_cannot_pass_is_said_once_and_the_other_cells_are_not_asked(
    hopeless: Run, faults: FaultProcess, name: str
) -> None:
    rows = hopeless.rows[name]

    assert len(rows) == 3
    assert {(row["outcome"], row["score"]) for row in rows} == {("config_error", None)}
    assert {state_of(case) for case in hopeless.cases[name]} == {"error"}
    told = [row for row in rows if re.search(HOPELESS[name], row["error"])]
    [first] = told
    assert first["error"].endswith(f"; f{name} is not asked again")
    cell = first["nodeid"].partition("[")[2].rstrip("]")
    for row in rows:
        if row is not first:
            # A request that was under way in the other worker was asked, and is as short.
            assert re.fullmatch(
                rf"f{name}: (not asked: )?f{name} was given up \(HTTP {first['error'].split()[2].rstrip(':')}[ \w]*\): "
                rf"see {re.escape(cell)}",
                row["error"],
            )
    sent = [row for row in rows if "not asked: " not in row["error"]]
    assert faults.count(name) == len(sent) <= 2


def test_no_key_is_in_anything_that_a_failing_provider_leaves(table: Run, hopeless: Run, tmp_path: Path) -> None:
    for over in (table, hopeless):
        assert CANARY not in over.output
        assert CANARY not in json.dumps(over.rows)
