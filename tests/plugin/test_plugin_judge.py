"""Sweeps whose answers another model judges, over real HTTP."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from tests.support.openai_server import OpenAIServer, Received, Reply, answer, error

Run = Callable[..., pytest.RunResult]
CANARY = "sk-canary-" + "9" * 40

CONFIG = """\
name: judged
models:
  - {{id: reader, model: simulated/perfect}}
  - {{id: blind, model: simulated/recency}}
haystack: {{source: synthetic}}
sweep: {{context_lengths: [6000], depth_percents: [0, 100]}}
tasks:
  - type: single
    scorer:
      name: judge
      model: openai/judge
      api_base: {judge}
      api_key_env: JUDGE_KEY
      pricing: {{input: 1.0, output: 2.0}}
      limits: {{retries: 0}}
"""


def parts(request: Received) -> tuple[str, str]:
    """The right answer and the reply that the judge is shown."""
    right = re.search(r"Right answer: (.*)", request.text)
    reply = re.search(r"\n(=== \w{16} ===)\n(.*)\n\1\n", request.text, re.DOTALL)
    assert right is not None
    assert reply is not None
    return right[1], reply[2]


def fair(request: Received) -> Reply:
    """A judge that reads what it is shown."""
    right, reply = parts(request)
    said = "YES. It gives the value." if right in reply else "NO. It gives no value."
    return answer(said, usage={"prompt_tokens": 300, "completion_tokens": 7})


@pytest.fixture(scope="module")
def server() -> Generator[OpenAIServer, None, None]:
    with OpenAIServer() as running:
        running.base("fair", fair)
        running.base("chatty", answer("I think that it may well be right."))
        running.base("broken", error(500, f"no judging today, {CANARY}"))
        running.base("closed", error(401, f"Incorrect API key provided: {CANARY}"))
        running.base("small", error(400, "maximum context length is 128 tokens", "context_length_exceeded"))
        running.base("prim", error(400, "flagged", "content_filter"))
        yield running


@pytest.fixture
def judged(write: Any, server: OpenAIServer, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    monkeypatch.setenv("JUDGE_KEY", CANARY)
    return lambda path: write(CONFIG.format(judge=server.base(path)))  # type: ignore[no-any-return]


def test_a_judge_scores_with_its_reason_tokens_and_cost(
    judged: Any, run: Run, rows: Any, pytester: Any, server: OpenAIServer, workers: tuple[str, ...]
) -> None:
    judged("fair")
    before = server.count("fair")
    result = run(*workers)

    result.assert_outcomes(passed=3, failed=1)
    by_place = {(row["model_id"], row["depth_percent"]): row for row in rows()}
    good, bad = by_place["reader", 0], by_place["blind", 0]
    assert good["score_details"] == {
        "scorer": "judge",
        "verdict": "right",
        "judge": {
            "model": "openai/judge",
            "verdict": "YES",
            "reason": "It gives the value.",
            "input_tokens": 300,
            "output_tokens": 7,
            "cost_usd": pytest.approx((300 * 1.0 + 7 * 2.0) / 1e6),
            "prompt_sha256": good["score_details"]["judge"]["prompt_sha256"],
        },
    }
    assert good["score"] == 1.0
    assert bad["score"] == 0.0
    assert bad["score_details"]["judge"]["verdict"] == "NO"
    assert bad["score_details"]["judge"]["reason"] == "It gives no value."
    # What the judge costs is not what the model costs.
    assert good["cost_usd"] == 0.0
    # At depth 100 both models say the same of the same: that is judged once.
    asked = server.received("fair")[before:]
    assert len(asked) == 3
    # What a judge was asked is known by its hash, so that a replay can tell whether it would be asked the same.
    told = {row["score_details"]["judge"]["prompt_sha256"] for row in rows()}
    assert told == {hashlib.sha256(got.text.encode()).hexdigest() for got in asked}
    assert all(got.headers["authorization"] == f"Bearer {CANARY}" for got in asked)
    assert all(got.body["temperature"] == 0 for got in asked)
    shown = {parts(got)[0] for got in asked}
    assert shown == {row["expected"] if isinstance(row["expected"], str) else str(row["expected"]) for row in rows()}
    result.stdout.fnmatch_lines(["*judge*NO: It gives no value.*"])

    summary = json.loads((pytester.path / "haystack-report" / "summary.json").read_text(encoding="utf-8"))
    usd = 3 * (300 * 1.0 + 7 * 2.0) / 1e6
    assert summary["judging"] == {
        "trials": 4,
        "requests": 3,
        "input_tokens": 900,
        "output_tokens": 21,
        "cost_usd": pytest.approx(usd),
    }
    assert summary["cost_usd"] == pytest.approx(usd)
    assert summary["tokens"]["input_tokens"] != 900
    page = (pytester.path / "haystack-report" / "summary.md").read_text(encoding="utf-8")
    assert "Cost $0.0009 (judging 3 answers $0.0009)" in page


#: What becomes of a trial by how its judge fails.
FAILURES = {
    "chatty": ("infra_error", r"the judge gave no verdict: it said neither YES nor NO: 'I think that"),
    "broken": ("infra_error", r"the judge: judge-openai-judge: HTTP 500"),
    "closed": ("config_error", r"the judge: judge-openai-judge: HTTP 401.*JUDGE_KEY"),
    "small": ("infra_error", r"the judge gave no verdict: context_overflow: "),
    "prim": ("infra_error", r"the judge gave no verdict: content_filter: "),
}


def test_without_a_verdict_there_is_an_error_and_no_score(
    write: Any, run: Run, rows: Any, pytester: Any, server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUDGE_KEY", CANARY)
    head, _, entry = CONFIG.partition("  - type: single\n")
    head = re.sub(r".*recency.*\n", "", head).replace("[0, 100]", "[50]")
    tasks = [f"  - type: single\n    id: {path}\n{entry.format(judge=server.base(path))}" for path in FAILURES]
    write(head.format() + "".join(tasks))
    result = run()

    result.assert_outcomes(errors=len(FAILURES))
    by_task = {row["task"]: row for row in rows()}
    for path, (outcome, words) in FAILURES.items():
        row = by_task[path]
        assert (row["outcome"], row["score"]) == (outcome, None)
        assert re.match(words, row["error"])
        # The model did answer, and its answer is not lost.
        assert row["response"]
    # What a judge without a verdict took is counted too.
    assert by_task["chatty"]["score_details"]["judge"]["verdict"] is None
    summary = json.loads((pytester.path / "haystack-report" / "summary.json").read_text(encoding="utf-8"))
    assert (summary["judging"]["requests"], summary["judging"]["input_tokens"] > 0) == (1, True)
    everything = result.stdout.str() + result.stderr.str()
    for file in (pytester.path / "haystack-report").rglob("*"):
        everything += file.read_text(encoding="utf-8", errors="replace")
    assert CANARY not in everything


def test_an_own_test_is_judged_too(judged: Any, run: Run, pytester: Any, server: OpenAIServer) -> None:
    judged("fair")
    pytester.makeini("[pytest]\nhaystack_config = haystack.yaml")
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.haystack(models="reader")
        def test_mine(needles, haystack_score):
            assert haystack_score(f"I would say {needles[0].expected}.") == 1.0
            assert haystack_score("I cannot tell.") == 0.0
        """
    )
    run(config=None).assert_outcomes(passed=2)


