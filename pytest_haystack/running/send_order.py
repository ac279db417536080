"""What the gateway is told of a sweep's ``execution``, for one model."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pytest_haystack.config.execution import Execution
from pytest_haystack.config.local_names import is_local
from pytest_haystack.config.schema import ModelEntry

#: Tokens of a prompt from which on providers keep its prefix.
SHORTEST_CACHED = 1024
#: With more requests at once, prompts that begin alike leave together, before the first of them has filled the cache.
MOST_AT_ONCE = 8


def sending_of(
    execution: Execution, entry: ModelEntry, lengths: Iterable[int], concurrency: int | None
) -> dict[str, Any]:
    """``order`` (config or prefix), ``warm_up`` and ``look_ahead`` (requests) of a model.

    ``lengths`` are the context lengths (tokens) that it is asked at, ``concurrency`` what all models together may have
    in flight. ``auto`` is ``prefix`` where the server is one's own (``api_base``, or a local model), holds few
    prefixes at a time, and is asked little at once; a provider keeps them all, so that the order is the same to it.
    """
    at_once = min(entry.limits.in_flight, concurrency or entry.limits.in_flight)
    order = execution.order
    if order == "auto":
        own = entry.api_base is not None or is_local(entry.model)
        long = max(lengths, default=0) >= SHORTEST_CACHED
        order = "prefix" if own and long and at_once <= MOST_AT_ONCE else "config"
    ahead = 2 * at_once if execution.look_ahead is None else execution.look_ahead
    return {"order": order, "warm_up": execution.warm_up, "look_ahead": ahead}
