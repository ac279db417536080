"""The row that a trial leaves: plain JSON values, one object a line in results.jsonl."""

from __future__ import annotations

import json
import math
import numbers
from collections.abc import Mapping
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from pytest_haystack import __version__

if TYPE_CHECKING:
    from pytest_haystack.models.model import Completion
    from pytest_haystack.running.workbench import Material, Workbench
    from pytest_haystack.scoring.score import Score
    from pytest_haystack.sweep import Cell

#: Raised when a field changes its meaning or goes; readers refuse newer ones.
SCHEMA_VERSION = 1

#: Key in the ``score_details`` of a cell's last row: what its stop rule decided.
DECISION = "decision"

#: What holds nothing that a model, a scorer or a task said.
_OWN = frozenset({"nodeid", "recipe", "prompt_sha256", "timestamp_utc"})

#: Most of a row, by far.
_PLAIN = frozenset({str, int, bool, type(None)})


def make_row(
    *,
    bench: Workbench,
    cell: Cell,
    trial: int,
    seed: int,
    nodeid: str,
    material: Material,
    completion: Completion | None,
    outcome: str,
    scorer: str,
    score: Score | None,
    error: str | None,
    kept: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The row of one trial; ``run_id`` is filled in by the process that writes it.

    ``kept`` are details of a scoring that came to no score.
    """
    entry = bench.models[cell.model]
    usage = completion.usage if completion else None
    row = {
        "schema_version": SCHEMA_VERSION,
        "run_id": "",
        "nodeid": nodeid,
        "model_id": cell.model,
        "model": entry.model,
        "task": cell.task,
        "task_type": bench.entries[cell.task].type,
        "family": cell.family,
        "variant": dict(cell.variant),
        "context_length": cell.context_length,
        "depth_percent": cell.depth_percent,
        "trial": trial,
        "seed": seed,
        "prompt_sha256": material.prompt.sha256,
        "recipe": _recipe(material, bench.templates[cell.task].sha256),
        "question": material.ask.question,
        "expected": material.ask.expected,
        "response": completion.text if completion else None,
        "reasoning": completion.reasoning if completion else None,
        "outcome": outcome,
        "score": None if score is None else score.value,
        "score_details": _details(scorer, {**material.ask.details, **(kept or {})}, score, completion),
        "usage": {
            "input_tokens": usage.input_tokens if usage else None,
            "output_tokens": usage.output_tokens if usage else None,
            "cached_tokens": usage.cached_tokens if usage else None,
            "reasoning_tokens": usage.reasoning_tokens if usage else None,
        },
        "cost_usd": completion.cost_usd if completion else None,
        "latency_seconds": completion.latency_seconds if completion else None,
        "finish_reason": completion.finish_reason if completion else None,
        "provider_model": completion.provider_model if completion else None,
        "error": error,
        "timestamp_utc": datetime.now(timezone.utc).isoformat(timespec="milliseconds"),
        "plugin_version": __version__,
    }
    return {name: value if type(value) in _PLAIN or name in _OWN else plain(value) for name, value in row.items()}


def plain(value: Any) -> Any:
    """A value as JSON has it, whatever a model or scorer gave: numbers of other libraries, NaN, sets, objects."""
    if type(value) in _PLAIN:
        return value
    if type(value) is dict:
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, (str, bool)):
        return value
    if type(value) is float:
        return value if math.isfinite(value) else None
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(part) for part in value]
    return str(value)


def _recipe(material: Material, template_sha256: str) -> dict[str, Any]:
    document = material.document
    return {
        "document_tokens": document.tokens,
        **document.recipe,
        "repeats": round(document.repeats, 3),
        "template_sha256": template_sha256,
    }


def _details(
    scorer: str, asked: Mapping[str, Any], score: Score | None, completion: Completion | None
) -> dict[str, Any]:
    details: dict[str, Any] = {"scorer": scorer, **asked}
    if score is not None:
        details |= {"verdict": score.verdict, **score.details}
    if completion is not None and completion.refusal is not None:
        details["refusal"] = completion.refusal
    if completion is not None and completion.dropped_parameters:
        # Parameters of the request that the provider refused, so that it was sent without them.
        details["dropped_parameters"] = list(completion.dropped_parameters)
    return details


_ENCODER = json.JSONEncoder(ensure_ascii=True, allow_nan=False, default=str)


def dump_row(row: Mapping[str, Any]) -> str:
    """A row as one line of ASCII JSON: whatever a model wrote, it crosses process borders and parses again."""
    return _ENCODER.encode(row)
