"""Gates before the run: those that nothing could ever decide, or pass, and what is said of the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_haystack.errors import ConfigError
from pytest_haystack.results.gates import GatedCell, GateMetric, concerns, filled_rows, gate_name, groups_of, holds

if TYPE_CHECKING:
    from pytest_haystack.config.gates import GateEntry
    from pytest_haystack.running.workbench import Workbench


def check_gates(bench: Workbench) -> None:
    """Raise ConfigError for gates that no cell of the sweep belongs to, one line each."""
    cells = _cells(bench) if bench.config.gates else []
    problems = []
    for index, entry in enumerate(bench.config.gates):
        metric = bench.registry.metrics[entry.metric]()
        where = f"{bench.loaded.path.name}:{bench.loaded.line_of('gates', index)}: gates.{index}"
        if any(concerns(entry, metric, cell) for cell in cells):
            problems += [f"{where}: {words}" for words in _no_longer_length(entry, metric, cells)]
            continue
        types = metric.task_types
        words = "no cell of the sweep has this model, task, context length and depth; widen the gate"
        if types is not None and not any(cell.task_type in types for cell in cells):
            words = f"{entry.metric} needs a task of type {' or '.join(sorted(types))}; add one"
        problems.append(f"{where}: {words}")
    if problems:
        raise ConfigError(problems)


def _no_longer_length(entry: GateEntry, metric: GateMetric, cells: list[GatedCell]) -> list[str]:
    """A line where a gate's short context is all there is of a group: it would be held to itself."""
    if entry.relative is None:
        return []
    for key, members in groups_of(entry, metric, cells).items():
        lengths = len({cell.context_length for cell in members})
        if lengths <= entry.base_lengths:
            found = f"{lengths} context length{'' if lengths == 1 else 's'}"
            short = "the shortest is" if entry.base_lengths == 1 else f"the {entry.base_lengths} shortest are"
            return [f"{gate_name(entry, key)} has {found}, and {short} what `relative` is relative to; add longer ones"]
    return []


def gate_lines(bench: Workbench) -> list[str]:
    """A line for each gate of the sweep file: what it asks for, of how many groups."""
    lines = []
    cells = _cells(bench) if bench.config.gates else []
    for entry in bench.config.gates:
        groups = groups_of(entry, bench.registry.metrics[entry.metric](), cells)
        ends = [f"at least {entry.min:,.12g}"] if entry.min is not None else []
        ends += [f"at most {entry.max:,.12g}"] if entry.max is not None else []
        number = f"{len(groups)} group{'' if len(groups) == 1 else 's'}"
        by = f" by {', '.join(entry.by)}: {number}" if entry.by else ""
        warns = ", warns only" if entry.severity == "warn" else ""
        bounds = f" of {' and '.join(ends)}" if ends else ""
        lines.append(f"gate {entry.id}: {entry.metric}{bounds}{by}{warns}")
    return lines


def gate_notes(bench: Workbench) -> list[str]:
    """A line for each gate that would fail whatever the models answer: too few trials, or lengths too short."""
    cells = _cells(bench) if bench.config.gates else []
    return [note for entry in bench.config.gates for note in _hopeless(bench, entry, cells)]


def _hopeless(bench: Workbench, entry: GateEntry, cells: list[GatedCell]) -> list[str]:
    metric = bench.registry.metrics[entry.metric]()
    if not metric.is_monotone(entry):
        return []
    for key, members in groups_of(entry, metric, cells).items():
        for score, words in ((1.0, "every answer right"), (0.0, "every answer wrong")):
            found = metric.measure(filled_rows(members, score), entry)
            # With everything right only `min` can be missed, with everything wrong only `max`.
            bound = entry.min if score else entry.max
            one = entry.model_copy(update={"min": entry.min if score else None, "max": None if score else entry.max})
            if bound is not None and found.value is not None and not holds(one, found.value):
                advice = f"; {metric.advice(entry)}" if metric.advice(entry) else ""
                return [f"gate {gate_name(entry, key)} cannot pass: with {words}, {found.text}{advice}"]
    return []


def _cells(bench: Workbench) -> list[GatedCell]:
    return [
        GatedCell(
            model=cell.model,
            task=cell.task,
            family=cell.family,
            task_type=bench.entries[cell.task].type,
            prompt=str(dict(cell.variant).get("prompt", "")),
            context_length=cell.context_length,
            depth_percent=cell.depth_percent,
            trials=cell.trials,
            known=False,
            rows=(),
        )
        for cell in bench.cells
    ]
