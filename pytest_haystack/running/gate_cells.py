"""Gates that nothing could ever decide."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_haystack.errors import ConfigError
from pytest_haystack.results.gates import GatedCell, concerns

if TYPE_CHECKING:
    from pytest_haystack.running.workbench import Workbench


def check_gates(bench: Workbench) -> None:
    """Raise ConfigError for gates that no cell of the sweep belongs to, one line each."""
    if not bench.config.gates:
        return
    cells = [
        GatedCell(
            model=cell.model,
            task=cell.task,
            family=cell.family,
            task_type=bench.entries[cell.task].type,
            prompt="",
            context_length=cell.context_length,
            depth_percent=cell.depth_percent,
            trials=cell.trials,
            known=False,
            rows=(),
        )
        for cell in bench.cells
    ]
    problems = []
    for index, entry in enumerate(bench.config.gates):
        metric = bench.registry.metrics[entry.metric]()
        if any(concerns(entry, metric, cell) for cell in cells):
            continue
        types = metric.task_types
        words = "no cell of the sweep has this model, task, context length and depth; widen the gate"
        if types is not None and not any(cell.task_type in types for cell in cells):
            words = f"{entry.metric} needs a task of type {' or '.join(sorted(types))}; add one"
        problems.append(f"{bench.loaded.path.name}:{bench.loaded.line_of('gates', index)}: gates.{index}: {words}")
    if problems:
        raise ConfigError(problems)
