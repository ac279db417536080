"""What a run may spend, and what it is going to: known before the first request."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from pytest_haystack.errors import ConfigError
from pytest_haystack.running.gateway.budgets import Limit
from pytest_haystack.running.plan import plan_of
from pytest_haystack.running.prices import Price, price_of

if TYPE_CHECKING:
    from pytest_haystack.config.budget import Budget
    from pytest_haystack.config.schema import ModelEntry
    from pytest_haystack.running.workbench import Workbench
    from pytest_haystack.searches import Search
    from pytest_haystack.sweep import Cell

MAX_COST = "--haystack-max-cost"


def limits_of(max_cost: float | None, budgets: Iterable[tuple[Budget, tuple[str, ...]]]) -> list[Limit]:
    """The limits of a session: ``max_cost`` in USD for all of it, and each sweep's budget for its models."""
    limits = [] if max_cost is None else [Limit(MAX_COST, "usd", max_cost)]
    for budget, models in budgets:
        if budget.usd is not None:
            limits.append(Limit("budget.usd", "usd", budget.usd, models))
        if budget.requests is not None:
            limits.append(Limit("budget.requests", "requests", budget.requests, models))
        if budget.tokens is not None:
            limits.append(Limit("budget.tokens", "tokens", budget.tokens, models))
    return limits


def check_prices(bench: Workbench, cells: Sequence[Cell], max_cost: float | None = None) -> None:
    """Raise ConfigError where USD are limited and the price of a model that these cells ask is unknown."""
    usd = bench.config.budget.usd
    if usd is None and max_cost is None:
        return
    where = MAX_COST
    if usd is not None:
        where = f"{bench.loaded.path.name}:{bench.loaded.line_of('budget', 'usd')}: budget.usd"
    unknown = [entry for entry in _paid(bench, cells) if not _price(entry).known]
    if unknown:
        raise ConfigError(
            f"{where}: the price of {entry.id} ({entry.model}) is unknown; give it "
            "`pricing: {input: ..., output: ...}` in USD per million tokens"
            for entry in unknown
        )


def estimate_lines(
    bench: Workbench, cells: Sequence[Cell], max_cost: float | None = None, searches: Sequence[Search] = ()
) -> list[str]:
    """What these cells and searches may cost at most, and what limits that; nothing where no paid model is asked."""
    asked = [*cells, *(cell for search in searches for cell in search.cells())]
    entries = _paid(bench, asked)
    if not entries:
        return []
    everything = plan_of(bench, cells, searches)
    paid = {entry.id: _price(entry) for entry in entries}
    # Another plan without cells is that of a judge, whose id may be that of a model.
    plans = [plan for plan in everything if (plan.cells or plan.search) and _is_paid(bench, bench.models[plan.model])]
    calls = sum(plan.calls for plan in plans)
    parts = [
        f"at most {calls:,} {'call' if calls == 1 else 'calls'}",
        f"{sum(p.input_tokens for p in plans):,} input tokens",
    ]
    costs = [paid[plan.model].usd(plan.input_tokens, plan.calls * paid[plan.model].longest_answer) for plan in plans]
    known = [cost for cost in costs if cost is not None]
    if known:
        parts.append(f"{sum(known):.4f} USD")
    if len(known) < len(costs):
        names = dict.fromkeys(plan.model for plan in plans if not paid[plan.model].known)
        parts.append(f"unknown price of {', '.join(names)}")
    judged = sum(
        plan.calls
        for plan in everything
        if not (plan.cells or plan.search) and _is_paid(bench, bench.judges[plan.task])
    )
    if judged:
        parts.append(f"and up to {judged:,} requests of judges")
    line = f"estimate for paid models: {', '.join(parts)}"
    assumed = [name for name, price in paid.items() if price.assumed]
    if assumed:
        tokens = paid[assumed[0]].longest_answer
        line += f"; an answer of {', '.join(assumed)} is taken for {tokens:,} tokens (request.max_tokens is not set)"
    return [line, *_limit_lines(bench, asked, max_cost)]


def _limit_lines(bench: Workbench, cells: Sequence[Cell], max_cost: float | None) -> list[str]:
    limits = limits_of(max_cost, [(bench.config.budget, ())])
    if not limits:
        return []
    said = [f"{limit.name} {limit.limit:,.6g}" for limit in limits]
    free = dict.fromkeys(cell.model for cell in cells if not _is_paid(bench, bench.models[cell.model]))
    note = f"; {', '.join(free)} run in this process and count for nothing" if free else ""
    return [f"budget: {', '.join(said)}{note}"]


def _paid(bench: Workbench, cells: Sequence[Cell]) -> list[ModelEntry]:
    """Entries of the models that the gateway asks for these cells, judges included."""
    models, tasks = dict.fromkeys(cell.model for cell in cells), dict.fromkeys(cell.task for cell in cells)
    asked = [bench.models[name] for name in models] + [bench.judges[task] for task in tasks if task in bench.judges]
    # Judges of several tasks may bear one id and differ.
    return list({entry.model_dump_json(): entry for entry in asked if _is_paid(bench, entry)}.values())


def _is_paid(bench: Workbench, entry: ModelEntry) -> bool:
    return bench.registry.provider_of(entry.model) is None


def _price(entry: ModelEntry) -> Price:
    pricing = entry.pricing
    if pricing is None:
        return price_of(entry.model, None, None, entry.request, entry.prompt_cache)
    return price_of(entry.model, pricing.input, pricing.output, entry.request, entry.prompt_cache)
