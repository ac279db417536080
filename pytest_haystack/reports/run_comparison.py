"""`pytest-haystack compare`: two files of rows to lines and pictures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pytest_haystack.errors import HaystackError
from pytest_haystack.reports.differences import write_differences
from pytest_haystack.reports.escape import printable
from pytest_haystack.reports.regression_lines import regression_lines
from pytest_haystack.results.baseline import find_baseline, model_names, read_baseline
from pytest_haystack.results.regression import Comparison, compare_runs
from pytest_haystack.results.statistics import Row


def compare_files(
    old: Path, new: Path, models: Sequence[str], alpha: float, out: Path | None, all_cells: bool
) -> tuple[Comparison, list[str]]:
    """The comparison of two runs, and the lines that tell it; pictures go to ``out`` unless it is None.

    ``models`` are texts ``OLD=NEW``. Raises HaystackError where a file cannot be read or a picture not be written.
    """
    paths = find_baseline(old), find_baseline(new)
    before, after = (read_baseline(path) for path in paths)
    renamed = model_names(before, after, models)
    comparison = compare_runs(before, after, renamed, alpha)
    lines = [f"{word} {printable(str(path))} ({_run(rows)})" for word, path, rows in _runs(paths, before, after)]
    lines += [f"model {printable(was)} is held against {printable(now)}" for was, now in renamed.items()]
    lines += regression_lines(comparison, all_cells)
    if out is not None:
        try:
            written = write_differences(comparison, (_run_id(before), _run_id(after)), out)
        except OSError as error:
            raise HaystackError(f"{out}: the pictures cannot be written: {error.strerror or error}") from None
        if written:
            where = "" if out == Path() else f"{printable(str(out))}: "
            lines.append(f"wrote {where}{', '.join(path.name for path in written)}")
    return comparison, lines


def _runs(
    paths: tuple[Path, Path], before: Sequence[Row], after: Sequence[Row]
) -> list[tuple[str, Path, Sequence[Row]]]:
    return [("old", paths[0], before), ("new", paths[1], after)]


def _run(rows: Sequence[Row]) -> str:
    scored = sum(row["score"] is not None for row in rows)
    return f"run {printable(_run_id(rows))}, {len(rows):,} rows, {scored:,} with a score"


def _run_id(rows: Sequence[Row]) -> str:
    """The run that most rows are of: resumed runs hold rows of earlier ones."""
    ids = [str(row.get("run_id") or "unknown") for row in rows]
    return max(dict.fromkeys(ids), key=ids.count)
