"""The test functions of a sweep file, and what they raise.

`pytest_haystack.collection.SweepFile` presents this module as the content of haystack.yaml. It must define no
fixtures: several sweep files share it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_haystack.running.search_run import SearchOutcome
    from pytest_haystack.running.trial import Trial
    from pytest_haystack.searches import Search
    from pytest_haystack.sweep import Cell


class BelowThreshold(pytest.fail.Exception):  # type: ignore[name-defined,misc]  # pytest types it as a value
    """A cell's mean score is below its threshold, or a search finds less than was claimed.

    Nothing else raises it, so an xfail can name it.
    """

    #: pytest shows the class by its module; its own failures do the same.
    __module__ = "builtins"


def test_cell(haystack_cell: Cell, haystack_trials: Sequence[Trial]) -> None:
    """The mean score of the cell's trials reaches its threshold, or its rule says pass."""
    scores = [trial.score for trial in haystack_trials if trial.score is not None]
    if not scores:
        pytest.fail("the fixture `haystack_trials` gave no trial with a score", pytrace=False)
    score = math.fsum(scores) / len(scores)
    if haystack_cell.stop is not None:
        from pytest_haystack.results.sequential import decide

        decision = decide(haystack_cell.stop, scores)
        if decision.verdict == "fail":
            from pytest_haystack.running.failure import failure_text

            raise BelowThreshold(failure_text(haystack_cell, haystack_trials, score, decision), pytrace=False)
        return
    # A mean of exact shares (2/3 of three trials) must not fail by the last bit of a float.
    if score < haystack_cell.threshold - 1e-9:
        from pytest_haystack.running.failure import failure_text

        raise BelowThreshold(failure_text(haystack_cell, haystack_trials, score), pytrace=False)


def test_search(haystack_search: Search, haystack_search_outcome: SearchOutcome) -> None:
    """The claimed context length holds, or the longest that does is as long as asked for."""
    if haystack_search_outcome.values["verdict"] == "fail":
        from pytest_haystack.running.search_failure import search_failure_text

        trials = haystack_search_outcome.trials
        text = search_failure_text(haystack_search, haystack_search_outcome.values, trials)
        raise BelowThreshold(text, pytrace=False)
