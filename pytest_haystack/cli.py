"""The command `pytest-haystack`: what is not a test."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pytest_haystack import __version__, results_commands
from pytest_haystack.command_parts import CONFIG, SET, bench_of, plainly, registry_of, rows_file, say
from pytest_haystack.errors import HaystackError
from pytest_haystack.text import printable

if TYPE_CHECKING:
    pass


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="pytest-haystack")
def main() -> None:
    """Sweeps of long-context retrieval tests, beside `pytest --haystack-config FILE`, which runs them."""


for command in (results_commands.compare, results_commands.export, results_commands.report, results_commands.merge):
    main.add_command(command)


@main.command()
@click.argument("file", type=click.Path(path_type=Path), default="haystack.yaml")
@click.option("--force", is_flag=True, help="Overwrite the file if it exists.")
@plainly
def init(file: Path, force: bool) -> None:
    """Write a commented sweep file that runs as it is, without key or network."""
    from pytest_haystack.config.template import starter_config

    if file.exists() and not force:
        raise HaystackError(f"{file}: exists already; name another file or use --force")
    if not file.parent.is_dir():
        raise HaystackError(f"{file.parent}: no such folder")
    file.write_text(starter_config(), encoding="utf-8")
    click.echo(f"Wrote {file}. Run it: pytest --haystack-config {file}")


@main.command()
@CONFIG
@SET
@plainly
def validate(config: Path, overrides: tuple[str, ...]) -> None:
    """Check a sweep file; list every mistake in it."""
    from pytest_haystack.running.gate_cells import gate_lines
    from pytest_haystack.running.haystack_notes import haystack_notes
    from pytest_haystack.running.spending import check_prices

    bench = bench_of(config, overrides)
    check_prices(bench, (*bench.cells, *bench.search_cells))
    searches = f", {len(bench.searches):,} searches" if bench.searches else ""
    click.echo(f"{config}: valid, {len(bench.cells):,} cells{searches}")
    for line in gate_lines(bench):
        click.echo(line)
    for note in (*bench.loaded.notes, *bench.notes, *haystack_notes(bench, bench.cells)):
        say(f"note: {note}")


@main.command()
@CONFIG
@SET
@plainly
def plan(config: Path, overrides: tuple[str, ...]) -> None:
    """Print what a sweep would send: cells, calls, input tokens, USD at most."""
    from pytest_haystack.running.gate_cells import gate_lines
    from pytest_haystack.running.haystack_notes import haystack_notes
    from pytest_haystack.running.plan import plan_lines, plan_of

    bench = bench_of(config, overrides)
    for line in (*plan_lines(plan_of(bench, bench.cells, bench.searches)), *gate_lines(bench)):
        say(line)
    for note in (*bench.loaded.notes, *bench.notes, *haystack_notes(bench, bench.cells)):
        say(f"note: {note}")


@main.command()
@click.argument("nodeid")
@click.option("--rows", type=click.Path(path_type=Path), help="Rows of a run (default: the report folder's).")
@click.option("--trial", type=click.IntRange(min=0), default=0, show_default=True, help="Which trial, from 0.")
@click.option("--around", type=click.IntRange(min=0), default=200, show_default=True, help="Characters each side.")
@click.option(
    "--config", type=click.Path(path_type=Path), help="Sweep file (default: config.resolved.yaml by the rows)."
)
@plainly
def show(nodeid: str, rows: Path | None, trial: int, around: int, config: Path | None) -> None:
    """Print the text around each needle beside question, expected answer and answer.

    NODEID is what pytest printed, e.g. 'haystack.yaml::test_cell[single-reader-len4000-depth50]', or a part of it
    that one cell alone has, e.g. single-reader-len4000-depth50.
    """
    from pytest_haystack.running.reconstruction import describe, find_rows

    path = rows_file(rows) if rows else find_rows(nodeid)
    for line in describe(path, nodeid, trial, around, registry_of, config):
        say(line)


@main.command()
@click.argument("rows", type=click.Path(path_type=Path))
@click.argument("nodeid", required=False)
@click.option("--row", type=click.IntRange(min=1), help="The row of this number (line, from 1) instead of NODEID.")
@click.option("--trial", type=click.IntRange(min=0), default=0, show_default=True, help="Which trial, from 0.")
@click.option("--config", type=click.Path(path_type=Path), help="Sweep file (default: config.resolved.yaml by ROWS).")
@click.option("-o", "--out", type=click.Path(path_type=Path), help="Write to this file instead of standard output.")
@plainly
def reconstruct(
    rows: Path, nodeid: str | None, row: int | None, trial: int, config: Path | None, out: Path | None
) -> None:
    """Rebuild the prompt of a row byte for byte, checked against its sha256.

    ROWS is a results.jsonl or a report folder; NODEID may be a part that one cell alone has.
    """
    from pytest_haystack.running.reconstruction import pick_row, rebuild_prompt

    if (nodeid is None) == (row is None):
        raise HaystackError("give either a NODEID or --row N")
    rows = rows_file(rows)
    prompt = rebuild_prompt(rows, pick_row(rows, nodeid, row, trial), config, registry_of)
    data = prompt.encode("utf-8", "backslashreplace")
    if out is not None:
        out.write_bytes(data)
    elif sys.stdout.isatty():
        # For the eye; a pipe or a file gets the very bytes.
        say(prompt)
    else:
        sys.stdout.buffer.write(data)


@main.command()
@click.argument("what", metavar="[SWEEP_FILE|local/NAME]", default="haystack.yaml")
@click.option("--update", is_flag=True, help="Choose articles anew, instead of those that haystack.lock.yaml lists.")
@SET
@plainly
def fetch(what: str, update: bool, overrides: tuple[str, ...]) -> None:
    """Fetch what a sweep needs from the network, once: articles of its haystacks, weights of local models.

    Articles are chosen by the seed and listed in haystack.lock.yaml beside the sweep file: commit it, and every machine
    fetches the very same texts.
    """
    from pytest_haystack.config.local_names import PREFIX_NAME
    from pytest_haystack.sweep_fetching import fetch_for_sweep, fetch_model

    path = Path(what)
    if what.startswith(PREFIX_NAME):
        fetch_model(what, say)
    elif path.is_file():
        fetch_for_sweep(path.absolute(), registry_of(path), overrides, say, anew=update)
    else:
        raise HaystackError(f"{what!r} is nothing to fetch; name a sweep file, or a local model, e.g. local/smollm2")


@main.command("import-config")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("-o", "--out", type=click.Path(path_type=Path, dir_okay=False), help="Write to this file, a new one.")
@click.option(
    "--model-dir",
    "model_dirs",
    multiple=True,
    type=click.Path(path_type=Path, file_okay=False),
    help="Look for needlehaystack's model files here too (repeatable).",
)
@plainly
def import_config(file: Path, out: Path | None, model_dirs: tuple[Path, ...]) -> None:
    """Turn a run config of needlehaystack 2 or a config of HaystackBench into a sweep file.

    What cannot be carried over is told on standard error, one line each.
    """
    import os

    from pytest_haystack.importing.turning import turn

    if out is not None and out.exists():
        raise HaystackError(f"{out}: exists already; name another file")
    if out is not None and not out.absolute().parent.is_dir():
        raise HaystackError(f"{out.parent}: no such folder")
    turned = turn(file, model_dirs, Path.cwd() if out is None else out.absolute().parent, os.environ)
    for note in turned.notes:
        click.echo(printable(f"not carried over: {note}"), err=True)
    if out is None:
        sys.stdout.buffer.write(turned.yaml.encode("utf-8"))
        return
    with out.open("x", encoding="utf-8", newline="\n") as stream:
        stream.write(turned.yaml)
    click.echo(f"Wrote {out}. Look at it, then run it: pytest --haystack-config {out}", err=True)


@main.command()
@plainly
def schema() -> None:
    """Print the JSON Schema of sweep files, for editors."""
    from pytest_haystack.config.json_schema import json_schema
    from pytest_haystack.registry import Registry

    click.echo(json.dumps(json_schema(Registry()), indent=2, ensure_ascii=False))


@main.command("check-scorer")
@click.argument("cases", type=click.Path(path_type=Path))
@plainly
def check_scorer(cases: Path) -> None:
    """Hold scorers to a table of cases; print each mismatch, and exit with 1 if there is one."""
    from pytest_haystack.registry import Registry
    from pytest_haystack.scoring.check import check_file

    result = check_file(cases, Registry())
    for line in result.lines():
        say(line)
    sys.exit(0 if result.all_agree else 1)
