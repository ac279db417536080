"""Results of made-up sweeps with variants."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pytest_haystack.reports.cell_result import CellResult
from tests.reports.sweeps import cell


def variant(family: str, score: float | None, axes: dict[str, Any], **fields: Any) -> CellResult:
    """A cell of a variant; an error where there is no score."""
    task = "-".join([family, *map(str, axes.values())])
    made = cell("error" if score is None else "passed" if score == 1 else "failed", score, task=task, **fields)
    return replace(made, family=family, variant=axes)


#: Two models, three numbers of needles, two depths: one model gets worse, the other has no score at 10.
NUMBERS = [
    variant("multi", score, {"needles": needles}, model=model, depth=depth)
    for model, by_needles in {"good": {2: 1.0, 5: 1.0, 10: None}, "weak": {2: 1.0, 5: 0.8, 10: 0.4}}.items()
    for needles, score in by_needles.items()
    for depth in (0, 100)
]
#: Two prompts for two tasks, three trials a cell.
PROMPTS = [
    variant(task, score, {"prompt": prompt}, trials=3)
    for task, scores in {"single": (0.0, 1.0), "uuid": (1.0, 1.0)}.items()
    for prompt, score in zip(("default", "close-reading"), scores, strict=True)
]
