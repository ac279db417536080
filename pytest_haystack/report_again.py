"""Reports of rows that are there already: of an earlier run, or of several that were merged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, cast

from pytest_haystack.baselines import Baselines
from pytest_haystack.earlier import tested_from_rows
from pytest_haystack.errors import HaystackError
from pytest_haystack.gathering import gather
from pytest_haystack.gating import Selected, decide, verdict_of
from pytest_haystack.known_failures import known_failure_of
from pytest_haystack.recording import RESOLVED, Tested
from pytest_haystack.running.workbench import Workbench
from pytest_haystack.session import Sweep

#: States of tests that fail a run.
_RED = {"failed", "error"}


@dataclass(frozen=True, slots=True)
class Told:
    """The ``lines`` to tell about reports; ``red`` is true where a whole run would not have been green."""

    lines: list[str]
    red: bool


def report_again(
    bench: Workbench, rows: Sequence[dict[str, Any]], directory: Path, baseline: Path | None = None
) -> Told:
    """Write the reports of rows into a folder.

    Scores stay as they are; states follow from today's thresholds, known failures and gates, and the rows are taken
    for a whole run: a gate whose cells have none is undecided. ``baseline`` goes before that of the sweep file.
    Raises HaystackError where no row is of this sweep, or the baseline cannot be held against it.
    """
    from pytest_haystack.config.resolved import resolved_yaml
    from pytest_haystack.reports.files import write_text
    from pytest_haystack.reports.run_record import with_settings
    from pytest_haystack.reports.search_sections import search_lines
    from pytest_haystack.reports.terminal import render_grid
    from pytest_haystack.reports.writer import write_reports

    # Nobody is asked: the sweep needs no session.
    sweep = Sweep(bench.loaded, bench, bench.cells, bench.searches, cast(Any, None))
    tested, strange = tested_from_rows(sweep, rows, strict=False)
    if not tested:
        raise HaystackError(f"none of the {len(rows)} rows is of {bench.loaded.path.name} as it is now")
    latest = max(rows, key=lambda row: str(row["timestamp_utc"]))
    baselines = Baselines(baseline, "--baseline")
    baselines.read([sweep])
    results = gather(sweep, tested, latest["run_id"], _started(rows), here=False)
    own = any(one.own for one in tested)
    decided = decide(sweep, results, Selected(sweep.ids, own), baselines)
    gates = [verdict_of(gate) for gate in decided]
    write_text(directory / RESOLVED, resolved_yaml(bench.loaded))
    written = write_reports(with_settings(replace(results, wall_seconds=None), RESOLVED), directory, gates)
    shown = [*render_grid(results, 100), *search_lines(results.searches, 100)]
    lines = ["".join(span.text for span in line) for line in shown]
    if strange:
        lines.append(f"{strange} of {len(rows)} rows are not of {bench.loaded.path.name} as it is now: left out")
    names = [*(path.name for path in written.paths), RESOLVED]
    lines += [f"gate {gate.name}: {gate.outcome}: {gate.text}" for gate in gates]
    missing = _without_rows(sweep, tested) if own else 0
    if missing:
        lines.append(f"{missing} of {len(sweep.cells)} cells have no row")
    red = missing > 0 or any(one.state in _RED for one in tested) or any(gate.fails_run for gate in decided)
    return Told([*lines, *written.problems, f"wrote {directory}/: {', '.join(names)}"], red)


def _without_rows(sweep: Sweep, tested: Sequence[Tested]) -> int:
    """How many cells should have been asked and left no row."""
    there = {one.cell for one in tested if one.own and not one.search}
    known = {cell.id: known_failure_of(sweep.loaded.config, cell) for cell in sweep.cells if cell.id not in there}
    return sum(entry is None or entry.run for entry in known.values())


def _started(rows: Sequence[dict[str, Any]]) -> datetime:
    first = min(str(row["timestamp_utc"]) for row in rows)
    try:
        return datetime.fromisoformat(first)
    except ValueError:
        return datetime.fromtimestamp(0, timezone.utc)
