"""Which entries of ``known_failures`` a run confirms, narrows, drops and adds."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from pytest_haystack.config.resolved import flow_yaml
from pytest_haystack.known_failures import covers
from pytest_haystack.reports.labels import counted, rate_label
from pytest_haystack.results.failing_ranges import Range, Spot, cover, fails

if TYPE_CHECKING:
    from pytest_haystack.config.schema import KnownFailure
    from pytest_haystack.sweep import Cell

Group: TypeAlias = "tuple[str, str]"
#: How the reasons of entries begin that were not written by a person.
OURS = "seen to fail ("


@dataclass(frozen=True)
class Seen:
    """What a run saw of the cells of a sweep file.

    ``failed`` and ``passed`` have the scores (0 to 1) by cell id; a cell in neither had an error, was skipped or was
    not selected, and nothing is concluded of it.
    """

    failed: Mapping[str, Sequence[float]]
    passed: Mapping[str, Sequence[float]]


@dataclass(frozen=True)
class Update:
    """What to write: entries in the place of others (by index), entries to add, and lines that tell of it.

    ``unlisted`` are lines on cells that failed without being listed, for chance may explain it.
    """

    replaced: Mapping[int, Sequence[Mapping[str, Any]]]
    added: Sequence[Mapping[str, Any]]
    lines: Sequence[str]
    unlisted: Sequence[str]


def plan_update(
    entries: Sequence[KnownFailure],
    written: Sequence[Mapping[str, Any]],
    cells: Sequence[Cell],
    seen: Seen,
    depthless: Collection[str] = (),
) -> Update:
    """The known failures as this run found them.

    ``entries`` are those of the config, ``written`` the same as they stand in the file, ``cells`` all cells of the
    sweep, and ``depthless`` the tasks that have no depth. An entry of which no cell passed stays as it is. One of
    which some passed is narrowed to the others, and goes where none is left. Cells that failed without an entry are
    added as few ranges over lengths and depths, each of which holds only cells that failed, and whose pooled scores
    are significantly below the threshold (`fails`).
    """
    return _Planner(entries, written, cells, seen, depthless).update()


class _Planner:
    def __init__(
        self,
        entries: Sequence[KnownFailure],
        written: Sequence[Mapping[str, Any]],
        cells: Sequence[Cell],
        seen: Seen,
        depthless: Collection[str],
    ) -> None:
        self._written, self._seen, self._depthless = written, seen, depthless
        self._cells = {cell.id: cell for cell in cells}
        self._groups: dict[Group, list[Cell]] = {}
        for cell in cells:
            self._groups.setdefault((cell.model, cell.task), []).append(cell)
        self._mine = [{cell.id for cell in cells if covers(entry, cell)} for entry in entries]
        #: Entries of which some cells passed.
        self._stale = {index for index, mine in enumerate(self._mine) if mine & seen.passed.keys()}
        #: Entries that no person wrote, and of which all is known: they may be written anew.
        self._own = {
            index
            for index, (entry, mine) in enumerate(zip(entries, self._mine, strict=True))
            if entry.reason.startswith(OURS) and entry.strict is None and entry.run
            if mine and mine <= seen.failed.keys() | seen.passed.keys()
        }

    def update(self) -> Update:
        """The whole plan."""
        taken = self._taken()
        while True:
            narrowed, spoken_for = self._narrowed_entries(taken)
            wanted = self._seen.failed.keys() - spoken_for
            ranges, unlisted = self._listed(wanted)
            lost = {index for index in taken if self._mine[index] & set(unlisted)}
            if not lost:
                break
            # What was known to fail and still does is not forgotten for want of trials.
            taken -= lost
        replaced: dict[int, Sequence[Mapping[str, Any]]] = dict(narrowed)
        added = self._entries(ranges, self._reason)
        for index in sorted(taken):
            # One that comes out as it was stays, with its reason.
            same = [entry for entry in added if _where(entry) == _where(self._written[index])]
            added = [entry for entry in added if entry not in same]
            if not same:
                replaced[index] = ()
        lines = [self._told(index, entries, index in taken) for index, entries in sorted(replaced.items())]
        lines += [f"added: {flow_yaml(entry)}" for entry in added]
        return Update(replaced, added, lines, [self._doubt(cell) for cell in unlisted])

    def _taken(self) -> set[int]:
        """Own entries that are written anew: those of which cells passed, and those beside cells that get a range.

        So the list stays small, and a run that finds what it found before changes nothing.
        """
        taken = self._own & self._stale
        while True:
            wanted = self._seen.failed.keys() - self._narrowed_entries(taken)[1]
            listed = wanted.difference(self._listed(wanted)[1])
            groups = {self._group(cell) for cell in listed}
            beside = {index for index in self._own if groups & {self._group(cell) for cell in self._mine[index]}}
            if beside <= taken:
                return taken
            taken |= beside

    def _narrowed_entries(self, taken: Collection[int]) -> tuple[dict[int, Sequence[Mapping[str, Any]]], set[str]]:
        """What becomes of entries with cells that passed, and all cells that entries cover then; without ``taken``."""
        spoken_for = set[str]()
        for index, mine in enumerate(self._mine):
            if index not in self._stale and index not in taken:
                spoken_for |= mine
        narrowed: dict[int, Sequence[Mapping[str, Any]]] = {}
        for index in sorted(self._stale.difference(taken)):
            left = self._mine[index] - self._seen.passed.keys() - spoken_for
            narrowed[index] = self._narrowed(index, left)
            spoken_for |= left
        return narrowed, spoken_for

    def _listed(self, wanted: Collection[str]) -> tuple[dict[Group, list[Range]], list[str]]:
        """Ranges for these cells, and the cells without one."""
        ranges: dict[Group, list[Range]] = {}
        unlisted: list[str] = []
        for group in self._groups:
            own = {cell for cell in wanted if self._group(cell) == group}
            if own:
                ranges[group], missing = self._ranges(group, own, self._seen.failed.keys(), evident=True)
                unlisted += missing
        return ranges, unlisted

    def _narrowed(self, index: int, left: Collection[str]) -> Sequence[Mapping[str, Any]]:
        """Entries for what is left of one, with all else that it says."""
        ranges = {
            group: self._ranges(group, own, own, evident=False)[0]
            for group in self._groups
            if (own := {cell for cell in left if self._group(cell) == group})
        }
        places = ("model", "task", "context_lengths", "depth_percents")
        rest = {key: value for key, value in self._written[index].items() if key not in places}
        return self._entries(ranges, lambda cells: rest)

    def _ranges(
        self, group: Group, required: Collection[str], allowed: Collection[str], *, evident: bool
    ) -> tuple[list[Range], list[str]]:
        cells = {_spot(cell): cell for cell in self._groups[group]}

        def accepted(spots: Sequence[Spot]) -> bool:
            if not evident:
                return True
            scores = [score for spot in spots for score in self._seen.failed[cells[spot].id]]
            return fails(scores, cells[spots[0]].threshold)

        ranges, missing = cover(
            {spot for spot, cell in cells.items() if cell.id in required},
            {spot for spot, cell in cells.items() if cell.id in allowed},
            cells.keys(),
            accepted,
        )
        return list(ranges), [cells[spot].id for spot in missing]

    def _entries(self, ranges: Mapping[Group, Sequence[Range]], rest: Any) -> list[dict[str, Any]]:
        """Entries of these ranges; what several tasks, then several models have in common is one entry."""
        tasks: dict[tuple[str, Range, bool], list[str]] = {}
        for (model, task), own in ranges.items():
            for one in own:
                tasks.setdefault((model, one, task in self._depthless), []).append(task)
        models: dict[tuple[tuple[str, ...], Range, bool], list[str]] = {}
        for (model, one, flat), names in tasks.items():
            models.setdefault((tuple(names), one, flat), []).append(model)
        entries = []
        for (names_of_tasks, one, flat), names_of_models in models.items():
            held = [
                cell
                for group in self._groups
                if group[0] in names_of_models and group[1] in names_of_tasks
                for cell in self._groups[group]
                if one.holds(_spot(cell))
            ]
            entry = {
                "model": _names(names_of_models),
                "task": _names(names_of_tasks),
                "context_lengths": _span(one.first_length, one.last_length),
            }
            if not flat:
                entry["depth_percents"] = _span(_number(one.first_depth), _number(one.last_depth))
            entries.append({**entry, **rest(held)})
        return entries

    def _reason(self, cells: Iterable[Cell]) -> dict[str, Any]:
        scores = [score for cell in cells for score in self._seen.failed.get(cell.id, ())]
        mean = rate_label(math.fsum(scores) / len(scores))
        return {"reason": f"{OURS}mean {mean} over {counted(len(scores), 'trial')})"}

    def _told(self, index: int, entries: Sequence[Mapping[str, Any]], taken: bool) -> str:
        mine = self._mine[index]
        passed = len(mine & self._seen.passed.keys())
        what = f" ({passed:,} of its {counted(len(mine), 'cell')} passed)" if passed else ""
        word = "narrowed" if entries else "replaced" if taken and passed < len(mine) else "dropped"
        return f"{word}{what}: {flow_yaml(dict(self._written[index]))}"

    def _doubt(self, cell: str) -> str:
        scores = self._seen.failed[cell]
        mean = rate_label(math.fsum(scores) / len(scores))
        threshold = self._cells[cell].threshold
        return f"{cell}: mean {mean} over {counted(len(scores), 'trial')}, threshold {threshold:g}"

    def _group(self, cell: str) -> Group:
        return self._cells[cell].model, self._cells[cell].task


def _spot(cell: Cell) -> Spot:
    return cell.context_length, cell.depth_percent


def _where(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if key != "reason"}


def _names(names: Sequence[str]) -> str | list[str]:
    return names[0] if len(names) == 1 else list(names)


def _span(first: float, last: float) -> list[float] | dict[str, float]:
    return [first] if first == last else {"min": first, "max": last}


def _number(depth: float) -> float:
    """Depths have two decimals; whole ones are written without."""
    rounded = round(depth, 2)
    return int(rounded) if rounded == int(rounded) else rounded
