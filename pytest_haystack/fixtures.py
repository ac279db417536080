"""The fixtures of a cell. Each may be overridden from a conftest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

from pytest_haystack.cell_trials import PLAINLY, the_end, trials_of
from pytest_haystack.session import KEPT, ROWS, SEARCH_TRIALS, search_of, sweep_of

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
    search = search_of(request.node)
    if cell is None and search is not None:
        # A search asks in many cells; what a fixture `model` may want to know is the same in all of them.
        return search.cell(search.lengths[-1], search.depths[0])
    if cell is None:
        pytest.skip("needs a sweep: --haystack-config FILE, or the ini option haystack_config")
    return cell


@pytest.fixture
def needles(_haystack_item: pytest.Item, haystack_cell: Cell) -> Sequence[Needle]:
    """What is hidden: statement, question, expected answer, requested and actual depth percent."""
    with PLAINLY:
        return sweep_of(_haystack_item, haystack_cell).bench.material(haystack_cell).needles


@pytest.fixture
def haystack(_haystack_item: pytest.Item, haystack_cell: Cell, needles: Sequence[Needle]) -> Document:
    """The document with the needles in it: ``.text``, ``.tokens``, ``.placements``, ``.recipe``."""
    bench = sweep_of(_haystack_item, haystack_cell).bench
    with PLAINLY:
        own = bench.material(haystack_cell)
        return own.document if needles is own.needles else bench.assemble(haystack_cell, 0, needles).document


@pytest.fixture
def haystack_model(_haystack_item: pytest.Item, haystack_cell: Cell) -> Any:
    """The model that the config names for this cell; `model` under a name that cannot collide."""
    with PLAINLY:
        return sweep_of(_haystack_item, haystack_cell).model(haystack_cell.model)


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
    return trials_of(_haystack_item, haystack_cell, needles, haystack, model)


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
    from pytest_haystack.running.search_run import SearchOutcome, SearchRun, UnscoredError

    kept = _haystack_item.stash.setdefault(SEARCH_TRIALS, {})
    rows = _haystack_item.stash.setdefault(ROWS, [])

    def keep(trial: Trial) -> None:
        rows.append(trial.row)
        if trial.completion is not None and trial.completion.from_store:
            _haystack_item.stash[KEPT] = _haystack_item.stash.get(KEPT, 0) + 1

    sweep = sweep_of(_haystack_item, haystack_search)
    with PLAINLY:
        run = SearchRun(
            sweep.bench,
            haystack_search,
            model,
            _haystack_item.nodeid,
            kept=kept,
            keep=keep,
            complete=sweep.judge(haystack_search.task),
        )
        try:
            return SearchOutcome(run.run(), tuple(kept.values()))
        except UnscoredError as missing:
            unscored = missing.trials
    raise the_end(unscored)


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
    from pytest_haystack.running.cell_run import trial_material
    from pytest_haystack.running.trial import score_answer

    sweep = sweep_of(_haystack_item, haystack_cell)
    rows = _haystack_item.stash.setdefault(ROWS, [])
    # Each call leaves a row of its own.
    numbers = count()

    def score(answer: Any) -> float:
        material = trial_material(sweep.bench, haystack_cell, 0, needles, haystack)
        judge = sweep.judge(haystack_cell.task)
        trial = score_answer(sweep.bench, haystack_cell, material, answer, _haystack_item.nodeid, judge, next(numbers))
        rows.append(trial.row)
        return trial.require_score()

    return score
