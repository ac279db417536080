"""What a run loads before its first test, and what it spares whom."""

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.modules import DRAWS

Run = Callable[..., pytest.RunResult]
#: Writes down, when the session ends, which of the heavy modules it has imported.
HEAVY = """
import pathlib, sys

def pytest_unconfigure():
    heavy = [name for name in ("litellm", "tiktoken", "matplotlib") if name in sys.modules]
    pathlib.Path("heavy.txt").write_text(" ".join(heavy))
"""


def test_a_plan_that_was_made_before_needs_no_vocabulary(
    small: Path, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_HAYSTACK_CACHE_DIR", str(pytester.path / "cache"))
    monkeypatch.setenv("COLUMNS", "200")
    pytester.makeconftest(HEAVY)
    command = ("--haystack-config", "haystack.yaml", "--haystack-dry-run")

    first = pytester.runpytest_subprocess(*command)
    loaded = (pytester.path / "heavy.txt").read_text()
    second = pytester.runpytest_subprocess(*command)

    assert loaded == "tiktoken"
    assert (pytester.path / "heavy.txt").read_text() == ""
    plans = [[line for line in result.outlines if line.startswith(("reader", "all"))] for result in (first, second)]
    assert len(plans[0]) == 2
    assert plans[0] == plans[1]
    assert [path.name for path in (pytester.path / "cache").rglob("*") if path.is_file()] == ["cl100k_base.json"]


def test_what_reports_need_is_loaded_at_their_time_where_nothing_is_waited_for(
    small: Path, pytester: pytest.Pytester
) -> None:
    pytester.makeconftest(DRAWS)

    pytester.runpytest_subprocess("--haystack-config", "haystack.yaml").assert_outcomes(passed=5, failed=1)

    assert (pytester.path / "drawing.txt").read_text() == "False"


def test_what_lasts_is_kept_from_the_garbage_collector_while_it_lasts(
    small: Path, run: Run, pytester: pytest.Pytester
) -> None:
    assert gc.get_freeze_count() == 0
    pytester.makeconftest(
        """
        import gc

        class Cycle:
            def __init__(self):
                self.self = self

        def pytest_runtest_setup(item):
            assert gc.get_freeze_count() > 10_000
            made = id(Cycle())
            gc.collect()
            assert not any(isinstance(one, Cycle) for one in gc.get_objects()), made
        """
    )

    run().assert_outcomes(passed=5, failed=1)

    assert gc.get_freeze_count() == 0


def test_a_run_without_a_sweep_leaves_the_garbage_collector_alone(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile("import gc\n\ndef test_it():\n    assert gc.get_freeze_count() == 0\n")

    run(config=None).assert_outcomes(passed=1)
