"""What a person reads of a search that failed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pytest_haystack.results.search_values import headline, path_text, sides
from pytest_haystack.running.failure import trial_lines
from pytest_haystack.running.trial import Trial
from pytest_haystack.searches import Search
from pytest_haystack.text import printable


def search_failure_text(search: Search, values: Mapping[str, Any], trials: Iterable[Trial]) -> str:
    """A few lines to act on: the verdict, the lengths on both sides with their intervals, what was tested, and the
    worst trial of the shortest length that failed.
    """
    lines = [
        headline(values),
        f"  search    {search.name}, {search.task}, {search.model}",
        *(f"  length    {side}" for side in sides(values)),
        f"  tested    {path_text(values)}",
    ]
    failed = [step["context_length"] for step in values["path"] if step["verdict"] == "fail"]
    wrong = [
        trial for trial in trials if trial.score is not None and trial.row["context_length"] == min(failed, default=0)
    ]
    if wrong:
        worst = min(wrong, key=lambda trial: trial.require_score())
        lines += [f"  worst     of {len(wrong)} trials at {min(failed):,} tokens:", *trial_lines(worst)]
    return printable("\n".join(lines))
