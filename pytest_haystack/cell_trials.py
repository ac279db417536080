"""The trials of the cell of a test, as its fixtures make them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pytest

from pytest_haystack.errors import HaystackError, NoRowError
from pytest_haystack.session import KEPT, ROWS, TRIALS, sweep_of
from pytest_haystack.text import printable

if TYPE_CHECKING:
    from pytest_haystack.documents.document import Document
    from pytest_haystack.needles.needle import Needle
    from pytest_haystack.running.trial import Trial
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


def trials_of(
    item: pytest.Item, cell: Cell, needles: Sequence[Needle], haystack: Document, model: Any
) -> Sequence[Trial]:
    """Ask and score each trial of a cell that has no score yet, and leave its row with the item.

    Ends the test where a trial gets no score: as an error, or as skipped.
    """
    from pytest_haystack.running.cell_run import run_cell

    kept: dict[int, Trial] = item.stash.setdefault(TRIALS, {})
    rows = item.stash.setdefault(ROWS, [])
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
                rows.append(trial.row)
                if trial.completion is not None and trial.completion.from_store:
                    item.stash[KEPT] = item.stash.get(KEPT, 0) + 1
    trials = [kept[number] for number in sorted(kept)]
    unscored = [trial for trial in trials if trial.score is None]
    if unscored:
        raise the_end(unscored)
    return trials


def the_end(unscored: Sequence[Trial]) -> BaseException:
    """What ends a test that has trials without a score: it is skipped where none could be asked, else an error."""
    from pytest_haystack.running.failure import error_text
    from pytest_haystack.scoring.outcomes import SKIPPED

    if all(trial.outcome in SKIPPED for trial in unscored):
        return pytest.skip.Exception(error_text(unscored))
    return pytest.fail.Exception(error_text(unscored), pytrace=False)
