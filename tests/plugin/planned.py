"""A model whose answers a test plans cell by cell, so that two runs of one sweep differ as it says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

#: Three lengths by five depths.
SWEEP = """\
# A sweep to be planned.
name: planned
models: [{id: reader, model: simulated/perfect}]
haystack: {source: synthetic}
sweep: {context_lengths: [500, 1000, 2000], depth_percents: [0, 25, 50, 75, 100]}   # small
tasks: [single]
"""

#: Gives every code that the document holds, unless plan.json has something else for the cell: "wrong", "error", or
#: for several trials a list of true and false.
CONFTEST = r"""
import json, pathlib, re
import pytest

@pytest.fixture
def model(haystack_cell):
    file = pathlib.Path(__file__).with_name("plan.json")
    plan = json.loads(file.read_text()) if file.exists() else {}
    cell = haystack_cell
    what = plan.get(f"{cell.task}-len{cell.context_length}-depth{cell.depth}")

    def answer(prompt):
        if what == "error":
            raise RuntimeError("the line is down")
        codes = list(dict.fromkeys(re.findall(r"[A-Z]{2}-\d{4}", prompt.document)))
        right = what[prompt.trial] if isinstance(what, list) else what is None
        if isinstance(right, float):
            return ", ".join(codes[: round(right * len(codes))]) or "no idea"
        return ", ".join(codes) if right else "no idea"

    return answer
"""


def plan(folder: Path, cells: dict[str, Any]) -> None:
    """Have these cells answered otherwise from the next run on: ``{"single-len500-depth0": "wrong"}``."""
    (folder / "plan.json").write_text(json.dumps(cells), encoding="utf-8")


def wrong(lengths: list[int], depths: list[int], what: Any = "wrong", task: str = "single") -> dict[str, Any]:
    """A plan for a rectangle of cells."""
    return {f"{task}-len{length}-depth{depth}": what for length in lengths for depth in depths}
