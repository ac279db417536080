"""From a row back to the prompt it was scored on, byte for byte."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from pytest_haystack.documents.builder import rebuild
from pytest_haystack.documents.document import Document
from pytest_haystack.documents.haystack_text import HaystackText, Window
from pytest_haystack.errors import HaystackError
from pytest_haystack.haystacks.arranged import GAP
from pytest_haystack.models.model import Prompt
from pytest_haystack.registry import NEWEST, Registry
from pytest_haystack.results.store import RESULTS, read_rows
from pytest_haystack.running.workbench import Workbench, load_bench
from pytest_haystack.text import one_line, printable

RESOLVED = "config.resolved.yaml"
#: What a recipe leaves out.
_USUAL = {"offset": 0, "window": "shared"}
Registries = Callable[[Path], Registry]


def pick_row(path: Path, nodeid: str | None, number: int | None, trial: int) -> dict[str, Any]:
    """The row of a node id and trial (from 0), or of a number (from 1).

    A part of a node id will do where one test alone has it. Raises HaystackError where there is no such row.
    """
    rows = read_rows(path)
    if number is not None:
        if number > len(rows):
            raise HaystackError(f"{path}: has {len(rows)} rows, none of number {number}")
        return rows[number - 1]
    names = sorted({row["nodeid"] for row in rows if _means(str(nodeid), row["nodeid"])})
    if nodeid in names:
        names = [str(nodeid)]
    if len(names) > 1:
        raise HaystackError(f"{path}: {nodeid} is in {len(names):,} node ids; name one, e.g. '{names[0]}'")
    found = [row for row in rows if row["nodeid"] in names]
    if not found:
        raise HaystackError(f"{path}: no row of {nodeid}; {_nearest(str(nodeid), rows)}")
    for row in found:
        if row["trial"] == trial:
            return row
    raise HaystackError(f"{path}: {nodeid} has trials {', '.join(str(row['trial']) for row in found)}, not {trial}")


def rebuild_prompt(path: Path, row: dict[str, Any], config: Path | None, registries: Registries) -> Prompt:
    """The prompt of a row. Raises HaystackError saying what has changed where it is not the same bytes."""
    return _rebuild(bench_of_rows(path, row, config, registries), row)[1]


def describe(
    path: Path, nodeid: str, trial: int, around: int, registries: Registries, config: Path | None = None
) -> Iterator[str]:
    """Lines that show a trial: what was asked and answered, and the text around each needle."""
    row = pick_row(path, nodeid, None, trial)
    trials = 1 + max(other["trial"] for other in read_rows(path) if other["nodeid"] == row["nodeid"])
    bench = bench_of_rows(path, row, config, registries)
    expected = row["expected"]
    length, depth = row["context_length"], row["depth_percent"]
    yield f"cell      {row['task']}, {row['model_id']}, {length:,} tokens, depth {depth:g} %"
    if trials > 1:
        yield f"trial     {trial + 1} of {trials} (--trial {trial})"
    yield f"question  {one_line(row['question'], 1000)}"
    yield f"expected  {', '.join(expected) if isinstance(expected, list) else expected}"
    yield printable(f"answer    {row['response'] or '(no text)'}")
    score = "none" if row["score"] is None else f"{row['score']:.2f}"
    yield printable(f"outcome   {row['outcome']}, score {score}" + (f": {row['error']}" if row["error"] else ""))
    document, _ = _rebuild(bench, row)
    for place in document.placements:
        start, end = place.char_index, place.char_index + len(place.text)
        before, after = document.text[max(0, start - around) : start], document.text[end : end + around]
        yield ""
        yield f"needle    at {place.actual_depth_percent:.2f} % (token {place.token_index:,} of {document.tokens:,})"
        yield printable(f"...{before}>>>{place.text}<<<{after}...")


def find_rows(nodeid: str) -> Path:
    """The results.jsonl of the latest run in this folder that has this test, else the first that there is.

    Raises HaystackError where there is none.
    """
    roots = [Path(os.environ[name]) for name in ("PYTEST_HAYSTACK_REPORT_DIR",) if name in os.environ]
    folders = [*roots, Path("haystack-report")]
    files = [
        path for root in folders for path in [root / RESULTS, *sorted(root.glob(f"*/{RESULTS}"))] if path.is_file()
    ]
    for path in files:
        if any(_means(nodeid, row["nodeid"]) for row in read_rows(path)):
            return path
    if not files:
        raise HaystackError(f"no rows of {nodeid} in haystack-report; run it, or name its results.jsonl with --rows")
    return files[0]


def _means(part: str, nodeid: str) -> bool:
    """Is this the node id, or a part of it that begins and ends where a name does?"""
    head, found, rest = nodeid.partition(part)
    return bool(part and found) and head[-1:] in ("", *"[-:/") and rest[:1] in ("", *"]-:")


def bench_of_rows(
    rows: Path, row: Mapping[str, Any], config: Path | None, registries: Registries, overrides: Sequence[str] = ()
) -> Workbench:
    """The sweep that the file ``rows``, of which ``row`` is one, is of: ``config``, else the settings beside it.

    Raises HaystackError where there are none.
    """
    path = config or rows.parent / RESOLVED
    if not path.is_file():
        raise HaystackError(f"{path}: no such file; name the sweep file with --config")
    # The conftest that registered what the sweep names lies beside the sweep file, not beside the report.
    origin = Path(row["nodeid"].partition("::")[0])
    return load_bench(path.absolute(), registries(path if config or not origin.is_file() else origin), overrides)


def _rebuild(bench: Workbench, row: dict[str, Any]) -> tuple[Document, Prompt]:
    if row["task"] not in bench.entries:
        raise HaystackError(f"{bench.loaded.path.name}: has no task {row['task']!r} any more")
    _take_recorded_version(bench, row)
    _take_recorded_articles(bench, row)
    changed = list(_changes(bench, row))
    if not changed:
        document = _document(bench, row)
        prompt = bench.templates[row["task"]].render(document.text, row["question"], row["trial"])
        if prompt.sha256 == row["prompt_sha256"]:
            return document, prompt
        changed = ["the prompt's bytes differ: another version of pytest-haystack or tiktoken builds it differently"]
    raise HaystackError(f"{row['nodeid']} cannot be rebuilt: " + "; ".join(changed))


def _document(bench: Workbench, row: dict[str, Any]) -> Document:
    recipe = row["recipe"]
    if "haystack" in recipe:
        text = _text(bench, row)
        # The same text by hash; rows from before its source had versions call it by the bare name.
        return rebuild(text, {**recipe, "haystack": {**recipe["haystack"], "source": text.source}})
    if "tokenizer" not in recipe:
        raise HaystackError("this row's document came from a fixture of the test's own; only that can rebuild it")
    # A document without filler: its records follow from the task and the seed.
    place = (row["task"], row["model_id"], row["context_length"], row["depth_percent"])
    for cell in (*bench.cells, *bench.search_cells):
        if (cell.task, cell.model, cell.context_length, cell.depth_percent) == place and row["trial"] < cell.trials:
            document = bench.material(cell, row["trial"]).document
            if document.recipe.get("placements") != recipe["placements"]:
                raise HaystackError(
                    f"{row['nodeid']} cannot be rebuilt: its records came from a fixture of the test's own, or from "
                    "another seed or other options"
                )
            return document
    raise HaystackError(f"{bench.loaded.path.name}: has no cell of {row['nodeid']} any more")


def _text(bench: Workbench, row: dict[str, Any]) -> HaystackText:
    recipe, task = row["recipe"], row["task"]
    entry = bench.entries[task].haystack or bench.config.haystack
    if entry.separator == GAP or "parts" in recipe["haystack"]:
        return bench.haystack_text(task, recipe["document_tokens"])
    # From when the separator stood between repetitions alone; where a text has no documents, it still does.
    source = bench.source(entry.model_copy(update={"separator": GAP}))
    window = Window(entry.offset, entry.window == "sliding")
    return HaystackText.prepare(source, entry.separator, bench.encoding, recipe["document_tokens"], window)


def _take_recorded_version(bench: Workbench, row: dict[str, Any]) -> None:
    """Let the row's task have the version of its haystack source that the row was made with.

    The config may name another, or none, and rows from before a source had versions know its hash alone.
    """
    was = row["recipe"].get("haystack")
    task = bench.entries[row["task"]]
    entry = task.haystack or bench.config.haystack
    name = _unversioned(entry.source)
    if name not in NEWEST or not was or _unversioned(was["source"]) != name:
        return
    for version in (source for source in bench.registry.sources if _unversioned(source) == name):
        for options in (was.get("options", {}), entry.options):
            haystack = entry.model_copy(update={"source": version, "options": options})
            # What one version has as an option, another may not know.
            with suppress(ValidationError):
                if bench.source(haystack).sha256 == was["sha256"]:
                    bench.entries[task.id] = task.model_copy(update={"haystack": haystack})
                    return


def _take_recorded_articles(bench: Workbench, row: dict[str, Any]) -> None:
    """Let the row's task have the articles that the row was made with, whatever the lock file lists by now."""
    was = row["recipe"].get("haystack") or {}
    manifest = was.get("options", {}).get("manifest")
    task = bench.entries[row["task"]]
    entry = task.haystack or bench.config.haystack
    if manifest is not None and was["source"] == entry.source:
        haystack = entry.model_copy(update={"options": {**entry.options, "manifest": manifest}})
        bench.entries[task.id] = task.model_copy(update={"haystack": haystack})