def test_a_numeric_scorer_asks_its_judge_only_where_no_number_is_given(
    write: Any, run: Run, rows: Any, pytester: Any, server: OpenAIServer
) -> None:
    write(
        "models: [{id: mine, model: 'python:mine:answer'}]\nhaystack: {source: synthetic}\n"
        "sweep: {context_lengths: [500], depth_percents: [0, 50, 100]}\n"
        "tasks: [{type: single, value: {type: int}, scorer: {name: numeric, fallback: "
        f"{{name: judge, model: openai/judge, api_base: '{server.base('generous', answer('YES.'))}'}}}}}}]\n"
    )
    pytester.makepyfile(
        mine="""
        import re

        def answer(prompt):
            found = re.search(r" is (\\d+)\\.", prompt.document)
            answers = [found[1], found[1] + "1", "a number that I would rather not say"]
            return answers[min(2, prompt.document.index(found[0]) * 3 // len(prompt.document))]
        """
    )
    run()
    scores = {row["depth_percent"]: (row["score"], "judge" in row["score_details"]) for row in rows()}
    assert scores == {0: (1.0, False), 50: (0.0, False), 100: (1.0, True)}
    assert server.count("generous") == 1


def test_the_plan_says_that_answers_are_judged_and_asks_nobody(judged: Any, run: Run, server: OpenAIServer) -> None:
    judged("fair")
    before = server.count("fair")
    result = run("--haystack-dry-run")
    run("--collect-only", "-q")

    result.stdout.fnmatch_lines(
        [
            "model * task * cells * calls * input tokens * USD at most",
            "reader * single * 2 * 2 * 0.00",
            "judge-openai-judge *single *  4 * 0.01",
            "all *  4 * 8 * 0.01",
            "single: openai/judge judges answers, at most one further request each",
        ]
    )
    assert server.count("fair") == before


def test_a_judge_in_this_process_needs_no_gateway(write: Any, run: Run, rows: Any, pytester: Any) -> None:
    pytester.makepyfile(
        mine="""
        from pytest_haystack.models.model import Completion

        def judge(prompt):
            return Completion("NO: I never agree.")
        """
    )
    write(
        "models: [{id: reader, model: simulated/perfect}]\nhaystack: {source: synthetic}\n"
        "sweep: {context_lengths: [500], depth_percents: [50]}\n"
        "tasks: [{type: single, scorer: {name: judge, model: 'python:mine:judge'}}]\n"
    )
    run().assert_outcomes(failed=1)
    assert rows()[0]["score_details"]["judge"]["reason"] == "I never agree."
