"""The fixtures of a cell. Each may be overridden from a conftest.

What they return is made in `pytest_haystack.fixture_values`, imported where one is used: every run of pytest imports
this module.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pytest_haystack.documents.document import Document
    from pytest_haystack.models.model import Completion
    from pytest_haystack.needles.needle import Needle
    from pytest_haystack.running.search_run import SearchOutcome
    from pytest_haystack.running.trial import Trial
    from pytest_haystack.searches import Search
    from pytest_haystack.sweep import Cell


@pytest.fixture
def _haystack_item(request: pytest.FixtureRequest) -> pytest.Item:
    """The test that asks. Every fixture that asks for `request` costs pytest more than its own work."""
    item: pytest.Item = request.node
    return item


@pytest.fixture
def haystack_cell(request: pytest.FixtureRequest) -> Cell:
    """The cell of this test: model, task, context length (tokens), depth percent."""
    cell: Cell | None = getattr(request, "param", None)
    if cell is None:
        from pytest_haystack.session import search_of

        search = search_of(request.node)
        if search is not None:
            # A search asks in many cells; what a fixture `model` may want to know is the same in all of them.
            return search.cell(search.lengths[-1], search.depths[0])
        pytest.skip("needs a sweep: --haystack-config FILE, or the ini option haystack_config")
    return cell


@pytest.fixture
def needles(_haystack_item: pytest.Item, haystack_cell: Cell) -> Sequence[Needle]:
    """What is hidden: statement, question, expected answer, requested and actual depth percent."""
    from pytest_haystack import fixture_values

    return fixture_values.material(_haystack_item, haystack_cell).needles


@pytest.fixture
def haystack(_haystack_item: pytest.Item, haystack_cell: Cell, needles: Sequence[Needle]) -> Document:
    """The document with the needles in it: ``.text``, ``.tokens``, ``.placements``, ``.recipe``."""
    from pytest_haystack import fixture_values

    return fixture_values.document(_haystack_item, haystack_cell, needles)


@pytest.fixture
def haystack_model(_haystack_item: pytest.Item, haystack_cell: Cell) -> Any:
    """The model that the config names for this cell; `model` under a name that cannot collide."""
    from pytest_haystack import fixture_values

    return fixture_values.model(_haystack_item, haystack_cell)


@pytest.fixture
def model(haystack_model: Any) -> Any:
    """Who answers: ``.complete(prompt) -> Completion``. Override it to put a pipeline of your own to the test."""
    return haystack_model


@pytest.fixture
def haystack_trials(
    _haystack_item: pytest.Item,
    haystack_cell: Cell,
    needles: Sequence[Needle],
    haystack: Document,
    model: Any,
) -> Sequence[Trial]:
    """Asks and scores each trial of the cell. A trial without a score makes the test an error, or skips it."""
    from pytest_haystack import fixture_values

    return fixture_values.trials(_haystack_item, haystack_cell, needles, haystack, model)


@pytest.fixture
def haystack_search(request: pytest.FixtureRequest) -> Search:
    """The search of this test: model, task, metric, lengths and depths."""
    search: Search | None = getattr(request, "param", None)
    if search is None:
        pytest.skip("needs an entry of `searches:` in a sweep file; only its own test has one")
    return search


@pytest.fixture
def haystack_search_outcome(_haystack_item: pytest.Item, haystack_search: Search, model: Any) -> SearchOutcome:
    """Asks until the search has its verdict. A trial without a score makes the test an error, or skips it.

    Every trial has needles and a document of its own, made as the sweep file says: fixtures that replace those of a
    cell do not count here.
    """
    from pytest_haystack import fixture_values

    return fixture_values.search_outcome(_haystack_item, haystack_search, model)


@pytest.fixture
def haystack_answer(haystack_trials: Sequence[Trial]) -> Completion | None:
    """The completion of the cell's first trial."""
    return haystack_trials[0].completion


@pytest.fixture
def haystack_score(
    _haystack_item: pytest.Item, haystack_cell: Cell, needles: Sequence[Needle], haystack: Document
) -> Callable[[Any], float]:
    """For tests of one's own: ``haystack_score(answer)`` scores a str or Completion, records the row, returns it.

    The score is from 0 to 1. Raises ModelError where the answer is none that could be scored (a content filter,
    input that was cut).
    """
    from pytest_haystack import fixture_values

    return fixture_values.scoring(_haystack_item, haystack_cell, needles, haystack)
