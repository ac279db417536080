"""Results of made-up sweeps, from which reports are written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from hypothesis import strategies as st

from pytest_haystack.reports.cell_result import CellResult, State, SweepResults

#: Any text that a model, a provider or a user can come up with, lone surrogates and control characters included.
ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=60) | st.text(
    st.sampled_from(
        "\x00\x07\x1b\r\n\t\x7f\x85\x9b\ud800\udfff\ufffe\uffff\u2028\u202e|`<>&\"'[]()@#*_~$\\:/中é👩\u200d"
    ),
    max_size=40,
)


def row(score: float | None = 1.0, outcome: str = "answered", **fields: Any) -> dict[str, Any]:
    """The row of a trial."""
    verdict = {} if score is None else {"verdict": "right" if score == 1 else "wrong"}
    return {
        "model_id": "reader",
        "task": "single",
        "context_length": 1000,
        "depth_percent": 50.0,
        "trial": 0,
        "outcome": outcome,
        "score": score,
        "score_details": verdict,
        "usage": {"input_tokens": 1000, "output_tokens": 5, "cached_tokens": None, "reasoning_tokens": None},
        "cost_usd": 0.25,
        "question": "What is the code of Vault A?",
        "expected": "QR-7749",
        "response": "QR-7749" if score == 1 else "no idea",
        "recipe": {"placements": [{"text": "x", "actual_depth_percent": 49.97}]},
        "error": None,
        **fields,
    }


def cell(
    state: State = "passed",
    score: float | None = 1.0,
    *,
    length: int = 1000,
    depth: float = 50,
    model: str = "reader",
    task: str = "single",
    outcome: str | None = None,
    trials: int = 1,
    **fields: Any,
) -> CellResult:
    """A cell whose trials all went the same way; cells that did not run have no rows."""
    text = f"{depth:.2f}".rstrip("0").rstrip(".")
    said = outcome or ("answered" if score is not None else "infra_error")
    place = {"context_length": length, "depth_percent": depth}
    rows = [row(score, said, model_id=model, task=task, trial=trial, **place) for trial in range(trials)]
    values: dict[str, Any] = {
        "nodeid": f"haystack.yaml::test_cell[{task}-{model}-len{length}-depth{text}]",
        "task": task,
        "model": model,
        "context_length": length,
        "depth_percent": depth,
        "depth": text,
        "threshold": 1.0,
        "state": state,
        "message": "",
        "duration_seconds": 0.5,
        "rows": () if state == "not_run" else tuple(rows),
        **fields,
    }
    return CellResult(**values)


def grid(
    lengths: Iterable[int],
    depths: Sequence[float],
    result: Callable[[int, float], CellResult | dict[str, Any]],
    **fields: Any,
) -> list[CellResult]:
    """A cell for each length and depth; ``result`` gives the cell or what differs in it."""
    cells = []
    for length in lengths:
        for depth in depths:
            given = result(length, depth)
            made = given if isinstance(given, CellResult) else cell(length=length, depth=depth, **{**fields, **given})
            cells.append(made)
    return cells


def sweep(cells: Iterable[CellResult], **fields: Any) -> SweepResults:
    """The results of a sweep with these cells."""
    values: dict[str, Any] = {
        "name": "context-gate",
        "cells": tuple(cells),
        "run_id": "20260102T030405Z-a1b2c3",
        "plugin_version": "0.1.0",
        "tokenizer": "cl100k_base",
        "haystack": "essays",
        "notes": (),
        "config_path": "haystack.yaml",
        "started_utc": "2026-01-02T03:04:05+00:00",
        **fields,
    }
    return SweepResults(**values)


#: One cell in each state, in places of their own.
MIXED = sweep(
    [
        cell("passed", 1.0, length=1000),
        cell("failed", 0.0, length=2000, message="score 0 is below 1: expected QR-7749, answered 'no idea'"),
        cell("xfailed", 0.0, length=4000, message="lost in the middle"),
        cell("xpassed", 1.0, length=8000),
        cell("error", None, length=16000, message="infra_error: 503 after 5 retries"),
        cell("skipped", None, length=32000, outcome="context_overflow", message="33,000 tokens exceed the window"),
        cell("skipped", None, length=64000, outcome="budget", message="the budget of $1 is spent"),
        cell("not_run", None, length=128000),
    ]
)
