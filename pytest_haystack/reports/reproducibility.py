"""What another person needs to repeat a run: a checklist that the run's own facts tick."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from pytest_haystack.reports.cell_result import SweepResults, rows_of, state_counts
from pytest_haystack.reports.escape import markdown_code, printable
from pytest_haystack.reports.labels import counted

#: A name with a day in it is that of one version: gpt-4o-2024-08-06, claude-sonnet-4-5-20250929.
_DATED = re.compile(r"20\d\d-?[01]\d-?[0-3]\d")
_FIXTURE = "fixture "
_IN_PROCESS = "simulated/"
#: Characters of a hash that tell it apart, and values that a line names.
_HASH, _MOST_NAMED = 12, 6


class Check(NamedTuple):
    """One line: ``facts`` are values of the run, and foreign text; ``words`` are this module's own."""

    name: str
    ticked: bool
    facts: tuple[str, ...] = ()
    words: str = ""


def checklist(results: SweepResults) -> list[Check]:
    """The checks of a run, always the same ones in the same order; none where nothing was asked."""
    rows = [*rows_of(results.cells), *(row for search in results.searches for row in search.rows)]
    if not rows:
        return []
    return [
        _seed(rows),
        _haystack(rows),
        _tokenizer(rows),
        _prompts(rows),
        _versions(rows),
        _requests(results, rows),
        _settings(results),
        _software(results, rows),
        _complete(results),
    ]


def checklist_data(results: SweepResults) -> list[dict[str, Any]]:
    """The checks as JSON values."""
    return [
        {"check": check.name, "ticked": check.ticked, "facts": [*map(printable, check.facts)], "text": check.words}
        for check in checklist(results)
    ]


def checklist_section(results: SweepResults) -> list[str]:
    """The checks as lines of Markdown."""
    checks = checklist(results)
    if not checks:
        return []
    lines = ["## Can it be repeated?", ""]
    for name, ticked, facts, words in checks:
        shown = ", ".join(markdown_code(fact) for fact in facts[:_MOST_NAMED])
        more = f" and {len(facts) - _MOST_NAMED} more" if len(facts) > _MOST_NAMED else ""
        told = "; ".join(part for part in (shown + more, words) if part)
        lines.append(f"- {'✅' if ticked else '⬜'} {name}: {told}")
    return [*lines, ""]


def _seed(rows: Sequence[Mapping[str, Any]]) -> Check:
    seeds = _distinct(row.get("seed") for row in rows)
    return Check("Seed fixed", _all(rows, "seed"), seeds, "" if seeds else "no row has one")


def _haystack(rows: Sequence[Mapping[str, Any]]) -> Check:
    texts = [recipe["haystack"] for row in rows if (recipe := row.get("recipe") or {}).get("haystack")]
    if not texts:
        return Check("Haystack hashed", True, (), "documents are made of needles alone")
    named = _distinct(f"{text.get('source')} sha256 {str(text.get('sha256'))[:_HASH]}" for text in texts)
    return Check("Haystack hashed", all(text.get("sha256") for text in texts), named)


def _tokenizer(rows: Sequence[Mapping[str, Any]]) -> Check:
    recipes = [row.get("recipe") or {} for row in rows]
    named = [
        f"{recipe['tokenizer']} {str(recipe.get('tokenizer_sha256', ''))[:_HASH]}".strip()
        for recipe in recipes
        if recipe.get("tokenizer")
    ]
    return Check("Tokenizer named", len(named) == len(recipes), _distinct(name.rpartition("/")[2] for name in named))


def _prompts(rows: Sequence[Mapping[str, Any]]) -> Check:
    hashes = [row["prompt_sha256"] for row in rows if row.get("prompt_sha256")]
    words = f"{len(hashes):,} of {counted(len(rows), 'row')}"
    return Check("Prompts hashed", len(hashes) == len(rows), (), words)


def _versions(rows: Sequence[Mapping[str, Any]]) -> Check:
    """Ticked where the provider's own name of the model tells which version it was."""
    answered = [row for row in rows if row.get("response") is not None]
    name = "Model version told"
    if not answered:
        return Check(name, False, (), "nothing was answered")
    vague = _distinct(row.get("model_id") for row in answered if not _tells_version(row))
    if vague:
        return Check(name, False, vague, "no version told; note yourself which weights or code it was")
    return Check(name, True, _distinct(row.get("provider_model") for row in answered))


def _tells_version(row: Mapping[str, Any]) -> bool:
    told = row.get("provider_model")
    if not isinstance(told, str) or told.startswith(_FIXTURE):
        return False
    asked = str(row.get("model", "")).rpartition("/")[2]
    return told.startswith(_IN_PROCESS) or _DATED.search(told) is not None or told.rpartition("/")[2] != asked


def _requests(results: SweepResults, rows: Sequence[Mapping[str, Any]]) -> Check:
    name, record = "Temperature set", results.record
    asked = {str(row.get("model_id")) for row in rows}
    requests = {model: request for model, request in (record.requests if record else {}).items() if model in asked}
    dropped = _distinct(
        f"{row.get('model_id')}: {parameter}"
        for row in rows
        for parameter in (row.get("score_details") or {}).get("dropped_parameters") or ()
    )
    if dropped:
        return Check(name, False, dropped, "refused by the provider and not sent")
    if not requests:
        return Check(name, True, (), "no model takes one")
    left = [model for model, request in requests.items() if "temperature" not in request]
    if left:
        return Check(name, False, tuple(left), "left to the provider; write request: {temperature: 0}")
    return Check(name, True, tuple(f"{model}: {request['temperature']}" for model, request in requests.items()))


def _settings(results: SweepResults) -> Check:
    file = results.record.settings if results.record else None
    return Check("Settings written", file is not None, (file,) if file else (), "" if file else "not written")


def _software(results: SweepResults, rows: Sequence[Mapping[str, Any]]) -> Check:
    name, record = "Software recorded", results.record
    versions = _distinct(row.get("plugin_version") for row in rows)
    if len(versions) > 1:
        return Check(name, False, versions, "rows of several versions of pytest-haystack")
    if record is None or not record.software:
        return Check(name, False, versions, "version of pytest-haystack; of the rest nothing is known here")
    shown = ("pytest-haystack", "python", "litellm", "tiktoken")
    facts = tuple(f"{name} {record.software[name]}" for name in shown if name in record.software)
    return Check(name, True, facts, "all in summary.json")


def _complete(results: SweepResults) -> Check:
    counts = state_counts(results.cells)
    lacking = {state: counts[state] for state in ("error", "skipped", "not_run") if counts[state]}
    words = {"error": "with errors", "skipped": "skipped", "not_run": "not run"}
    searches = [search for search in results.searches if search.values is None]
    parts = [f"{count:,} {words[state]}" for state, count in lacking.items()]
    parts += [f"{len(searches):,} of {len(results.searches):,} searches without a verdict"] if searches else []
    total, missing = len(results.cells), sum(lacking.values())
    text = f"{total - missing:,} of {counted(total, 'cell')} have a score"
    return Check("Complete", not parts, (), f"{text}: {', '.join(parts)}" if parts else text)


def _distinct(values: Iterable[Any]) -> tuple[str, ...]:
    return tuple(str(value) for value in dict.fromkeys(values) if value is not None)


def _all(rows: Sequence[Mapping[str, Any]], key: str) -> bool:
    return all(row.get(key) is not None for row in rows)
