"""Gates: bounds on figures of whole groups of cells, decided when all rows are in.

A group with cells that have no score is undecided, unless its verdict is the same whether all that is missing scored
0 or 1. Why a cell has none decides what an undecided gate means: what the user left out is neutral; what went wrong
fails the run.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

from pytest_haystack.known_failures import covers
from pytest_haystack.results.statistics import Row

if TYPE_CHECKING:
    from pytest_haystack.config.gates import GateEntry

#: Why a cell has no score. The first three are the user's own doing.
Lack: TypeAlias = Literal["selection", "skip", "known", "stop", "error", "overflow", "budget"]
NEUTRAL: frozenset[Lack] = frozenset({"selection", "skip", "known"})

_WORDS: Mapping[Lack, str] = {
    "selection": "not selected",
    "skip": "skipped",
    "known": "known to fail and not run",
    "stop": "not run, as the run was stopped",
    "error": "without a score because of an error",
    "overflow": "longer than the model's window",
    "budget": "not asked, as the budget was spent",
}
BANDS = ("start", "middle", "end")
#: Two figures that differ by less are the same: sums of scores are rounded.
_ROUNDING = 1e-9


def band_of(depth_percent: float) -> str:
    """The third of a document that a depth lies in: start, middle or end."""
    return BANDS[min(int(depth_percent * 3 / 100), 2)]


@dataclass(frozen=True, slots=True)
class GatedCell:
    """A cell as gates see it. ``lack`` says why it has no score, None where all its trials have one.

    ``trials`` is how many it was to have; ``known`` is true for a known failure; ``prompt`` names its prompt.
    """

    model: str
    task: str
    family: str
    task_type: str
    prompt: str
    context_length: int
    depth_percent: float
    trials: int
    known: bool
    rows: tuple[Row, ...]
    lack: Lack | None = None

    @property
    def depth_band(self) -> str:
        """The third of the document that its needle is in."""
        return band_of(self.depth_percent)


@dataclass(frozen=True, slots=True)
class Measurement:
    """What a metric found: ``value`` is None where ``text`` says why there is none. ``n`` counts scored trials."""

    value: float | None
    n: int
    text: str


class GateMetric(ABC):
    """A figure of rows. Subclass it and register it under a name to gate on it."""

    #: True where the figure rises, or stays, when any score does: then missing scores can be bounded.
    monotone: ClassVar[bool] = False
    #: Types of task that it is about; None: all.
    task_types: ClassVar[frozenset[str] | None] = None
    #: False where rows without a score are what it counts: then neither errors nor cells that are too long for the
    #: model leave it undecided.
    needs_scores: ClassVar[bool] = True
    #: True where more rows can only add to the figure: too much stays too much, whatever is missing.
    grows: ClassVar[bool] = False
    #: The least and the largest value that `min` and `max` may have; None: any.
    bounds: ClassVar[tuple[float | None, float | None]] = (None, None)
    #: Keys of the gate's entry, of those that only some metrics heed, that this one does; None: not known.
    keys: ClassVar[frozenset[str] | None] = None

    def is_monotone(self, entry: GateEntry) -> bool:
        """Whether the figure is monotone as this gate asks for it."""
        return self.monotone

    def extremes(self, cells: Sequence[GatedCell], entry: GateEntry) -> tuple[Sequence[Row], Sequence[Row]] | None:
        """Rows that these cells without a score might have, for the lowest and the highest figure; None: not known."""
        return (filled_rows(cells, 0.0), filled_rows(cells, 1.0)) if self.is_monotone(entry) else None

    def advice(self, entry: GateEntry) -> str:
        """What it would take to pass this gate, for a reader who cannot; empty where the figure says it."""
        return ""

    @abstractmethod
    def measure(self, rows: Sequence[Row], entry: GateEntry) -> Measurement:
        """The figure of these rows, of which there is at least one. Those without a score are among them."""

    def judge(self, entry: GateEntry, groups: Sequence[tuple[Mapping[str, Any], Sequence[GatedCell]]]) -> Any:
        """A `GateResult` for each group, where the verdict on one depends on the others; None: each by its bounds."""
        return None


@dataclass(frozen=True, slots=True)
class GateResult:
    """A gate of one group: ``outcome`` is undecided where scores are missing; ``neutral`` is true where that is
    what the user asked for. ``text`` is one line for a reader.
    """

    name: str
    entry: GateEntry
    group: Mapping[str, Any]
    outcome: Literal["passed", "failed", "undecided"]
    text: str
    value: float | None = None
    n: int = 0
    neutral: bool = field(default=False)

    @property
    def fails_run(self) -> bool:
        """True where the run fails because of this gate."""
        if self.entry.severity == "warn" or self.outcome == "passed":
            return False
        return self.outcome == "failed" or not (self.neutral or self.entry.undecided == "pass")


def judge_gate(entry: GateEntry, metric: GateMetric, cells: Sequence[GatedCell]) -> list[GateResult]:
    """The gate of every group among these cells, in order of appearance."""
    shown: list[tuple[Mapping[str, Any], Sequence[GatedCell]]] = [
        (dict(zip(entry.by, key, strict=True)), members)
        for key, members in groups_of(entry, metric, cells).items()
        # What the user has left out as a whole is no gate of this run.
        if any(cell.lack != "selection" for cell in members)
    ]
    together: list[GateResult] | None = metric.judge(entry, shown)
    judged = [_judge(entry, metric, group, members) for group, members in shown] if together is None else together
    return [*judged, *_left_out(entry, metric, cells, {tuple(group.values()) for group, _ in shown})]


def _left_out(
    entry: GateEntry, metric: GateMetric, cells: Sequence[GatedCell], judged: Container[tuple[Any, ...]]
) -> list[GateResult]:
    """The groups of which nothing is left without known failures: a gate must not vanish without a word."""
    if entry.known_failures == "include":
        return []
    whole = groups_of(entry.model_copy(update={"known_failures": "include"}), metric, cells)
    return [
        GateResult(
            gate_name(entry, key),
            entry,
            dict(zip(entry.by, key, strict=True)),
            "undecided",
            "undecided: all its cells are known failures, which it leaves out",
            neutral=True,
        )
        for key, members in whole.items()
        if key not in judged and all(cell.known for cell in members) and any(c.lack != "selection" for c in members)
    ]


def groups_of(
    entry: GateEntry, metric: GateMetric, cells: Iterable[GatedCell]
) -> dict[tuple[Any, ...], list[GatedCell]]:
    """The cells that a gate is about, by their values of ``by``."""
    groups: dict[tuple[Any, ...], list[GatedCell]] = {}
    for cell in cells:
        if concerns(entry, metric, cell):
            groups.setdefault(tuple(getattr(cell, name) for name in entry.by), []).append(cell)
    return groups


def concerns(entry: GateEntry, metric: GateMetric, cell: GatedCell) -> bool:
    """Whether a gate is about a cell."""
    return (
        (metric.task_types is None or cell.task_type in metric.task_types)
        and (entry.known_failures == "include" or not cell.known)
        and (entry.weights is None or bool({cell.task, cell.family} & entry.weights.keys()))
        and covers(entry, cell)
    )


def gate_name(entry: GateEntry, key: Sequence[Any]) -> str:
    """The name of the gate of a group, given its values of ``by``."""
    return "-".join([entry.id, *map(str, key)])


def _judge(entry: GateEntry, metric: GateMetric, group: Mapping[str, Any], cells: Sequence[GatedCell]) -> GateResult:
    name = gate_name(entry, tuple(group.values()))
    rows = [row for cell in cells for row in cell.rows]
    counted = () if metric.needs_scores else ("error", "overflow")
    lacking = [cell for cell in cells if cell.lack is not None and cell.lack not in counted]
    found = metric.measure(rows, entry) if rows else Measurement(None, 0, "nothing was asked")
    if not lacking and found.value is not None:
        passed = holds(entry, found.value)
        text = found.text if passed else f"{found.text}, which is {_miss(entry, found.value)}"
        return GateResult(name, entry, group, "passed" if passed else "failed", text, found.value, found.n)
    if not lacking:
        return GateResult(name, entry, group, "undecided", found.text, None, found.n)
    extremes = metric.extremes(lacking, entry)
    if extremes is not None:
        ends = [metric.measure([*rows, *filled], entry).value for filled in extremes]
        verdicts = {None if end is None else holds(entry, end) for end in ends}
        if verdicts in ({True}, {False}):
            outcome: Literal["passed", "failed"] = "passed" if verdicts == {True} else "failed"
            text = f"{found.text}; {_lacks(lacking)}, which cannot change the verdict"
            return GateResult(name, entry, group, outcome, text, found.value, found.n)
    elif found.value is not None and entry.max is not None and metric.grows and found.value > entry.max + _ROUNDING:
        return GateResult(
            name, entry, group, "failed", f"{found.text}, which is {_miss(entry, found.value)}", found.value, found.n
        )
    neutral = all(cell.lack in NEUTRAL for cell in lacking)
    text = f"undecided: {_lacks(lacking)}; so far {found.text}"
    return GateResult(name, entry, group, "undecided", text, found.value, found.n, neutral)


def holds(entry: GateEntry, value: float) -> bool:
    """Whether a figure is within the gate's bounds."""
    return (entry.min is None or value >= entry.min - _ROUNDING) and (
        entry.max is None or value <= entry.max + _ROUNDING
    )


