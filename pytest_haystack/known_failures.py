"""Which cells are known to fail, and which cells an entry of a config is about."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_haystack.config.gates import GateEntry
    from pytest_haystack.config.parts import SpanOf
    from pytest_haystack.config.schema import Config, KnownFailure
    from pytest_haystack.results.gates import GatedCell
    from pytest_haystack.searches import Search
    from pytest_haystack.sweep import Cell


def known_failure_of(config: Config, cell: Cell) -> KnownFailure | None:
    """The first entry of ``known_failures`` that covers the cell."""
    return next((entry for entry in config.known_failures if covers(entry, cell)), None)


def known_failure_of_search(config: Config, search: Search) -> KnownFailure | None:
    """The first entry of ``known_failures`` that covers every depth of a length that must hold for it to pass."""
    rows = [[search.cell(length, depth) for depth in search.depths] for length in search.claimed]
    found = (entry for entry in config.known_failures if any(all(covers(entry, c) for c in row) for row in rows))
    return next(found, None)


def covers(entry: KnownFailure | GateEntry, cell: Cell | GatedCell) -> bool:
    """True where the entry of a config is about this cell."""
    return (
        _named(entry.model, cell.model)
        and (_named(entry.task, cell.task) or _named(entry.task, cell.family))
        and _within(entry.context_lengths, cell.context_length)
        and _within(entry.depth_percents, cell.depth_percent)
    )


def _named(names: str | list[str] | None, name: str) -> bool:
    return names is None or name in ([names] if isinstance(names, str) else names)


def _within(span: SpanOf | Iterable[float] | None, value: float) -> bool:
    if span is None:
        return True
    if isinstance(span, (list, tuple)):
        # Depths are written with two decimals.
        return any(abs(value - one) < 0.005 for one in span)
    return (span.min is None or value >= span.min - 0.005) and (span.max is None or value <= span.max + 0.005)  # type: ignore[union-attr]
