"""Whether a baseline can be compared with a sweep at all, as far as that is known before anything is asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from pytest_haystack.results.statistics import Row

if TYPE_CHECKING:
    from pytest_haystack.running.workbench import Workbench
    from pytest_haystack.sweep import Cell


def why_incomparable(bench: Workbench, cells: Iterable[Cell], rows: Iterable[Row]) -> str:
    """Why no row of a baseline can find a partner among the prompts of these cells; empty where some may.

    Only what every prompt of the sweep will have is looked at: haystack, tokenizer, wording, seed. Prompts may differ
    for other reasons; those are told of each pair when the answers are in.
    """
    known = {(cell.model, cell.task, cell.context_length, round(cell.depth_percent, 2)): cell for cell in cells}
    own: list[tuple[Row, Cell]] = []
    listed = list(rows)
    for row in listed:
        place = (row["model_id"], row["task"], row["context_length"], round(row["depth_percent"], 2))
        cell = known.get(place)
        if cell is not None and row["trial"] < cell.trials:
            own.append((row, cell))
    if not own:
        models, tasks = (", ".join(sorted({str(row[name]) for row in listed})) for name in ("model_id", "task"))
        return f"it has none of the cells of this run (its models: {models}; its tasks: {tasks})"
    reasons: Counter[str] = Counter()
    for row, cell in own:
        changes = list(_changes(bench, row, cell))
        if not changes:
            return ""
        reasons["; ".join(changes)] += 1
    told = ", ".join(f"{count:,} {reason}" for reason, count in reasons.most_common(3))
    return f"its prompts are not those of this run: {told}"


def _changes(bench: Workbench, row: Row, cell: Cell) -> Iterator[str]:
    recipe = row["recipe"]
    was = recipe.get("haystack")
    # Without it the document had no filler, or came from a fixture, which may come again.
    if was:
        entry = bench.entries[cell.task].haystack or bench.config.haystack
        if was["source"] != entry.source:
            yield f"haystack changed ({was['source']}, now {entry.source})"
        elif was["sha256"] != bench.source(entry).sha256:
            yield f"haystack changed (text of {entry.source})"
    tokenizer = recipe.get("tokenizer", bench.config.tokenizer)
    if tokenizer != bench.config.tokenizer:
        yield f"tokenizer changed ({tokenizer}, now {bench.config.tokenizer})"
    if recipe.get("template_sha256") != bench.templates[cell.task].sha256:
        yield "wording of the prompt changed"
    seed = bench.base_seed(cell, row["trial"])
    if row["seed"] != seed:
        yield f"seed changed ({row['seed']}, now {seed})"
