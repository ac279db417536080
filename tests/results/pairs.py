"""Rows as two runs leave them, with only what a comparison looks at."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any


def row(score: float | None = 1.0, **fields: Any) -> dict[str, Any]:
    """A row of the sweep file's own test; its prompt follows from its place unless ``prompt_sha256`` is given."""
    made: dict[str, Any] = {
        "model_id": "reader",
        "task": "single",
        "context_length": 1000,
        "depth_percent": 50.0,
        "trial": 0,
        "seed": 42,
        "question": "What is the code of Alpha?",
        "expected": "QR-1",
        "score": score,
        "outcome": "answered" if score is not None else "infra_error",
        "plugin_version": "0.1.0",
        "recipe": {
            "haystack": {"source": "essays", "sha256": "a1", "options": {}, "separator": "\n\n"},
            "tokenizer": "cl100k_base",
            "template_sha256": "t1",
            "document_tokens": 1000,
            "placements": [{"text": "The code of Alpha is QR-1.", "token_index": 500}],
        },
        **fields,
    }
    place = f"{made['task']}-{made['model_id']}-len{made['context_length']}-depth{made['depth_percent']:g}"
    made.setdefault("nodeid", f"haystack.yaml::test_cell[{place}]")
    prompt = f"{made['task']} {made['context_length']} {made['depth_percent']} {made['trial']}"
    made.setdefault("prompt_sha256", hashlib.sha256(prompt.encode()).hexdigest())
    return made


def run(scores: Sequence[float | None], **fields: Any) -> list[dict[str, Any]]:
    """One trial a cell, at lengths of 1000, 2000, ... tokens."""
    return [row(score, context_length=1000 * number, **fields) for number, score in enumerate(scores, start=1)]
