"""What a sweep would send, before anything is sent: cells, calls, input tokens, estimated USD."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pytest_haystack.config.local_names import is_local
from pytest_haystack.config.schema import ModelEntry
from pytest_haystack.known_failures import known_failure_of, known_failure_of_search
from pytest_haystack.models.prices import model_facts
from pytest_haystack.running.prices import dearest_input
from pytest_haystack.running.sizing import most_output, output_limit, prompt_tokens
from pytest_haystack.running.workbench import Workbench
from pytest_haystack.scoring.answers import as_text
from pytest_haystack.scoring.judge import judge_prompt
from pytest_haystack.scoring.score import Reference
from pytest_haystack.searches import Search
from pytest_haystack.sweep import Cell


@dataclass(frozen=True, slots=True)
class Plan:
    """What one model is asked in one task, by cells or by a search; for a judge, about the answers to it.

    ``cells`` is 0 for searches and judges. ``at_most``: trials may stop before. ``search`` tells a search's plan.

    ``usd`` is an estimate from above: input at the uncached price, output up to ``max_tokens``; it is 0 for models
    that run in this process and None where the price or the output limit of a model is unknown.
    """

    model: str
    task: str
    cells: int
    calls: int
    input_tokens: int
    usd: float | None
    at_most: bool = False
    search: bool = False


def plan_of(bench: Workbench, cells: Sequence[Cell], searches: Sequence[Search] = ()) -> list[Plan]:
    """The plan of these cells, one entry a (model, task), then of these searches, in config order.

    Where trials stop when they know, all that there may be are counted: for a search, every length tested to the end.

    Input tokens are counted with the sweep's tokenizer: the document's exact length and the prompt around it (of
    documents without filler, one of each length is counted). Behind the models stand the judges of their answers.
    """
    groups: dict[tuple[str, str], list[Cell]] = {}
    for cell in cells:
        known = known_failure_of(bench.config, cell)
        if known is None or known.run:
            groups.setdefault((cell.model, cell.task), []).append(cell)
    plans = [_plan(bench, model, task, group) for (model, task), group in groups.items()]
    asked = dict(groups)
    for search in searches:
        known = known_failure_of_search(bench.config, search)
        if known is None or known.run:
            plans.append(_search_plan(bench, search))
            asked[search.model, search.task] = [*asked.get((search.model, search.task), ()), *_as_cells(search)]
    plans += [_judging(bench, task, asked) for task in bench.judges if any(task == own for _, own in asked)]
    bench.counts.write()
    return plans


def plan_lines(plans: Sequence[Plan]) -> list[str]:
    """The plan as a table with its sum."""
    most = " at most" if any(plan.at_most for plan in plans) else ""
    header = ("model", "task", "cells", f"calls{most}", f"input tokens{most}", "USD at most")
    rows = [
        (p.model, p.task, f"{p.cells:,}" if p.cells else "", f"{p.calls:,}", f"{p.input_tokens:,}", _usd(p.usd))
        for p in plans
    ]
    known = [p.usd for p in plans if p.usd is not None]
    total = _usd(sum(known)) + (" and what is unknown" if len(known) < len(plans) else "")
    rows.append(
        (
            "all",
            "",
            f"{sum(p.cells for p in plans):,}",
            f"{sum(p.calls for p in plans):,}",
            f"{sum(p.input_tokens for p in plans):,}",
            total,
        )
    )
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    return [
        "  ".join(
            text.ljust(width) if i < 2 else text.rjust(width)
            for i, (text, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in [header, *rows]
    ]


def _plan(bench: Workbench, model: str, task: str, cells: Sequence[Cell]) -> Plan:
    calls = sum(cell.trials for cell in cells)
    prompts: dict[int, int] = {}
    # Of each length the same one is counted, in whatever order tests run.
    for cell in sorted(cells, key=lambda cell: cell.depth_percent):
        if cell.context_length not in prompts:
            prompts[cell.context_length] = prompt_tokens(bench, cell)
    tokens = sum(prompts[cell.context_length] * cell.trials for cell in cells)
    usd = _estimate(bench, bench.models[model], calls, tokens)
    return Plan(model, task, len(cells), calls, tokens, usd, at_most=any(cell.stop for cell in cells))


def _search_plan(bench: Workbench, search: Search) -> Plan:
    most = search.rule.most
    tokens = sum(most * prompt_tokens(bench, search.cell(length, search.depths[0])) for length in search.lengths)
    calls = search.most_calls
    usd = _estimate(bench, bench.models[search.model], calls, tokens)
    return Plan(search.model, f"{search.task} (search {search.name})", 0, calls, tokens, usd, at_most=True, search=True)


def _as_cells(search: Search) -> list[Cell]:
    """A cell for each length, with all trials that there may be at it."""
    return [replace(search.cell(length, search.depths[0]), trials=search.rule.most) for length in search.lengths]


def _judging(bench: Workbench, task: str, groups: Mapping[tuple[str, str], Sequence[Cell]]) -> Plan:
    """What the judge of a task's answers is asked at most: once about each, each as long as ``max_tokens`` allows.

    The answer of a model without such a limit is counted like the right one; where it is a paid model, no bound on
    the cost is known.
    """
    entry, calls, tokens, bounded = bench.judges[task], 0, 0, True
    for (model, asked), cells in groups.items():
        if asked != task:
            continue
        _, ask = bench.sample(cells[0])
        limit = output_limit(bench, model)
        expected = as_text(ask.expected)
        prompt = judge_prompt("" if limit else expected, Reference(ask.expected, ask.question))
        own = sum(cell.trials for cell in cells)
        calls += own
        tokens += own * (bench.counts.count(str(prompt)) + limit)
        bounded = bounded and (limit > 0 or bench.registry.provider_of(bench.models[model].model) is not None)
    return Plan(entry.id, task, 0, calls, tokens, _estimate(bench, entry, calls, tokens) if bounded else None)


def _estimate(bench: Workbench, entry: ModelEntry, calls: int, tokens: int) -> float | None:
    if bench.registry.provider_of(entry.model) is not None or (is_local(entry.model) and entry.pricing is None):
        return 0.0
    output = most_output(entry.request)
    if entry.pricing is not None:
        prices: tuple[float | None, float | None] = (entry.pricing.input, entry.pricing.output)
    else:
        facts = model_facts(entry.model)
        prices = (facts.input_usd_per_million, facts.output_usd_per_million)
    if prices[0] is None or prices[1] is None or not output:
        return None
    return (tokens * prices[0] * dearest_input(entry.prompt_cache) + calls * output * prices[1]) / 1e6


def _usd(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.2f}"
