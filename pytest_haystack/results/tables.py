"""Rows, cells and aggregates as flat tables, for spreadsheets and notebooks."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from pytest_haystack.results.row_groups import task_label
from pytest_haystack.results.statistics import Row, statistics_of
from pytest_haystack.scoring.outcomes import Outcome
from pytest_haystack.scoring.score import Verdict

What: TypeAlias = Literal["rows", "cells", "aggregates"]
#: A row's fields that are exported as they are; `ROW_COLUMNS` has the whole header.
_PLAIN = (
    "nodeid",
    "model_id",
    "model",
    "task",
    "task_type",
    "family",
    "variant",
    "context_length",
    "depth_percent",
    "trial",
    "seed",
    "outcome",
    "score",
)
_TEXTS = ("question", "expected", "response", "reasoning", "error")
_ABOUT = ("finish_reason", "provider_model", "timestamp_utc", "plugin_version", "prompt_sha256")
_TOKENS = ("input_tokens", "output_tokens", "cached_tokens", "reasoning_tokens")
ROW_COLUMNS = (
    "run_id",
    *_PLAIN,
    "verdict",
    "scorer",
    *_TEXTS,
    *_TOKENS,
    "cost_usd",
    "latency_seconds",
    "document_tokens",
    "actual_depth_percents",
    *_ABOUT,
)
_FIGURES = (
    "trials",
    "n",
    "mean_score",
    "low",
    "high",
    "retrieval_rate",
    "retrieval_n",
    *(f"outcome_{outcome}" for outcome in Outcome),
    *(f"verdict_{verdict}" for verdict in get_args(Verdict)),
    "cost_usd",
)
CELL_COLUMNS = ("model_id", "task", "context_length", "depth_percent", *_FIGURES)
AGGREGATE_COLUMNS = ("by", *CELL_COLUMNS)

#: What spreadsheets take for a formula, in either width.
_FORMULA = re.compile(r"[=+\-@\t\r＝＋－＠]")
#: No encoding has the one, and readers of CSV stop at the other.
_NOT_TEXT = re.compile("[\ud800-\udfff\x00]")


@dataclass(frozen=True, slots=True)
class Table:
    """Column names, and a mapping with all of them for each line. Values are JSON's; None is unknown."""

    columns: tuple[str, ...]
    lines: tuple[Mapping[str, Any], ...]


def table_of(rows: Iterable[Row], what: What) -> Table:
    """Rows (a line a trial), cells (a line each), or aggregates.

    Aggregates are lines for each model and task, for each of their context lengths, and for each of their depths;
    ``by`` says which, and a coordinate that is pooled over is None. ``low`` and ``high`` are the 95 % Wilson
    interval of ``mean_score``; ``n`` counts scored trials.
    """
    listed = list(rows)
    if what == "rows":
        return Table(ROW_COLUMNS, tuple(map(_row_line, listed)))
    if what == "cells":
        return Table(CELL_COLUMNS, tuple(_grouped(listed, ("context_length", "depth_percent"))))
    lines = [
        {"by": by, **line}
        for by, fields in (
            ("task", ()),
            ("context_length", ("context_length",)),
            ("depth_percent", ("depth_percent",)),
        )
        for line in _grouped(listed, fields)
    ]
    return Table(AGGREGATE_COLUMNS, tuple(lines))


def as_json(table: Table) -> str:
    """A JSON list of objects, in ASCII: whatever a model wrote, it parses again."""
    return json.dumps(list(table.lines), indent=1, ensure_ascii=True, allow_nan=False) + "\n"


def as_csv(table: Table) -> str:
    """Comma-separated values with a header (RFC 4180).

    Lists and mappings are JSON; unknown is empty. A text that a spreadsheet would run as a formula gets an apostrophe
    in front; halves of surrogate pairs and NUL become backslash escapes.
    """
    target = io.StringIO()
    writer = csv.writer(target)
    writer.writerow(table.columns)
    writer.writerows([_field(line[column]) for column in table.columns] for line in table.lines)
    return target.getvalue()


def _field(value: Any) -> Any:
    if isinstance(value, (list, dict)):
        value = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, str):
        return value
    text = _NOT_TEXT.sub(lambda found: found.group().encode("unicode_escape").decode("ascii"), value)
    return f"'{text}" if _FORMULA.match(text) else text


def _row_line(row: Row) -> dict[str, Any]:
    details, recipe, usage = (row.get(name) or {} for name in ("score_details", "recipe", "usage"))
    line = {
        **{name: row.get(name) for name in ("run_id", *_PLAIN, *_TEXTS, *_ABOUT, "cost_usd", "latency_seconds")},
        **{name: usage.get(name) for name in _TOKENS},
        "verdict": details.get("verdict"),
        "scorer": details.get("scorer"),
        "document_tokens": recipe.get("document_tokens"),
        "actual_depth_percents": [place.get("actual_depth_percent") for place in recipe.get("placements") or ()],
    }
    return {name: line[name] for name in ROW_COLUMNS}


def _grouped(rows: Sequence[Row], fields: Sequence[str]) -> list[dict[str, Any]]:
    """A line of figures for each model, task and these fields, in order of appearance, the fields rising."""
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["model_id"], task_label(row), *(row[name] for name in fields)), []).append(row)
    first = {key[:2]: number for number, key in reversed(list(enumerate(groups)))}
    return [
        {
            "model_id": key[0],
            "task": key[1],
            "context_length": None,
            "depth_percent": None,
            **dict(zip(fields, key[2:], strict=True)),
            **_figures(groups[key]),
        }
        for key in sorted(groups, key=lambda key: (first[key[:2]], key[2:]))
    ]


def _figures(rows: Sequence[Row]) -> dict[str, Any]:
    figures = statistics_of(rows)
    low, high = figures.interval or (None, None)
    costs = [row["cost_usd"] for row in rows if row.get("cost_usd") is not None]
    return {
        "trials": figures.trials,
        "n": figures.n,
        "mean_score": figures.end_to_end_rate,
        "low": low,
        "high": high,
        "retrieval_rate": figures.retrieval_rate,
        "retrieval_n": figures.retrieval_n,
        **{f"outcome_{outcome}": figures.outcomes.get(str(outcome), 0) for outcome in Outcome},
        **{f"verdict_{verdict}": figures.verdicts.get(verdict, 0) for verdict in get_args(Verdict)},
        "cost_usd": math.fsum(costs) if costs else None,
    }
