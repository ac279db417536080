"""Reports of rows that are there already: of an earlier run, or of several that were merged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, cast

from pytest_haystack.earlier import tested_from_rows
from pytest_haystack.errors import HaystackError
from pytest_haystack.gathering import gather
from pytest_haystack.recording import RESOLVED
from pytest_haystack.running.workbench import Workbench
from pytest_haystack.session import Sweep


def report_again(bench: Workbench, rows: Sequence[dict[str, Any]], directory: Path) -> list[str]:
    """Write the reports of rows into a folder; returns the lines to tell about it.

    Scores stay as they are; states follow from today's thresholds and known failures. Raises HaystackError where no
    row is of this sweep.
    """
    from pytest_haystack.config.resolved import resolved_yaml
    from pytest_haystack.reports.files import write_text
    from pytest_haystack.reports.search_sections import search_lines
    from pytest_haystack.reports.terminal import render_grid
    from pytest_haystack.reports.writer import write_reports

    # Nobody is asked: the sweep needs no session.
    sweep = Sweep(bench.loaded, bench, bench.cells, bench.searches, cast(Any, None))
    tested, strange = tested_from_rows(sweep, rows, strict=False)
    if not tested:
        raise HaystackError(f"none of the {len(rows)} rows is of {bench.loaded.path.name} as it is now")
    latest = max(rows, key=lambda row: str(row["timestamp_utc"]))
    results = gather(sweep, tested, latest["run_id"], _started(rows))
    written = write_reports(replace(results, wall_seconds=None), directory)
    write_text(directory / RESOLVED, resolved_yaml(bench.loaded))
    shown = [*render_grid(results, 100), *search_lines(results.searches, 100)]
    lines = ["".join(span.text for span in line) for line in shown]
    if strange:
        lines.append(f"{strange} of {len(rows)} rows are not of {bench.loaded.path.name} as it is now: left out")
    names = [*(path.name for path in written.paths), RESOLVED]
    return [*lines, *written.problems, f"wrote {directory}/: {', '.join(names)}"]


def _started(rows: Sequence[dict[str, Any]]) -> datetime:
    first = min(str(row["timestamp_utc"]) for row in rows)
    try:
        return datetime.fromisoformat(first)
    except ValueError:
        return datetime.fromtimestamp(0, timezone.utc)
