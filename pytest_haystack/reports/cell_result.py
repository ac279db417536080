"""What a report is made from: the cells of a sweep with what became of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from pytest_haystack.results.judging import whole_cost
from pytest_haystack.results.rows import DECISION
from pytest_haystack.results.statistics import end_to_end_rate

if TYPE_CHECKING:
    from pytest_haystack.reports.search_result import SearchResult

State: TypeAlias = Literal["passed", "failed", "error", "skipped", "xfailed", "xpassed", "not_run"]

#: In the order in which reports count them.
STATES: tuple[State, ...] = ("passed", "failed", "error", "skipped", "xfailed", "xpassed", "not_run")

#: The most telling outcome of a cell stands first: what stopped it, then what spoilt an answer.
_TELLING = (
    "config_error",
    "infra_error",
    "rate_limited",
    "content_filter",
    "silent_truncation",
    "context_overflow",
    "budget",
    "refused",
    "truncated",
    "no_final_answer",
    "empty",
)


class GateVerdict(NamedTuple):
    """A gate's name, how it ended, and the words for it.

    ``warned`` is a gate that failed and may only warn; ``skipped`` one that is undecided. ``value`` is its figure,
    None where there is none; ``fails_run`` tells whether the run fails because of it.
    """

    name: str
    outcome: Literal["passed", "failed", "warned", "skipped"]
    text: str
    metric: str = ""
    value: float | None = None
    fails_run: bool = False


@dataclass(frozen=True, slots=True)
class CellResult:
    """A cell of the sweep and what became of it.

    ``context_length`` in tokens, ``depth_percent`` from 0 to 100, ``depth`` as in the id, ``threshold`` from 0 to 1.
    ``message`` is the first line of why it failed, erred or was skipped. ``rows`` are the rows of its trials.
    ``line`` is the line in the file of the node id (1-based), where it is known. Where the task is a variant,
    ``family`` is what it is one of and ``variant`` its value of each axis. ``group`` is the name of the user's own
    test function that the cell was run by, empty for the sweep file's own test.
    """

    nodeid: str
    task: str
    model: str
    context_length: int
    depth_percent: float
    depth: str
    threshold: float
    state: State
    message: str
    duration_seconds: float
    rows: tuple[Mapping[str, Any], ...]
    line: int | None = None
    family: str = ""
    variant: Mapping[str, str | int | float] = field(default_factory=dict)
    group: str = ""

    @property
    def score(self) -> float | None:
        """Mean (0 to 1) over the trials that have a score, None if none has."""
        return end_to_end_rate(self.rows)

    @property
    def outcome(self) -> str | None:
        """The most telling outcome of its trials, None if there is no trial."""
        seen = {str(row.get("outcome", "unknown")) for row in self.rows}
        telling = [outcome for outcome in _TELLING if outcome in seen]
        return telling[0] if telling else min(seen, default=None)

    @property
    def decision(self) -> Mapping[str, Any] | None:
        """What the cell's stop rule decided: ``rule``, ``verdict``, ``trials``, ``most_trials``, ``interval_95`` and
        ``fallback``; None where the mean of all trials counts.
        """
        found = [(row.get("score_details") or {}).get(DECISION) for row in self.rows]
        return next((decision for decision in reversed(found) if decision), None)

    @property
    def cost_usd(self) -> float | None:
        """Sum of the costs that are known, those of judging among them; None if none is."""
        return whole_cost(self.rows)


@dataclass(frozen=True, slots=True)
class SweepResults:
    """A sweep and all its cells in config order; those that were not selected have the state ``not_run``.

    ``haystack`` says in a few words where the text is from, ``notes`` are lines that a reader should know,
    ``config_path`` is the sweep file's name, or its path from the directory that the run was started in.
    ``chance`` is the score (0 to 1) that blind guessing reaches, by task id. ``wall_seconds`` is how long the run
    took, None where it is not known. ``by_position`` names the tasks whose score is drawn against the depth.
    ``searches`` are those that ran; their trials are not among those of the cells.
    """

    name: str
    cells: tuple[CellResult, ...]
    run_id: str
    plugin_version: str
    tokenizer: str
    haystack: str
    notes: tuple[str, ...]
    config_path: str
    started_utc: str
    chance: Mapping[str, float] = field(default_factory=dict)
    wall_seconds: float | None = None
    by_position: frozenset[str] = frozenset()
    searches: tuple[SearchResult, ...] = ()

    @property
    def models(self) -> tuple[str, ...]:
        """Model ids in config order."""
        return tuple(dict.fromkeys(cell.model for cell in self.cells))

    @property
    def tasks(self) -> tuple[str, ...]:
        """Task ids in config order."""
        return tuple(dict.fromkeys(cell.task for cell in self.cells))

    @property
    def source(self) -> tuple[str, ...]:
        """Where the figures are from: haystack, tokenizer and day."""
        return self.haystack, self.tokenizer, self.started_utc[:10]

    def by_model_and_task(self) -> dict[tuple[str, str], list[CellResult]]:
        """The cells of each (model, task), in config order."""
        groups: dict[tuple[str, str], list[CellResult]] = {}
        for cell in self.cells:
            groups.setdefault((cell.model, cell.task), []).append(cell)
        return groups


def rows_of(cells: Iterable[CellResult]) -> list[Mapping[str, Any]]:
    """The rows of all these cells."""
    return [row for cell in cells for row in cell.rows]


def total(values: Iterable[float | None]) -> float | None:
    """Sum of the values that are known, None if none is."""
    known = [value for value in values if value is not None]
    return math.fsum(known) if known else None


def state_counts(cells: Iterable[CellResult]) -> dict[State, int]:
    """How many cells are in each state, all states named."""
    counts: dict[State, int] = dict.fromkeys(STATES, 0)
    for cell in cells:
        counts[cell.state] += 1
    return counts
