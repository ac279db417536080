"""A test of one's own whose model gives no answer is an error; only a wrong answer is a failure."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.support.needles import good
from tests.support.openai_server import OpenAIServer, answer, error

Run = Callable[..., pytest.RunResult]

CONFIG = """\
name: small
models:
  - {{id: paid, model: openai/served, api_base: "{base}", api_key_env: GATEWAY_TEST_KEY, limits: {{retries: 0}}}}
haystack: {{source: synthetic}}
sweep: {{context_lengths: [400], depth_percents: [0, 100]}}
tasks: [single]
"""
MINE = """
from pytest_haystack.models.model import Prompt

def test_mine(haystack, needles, haystack_model, haystack_score):
    answer = haystack_model.complete(Prompt(f"{haystack}\\nQuestion: {needles[0].question}"))
    assert haystack_score(answer) == 1
"""


@pytest.fixture(scope="module")
def server() -> Generator[OpenAIServer, None, None]:
    with OpenAIServer() as running:
        for path, script in {"good": good, "wrong": answer("I cannot say."), "down": error(500, "trouble")}.items():
            running.base(path, script)
        yield running


@pytest.fixture
def mine(write: Any, run: Run, server: OpenAIServer, pytester: pytest.Pytester) -> Callable[..., pytest.RunResult]:
    """Run one's own test against a path of the server."""

    def runner(path: str, *args: str, more: str = "") -> pytest.RunResult:
        write(CONFIG.format(base=server.base(path)) + more)
        pytester.makeini("[pytest]\nhaystack_config = haystack.yaml")
        pytester.makepyfile(MINE)
        return run(*args, config=None)

    return runner


def test_no_answer_is_an_error_with_and_without_workers(mine: Any, workers: tuple[str, ...]) -> None:
    result = mine("down", *workers)

    result.assert_outcomes(errors=2)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*ERROR at call of test_mine*depth0*", "*HTTP 500: trouble*", "ERROR *test_mine*"])


def test_reports_have_the_error_too(mine: Any, pytester: pytest.Pytester) -> None:
    mine("down")
    report = pytester.path / "haystack-report"

    suite = ElementTree.parse(report / "junit.xml").getroot()
    assert (suite.get("errors"), suite.get("failures")) == ("2", "0")
    cells = json.loads((report / "summary.json").read_text())["cells"]
    assert (cells["error"], cells["failed"]) == (2, 0)


def test_a_wrong_answer_is_a_failure(mine: Any) -> None:
    mine("wrong").assert_outcomes(failed=2)


def test_a_right_answer_passes(mine: Any) -> None:
    mine("good").assert_outcomes(passed=2)


def test_what_failed_so_is_run_by_lf(mine: Any) -> None:
    mine("down", "-k", "depth100", "-p", "cacheprovider").assert_outcomes(errors=1)

    mine("good", "--lf", "-p", "cacheprovider").assert_outcomes(passed=1)


def test_a_known_failure_never_covers_an_error(mine: Any) -> None:
    known = "known_failures: [{model: paid, reason: it is small}]\n"

    mine("down", more=known).assert_outcomes(errors=2)
    mine("wrong", more=known).assert_outcomes(xfailed=2)
