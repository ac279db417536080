"""From what became of each test to the results of a sweep, cell by cell in config order."""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_haystack import __version__
from pytest_haystack.reports.cell_result import CellResult, SweepResults
from pytest_haystack.reports.search_result import SearchResult
from pytest_haystack.results.statistics import Row

if TYPE_CHECKING:
    from pytest_haystack.recording import Tested
    from pytest_haystack.searches import Search
    from pytest_haystack.session import Sweep
    from pytest_haystack.sweep import Cell


#: How a row's ``provider_model`` begins where a user's own fixture `model` answered.
_FIXTURE = "fixture "


def gather(sweep: Sweep, tested: Sequence[Tested], run_id: str, started: datetime) -> SweepResults:
    """The results of a sweep: for each model and task of which something ran, every cell.

    A user's own test function is shown as a task of its own, ``FUNCTION:TASK``, with the cells that it was run on:
    its marks say which those are, so the others are not missing.
    """
    searches = {one.cell: one for one in tested if one.search}
    tested = [one for one in tested if not one.search]
    found = {(one.group, one.cell): one for one in tested}
    # Where a run is resumed, an earlier one may have been through cells that this one left out.
    shown = sweep.ids.union(one.cell for one in tested)
    ids = {cell.id: cell for cell in sweep.bench.cells if cell.id in shown}
    touched = {(one.group, ids[one.cell].model, ids[one.cell].task) for one in tested}
    prefixes = {one.group: one.nodeid.partition("[")[0] for one in tested}
    cells = [
        (cell, group)
        for group in dict.fromkeys(one.group for one in tested)
        for cell in ids.values()
        if ((group, cell.id) in found if group else (group, cell.model, cell.task) in touched)
    ]
    now = datetime.now(timezone.utc)
    # In the order of the cells, so that the same run reads the same everywhere.
    labels = list(dict.fromkeys((group, cell.task) for cell, group in cells))
    tasks = {task for _, task in labels}
    bench_notes = [note for told in sweep.bench.notes if (note := note_on(told, sweep.bench.tasks, tasks))]
    return SweepResults(
        name=sweep.name,
        cells=tuple(_result(cell, group, found.get((group, cell.id)), prefixes[group]) for cell, group in cells),
        run_id=run_id,
        plugin_version=__version__,
        tokenizer=tokenizer_label(sweep.loaded.config.tokenizer),
        haystack=", ".join(dict.fromkeys(_sources(sweep))),
        notes=(*sweep.loaded.notes, *bench_notes, *notes_of([*tested, *searches.values()])),
        config_path=path_from(Path.cwd(), sweep.loaded.path),
        started_utc=started.isoformat(timespec="seconds"),
        chance={label(group, task): sweep.bench.tasks[task].chance for group, task in labels},
        wall_seconds=(now - started).total_seconds(),
        searches=tuple(search_result(one, searches[one.id]) for one in sweep.bench.searches if one.id in searches),
        by_position=frozenset(label(group, task) for group, task in labels if sweep.bench.tasks[task].by_position),
    )


def label(group: str, task: str) -> str:
    """A task as reports name it."""
    return f"{group}:{task}" if group else task


def tokenizer_label(name: str) -> str:
    """The tokenizer as reports name it: a file without its folder."""
    return f"hf:{Path(name).name}" if name.startswith("hf:") else name


def path_from(directory: Path, path: Path) -> str:
    """The path relative to a directory that it is below, else its name, with slashes: reports name no machine."""
    whole = Path(os.path.abspath(directory / path))
    return whole.relative_to(directory).as_posix() if whole.is_relative_to(directory) else whole.name


def note_on(note: str, known: Container[str], tasks: Container[str]) -> str:
    """A note ``TASK, TASK: words`` without the tasks that are not among ``tasks``, empty where none is left.

    A note that does not begin with ``known`` tasks stays as it is.
    """
    before, colon, words = note.partition(": ")
    named = before.split(", ")
    if not colon or not all(name in known for name in named):
        return note
    left = [name for name in named if name in tasks]
    return f"{', '.join(left)}: {words}" if left else ""


def notes_of(tested: Iterable[Tested]) -> list[str]:
    """What rows tell: a text that was repeated, tokens that were kept free, who answered in place of a model."""
    tested = list(tested)
    repeats: dict[str, tuple[float, int]] = {}
    reserves: dict[tuple[str, int], int] = {}
    for row in (row for one in tested for row in one.rows.values()):
        length, recipe = row["context_length"], row["recipe"]
        if recipe["repeats"] > 1:
            source = recipe["haystack"]["source"]
            repeats[source] = max(repeats.get(source, (0, 0)), (recipe["repeats"], length))
        free = length - recipe["document_tokens"]
        if free > 0 and "haystack" in recipe:
            key = (row["model_id"], length)
            reserves[key] = max(free, reserves.get(key, 0))
    return [
        *(f"the text of {s} is used {times:.3g} times at {length:,} tokens" for s, (times, length) in repeats.items()),
        *(f"{model}: {free:,} of {length:,} tokens are kept free" for (model, length), free in reserves.items()),
        *_stand_ins(row for one in tested for row in one.rows.values()),
    ]


def _stand_ins(rows: Iterable[Row]) -> list[str]:
    """A line for each model of which all answers came from a fixture."""
    answerers: dict[str, dict[str | None, None]] = {}
    for row in rows:
        # Where nothing was returned, nobody is named.
        if row["provider_model"] is not None or row["score"] is not None:
            answerers.setdefault(row["model_id"], {})[row["provider_model"]] = None
    return [
        f"{model}: answered by the fixture {', '.join(name[len(_FIXTURE) :] for name in names if name)} "
        "of a conftest, not by the configured model"
        for model, names in answerers.items()
        if all(name is not None and name.startswith(_FIXTURE) for name in names)
    ]


def _result(cell: Cell, group: str, tested: Tested | None, prefix: str) -> CellResult:
    return CellResult(
        nodeid=tested.nodeid if tested else f"{prefix}[{cell.id}]",
        task=label(group, cell.task),
        model=cell.model,
        context_length=cell.context_length,
        depth_percent=cell.depth_percent,
        depth=cell.depth,
        threshold=cell.threshold,
        state=tested.state if tested else "not_run",
        message=tested.message if tested else "",
        duration_seconds=tested.duration_seconds if tested else 0.0,
        rows=tuple(tested.rows[number] for number in sorted(tested.rows)) if tested else (),
        line=cell.line if not group else None,
        group=group,
        family=label(group, cell.family),
        variant=dict(cell.variant),
    )


def search_result(search: Search, tested: Tested) -> SearchResult:
    """A search as reports show it."""
    return SearchResult(
        nodeid=tested.nodeid,
        name=search.name,
        metric=search.metric,
        task=search.task,
        model=search.model,
        least=search.least,
        state=tested.state,
        message=tested.message,
        duration_seconds=tested.duration_seconds,
        rows=tuple(tested.rows.values()),
        line=search.line,
    )


def _sources(sweep: Sweep) -> Iterable[str]:
    for entry in sweep.loaded.config.tasks:
        yield (entry.haystack or sweep.loaded.config.haystack).source
