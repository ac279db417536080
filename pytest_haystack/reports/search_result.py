"""What a report shows of a search."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_haystack.reports.cell_result import State, total
from pytest_haystack.reports.escape import printable
from pytest_haystack.results.search_values import headline, path_text, sides


@dataclass(frozen=True, slots=True)
class SearchResult:
    """A search and what became of it.

    ``name`` is the id of its entry, ``metric`` what it measures, ``least`` the context length (tokens) that is
    claimed. ``message`` is the first line of why it failed, erred or was skipped. ``rows`` are those of its trials,
    as they were asked. ``line`` is that of its entry in the sweep file (1-based).
    """

    nodeid: str
    name: str
    metric: str
    task: str
    model: str
    least: int
    state: State
    message: str
    duration_seconds: float
    rows: tuple[Mapping[str, Any], ...]
    line: int

    @property
    def values(self) -> Mapping[str, Any] | None:
        """What it found (see `search_values.values_of`), None where it came to no verdict."""
        found = [(row.get("score_details") or {}).get("search") for row in self.rows]
        return next((values for values in reversed(found) if values), None)

    @property
    def cost_usd(self) -> float | None:
        """Sum of the costs that are known, None if none is."""
        return total(row.get("cost_usd") for row in self.rows)

    @property
    def text(self) -> str:
        """The verdict in a line, or why there is none."""
        return headline(self.values) if self.values else self.message or self.state.replace("_", " ")


def searches_data(searches: Iterable[SearchResult]) -> list[dict[str, Any]]:
    """JSON values for summary.json: lengths in tokens, means and intervals from 0 to 1, USD, seconds."""
    return [
        {
            "nodeid": printable(search.nodeid),
            "id": search.name,
            "metric": search.metric,
            "model": search.model,
            "task": search.task,
            "state": search.state,
            "text": printable(search.text),
            "asked_trials": len(search.rows),
            "cost_usd": search.cost_usd,
            "test_seconds": round(search.duration_seconds, 3),
            "result": None if search.values is None else dict(search.values),
        }
        for search in searches
    ]


def details(search: SearchResult) -> list[str]:
    """Lines on the lengths on both sides of the answer, and on all that were tested; none without a verdict."""
    values = search.values
    return [] if values is None else [*sides(values), f"tested {path_text(values)}"]