def _unversioned(source: str) -> str:
    return source.partition("@")[0]


def _changes(bench: Workbench, row: dict[str, Any]) -> Iterator[str]:
    recipe = row["recipe"]
    entry = bench.entries[row["task"]].haystack or bench.config.haystack
    was = recipe.get("haystack")
    if was and _unversioned(was["source"]) != _unversioned(entry.source):
        yield f"the haystack was {was['source']}, now it is {entry.source}"
    elif was and was["sha256"] != bench.source(entry).sha256:
        yield f"the text of the haystack source {entry.source} has changed"
    if was:
        shuffle = entry.shuffled
        now = {
            "separator": entry.separator,
            "shuffle": shuffle and shuffle.model_dump(),
            "offset": entry.offset,
            "window": entry.window,
        }
        for key, value in now.items():
            before = was.get(key, _USUAL.get(key))
            if before != value:
                yield f"haystack.{key} was {before!r}, now it is {value!r}"
    encoding = bench.encoding
    tokenizer = recipe.get("tokenizer", encoding.name)
    if tokenizer != encoding.name:
        yield f"the tokenizer was {tokenizer}, now it is {encoding.name}"
    elif "tokenizer" in recipe and recipe.get("tokenizer_sha256") != encoding.sha256:
        yield f"the file {encoding.name} has changed"
    if recipe["template_sha256"] != bench.templates[row["task"]].sha256:
        yield "the prompt template has changed"


def _nearest(nodeid: str, rows: list[dict[str, Any]]) -> str:
    import difflib

    close = difflib.get_close_matches(nodeid, {row["nodeid"] for row in rows}, n=1, cutoff=0.3)
    if close:
        return f"did you mean '{close[0]}'?"
    if not rows:
        return "the file has no rows"
    return f"it has {len(rows):,} row{'s' if len(rows) > 1 else ''}, e.g. '{rows[0]['nodeid']}'"
