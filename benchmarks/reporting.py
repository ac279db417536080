"""How long the reports of a run take, by the number of its rows.

    python benchmarks/reporting.py [--quick]

Rows are made up, one a cell, in three shapes: one task with ever more lengths, ten tasks that
grow alike, and one grid with ever more trials a cell. The table gives CPU seconds of JUnit, summaries, pictures and the
terminal's grid, without the import of the drawing library. It compares with writing the same rows as JSON lines, and
the growth with that of the rows: 1.0 is linear, less is better.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

sys.path.pop(0)  # this folder, whose names are also those of other modules
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.measuring import print_table
from pytest_haystack.reports.cell_result import CellResult, SweepResults
from pytest_haystack.reports.terminal import render_grid, render_headline
from pytest_haystack.reports.writer import write_reports
from pytest_haystack.results.rows import dump_row
from tests.reports.sweeps import cell

DEPTHS = 50


def one_task(rows: int) -> list[CellResult]:
    """Lengths by 50 depths; deep cells of long documents fail."""
    return _grid("single", rows // DEPTHS, DEPTHS)


def many_tasks(rows: int) -> list[CellResult]:
    """Ten tasks, each with ever more lengths by ten depths."""
    return [one for number in range(10) for one in _grid(f"task{number}", rows // 100, 10)]


def many_trials(rows: int) -> list[CellResult]:
    """A grid of twenty lengths by ten depths with so many trials in each cell."""
    return _grid("single", 20, 10, trials=rows // 200)


SHAPES: dict[str, Callable[[int], list[CellResult]]] = {
    "one task": one_task,
    "many tasks": many_tasks,
    "many trials": many_trials,
}


@dataclass(frozen=True)
class Measured:
    """CPU seconds of the reports of so many rows, and of writing the rows alone."""

    shape: str
    rows: int
    seconds: float
    writing: float


def _grid(task: str, lengths: int, depths: int, trials: int = 1) -> list[CellResult]:
    cells = []
    for i in range(lengths):
        for j in range(depths):
            fails = i * 3 > lengths * 2 and abs(2 * j - depths) < depths // 2
            state, score = ("failed", 0.0) if fails else ("passed", 1.0)
            words = {"task": task, "message": "BelowThreshold: score 0 is below the threshold 1" if fails else ""}
            depth = 100 * j / (depths - 1)
            cells.append(cell(state, score, length=500 + 50 * i, depth=depth, trials=trials, **words))  # type: ignore[arg-type]
    return cells


def _results(cells: list[CellResult]) -> SweepResults:
    return SweepResults(
        name="benchmark",
        cells=tuple(cells),
        run_id="20260101T000000Z-000000",
        plugin_version="0",
        tokenizer="cl100k_base",
        haystack="essays",
        notes=(),
        config_path="haystack.yaml",
        started_utc="2026-01-01T00:00:00+00:00",
    )


def _seconds(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def measure(quick: bool) -> list[Measured]:
    """Write the reports of each shape and size."""
    found = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_reports(_results(one_task(500)), folder)  # imports what it needs
        for shape, make in SHAPES.items():
            for rows in (5000, 20_000) if quick else (5000, 10_000, 20_000):
                results = _results(make(rows))

                def report(results: SweepResults = results) -> None:
                    written = write_reports(results, folder)
                    assert not written.problems, written.problems
                    render_headline(results, 100)
                    render_grid(results, 100)

                def write(results: SweepResults = results) -> None:
                    lines = [dump_row(row) for one in results.cells for row in one.rows]
                    (folder / "rows.jsonl").write_text("\n".join(lines))

                found.append(Measured(shape, rows, _seconds(report), _seconds(write)))
    return found


def report(found: list[Measured]) -> None:
    """Print the table."""
    rows = []
    for one in found:
        first = next(other for other in found if other.shape == one.shape)
        steps = math.log(one.rows / first.rows)
        growth = f"{math.log(one.seconds / first.seconds) / steps:.2f}" if steps else ""
        ratio = f"{one.seconds / one.writing:.1f}x"
        rows.append([one.shape, f"{one.rows:,}", f"{one.seconds:.2f}", ratio, growth])
    print_table(["shape", "rows", "s CPU", "of writing rows", "exponent of growth"], rows)


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="two sizes instead of three")
    report(measure(parser.parse_args(argv).quick))


if __name__ == "__main__":
    main()
