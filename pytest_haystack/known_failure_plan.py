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
        self._rewritable = [
            entry.reason.startswith(OURS) and entry.strict is None and entry.run and mine <= seen.failed.keys()
            for entry, mine in zip(entries, self._mine, strict=True)
        ]

    def update(self) -> Update:
        """The whole plan."""
        replaced: dict[int, Sequence[Mapping[str, Any]]] = {}
        lines: list[str] = []
        passed = self._seen.passed.keys()
        kept = [index for index, mine in enumerate(self._mine) if not mine & passed]
        spoken_for = set[str]().union(*(self._mine[index] for index in kept))
        for index, mine in enumerate(self._mine):
            if index in kept:
                continue
            left = mine - passed - spoken_for
            replaced[index] = self._narrowed(index, left)
            lines.append(self._told(index, replaced[index]))
            spoken_for |= left
        loose = self._seen.failed.keys() - spoken_for
        if not loose:
            return Update(replaced, (), lines, ())
        released, ranges, unlisted = self._listed(loose, kept)
        added = self._entries(ranges, self._reason)
        for index in released:
            # One that comes out as it was stays, with its reason.
            same = [entry for entry in added if _where(entry) == _where(self._written[index])]
            added = [entry for entry in added if entry not in same]
            if not same:
                replaced[index] = ()
                lines.append(f"merged: {flow_yaml(dict(self._written[index]))}")
        lines += [f"added: {flow_yaml(entry)}" for entry in added]
        return Update(replaced, added, lines, [self._doubt(cell) for cell in unlisted])

    def _listed(
        self, loose: Collection[str], kept: Sequence[int]
    ) -> tuple[list[int], dict[Group, list[Range]], list[str]]:
        """Ranges for the cells that no entry covers.

        Entries of this plan's own making that stand beside them are taken up again, so that the list stays small;
        those whose cells would then be lost stay. Returns their indices, the ranges, and the cells without one.
        """
        groups = {self._group(cell) for cell in loose}
        beside = [index for index in kept if groups & {self._group(cell) for cell in self._mine[index]}]
        released = [index for index in beside if self._rewritable[index]]
        while True:
            held = set[str]().union(*(self._mine[index] for index in kept if index not in released))
            wanted = set(loose).union(*(self._mine[index] for index in released)) - held
            ranges: dict[Group, list[Range]] = {}
            unlisted: list[str] = []
            for group in self._groups:
                own = {cell for cell in wanted if self._group(cell) == group}
                if own:
                    found, missing = self._ranges(group, own, self._seen.failed.keys(), evident=True)
                    ranges[group] = found
                    unlisted += missing
            lost = [index for index in released if self._mine[index] & set(unlisted)]
            if not lost:
                return released, ranges, unlisted
            released = [index for index in released if index not in lost]

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

    def _told(self, index: int, entries: Sequence[Mapping[str, Any]]) -> str:
        passed = len(self._mine[index] & self._seen.passed.keys())
        what = f"{passed:,} of its {counted(len(self._mine[index]), 'cell')} passed"
        word = "narrowed" if entries else "dropped"
        return f"{word} ({what}): {flow_yaml(dict(self._written[index]))}"

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
