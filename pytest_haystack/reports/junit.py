"""junit.xml for what reads such files: CI servers, and the actions that annotate pull requests.

Their rules, from their sources: a file that is not well-formed is refused as a whole; of two cases with one class
name and name the second is lost; a case without ``file`` gets no annotation; only the first line of a message is
shown everywhere; GitLab reads up to 30 MB and about 250,000 elements a file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from junitparser import Error, Failure, Properties, Skipped, xunit2

from pytest_haystack.reports.cell_result import CellResult, GateVerdict, SweepResults
from pytest_haystack.reports.escape import brief, printable, xml_text
from pytest_haystack.reports.files import write_whole
from pytest_haystack.reports.junit_case import named_case
from pytest_haystack.reports.junit_search import search_case

#: Above this many cases the properties would push the file over the number of elements that GitLab reads.
_MOST_CASES_WITH_PROPERTIES = 30_000
#: Characters of all texts inside failures together, which keeps the file well under 30 MB.
_MOST_TEXT = 8_000_000
_LONGEST_MESSAGE = 300
_LONGEST_TEXT = 2_000


def write_junit(results: SweepResults, path: Path, gates: Sequence[GateVerdict] = ()) -> Path:
    """Write the cells that ran, a suite for each (model, task), and the gates as a suite of their own."""
    xml: Any = xunit2.JUnitXml(name=xml_text(results.name))
    ran = [cell for cell in results.cells if cell.state != "not_run"]
    told = sum(cell.state in ("failed", "error") for cell in ran)
    room = min(_LONGEST_TEXT, _MOST_TEXT // max(1, told))
    with_properties = len(ran) <= _MOST_CASES_WITH_PROPERTIES
    taken: dict[tuple[str, str], int] = {}
    for (model, task), cells in results.by_model_and_task().items():
        suite = _suite(results, f"{results.name}: {task} on {model}")
        # One by one each addition would count the whole suite again.
        suite.add_testcases(
            [_case(results, cell, taken, room, with_properties) for cell in cells if cell.state != "not_run"]
        )
        if suite.tests:
            xml.append(suite)
    if results.searches:
        suite = _suite(results, "searches")
        suite.add_testcases([search_case(results, search, taken) for search in results.searches])
        xml.append(suite)
    if gates:
        suite = _suite(results, "gates")
        suite.add_testcases([_gate(results, gate, taken) for gate in gates])
        xml.append(suite)
    for count in ("tests", "failures", "errors"):
        setattr(xml, count, sum(getattr(suite, count) for suite in xml))
    xml.time = round(sum(suite.time for suite in xml), 3)
    return write_whole(path, lambda temporary: xml.write(str(temporary)))


def _suite(results: SweepResults, name: str) -> Any:
    suite: Any = xunit2.TestSuite(xml_text(name))  # type: ignore[no-untyped-call]
    suite.timestamp = xml_text(results.started_utc)
    return suite


def _case(
    results: SweepResults,
    cell: CellResult,
    taken: dict[tuple[str, str], int],
    room: int,
    with_properties: bool,
) -> Any:
    file, _, name = cell.nodeid.partition("::")
    classname = f"{results.name}.{cell.task}.{cell.model}"
    case: Any = named_case(classname, name or cell.nodeid, file if name else results.config_path, taken)
    if cell.line is not None:
        case.line = cell.line
    case.time = round(cell.duration_seconds, 3)
    if with_properties:
        case.append(_listed(_properties(cell)))
    result = _result(cell, room)
    if result is not None:
        case.append(result)
    return case


def _listed(values: Mapping[str, str]) -> Any:
    properties: Any = Properties()  # type: ignore[no-untyped-call]
    # The library makes an object of each and sets its attributes one by one, which takes three times as long.
    element = properties._elem
    for key, value in values.items():
        element.append(element.makeelement("property", {"name": key, "value": xml_text(value)}))
    return properties


def _properties(cell: CellResult) -> dict[str, str]:
    score, cost = cell.score, cell.cost_usd
    values = {
        "score": None if score is None else f"{score:.6g}",
        "context_length": str(cell.context_length),
        "depth_percent": f"{cell.depth_percent:.6g}",
        "outcome": cell.outcome,
        "cost_usd": None if cost is None else f"{cost:.6g}",
    }
    decision = cell.decision
    if decision is not None:
        low, high = decision["interval_95"]
        values |= {
            "verdict": f"{decision['rule']}: {decision['verdict']}{' (fallback)' if decision['fallback'] else ''}",
            "trials": f"{decision['trials']} of {decision['most_trials']}",
            "interval_95": f"{low:.4g} to {high:.4g}",
        }
    return {key: value for key, value in values.items() if value is not None}


def _result(cell: CellResult, room: int) -> Failure | Error | Skipped | None:
    message = _message(cell)
    if cell.state == "failed":
        return _with_text(Failure(message, "BelowThreshold"), message, cell, room)
    if cell.state == "error":
        return _with_text(Error(message, brief(cell.outcome or "error", 80)), message, cell, room)
    if cell.state == "skipped":
        return Skipped(message, "pytest.skip")
    if cell.state == "xfailed":
        return Skipped(message, "pytest.xfail")
    return None


def _message(cell: CellResult) -> str:
    """A line that can be understood alone, wherever it is shown."""
    said = cell.message
    if not brief(said, _LONGEST_MESSAGE):
        score = cell.score
        said = {"xfailed": "known failure", "skipped": "skipped"}.get(cell.state, cell.outcome or cell.state)
        if cell.state == "failed" and score is not None:
            said = f"score {score:.6g} is below the threshold {cell.threshold:.6g}"
    return brief(said, _LONGEST_MESSAGE) or cell.state


def _with_text(result: Failure | Error, message: str, cell: CellResult, room: int) -> Failure | Error:
    lines = [message, f"cell: {printable(cell.nodeid)}"]
    lines += [line for number, row in enumerate(cell.rows) if row.get("score") != 1 for line in _trial(number, row)]
    result.text = xml_text("\n".join(lines)[:room])
    return result


def _trial(number: int, row: Mapping[str, Any]) -> list[str]:
    """What a person needs to judge a trial."""
    shown = {
        f"trial {row.get('trial', number)}": row.get("outcome"),
        "  question": row.get("question"),
        "  expected": row.get("expected"),
        "  answer": row.get("response"),
        "  error": row.get("error"),
        "  needle at": _where(row),
    }
    return [f"{key}: {brief(str(value), 200)}" for key, value in shown.items() if value is not None]


def _where(row: Mapping[str, Any]) -> str | None:
    placements = (row.get("recipe") or {}).get("placements") or ()
    depths = [place["actual_depth_percent"] for place in placements if place.get("actual_depth_percent") is not None]
    return ", ".join(f"{depth:.2f}%" for depth in depths) or None


def _gate(results: SweepResults, gate: GateVerdict, taken: dict[tuple[str, str], int]) -> Any:
    name, outcome, text = gate[:3]
    case: Any = named_case(f"{results.name}.gates", printable(name), results.config_path, taken)
    case.time = 0.0
    message = brief(text, _LONGEST_MESSAGE) or f"gate {outcome}"
    if outcome == "failed":
        failure = Failure(message, "GateFailed")
        failure.text = xml_text(text)
        case.append(failure)
    elif outcome in ("skipped", "warned"):
        case.append(Skipped(message, "pytest.skip"))
    return case
