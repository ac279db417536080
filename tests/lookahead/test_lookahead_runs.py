"""Whole runs: the tests find their answers there, and nothing is asked for that no test asks."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_haystack.running.gateway.sending import TAKEN
from tests.gateway.entries import KEY_ENV
from tests.resume.conftest import CHANGING, timeless
from tests.support.needles import find, good
from tests.support.openai_server import OpenAIServer, Received, Reply, answer

Run = Callable[..., pytest.RunResult]
CONFIG = """\
name: ahead
models:
  - id: m
    model: openai/served
    api_base: {base}
    api_key_env: {key}
    limits: {{retries: 0, in_flight: 4}}
  - {{id: reader, model: simulated/perfect}}
haystack: {{source: synthetic}}
sweep: {{context_lengths: [300, 320, 340], depth_percents: {{num: 10}}}}
tasks: [single]
known_failures: [{{context_lengths: [340], depth_percents: {{min: 95}}, reason: known, run: false}}]
{more}
"""
#: Cells of the paid model that are asked.
CELLS = 29


#: Seconds of an answer: long enough for a window to fill on a busy machine.
LATENCY = 0.15


def slow(request: Received) -> Reply:
    reply = good(request)
    return Reply(reply.status, reply.body, reply.headers, delay=LATENCY)


def wrong(request: Received) -> Reply:
    return slow(Received(request.at, request.path, {"messages": [{"content": "?"}]}, request.headers))


@pytest.fixture
def sweep(write: Any, server: OpenAIServer) -> Callable[..., str]:
    """Write the sweep for a path of the server."""

    def writer(path: str, script: Any = slow, more: str = "") -> str:
        server.forget(path)
        write(CONFIG.format(base=server.base(path, script), key=KEY_ENV, more=more))
        return path

    return writer


def reports(folder: Path) -> dict[str, Any]:
    """What a run leaves, without times and ids."""
    lines = (folder / "results.jsonl").read_text(encoding="ascii").splitlines()
    rows = [{k: v for k, v in json.loads(line).items() if k not in CHANGING} for line in lines]
    junit = re.sub(r' (time|timestamp)="[^"]*"', "", (folder / "junit.xml").read_text(encoding="utf-8"))
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    return {"rows": rows, "junit": junit, "summary": timeless(summary)}


def test_a_run_without_workers_fills_the_window_and_leaves_the_same_reports(
    sweep: Any, run: Run, server: OpenAIServer, pytester: pytest.Pytester
) -> None:
    path = sweep("same")
    found = {}
    for look_ahead, peak in ((0, 1), (8, 4)):
        before = server.count(path)
        outcomes = run("--haystack-set", f"execution.look_ahead={look_ahead}")
        outcomes.assert_outcomes(passed=58, xfailed=2)
        assert server.peak(path) == peak
        assert server.count(path) - before == CELLS
        found[look_ahead] = reports(pytester.path / "haystack-report")
    assert len(found[8]["rows"]) == 58
    assert found[8] == found[0]


def test_trials_are_sent_ahead_and_latencies_are_those_of_the_requests(
    sweep: Any, run: Run, rows: Any, server: OpenAIServer
) -> None:
    path = sweep("trials")
    only = ("--haystack-model", "m", "-k", "len300-depth0")
    run("--haystack-set", "sweep.trials=9", *only).assert_outcomes(passed=1)

    assert server.count(path) == 9
    assert server.peak(path) == 4
    assert min(row["latency_seconds"] for row in rows()) > LATENCY


def test_trials_that_a_rule_may_spare_are_not_sent_ahead(sweep: Any, run: Run, rows: Any, server: OpenAIServer) -> None:
    path = sweep("rules")
    settings = "sweep.trials={max: 5, stop: point}", "threshold=0.6"
    arguments = [word for setting in settings for word in ("--haystack-set", setting)]
    run(*arguments, "--haystack-model", "m", "-k", "len300").assert_outcomes(passed=10)

    assert server.count(path) == len(rows()) == 30
    assert server.peak(path) > 1


def test_a_budget_is_not_spent_on_first_trials_of_cells_that_it_cannot_finish(
    sweep: Any, run: Run, server: OpenAIServer
) -> None:
    path = sweep("rules-with-a-budget")
    settings = "sweep.trials={max: 5, stop: point}", "threshold=0.6", "budget={requests: 7}"
    arguments = [word for setting in settings for word in ("--haystack-set", setting)]
    run(*arguments, "--haystack-model", "m", "-k", "len300").assert_outcomes(passed=2, skipped=8)

    assert server.count(path) == 7


def test_what_may_be_too_long_is_not_sent_before_the_provider_has_counted(
    write: Any, run: Run, server: OpenAIServer
) -> None:
    def tokens(request: Received) -> int:
        """As a provider counts that makes more of a text than most."""
        return len(request.text) * 2 // 5

    def counting(request: Received) -> Reply:
        late = TAKEN + 0.5 if server.count("counting") == 1 else LATENCY
        return answer(find(request.text), usage={"prompt_tokens": tokens(request), "completion_tokens": 9}, delay=late)

    server.forget("counting")
    config = CONFIG.replace("in_flight: 4}}", "in_flight: 4}}\n    context_window: 3000")
    config = config.replace("[300, 320, 340]", "[1000, 2500]").replace("num: 10", "num: 3")
    write(config.format(base=server.base("counting", counting), key=KEY_ENV, more="").replace("[340]", "[7]"))
    run("--haystack-model", "m").assert_outcomes(passed=3, skipped=3)

    assert server.count("counting") == 3
    assert max(map(tokens, server.received("counting"))) <= 3000


def test_a_first_failure_ends_it_within_the_window(sweep: Any, run: Run, server: OpenAIServer) -> None:
    path = sweep("wrong", wrong)
    run("-x", "--haystack-model", "m").assert_outcomes(failed=1)

    assert 1 <= server.count(path) <= 9


def test_marked_tests_and_those_that_are_not_selected_are_never_sent(
    sweep: Any, run: Run, server: OpenAIServer, pytester: pytest.Pytester
) -> None:
    path = sweep("marked")
    pytester.makeconftest("""
        import pytest

        def pytest_collection_modifyitems(items):
            for item in items[4:8]:
                item.add_marker(pytest.mark.skip(reason="not today"))
            items[9].add_marker(pytest.mark.xfail(run=False))
        """)
    for workers in ((), ("-n", "2")):
        before = server.count(path)
        run("--haystack-model", "m", "-k", "not len320", *workers).assert_outcomes(passed=14, skipped=4, xfailed=2)
        assert server.count(path) - before == 14


def test_a_replaced_haystack_wastes_no_request_and_one_that_is_replaced_late_a_window(
    sweep: Any, run: Run, server: OpenAIServer, pytester: pytest.Pytester
) -> None:
    path = sweep("replaced")
    conftest = """
        import pytest

        @pytest.fixture
        def haystack(haystack, needles, haystack_cell):
            if haystack_cell.context_length < {length}:
                return haystack
            return f"Once upon a time. {{needles[0].statement}} That was all."
        """
    pytester.makeconftest(conftest.format(length=0))
    run("--haystack-model", "m").assert_outcomes(passed=29, xfailed=1)
    assert server.count(path) == CELLS
    assert server.peak(path) == 1

    pytester.makeconftest(conftest.format(length=320))
    run("--haystack-model", "m").assert_outcomes(passed=29, xfailed=1)
    assert server.peak(path) == 4
    assert CELLS <= server.count(path) - CELLS <= CELLS + 8


def test_a_replaced_model_asks_alone(sweep: Any, run: Run, server: OpenAIServer, pytester: pytest.Pytester) -> None:
    path = sweep("pipeline")
    pytester.makeconftest("""
        import pytest

        @pytest.fixture
        def model():
            return lambda prompt: "no idea"
        """)
    run("--haystack-model", "m", "-q").assert_outcomes(failed=29, xfailed=1)
    assert server.count(path) == 0


def test_tasks_of_a_conftest_are_sent_ahead_too(
    sweep: Any, run: Run, server: OpenAIServer, pytester: pytest.Pytester
) -> None:
    path = sweep("own-task")
    pytester.makeconftest("""
        from pytest_haystack.tasks.single import Single

        class Backwards(Single):
            name = "backwards"

        def pytest_haystack_register(registry):
            registry.tasks.add("backwards", Backwards)
        """)
    run("--haystack-model", "m", "--haystack-set", "tasks=[backwards]").assert_outcomes(passed=29, xfailed=1)
    assert server.count(path) == CELLS
    assert server.peak(path) == 4
