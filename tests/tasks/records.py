"""A cell's material, made by the workbench as in a run, and what an answer to it scores."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from pytest_haystack.registry import Registry
from pytest_haystack.running.trial import score_answer
from pytest_haystack.running.workbench import Material, Workbench, load_bench
from pytest_haystack.sweep import Cell


@dataclass(frozen=True)
class Asked:
    """One cell with its material."""

    bench: Workbench
    cell: Cell
    material: Material

    @property
    def text(self) -> str:
        return self.material.document.text

    @property
    def document_tokens(self) -> int:
        return self.material.document.tokens

    @property
    def expected(self) -> str:
        assert isinstance(self.material.ask.expected, str)
        return self.material.ask.expected

    def tokens(self, text: str) -> int:
        return self.bench.encoding.count(text)

    def details(self, answer: str) -> Mapping[str, Any]:
        details = score_answer(self.bench, self.cell, self.material, answer, "id").row["score_details"]
        assert isinstance(details, dict)
        return details

    def score(self, answer: str) -> float:
        return score_answer(self.bench, self.cell, self.material, answer, "id").require_score()


def asked(task: str, options: Mapping[str, Any], *, seed: int = 1, length: int = 2000, depth: float = 50) -> Asked:
    """The one cell of a sweep of this task."""
    config = {
        "models": [{"id": "reader", "model": "simulated/perfect"}],
        "haystack": {"source": "synthetic"},
        "sweep": {"context_lengths": [length], "depth_percents": [depth], "seed": seed},
        "tasks": [{"id": "task", "type": task, **options}],
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "haystack.yaml"
        path.write_text(yaml.safe_dump(config), encoding="utf-8")
        bench = load_bench(path, Registry())
        (cell,) = bench.cells
        return Asked(bench, cell, bench.material(cell))
