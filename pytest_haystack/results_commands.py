"""The commands of `pytest-haystack` that work on what runs have left: their rows."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from pytest_haystack.command_parts import SET, plainly, registry_of, rows_file, say
from pytest_haystack.errors import HaystackError


@click.command()
@click.argument("old", type=click.Path(path_type=Path))
@click.argument("new", type=click.Path(path_type=Path))
@click.option("--model", "models", multiple=True, metavar="OLD=NEW", help="Hold this model against that (repeatable).")
@click.option(
    "--alpha",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="How often an unchanged model may be called worse.",
)
@click.option(
    "-o", "--out", type=click.Path(path_type=Path, file_okay=False), help="Folder of the pictures (default: NEW's)."
)
@click.option("--no-pictures", is_flag=True, help="Draw nothing.")
@click.option("--all-cells", is_flag=True, help="Name every cell that changed.")
@click.option(
    "--fail-on-regression",
    is_flag=True,
    help="Exit with 1 where one is significantly worse, or none could be compared.",
)
@plainly
def compare(
    old: Path,
    new: Path,
    models: tuple[str, ...],
    alpha: float,
    out: Path | None,
    no_pictures: bool,
    all_cells: bool,
    fail_on_regression: bool,
) -> None:
    """Compare two runs (results.jsonl or report folders) on the prompts that both asked; draw difference.png."""
    from pytest_haystack.reports.run_comparison import compare_files

    folder = None if no_pictures else out or rows_file(new).parent
    comparison, lines = compare_files(old, new, models, alpha, folder, all_cells)
    for line in lines:
        click.echo(line)
    fails = comparison.regressions or comparison.uncompared or not any(group.n for group in comparison.groups)
    sys.exit(1 if fail_on_regression and fails else 0)


@click.command()
@click.argument("rows", type=click.Path(path_type=Path))
@click.option(
    "--format", "form", type=click.Choice(["csv", "json"]), default="csv", show_default=True, help="Form of the table."
)
@click.option(
    "--what",
    type=click.Choice(["rows", "cells", "aggregates"]),
    default="rows",
    show_default=True,
    help="A line a trial, a line a cell, or figures by task, context length and depth.",
)
@click.option(
    "-o", "--out", type=click.Path(path_type=Path, dir_okay=False), help="Write to this file, not standard output."
)
@plainly
def export(rows: Path, form: str, what: Any, out: Path | None) -> None:
    """Write the rows of a run (results.jsonl or a report folder), or what they come to, as CSV or JSON."""
    from pytest_haystack.reports.files import write_whole
    from pytest_haystack.results.baseline import find_baseline, read_baseline
    from pytest_haystack.results.tables import as_csv, as_json, table_of

    table = table_of(read_baseline(find_baseline(rows)), what)
    data = (as_csv(table) if form == "csv" else as_json(table)).encode("utf-8")
    if out is None:
        sys.stdout.buffer.write(data)
        return
    try:
        write_whole(out, lambda temporary: temporary.write_bytes(data))
    except OSError as error:
        raise HaystackError(f"{out}: cannot be written: {error.strerror or error}") from None


@click.command()
@click.argument("rows", type=click.Path(path_type=Path))
@click.option("--config", type=click.Path(path_type=Path), help="Sweep file (default: config.resolved.yaml by ROWS).")
@click.option("--dir", "directory", type=click.Path(path_type=Path), help="Folder to write to (default: that of ROWS).")
@click.option("--baseline", type=click.Path(path_type=Path), help="Hold the rows against those of this earlier run.")
@click.option("--fail", is_flag=True, help="Exit with 1 where a cell or gate is red or a cell has no row.")
@SET
@plainly
def report(
    rows: Path,
    config: Path | None,
    directory: Path | None,
    baseline: Path | None,
    fail: bool,
    overrides: tuple[str, ...],
) -> None:
    """Write the reports of rows (results.jsonl or a report folder) once more, gates too; nothing is scored again."""
    from pytest_haystack.report_again import report_again
    from pytest_haystack.results.store import read_rows
    from pytest_haystack.running.reconstruction import bench_of_rows

    rows = rows_file(rows)
    found = read_rows(rows)
    if not found:
        raise HaystackError(f"{rows}: has no rows")
    bench = bench_of_rows(rows, found[0], config, registry_of, overrides)
    told = report_again(bench, found, directory or rows.parent, baseline)
    for line in told.lines:
        say(line)
    sys.exit(1 if fail and told.red else 0)


@click.command()
@click.argument("rows", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("-o", "--out", type=click.Path(path_type=Path), required=True, help="File to write.")
@plainly
def merge(rows: tuple[Path, ...], out: Path) -> None:
    """Put the rows of several machines into one file; of a trial that stands in several, the last file's row holds."""
    from pytest_haystack.results.merging import merge as merge_files

    click.echo(f"wrote {out}: {merge_files([*map(rows_file, rows)], out):,} rows of {len(rows)} files")
