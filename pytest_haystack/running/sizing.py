"""How long a document may be: windows, tokens kept free, and whether the needles fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pytest_haystack.config.local_names import is_local, known_window
from pytest_haystack.documents.builder import tokens_needed
from pytest_haystack.errors import ConfigError, HaystackError
from pytest_haystack.models.prices import model_facts

if TYPE_CHECKING:
    from pytest_haystack.models.model import Prompt
    from pytest_haystack.running.workbench import Workbench
    from pytest_haystack.sweep import Cell
    from pytest_haystack.tasks.task import Task

#: Tokens beyond those that needles need from which on they fit, whatever the haystack says where they stand.
_ROOM = 32


def context_window(bench: Workbench, model: str) -> int | None:
    """Context window of a model in tokens: the config's figure, else litellm's or a known local model's, else None."""
    if model not in bench.windows:
        bench.windows[model] = _context_window(bench, model)
    return bench.windows[model]


def _context_window(bench: Workbench, model: str) -> int | None:
    entry = bench.models[model]
    if entry.context_window is not None:
        return entry.context_window
    if bench.registry.provider_of(entry.model) is not None:
        return None
    if is_local(entry.model):
        return known_window(entry.model)
    return model_facts(entry.model).context_window


def output_limit(bench: Workbench, model: str) -> int:
    """The most output tokens a request may ask for, 0 where the config sets no limit."""
    return most_output(bench.models[model].request)


def most_output(request: Mapping[str, Any]) -> int:
    """The most output tokens that these parameters ask for, 0 where they set no limit."""
    limits = (request.get(name) for name in ("max_completion_tokens", "max_tokens"))
    return next((limit for limit in limits if isinstance(limit, int)), 0)


def reserve(bench: Workbench, cell: Cell, question: str) -> int:
    """Tokens kept free of the cell's length (see ``reserve`` in the config)."""
    fixed = bench.config.sweep.reserve
    if fixed != "auto":
        return fixed
    window = context_window(bench, cell.model)
    if window is None or cell.context_length > window:
        return 0
    frame = bench.counts.count(bench.templates[cell.task].render("", question))
    return max(0, cell.context_length + frame + output_limit(bench, cell.model) - window)


def tokens_of(bench: Workbench, prompt: Prompt) -> int:
    """Tokens of all messages of a prompt under the sweep's tokenizer; counted only where the prompt does not know."""
    return bench.encoding.count(prompt.contents) if prompt.tokens is None else prompt.tokens


def prompt_tokens(bench: Workbench, cell: Cell) -> int:
    """Tokens of the cell's prompt: the document's exact length and what stands around it.

    A document without filler is counted as the cell's first trial has it; others differ from it by a few tokens.
    """
    needles, ask = bench.sample(cell)
    document, task = cell.context_length, bench.tasks[cell.task]
    if not task.filler:
        document = bench.encoding.count(task.compose(needles, bench.context(cell, 0)))
    template = bench.templates[cell.task]
    return document * template.documents + bench.counts.count(template.render("", ask.question))


def check_fit(bench: Workbench) -> None:
    """Raise ConfigError where a cell's document could not hold its needles.

    Needles differ by a few tokens from trial to trial, so only lengths near the limit are looked at one by one, and
    documents made only of trials that may not fit.
    """
    groups: dict[tuple[str, str, int], list[Cell]] = {}
    for cell in (*bench.cells, *bench.search_cells):
        groups.setdefault((cell.task, cell.model, cell.context_length), []).append(cell)
    for cells in groups.values():
        with _told_of(bench, cells[0]):
            fits = _surely_fits(bench, cells[0])
        for cell in () if fits else cells:
            with _told_of(bench, cell):
                for trial in range(cell.trials):
                    if not _trial_fits(bench, cell, trial):
                        bench.material(cell, trial)


def _surely_fits(bench: Workbench, cell: Cell) -> bool:
    task = bench.tasks[cell.task]
    if not task.filler:
        return _surely_holds(bench, task, cell)
    needles, ask = bench.sample(cell)
    texts = [needle.statement for needle in needles]
    kept_free = reserve(bench, cell, ask.question)
    # Most sweeps are told by the length of their needles, so that nothing has to be counted.
    return any(
        cell.context_length >= 2 * (tokens_needed(texts, count) + kept_free) + 64
        for count in (bench.encoding.most, bench.encoding.count)
    )


def _trial_fits(bench: Workbench, cell: Cell, trial: int) -> bool:
    """True where this trial's needles leave room: to know that, its document need not be made."""
    task = bench.tasks[cell.task]
    if not task.filler:
        return False
    context = bench.context(cell, trial)
    needles = task.needles(context)
    texts = [needle.statement for needle in needles if needle.role != "absent"]
    needed = tokens_needed(texts, bench.encoding.count) + reserve(bench, cell, task.ask(needles, context).question)
    return cell.context_length >= needed + _ROOM


def _surely_holds(bench: Workbench, task: Task, cell: Cell) -> bool:
    """True where the smallest document without filler leaves so much room that no trial's can be too large."""
    context = bench.context(cell, 0)
    try:
        needed = bench.encoding.count(task.smallest(context))
    except HaystackError:
        return False
    return context.tokens >= 1.2 * needed + 64


@contextmanager
def _told_of(bench: Workbench, cell: Cell) -> Iterator[None]:
    """What cannot be made is told with the place of the task and the name of the cell."""
    try:
        yield
    except HaystackError as error:
        if str(error).startswith(f"{bench.loaded.path.name}:"):
            raise
        raise ConfigError(f"{bench.loaded.path.name}:{cell.line}: {cell.id}: {error}") from None
