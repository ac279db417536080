"""Axes to an ordered tuple of cells, with ids and seeds."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from pytest_haystack.config.axes import expand_depths, expand_lengths
from pytest_haystack.config.axis import PROMPT
from pytest_haystack.config.trials import StopRule
from pytest_haystack.errors import ConfigError

if TYPE_CHECKING:
    from pytest_haystack.config.loader import LoadedConfig
    from pytest_haystack.config.schema import Config


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Cell:
    """One point of the sweep: a model, a task, a context length and a depth.

    ``context_length`` is in tokens, ``depth_percent`` in percent from 0 (start of the document) to 100 (its end),
    ``depth`` is the depth as it stands in the id, ``threshold`` the least mean score (0 to 1) that passes,
    ``line`` the line of the task in the config file (1-based). Where the task is a variant, ``family`` is the entry
    that it is one of and ``variant`` its value of each axis; else ``family`` is the task. ``stop`` says how its
    verdict is reached where that may take fewer than its ``trials``; None where the mean of all of them decides.
    """

    sweep: str
    task: str
    model: str
    context_length: int
    depth_percent: float
    depth: str
    trials: int
    threshold: float
    line: int
    family: str
    variant: tuple[tuple[str, str | int | float], ...] = ()
    stop: StopRule | None = None

    def __hash__(self) -> int:
        # Looked up several times a test; what else a cell has follows from these.
        return hash((self.task, self.model, self.context_length, self.depth))

    @property
    def id(self) -> str:
        """Text between the brackets of the node id, e.g. ``single-reader-len4000-depth50``."""
        return f"{self.task}-{self.model}-len{self.context_length}-depth{self.depth}"

    @property
    def mark(self) -> dict[str, Any]:
        """Keyword arguments of the cell's ``haystack_cell`` mark."""
        return {
            "task": self.task,
            "family": self.family,
            "model": self.model,
            "context_length": self.context_length,
            "depth_percent": self.depth_percent,
            "depth": self.depth,
        }


def depth_text(depth_percent: float) -> str:
    """Depth percent as ids show it: at most two decimals, no trailing zeros (``50``, ``3.95``)."""
    # Adding zero turns -0.0 into 0.0.
    return f"{depth_percent + 0.0:.2f}".rstrip("0").rstrip(".")


def seed_of(*parts: object) -> int:
    """A 64-bit seed that depends on the parts alone, the same on every machine and Python version."""
    digest = hashlib.sha256("\x1f".join(str(part) for part in parts).encode()).digest()
    return int.from_bytes(digest[:8], "big")


def repeated(cell: Cell, times: int) -> Cell:
    """The cell with this many trials for each of its own."""
    stop = cell.stop and replace(cell.stop, most=cell.stop.most * times)
    return replace(cell, trials=cell.trials * times, stop=stop)


def make_cells(loaded: LoadedConfig, depth_matters: Mapping[str, bool]) -> tuple[Cell, ...]:
    """All cells in config order: tasks, then models, then lengths, then depths.

    ``depth_matters`` says by task id whether the depth axis counts; where it does not, it is the one cell at 50.
    """
    config = loaded.config
    cells = []
    for index, task in enumerate(config.tasks):
        lengths = expand_lengths(task.context_lengths or config.sweep.context_lengths)
        depths = expand_depths(task.depth_percents or config.sweep.depth_percents)
        if not depth_matters[task.id]:
            depths = (50.0,)
        trials = task.trials or (len(config.sweep.seeds) if config.sweep.seeds else config.sweep.trials)
        most = trials if isinstance(trials, int) else trials.max
        line = loaded.line_of("tasks", index)
        for model in config.models:
            threshold = next(t for t in (task.threshold, model.threshold, config.threshold) if t is not None)
            cells += [
                Cell(
                    sweep=config.name,
                    task=task.id,
                    model=model.id,
                    context_length=length,
                    depth_percent=depth,
                    depth=depth_text(depth),
                    trials=most,
                    threshold=threshold,
                    line=line,
                    family=task.family or task.id,
                    variant=tuple(task.variant.items()),
                    stop=None if isinstance(trials, int) else StopRule.of(trials, threshold, most),
                )
                for length in lengths
                for depth in depths
            ]
    _refuse_equal_ids(loaded, cells)
    return tuple(cells)


def _refuse_equal_ids(loaded: LoadedConfig, cells: Sequence[Cell]) -> None:
    seen: dict[str, Cell] = {}
    for cell in cells:
        other = seen.setdefault(cell.id, cell)
        if other is not cell:
            what = (
                f"two depths are both written {cell.depth} (ids have two decimals)"
                if other.task == cell.task and other.model == cell.model
                else f"task {other.task!r} with model {other.model!r} and task {cell.task!r} with model "
                f"{cell.model!r} give the same test id; rename one"
            )
            raise ConfigError(f"{loaded.path.name}:{cell.line}: {cell.id}: {what}")


def sample(cells: Sequence[Cell], count: int) -> tuple[Cell, ...]:
    """``count`` cells spread over the grid, in their order, the same on every machine.

    Rows (task, model, length) take turns; within a row the depths come in an order fixed by hashing.
    """
    rows: dict[tuple[str, str, int], list[Cell]] = {}
    for cell in cells:
        rows.setdefault((cell.task, cell.model, cell.context_length), []).append(cell)
    for row in rows.values():
        row.sort(key=lambda cell: seed_of("sample", cell.id))
    if count >= len(cells):
        return tuple(cells)
    if count < len(rows):
        every = list(rows.values())
        chosen = {every[i * len(every) // count][0] for i in range(count)}
    else:
        turns = [cell for turn in range(len(cells)) for row in rows.values() for cell in row[turn : turn + 1]]
        chosen = set(turns[:count])
    return tuple(cell for cell in cells if cell in chosen)


def shard(cells: Sequence[T], number: int, count: int) -> tuple[T, ...]:
    """Part ``number`` (from 1) of ``count`` parts that together are all cells, each once, the same on every machine.

    Cells are dealt out in turn, so that each part has its share of every length. Searches are dealt out alike.
    """
    return tuple(cells[number - 1 :: count])


def trial_seed(config: Config, cell: Cell, trial: int) -> tuple[int, int]:
    """The config seed that trial ``trial`` (from 0) uses, and the seed of its random generator.

    With ``seeds`` each trial is what trial 0 of a run with that one seed would be. The model is no part of it:
    models answer identical prompts. Nor is the prompt's wording, so that prompts are compared on identical documents.
    """
    if config.sweep.seeds is not None:
        base, number = config.sweep.seeds[trial % len(config.sweep.seeds)], trial // len(config.sweep.seeds)
    else:
        base, number = config.sweep.seed, trial
    levels = [f"{axis}={level}" for axis, level in cell.variant if axis != PROMPT]
    return base, seed_of(base, cell.family, *levels, cell.context_length, cell.depth, number)