def _miss(entry: GateEntry, value: float) -> str:
    if entry.min is not None and value < entry.min:
        return f"below {entry.min:,.12g}"
    return f"above {entry.max:,.12g}"


def _lacks(cells: Sequence[GatedCell]) -> str:
    counts = Counter(cell.lack for cell in cells)
    return ", ".join(
        f"{count} {'cell is' if count == 1 else 'cells are'} {_WORDS[lack]}" for lack, count in counts.items() if lack
    )


def filled_rows(cells: Iterable[GatedCell], score: float) -> list[Row]:
    """Rows of the trials that are missing in these cells, as if they had scored this."""
    rows: list[Row] = []
    for cell in cells:
        missing = max(cell.trials - sum(row.get("score") is not None for row in cell.rows), 1)
        row = {
            "model_id": cell.model,
            "task": cell.task,
            "family": cell.family,
            "context_length": cell.context_length,
            "depth_percent": cell.depth_percent,
            "score": score,
            "outcome": "answered",
            "score_details": {},
        }
        rows += [row] * missing
    return rows


#: Gives the metric of a name.
MetricOf: TypeAlias = Callable[[str], GateMetric]


def judge_gates(entries: Iterable[GateEntry], metric_of: MetricOf, cells: Sequence[GatedCell]) -> list[GateResult]:
    """All gates of a sweep, in config order."""
    return [result for entry in entries for result in judge_gate(entry, metric_of(entry.metric), cells)]
