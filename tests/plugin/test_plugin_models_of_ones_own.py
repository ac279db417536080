"""What a function or a registered model may return, and how it may end a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Run = Callable[..., pytest.RunResult]
SWEEP = """\
models: [{id: m, model: "python:mine:answer"}]
haystack: {source: synthetic}
sweep: {context_lengths: [500], depth_percents: {num: CELLS}}
tasks: [{type: single, threshold: 0}]
"""
FUNCTION = """\
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction

import pytest
from pytest_haystack.models.model import Completion, Usage

def answer(prompt):
    WHAT
"""


@pytest.fixture
def function(write: Any, pytester: pytest.Pytester) -> Callable[..., None]:
    """A sweep of so many cells, whose model is a function with this body."""

    def make(what: str, cells: int = 2) -> None:
        write(SWEEP.replace("CELLS", str(cells)))
        pytester.makepyfile(mine=FUNCTION.replace("WHAT", what))

    return make


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("latency_seconds=timedelta(seconds=1)", "latency_seconds is datetime.timedelta(seconds=1), no number"),
        ("latency_seconds=Decimal('0.1')", "latency_seconds is Decimal('0.1'), no number"),
        ("latency_seconds='0.1'", "latency_seconds is '0.1', no number"),
        ("latency_seconds=True", "latency_seconds is True, no number"),
        ("cost_usd='free'", "cost_usd is 'free', no number"),
        ("usage=Usage(input_tokens=12.5)", "usage.input_tokens is 12.5, no whole number"),
        ("usage=Usage(output_tokens='9')", "usage.output_tokens is '9', no whole number"),
        ("usage={'input_tokens': 9}", "usage is {'input_tokens': 9}, no Usage"),
    ],
)
def test_a_number_that_is_none_is_an_error_of_its_cell(
    function: Callable[..., None], run: Run, rows: Any, given: str, told: str
) -> None:
    function(f"return Completion('an answer', {given})")

    result = run()

    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines([f"*config_error: the model returned a Completion whose {told}".replace("[", "[[]")])
    assert {row["outcome"] for row in rows()} == {"config_error"}
    assert "Traceback" not in result.stdout.str() + result.stderr.str()


def test_numbers_of_other_kinds_are_rows_as_any(function: Callable[..., None], run: Run, rows: Any) -> None:
    function("return Completion('x', latency_seconds=Fraction(1, 4), cost_usd=1, usage=Usage(900.0, 2))")

    run().assert_outcomes(passed=2)

    row = rows()[0]
    assert (row["latency_seconds"], row["cost_usd"], row["usage"]["input_tokens"]) == (0.25, 1.0, 900)


def test_a_function_may_end_the_run(function: Callable[..., None], run: Run, rows: Any) -> None:
    function("pytest.exit('the server is gone', 3)")

    result = run()

    assert result.ret == 3
    result.stdout.fnmatch_lines(["*_pytest.outcomes.Exit: the server is gone*"])
    result.assert_outcomes()


def test_fixtures_of_the_session_find_every_row_when_it_ends(
    function: Callable[..., None], run: Run, pytester: pytest.Pytester
) -> None:
    function("return 'no idea'", 200)
    pytester.makeconftest(
        """
        import pathlib
        import pytest

        @pytest.fixture(scope="session", autouse=True)
        def reading():
            yield
            assert len(pathlib.Path("haystack-report/results.jsonl").read_text().splitlines()) == 200
        """
    )

    run().assert_outcomes(passed=200)


def test_a_cell_that_runs_twice_leaves_one_row(
    function: Callable[..., None], run: Run, rows: Any, pytester: pytest.Pytester
) -> None:
    function("return 'no idea'", 5)
    pytester.makeconftest("def pytest_collection_modifyitems(items):\n    items.extend(items[:2])\n")

    run()

    assert [row["depth_percent"] for row in rows()] == [0, 25, 50, 75, 100]
