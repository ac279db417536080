"""The gate `regression`: is this run worse than the baseline, on the prompts that both asked?"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_haystack.results.gates import NEUTRAL, GatedCell, GateMetric, GateResult, Measurement, gate_name
from pytest_haystack.results.pairing import NO_OLD_SCORE, ONLY_NEW, Pair, Pairing, pair_rows, place_of
from pytest_haystack.results.regression import GroupComparison, adjusted, compare_pairs
from pytest_haystack.results.regression_text import MOST_CELLS, blindness, changed_cells, group_text, reasons
from pytest_haystack.results.row_groups import task_label
from pytest_haystack.results.statistics import Row

if TYPE_CHECKING:
    from pytest_haystack.config.gates import GateEntry


@dataclass(frozen=True, slots=True)
class _Scenarios:
    """A group as it is, and as it would be with each missing score at 1 and at 0."""

    real: GroupComparison
    best: GroupComparison
    worst: GroupComparison
    missing: int


class Regression(GateMetric):
    """Mean score of this run minus that of the baseline, over pairs of the same prompt; -1 to 1.

    A group is red where it is significantly worse at ``alpha``, corrected for the number of groups, and where ``min``
    is given the drop is also below it. Cells without a score because of an error, a budget or a stop leave it
    undecided unless they cannot change the verdict; what was not selected is not compared.
    """

    #: `min` is a drop that is allowed.
    bounds = (-1, 0)
    keys = frozenset({"alpha"})

    def __init__(self, baseline: Iterable[Row] = ()) -> None:
        self._rows: dict[tuple[str, str, int, float], list[Row]] = {}
        for row in baseline:
            self._rows.setdefault(_coordinates(row), []).append(row)

    def measure(self, rows: Sequence[Row], entry: GateEntry) -> Measurement:
        """The difference over the pairs of these rows."""
        old = [row for place in dict.fromkeys(map(_coordinates, rows)) for row in self._rows.get(place, ())]
        compared = compare_pairs(("", ""), pair_rows(old, rows).pairs)
        return Measurement(compared.difference, compared.n, group_text(compared))

    def judge(
        self, entry: GateEntry, groups: Sequence[tuple[Mapping[str, Any], Sequence[GatedCell]]]
    ) -> list[GateResult]:
        """All groups at once, for they share what may go wrong."""
        found = [self._scenarios(cells) for _, cells in groups]
        real, best, worst = (
            adjusted([getattr(one, name) for one in found], entry.alpha) for name in ("real", "best", "worst")
        )
        family = max(1, sum(not one.is_blind(entry.alpha) for one in real))
        return [
            _result(entry, group, cells, _Scenarios(*compared, missing=one.missing), family)
            for (group, cells), one, compared in zip(groups, found, zip(real, best, worst, strict=True), strict=True)
        ]

    def _scenarios(self, cells: Sequence[GatedCell]) -> _Scenarios:
        new = [row for cell in cells for row in cell.rows]
        old = [row for cell in cells for row in self._rows.get(_place(cell), ())]
        pairing = pair_rows(old, new)
        missing = self._missing(cells, pairing, {task_label(row) for row in new} or {cell.task for cell in cells})
        unpaired = [one for one in pairing.unpaired if one.place not in {place_of(row) for row in missing}]
        real, best, worst = (
            compare_pairs(("", ""), [*pairing.pairs, *hypothetical], unpaired)
            for hypothetical in ([], *([_pair(row, score) for row in missing] for score in (1.0, 0.0)))
        )
        return _Scenarios(real, best, worst, len(missing))

    def _missing(self, cells: Sequence[GatedCell], pairing: Pairing, tasks: Collection[str]) -> list[Row]:
        """Rows of the baseline whose partner should be there: of tasks, as reports name them, that this run asks."""
        seen = {pair.place for pair in pairing.pairs} | {one.place for one in pairing.unpaired if one.refused}
        lacking = [cell for cell in cells if cell.lack is not None and cell.lack not in NEUTRAL]
        rows = [row for cell in lacking for row in self._rows.get(_place(cell), ())]

        def is_open(row: Row) -> bool:
            place = place_of(row)
            return place.task in tasks and place not in seen

        return [row for row in rows if row["score"] is not None and is_open(row)]


def _result(
    entry: GateEntry, group: Mapping[str, Any], cells: Sequence[GatedCell], found: _Scenarios, family: int
) -> GateResult:
    real = found.real
    name, text = gate_name(entry, tuple(group.values())), _text(real)
    value, n = real.difference, real.n
    if _red(entry, found.best):
        return GateResult(name, entry, group, "failed", text, value, n)
    if found.missing and _red(entry, found.worst):
        kinds = sorted({str(cell.lack) for cell in cells if cell.lack is not None and cell.lack not in NEUTRAL})
        words = f"undecided: {found.missing:,} of the baseline's trials have no score now ({', '.join(kinds)})"
        return GateResult(name, entry, group, "undecided", f"{words}; so far {text}", value, n)
    if not n:
        # Prompts that have changed make the baseline worthless, and nobody asked for that.
        neutral = not real.refused and not found.missing
        return GateResult(name, entry, group, "undecided", f"undecided: {text}", value, n, neutral)
    blind = blindness(real, entry.alpha, family)
    if blind:
        return GateResult(name, entry, group, "undecided", f"undecided: {blind}; {text}", value, n, True)
    if entry.min is not None and real.p_adjusted <= entry.alpha:
        text = f"a significant drop that is within the {-entry.min:.12g} allowed; {text}"
    return GateResult(name, entry, group, "passed", text, value, n)


def _red(entry: GateEntry, compared: GroupComparison) -> bool:
    difference = compared.difference
    if difference is None or compared.p_adjusted > entry.alpha:
        return False
    return entry.min is None or difference < entry.min - 1e-9


def _text(compared: GroupComparison) -> str:
    parts = [group_text(compared)]
    if compared.reddened:
        parts.append(f"turned red: {changed_cells(compared.reddened, MOST_CELLS)}")
    if compared.greened:
        parts.append(f"turned green: {changed_cells(compared.greened, MOST_CELLS)}")
    if compared.n and compared.refused:
        parts.append(f"not compared, as the prompts differ: {reasons(compared.refused)}")
    # What only the baseline has was not selected, or is counted as missing.
    alone = {reason: count for reason, count in compared.unpaired.items() if reason in (ONLY_NEW, NO_OLD_SCORE)}
    if compared.n and alone:
        parts.append(f"not compared: {reasons(alone)}")
    return "; ".join(parts)


def _pair(row: Row, score: float) -> Pair:
    return Pair(place_of(row), float(row["score"]), score)


def _coordinates(row: Row) -> tuple[str, str, int, float]:
    return row["model_id"], row["task"], row["context_length"], round(row["depth_percent"], 2)


def _place(cell: GatedCell) -> tuple[str, str, int, float]:
    return cell.model, cell.task, cell.context_length, round(cell.depth_percent, 2)
