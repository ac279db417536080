"""All trials of a cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pytest_haystack.documents.document import Document
from pytest_haystack.needles.needle import Needle
from pytest_haystack.results.sequential import SequentialTest
from pytest_haystack.running.stopping import note_decision
from pytest_haystack.running.trial import Trial, run_trial
from pytest_haystack.running.workbench import Material, Workbench
from pytest_haystack.scoring.outcomes import Outcome
from pytest_haystack.scoring.score import Complete
from pytest_haystack.sweep import Cell

#: After these no further trial of the cell can fare better.
_HOPELESS = frozenset({Outcome.config_error, Outcome.context_overflow, Outcome.budget})


def run_cell(
    bench: Workbench,
    cell: Cell,
    model: Any,
    nodeid: str,
    *,
    needles: Sequence[Needle],
    haystack: Document | str,
    earlier: dict[int, Trial],
    complete: Complete | None = None,
) -> Iterator[Trial]:
    """Ask each trial that ``earlier`` has no scored answer for; yields every trial, in order, up to the verdict.

    ``needles`` and ``haystack`` are the values of the fixtures: where they are not this cell's own (a user's
    fixture replaced them), they are what is asked about. ``complete`` asks the model that the cell's scorer needs.
    """
    test = SequentialTest(cell.stop) if cell.stop else None
    own: bool | None = None
    for number in range(cell.trials):
        trial = earlier.get(number)
        if trial is None or trial.score is None:
            if own is None:
                # Told once, while what the fixtures were given is at hand: a long document makes way for the next.
                own = is_own(bench, cell, needles, haystack)
            material = trial_material(bench, cell, number, needles, haystack, own=own)
            trial = run_trial(bench, cell, number, material, model, nodeid, complete)
        if test is not None and trial.score is not None and test.add(trial.score) is not None:
            note_decision(trial.row, test.decision().values(test.rule))
            yield trial
            return
        yield trial
        if trial.outcome in _HOPELESS:
            return
        if trial.score is None:
            # The cell is an error whatever else is asked.
            test = None


def is_own(bench: Workbench, cell: Cell, needles: Sequence[Needle], haystack: Document | str) -> bool:
    """True where no fixture of the user's replaced the needles or the document of the cell's first trial."""
    own = bench.material(cell, 0)
    return (needles is own.needles or needles == own.needles) and (haystack is own.document or haystack == own.document)


def trial_material(
    bench: Workbench, cell: Cell, number: int, needles: Sequence[Needle], haystack: Document | str, *, own: bool
) -> Material:
    """The material of a trial; where these are not the cell's ``own``, every trial asks about just them."""
    if own:
        return bench.material(cell, number)
    return bench.assemble(cell, number, needles, as_document(bench, haystack))


def as_document(bench: Workbench, haystack: Document | str) -> Document:
    """What a `haystack` fixture returned, as a Document. A plain text's length is counted."""
    if isinstance(haystack, Document):
        return haystack
    return Document(text=str(haystack), tokens=bench.encoding.count(str(haystack)), placements=())
