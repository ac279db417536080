"""A search as a test case of junit.xml."""

from __future__ import annotations

from typing import Any

from junitparser import Error, Failure, Properties, Property, Skipped

from pytest_haystack.reports.cell_result import SweepResults
from pytest_haystack.reports.escape import brief, xml_text
from pytest_haystack.reports.junit_case import named_case
from pytest_haystack.reports.search_result import SearchResult, details
from pytest_haystack.results.search_values import path_text, text_of

_LONGEST_MESSAGE = 300
_LONGEST_TEXT = 4_000


def search_case(results: SweepResults, search: SearchResult, taken: dict[tuple[str, str], int]) -> Any:
    """Its verdict, with the tested lengths as properties."""
    file, _, name = search.nodeid.partition("::")
    case: Any = named_case(f"{results.name}.searches", name, file, taken)
    case.line = search.line
    case.time = round(search.duration_seconds, 3)
    properties: Any = Properties()  # type: ignore[no-untyped-call]
    properties.extend([Property(key, xml_text(value)) for key, value in _properties(search).items()])
    case.append(properties)
    message = brief(search.text, _LONGEST_MESSAGE) or search.state
    text = xml_text("\n".join([search.text, *details(search)])[:_LONGEST_TEXT])
    if search.state == "failed":
        failure = Failure(message, "BelowThreshold")
        failure.text = text
        case.append(failure)
    elif search.state == "error":
        error = Error(brief(search.message, _LONGEST_MESSAGE) or "error", "error")
        error.text = text
        case.append(error)
    elif search.state in ("skipped", "xfailed"):
        said = brief(search.message, _LONGEST_MESSAGE) or message
        case.append(Skipped(said, "pytest.xfail" if search.state == "xfailed" else "pytest.skip"))
    return case


def _properties(search: SearchResult) -> dict[str, str]:
    """Few, and none without a verdict but the number of trials that were asked and their cost."""
    shown = {"asked_trials": str(len(search.rows))}
    if search.cost_usd is not None:
        shown["cost_usd"] = f"{search.cost_usd:.6g}"
    values = search.values
    if values is None:
        return shown
    fallback = " (fallback)" if values["fallback"] else ""
    shown |= {"verdict": f"{values['rule']}: {values['verdict']}{fallback}", "trials": str(values["trials"])}
    if "effective_context_length" in values:
        shown["effective_context_length"] = str(values["effective_context_length"])
        shown["monotone"] = str(values["monotone"]).lower()
    bounds = values.get("bounds", [values["least"]])
    shown |= {
        f"length_{step['context_length']}": text_of(step).partition(": ")[2]
        for step in values["path"]
        if step["context_length"] in bounds
    }
    return {**shown, "path": path_text(values)}
