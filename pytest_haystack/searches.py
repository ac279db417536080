"""Searches of a sweep: each a test of one model in one task that pools over the depths of a context length."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_haystack.config.axes import expand_depths, expand_lengths
from pytest_haystack.config.trials import StopRule
from pytest_haystack.errors import ConfigError
from pytest_haystack.sweep import Cell, depth_text, seed_of

if TYPE_CHECKING:
    from pytest_haystack.config.loader import LoadedConfig
    from pytest_haystack.config.schema import ModelEntry, TaskEntry
    from pytest_haystack.config.searches import SearchEntry


@dataclass(frozen=True, slots=True)
class Search:
    """A test of a claimed context length, or of the longest one that holds.

    ``name`` is the id of its entry, ``metric`` ``mean_score`` or ``effective_context_length``. ``lengths`` (tokens,
    rising) are those it may ask at, ``least`` is the one that is claimed, ``depths`` (percent) are pooled. ``rule``
    says when the trials of one length stop. A round asks each depth once, which takes ``parts`` prompts a depth.
    ``line`` is the line of its entry (1-based), ``number`` that entry's place in the file (from 0).
    """

    sweep: str
    name: str
    number: int
    metric: str
    task: str
    model: str
    lengths: tuple[int, ...]
    least: int
    depths: tuple[float, ...]
    rule: StopRule
    parts: int
    seed: int
    line: int
    family: str
    variant: tuple[tuple[str, str | int | float], ...] = ()

    @property
    def id(self) -> str:
        """Text between the brackets of the node id, e.g. ``effective_context_length-single-reader``."""
        length = f"-len{self.least}" if self.metric == "mean_score" else ""
        return f"{self.name}-{self.task}-{self.model}{length}"

    @property
    def mark(self) -> dict[str, Any]:
        """Keyword arguments of its ``haystack_search`` mark."""
        return {"id": self.name, "metric": self.metric, "task": self.task, "family": self.family, "model": self.model}

    @property
    def claimed(self) -> tuple[int, ...]:
        """The lengths that must hold for it to pass."""
        reached = next(length for length in self.lengths if length >= self.least)
        return tuple(length for length in self.lengths if length <= reached)

    @property
    def rounds(self) -> int:
        """Rounds of all depths in which the trials of a length fit."""
        return math.ceil(self.rule.most / (len(self.depths) * self.parts))

    @property
    def most_calls(self) -> int:
        """Requests at most: every length tested to the end."""
        return self.rule.most * len(self.lengths)

    def cell(self, length: int, depth: float) -> Cell:
        """The cell that its trials at a length and depth belong to; there may be one like it in the sweep."""
        return Cell(
            sweep=self.sweep,
            task=self.task,
            model=self.model,
            context_length=length,
            depth_percent=depth,
            depth=depth_text(depth),
            trials=self.rounds * self.parts,
            threshold=self.rule.threshold,
            line=self.line,
            family=self.family,
            variant=self.variant,
        )

    def cells(self) -> list[Cell]:
        """All cells that it may ask."""
        return [self.cell(length, depth) for length in self.lengths for depth in self.depths]

    def round(self, length: int, number: int) -> list[tuple[Cell, int]]:
        """Cells and trial numbers of a round (from 0), in random order: the same for every model and machine."""
        depths = list(self.depths)
        random.Random(seed_of(self.seed, "search", self.family, length, number)).shuffle(depths)
        first = number * self.parts
        prompts = [(self.cell(length, depth), first + part) for depth in depths for part in range(self.parts)]
        return prompts[: self.rule.most - number * len(prompts)]


def make_searches(
    loaded: LoadedConfig, depth_matters: Mapping[str, bool], prompts_per_trial: Mapping[str, int]
) -> tuple[Search, ...]:
    """All searches in config order: entries, then tasks, then models. Raises ConfigError.

    ``depth_matters`` and ``prompts_per_trial`` are by task id, as for cells.
    """
    config = loaded.config
    searches: dict[str, Search] = {}
    for number, entry in enumerate(config.searches):
        for task in config.tasks:
            if not _named(entry.task, task.id) and not _named(entry.task, task.family or task.id):
                continue
            for model in config.models:
                if _named(entry.model, model.id):
                    depths = _depths(loaded, entry, task) if depth_matters[task.id] else (50.0,)
                    search = _search(loaded, number, task, model, depths, prompts_per_trial[task.id])
                    if searches.setdefault(search.id, search) is not search:
                        where = f"{loaded.path.name}:{search.line}: searches.{number}"
                        raise ConfigError(f"{where}: {search.id}: two searches give this test id; rename one")
    return tuple(searches.values())


def _search(
    loaded: LoadedConfig, number: int, task: TaskEntry, model: ModelEntry, depths: Sequence[float], parts: int
) -> Search:
    config, entry = loaded.config, loaded.config.searches[number]
    thresholds = (entry.threshold, task.threshold, model.threshold, config.threshold)
    threshold = next(value for value in thresholds if value is not None)
    lengths, least = _lengths(loaded, number, task)
    return Search(
        sweep=config.name,
        name=entry.id,
        number=number,
        metric=entry.metric,
        task=task.id,
        model=model.id,
        lengths=lengths,
        least=least,
        depths=tuple(depths),
        rule=StopRule.of(entry.trials, threshold, entry.max * parts),
        parts=parts,
        seed=config.sweep.seed if config.sweep.seeds is None else config.sweep.seeds[0],
        line=loaded.line_of("searches", number),
        family=task.family or task.id,
        variant=tuple(task.variant.items()),
    )


def _lengths(loaded: LoadedConfig, number: int, task: TaskEntry) -> tuple[tuple[int, ...], int]:
    """The lengths of a search, rising, and the claimed one. Raises ConfigError where none is as long as claimed."""
    entry = loaded.config.searches[number]
    if entry.context_length is not None:
        return (entry.context_length,), entry.context_length
    written = entry.context_lengths or task.context_lengths or loaded.config.sweep.context_lengths
    lengths = tuple(sorted(expand_lengths(written)))
    least = entry.min or 0
    if least > lengths[-1]:
        line = loaded.line_of("searches", number, "min")
        words = f"{least:,} is more than the longest context length of task {task.id!r}, {lengths[-1]:,}"
        raise ConfigError(
            f"{loaded.path.name}:{line}: searches.{number}.min: {words}; give the search context_lengths of its own"
        )
    return lengths, least


def _depths(loaded: LoadedConfig, entry: SearchEntry, task: TaskEntry) -> tuple[float, ...]:
    return expand_depths(entry.depth_percents or task.depth_percents or loaded.config.sweep.depth_percents)


def _named(names: str | list[str] | None, name: str) -> bool:
    return names is None or name in ([names] if isinstance(names, str) else names)
