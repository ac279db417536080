"""Pipelines under test: what they send is less than what they were given, and nobody takes it for a cut."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.plugin.conftest import SMALL

Run = Callable[..., pytest.RunResult]

#: Reads the sentence with the answer, and reports the usage of that alone.
PIPELINE = r"""
import re
from pytest_haystack.models.model import Completion, Usage

def answer(prompt):
    subject = prompt.question.removeprefix("What is the ").rstrip("?")
    found = re.search(rf"The {subject} is (\S+)\.", prompt.document)
    return Completion(found[1] if found else "none", usage=Usage(input_tokens=12))
"""
FIXTURE = """
import pytest
from pipeline import answer

@pytest.fixture
def model():
    return answer
"""


@pytest.fixture(params=["callable", "fixture"])
def pipeline(request: pytest.FixtureRequest, pytester: pytest.Pytester, write: Any) -> str:
    """The pipeline as a callable of the config, or in the place of its model."""
    pytester.makepyfile(pipeline=PIPELINE)
    pytester.syspathinsert()
    if request.param == "callable":
        write(SMALL.replace("simulated/lost-in-the-middle", "python:pipeline:answer"))
    else:
        write()
        pytester.makeconftest(FIXTURE)
    return str(request.param)


def test_a_pipeline_that_sends_less_is_scored(run: Run, rows: Any, pipeline: str) -> None:
    result = run()

    result.assert_outcomes(passed=6)
    assert {(row["outcome"], row["usage"]["input_tokens"]) for row in rows()} == {("answered", 12)}


def test_its_answers_can_be_kept_and_replayed(run: Run, rows: Any, pipeline: str, pytester: pytest.Pytester) -> None:
    run().assert_outcomes(passed=6)
    run("--haystack-resume").assert_outcomes(passed=6)
    (pytester.path / "haystack-report/results.jsonl").rename(pytester.path / "before.jsonl")

    run("--haystack-replay", "before.jsonl").assert_outcomes(passed=6)
    assert {row["outcome"] for row in rows()} == {"answered"}


def test_a_model_that_gets_the_whole_prompt_and_counts_less_has_cut_it(
    run: Run, pytester: pytest.Pytester, write: Any
) -> None:
    write(SMALL.replace("simulated/lost-in-the-middle", "short/one"))
    pytester.makeconftest(
        """
        from pytest_haystack.models.model import Completion, Model, Usage

        class Short(Model):
            def complete(self, prompt):
                return Completion("QR-7749", usage=Usage(input_tokens=12))

        def pytest_haystack_register(registry):
            registry.providers.add("short", Short)
        """
    )
    result = run()

    result.assert_outcomes(errors=6)
    result.stdout.fnmatch_lines(["*counted 12 input tokens*it cut the input*"])
