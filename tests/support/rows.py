"""A row as runs write them, for tests of what reads rows."""

from __future__ import annotations

from typing import Any

ROW: dict[str, Any] = {
    "schema_version": 1,
    "run_id": "run",
    "nodeid": "haystack.yaml::test_cell[single-reader-len400-depth0]",
    "model_id": "reader",
    "model": "simulated/perfect",
    "task": "single",
    "task_type": "single",
    "context_length": 400,
    "depth_percent": 0,
    "trial": 0,
    "seed": 1,
    "recipe": {},
    "question": "What is it?",
    "expected": "1234",
    "response": "1234",
    "outcome": "answered",
    "score": 1.0,
    "score_details": {"scorer": "auto", "verdict": "right"},
    "usage": {"input_tokens": None, "output_tokens": None},
    "cost_usd": None,
    "latency_seconds": 0.1,
    "error": None,
    "timestamp_utc": "2026-01-01T00:00:00.000+00:00",
}
