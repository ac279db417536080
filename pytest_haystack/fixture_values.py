"""What the fixtures of a cell or a search return; a run without a sweep never imports this."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

from pytest_haystack.errors import HaystackError, NoRowError
from pytest_haystack.session import KEPT, ROWS, SEARCH_TRIALS, TRIALS, sweep_of
from pytest_haystack.text import printable

if TYPE_CHECKING:
    from pytest_haystack.documents.document import Document
    from pytest_haystack.needles.needle import Needle
    from pytest_haystack.running.search_run import SearchOutcome
    from pytest_haystack.running.trial import Trial
    from pytest_haystack.running.workbench import Material
    from pytest_haystack.searches import Search
    from pytest_haystack.sweep import Cell


class Plainly:
    """Lets a mistake of the user's end the test with its message alone."""

    def __enter__(self) -> None:
        """Nothing is prepared."""

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        """Say what went wrong in pytest's terms."""
        if isinstance(error, NoRowError):
            pytest.skip(printable(str(error)))
        if isinstance(error, HaystackError):
            pytest.fail(printable(str(error)), pytrace=False)


PLAINLY = Plainly()


def material(item: pytest.Item, cell: Cell) -> Material:
    """The needles, document and prompt of the cell's first trial."""
    with PLAINLY:
        return sweep_of(item, cell).bench.material(cell)


def document(item: pytest.Item, cell: Cell, needles: Sequence[Needle]) -> Document:
    """The document with these needles in it, which a fixture of the user's may have replaced."""
    bench = sweep_of(item, cell).bench
    with PLAINLY:
        own = bench.material(cell)
        return own.document if needles is own.needles else bench.assemble(cell, 0, needles).document


def model(item: pytest.Item, cell: Cell) -> Any:
    """The model that the config names for the cell."""
    with PLAINLY:
        return sweep_of(item, cell).model(cell.model)


def trials(item: pytest.Item, cell: Cell, needles: Sequence[Needle], haystack: Document, model: Any) -> Sequence[Trial]:
    """Ask and score each trial of a cell that has no score yet, and leave its row with the item.

    Ends the test where a trial gets no score: as an error, or as skipped.
    """
    from pytest_haystack.running.cell_run import run_cell

    kept: dict[int, Trial] = item.stash.setdefault(TRIALS, {})
    sweep = sweep_of(item, cell)
    with PLAINLY:
        asked = run_cell(
            sweep.bench,
            cell,
            model,
            item.nodeid,
            needles=needles,
            haystack=haystack,
            earlier=kept,
            complete=sweep.judge(cell.task),
        )
        for trial in asked:
            if kept.get(trial.number) is not trial:
                kept[trial.number] = trial
                _leave(item, trial)
    every = [kept[number] for number in sorted(kept)]
    unscored = [trial for trial in every if trial.score is None]
    if unscored:
        raise _the_end(unscored)
    return every


def search_outcome(item: pytest.Item, search: Search, model: Any) -> SearchOutcome:
    """Ask until the search has its verdict. Ends the test where a trial gets no score."""
    from pytest_haystack.running.search_run import SearchOutcome, SearchRun, UnscoredError

    kept = item.stash.setdefault(SEARCH_TRIALS, {})
    sweep = sweep_of(item, search)
    with PLAINLY:
        run = SearchRun(
            sweep.bench,
            search,
            model,
            item.nodeid,
            kept=kept,
            keep=lambda trial: _leave(item, trial),
            complete=sweep.judge(search.task),
        )
        try:
            return SearchOutcome(run.run(), tuple(kept.values()))
        except UnscoredError as missing:
            unscored = missing.trials
    raise _the_end(unscored)


def scoring(item: pytest.Item, cell: Cell, needles: Sequence[Needle], haystack: Document) -> Callable[[Any], float]:
    """A function that scores an answer (0 to 1), each call leaving a row of its own."""
    from pytest_haystack.running.cell_run import is_own, trial_material
    from pytest_haystack.running.trial import score_answer

    sweep = sweep_of(item, cell)
    numbers = count()

    def score(answer: Any) -> float:
        own = is_own(sweep.bench, cell, needles, haystack)
        asked = trial_material(sweep.bench, cell, 0, needles, haystack, own=own)
        judge = sweep.judge(cell.task)
        trial = score_answer(sweep.bench, cell, asked, answer, item.nodeid, judge, next(numbers))
        _leave(item, trial)
        return trial.require_score()

    return score


def _leave(item: pytest.Item, trial: Trial) -> None:
    """Leave the row of a trial with the test, for its next report."""
    item.stash.setdefault(ROWS, []).append(trial.row)
    if trial.completion is not None and trial.completion.from_store:
        item.stash[KEPT] = item.stash.get(KEPT, 0) + 1


def _the_end(unscored: Sequence[Trial]) -> BaseException:
    """What ends a test that has trials without a score: it is skipped where none could be asked, else an error."""
    from pytest_haystack.running.failure import error_text
    from pytest_haystack.scoring.outcomes import SKIPPED

    if all(trial.outcome in SKIPPED for trial in unscored):
        return pytest.skip.Exception(error_text(unscored))
    return pytest.fail.Exception(error_text(unscored), pytrace=False)
