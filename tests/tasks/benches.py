"""Workbenches with one task over many trials, for tests of what a cell's trial is made of."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from pytest_haystack.config.loader import load_config
from pytest_haystack.models.model import Completion
from pytest_haystack.registry import Registry
from pytest_haystack.running.asking import Asked
from pytest_haystack.running.prompts import PRESETS
from pytest_haystack.running.trial import Trial, score_trial
from pytest_haystack.running.workbench import Material, Workbench
from pytest_haystack.scoring.outcomes import Outcome
from pytest_haystack.sweep import Cell

LENGTHS = (700, 1500, 4000)
DEPTHS = (0.0, 12.5, 50.0, 66.67, 100.0)
TRIALS = 400

Bench = Callable[..., Workbench]


def make_bench(folder: Path) -> Bench:
    """A maker of workbenches, one for each task and its options; options of the sweep under ``sweep``."""

    @lru_cache
    def made(text: str) -> Workbench:
        path = folder / "haystack.yaml"
        path.write_text(text, encoding="utf-8")
        registry = Registry()
        return Workbench(load_config(path, registry, presets=tuple(PRESETS)), registry)

    def make(task: str, /, **options: Any) -> Workbench:
        sweep = {"context_lengths": LENGTHS, "depth_percents": DEPTHS, "trials": TRIALS, **options.pop("sweep", {})}
        return made(
            json.dumps(
                {
                    "models": [{"id": "reader", "model": "simulated/perfect"}],
                    "haystack": "essays",
                    "sweep": sweep,
                    "tasks": [{"type": task, **options}],
                }
            )
        )

    return make


def cell_of(bench: Workbench, length: int, depth: float) -> Cell:
    """The cell of a length and depth; of the depth that stands for all where the task has no depth axis."""
    cells = [cell for cell in bench.cells if cell.context_length == length]
    return next((cell for cell in cells if cell.depth_percent == depth), cells[0])


def scored(bench: Workbench, cell: Cell, trial: int, material: Material, answer: str) -> Trial:
    """An answer to a trial, scored as a run would."""
    return score_trial(bench, cell, trial, material, Asked(Completion(answer), Outcome.answered), "node")


def occurrences(text: str, token: str) -> int:
    """How often a token stands in a text by itself."""
    import re

    return len(re.findall(rf"(?<!\w){re.escape(token)}(?!\w)", text))


def check_length(bench: Workbench, cell: Cell, material: Material) -> None:
    """The document has the cell's length by an encoding of the whole text."""
    assert material.document.tokens == cell.context_length
    assert bench.encoding.count(material.document.text) == cell.context_length


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """A maker of workbenches."""
    return make_bench(tmp_path_factory.mktemp("bench"))
