"""What became of a search, told from its rows alone: for searches that an earlier run asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeAlias

from pytest_haystack.known_failures import known_failure_of_search
from pytest_haystack.results.search_values import SEARCH, headline
from pytest_haystack.running.workbench import Workbench
from pytest_haystack.scoring.outcomes import SKIPPED
from pytest_haystack.searches import Search

State: TypeAlias = Literal["passed", "failed", "error", "skipped", "xfailed", "xpassed", "not_run"]


def search_verdict_of(
    bench: Workbench, search: Search, rows: Iterable[Mapping[str, Any]], *, strict: bool = False
) -> tuple[State, str]:
    """State and first line of the words of a search, as today's known failures have it; ``not_run`` where the run
    was broken off before its verdict.

    ``strict`` is what a known failure that passes means where its entry does not say.
    """
    listed = list(rows)
    values = next((found for row in listed if (found := row["score_details"].get(SEARCH))), None)
    if values is None:
        missing = [row for row in listed if row["score"] is None]
        if not missing:
            return "not_run", ""
        words = f"{missing[0]['outcome']}: {missing[0]['error'] or 'no words for it'}"
        skipped = all(row["outcome"] in SKIPPED for row in missing)
        return ("skipped", words) if skipped else ("error", f"Failed: {words}")
    known = known_failure_of_search(bench.config, search)
    if values["verdict"] == "fail":
        return ("failed", f"BelowThreshold: {headline(values)}") if known is None else ("xfailed", known.reason)
    if known is None:
        return "passed", ""
    if strict if known.strict is None else known.strict:
        return "failed", f"[XPASS(strict)] {known.reason}"
    return "xpassed", known.reason
