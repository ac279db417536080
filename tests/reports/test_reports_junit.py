"""junit.xml, held to the rules of those who read it."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from junitparser import JUnitXml

from pytest_haystack.reports import junit
from pytest_haystack.reports.cell_result import STATES, GateVerdict, SweepResults
from pytest_haystack.reports.junit import write_junit
from tests.reports.sweeps import ANY_TEXT, MIXED, cell, row, sweep

GATES = (
    GateVerdict("quality", "failed", "mean score 0.65 is below 0.9\nover 4 cells"),
    GateVerdict("cost", "passed", ""),
    GateVerdict("length", "skipped", "undecided: 3 of 100 cells have no score"),
)


def cases_of(results: SweepResults, path: Path, gates: Any = ()) -> dict[str, ElementTree.Element]:
    root = ElementTree.parse(write_junit(results, path / "junit.xml", gates)).getroot()
    return {case.get("name", ""): case for case in root.iter("testcase")}


def test_each_state_is_written_in_its_own_way_and_cells_not_run_are_left_out(tmp_path: Path) -> None:
    cases = cases_of(MIXED, tmp_path)
    found = {
        name.split("-")[2]: [(child.tag, child.get("type")) for child in case if child.tag != "properties"]
        for name, case in cases.items()
    }

    assert found == {
        "len1000": [],
        "len2000": [("failure", "BelowThreshold")],
        "len4000": [("skipped", "pytest.xfail")],
        "len8000": [],
        "len16000": [("error", "infra_error")],
        "len32000": [("skipped", "pytest.skip")],
        "len64000": [("skipped", "pytest.skip")],
    }
    xfail = cases["test_cell[single-reader-len4000-depth50]"].find("skipped")
    assert xfail is not None
    assert xfail.get("message") == "lost in the middle"


def test_suites_are_models_and_tasks_and_their_counts_add_up(tmp_path: Path) -> None:
    results = sweep(
        [
            *MIXED.cells,
            cell("failed", 0.0, task="multi"),
            cell("passed", task="multi", length=2000),
            cell("not_run", task="uuid"),
        ]
    )
    root = JUnitXml.fromfile(str(write_junit(results, tmp_path / "junit.xml", GATES)))

    counts = {suite.name: (suite.tests, suite.failures, suite.errors, suite.skipped) for suite in root}
    assert counts == {
        "context-gate: single on reader": (7, 1, 1, 3),
        "context-gate: multi on reader": (2, 1, 0, 0),
        "gates": (3, 1, 0, 1),
    }
    assert (root.tests, root.failures, root.errors) == (12, 3, 1)
    suite: Any
    for suite in root:
        stated = suite.tests, suite.failures, suite.errors, suite.skipped, suite.time
        suite.update_statistics()
        assert (suite.tests, suite.failures, suite.errors, suite.skipped, suite.time) == stated


def test_a_case_says_where_it_stands_how_long_it_took_and_five_figures(tmp_path: Path) -> None:
    (case,) = cases_of(sweep([cell(rows=(row(1.0), row(0.5)), depth=3.95, line=12)]), tmp_path).values()

    assert case.get("file") == "haystack.yaml"
    assert case.get("line") == "12"
    assert case.get("classname") == "context-gate.single.reader"
    assert float(case.get("time", "nan")) == 0.5
    assert {item.get("name"): item.get("value") for item in case.iter("property")} == {
        "score": "0.75",
        "context_length": "1000",
        "depth_percent": "3.95",
        "outcome": "answered",
        "cost_usd": "0.5",
    }


def test_the_file_of_a_users_own_test_is_the_one_in_its_node_id(tmp_path: Path) -> None:
    results = sweep([cell(nodeid="tests\\rag\\test_rag.py::test_it[x]"), cell(nodeid="odd", length=2000)])
    cases = cases_of(results, tmp_path)

    assert cases["test_it[x]"].get("file") == "tests/rag/test_rag.py"
    assert cases["odd"].get("file") == "haystack.yaml"


def test_a_failure_can_be_understood_from_the_file_alone(tmp_path: Path) -> None:
    rows = (row(1.0), row(0.0, trial=1, response="Vault B\nfoo"), row(0.0, "refused", trial=2, response=None))
    results = sweep([cell("failed", rows=rows), cell("failed", 0.0, length=2000, message="score 0 is below 1")])
    first, second = (case.find("failure") for case in cases_of(results, tmp_path).values())

    assert first is not None
    assert second is not None
    assert first.get("message") == "score 0.333333 is below the threshold 1"
    assert second.get("message") == "score 0 is below 1"
    text = first.text or ""
    assert text.startswith("score 0.333333 is below the threshold 1\ncell: haystack.yaml::test_cell[")
    assert "trial 0" not in text
    assert "trial 1: answered\n  question: What is the code of Vault A?\n  expected: QR-7749\n" in text
    assert "  answer: Vault B foo\n  needle at: 49.97%\ntrial 2: refused" in text


def test_gates_are_cases_of_their_own(tmp_path: Path) -> None:
    cases = cases_of(sweep([cell()]), tmp_path, GATES)
    failure, skipped = cases["quality"].find("failure"), cases["length"].find("skipped")

    assert failure is not None
    assert failure.get("message") == "mean score 0.65 is below 0.9 over 4 cells"
    assert failure.text == "mean score 0.65 is below 0.9\nover 4 cells"
    assert skipped is not None
    assert len(cases["cost"]) == 0
    assert cases["quality"].get("file") == "haystack.yaml"


def test_no_two_cases_have_the_same_name(tmp_path: Path) -> None:
    same = [cell(nodeid="a.yaml::test_cell[x]"), cell(nodeid="a.yaml::test_cell[x]", state="failed")]
    sly = cell(nodeid="a.yaml::test_cell[x] (2)")
    gates = [GateVerdict("g", "passed", ""), GateVerdict("g", "failed", "")]
    root = ElementTree.parse(write_junit(sweep([sly, *same]), tmp_path / "junit.xml", gates)).getroot()

    names = [(case.get("classname"), case.get("name")) for case in root.iter("testcase")]
    assert len(names) == 5
    assert len(set(names)) == 5


@given(
    texts=st.lists(ANY_TEXT, min_size=8, max_size=8),
    state=st.sampled_from(STATES),
    gate=st.sampled_from(["passed", "failed", "skipped"]),
)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_file_is_well_formed_whatever_the_texts(tmp_path: Path, texts: list[str], state: Any, gate: Any) -> None:
    name, task, model, message, response, question, nodeid, words = texts
    made = cell(
        state,
        0.0,
        task=task,
        model=model,
        message=message,
        nodeid=nodeid,
        rows=(row(0.0, response, question=question),),
    )
    results = sweep([made, cell(state, None)], name=name, config_path=words)
    path = write_junit(results, tmp_path / "junit.xml", [GateVerdict(words, gate, message)])
    root = ElementTree.fromstring(path.read_bytes())

    assert len(list(root.iter("testcase"))) == (1 if state == "not_run" else 3)
    assert all("\n" not in element.get("message", "") for element in root.iter())
    assert JUnitXml.fromfile(str(path)).tests == len(list(root.iter("testcase")))


def test_long_answers_do_not_swell_the_file(tmp_path: Path) -> None:
    rows = (row(0.0, response="long " * 100_000, error="x" * 100_000),)
    results = sweep([cell("failed", rows=rows, length=length, message="m" * 100_000) for length in range(1000, 1100)])

    assert write_junit(results, tmp_path / "junit.xml").stat().st_size < 300_000


def test_many_failures_share_the_room_for_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(junit, "_MOST_TEXT", 400)
    results = sweep([cell("failed", 0.0, length=length) for length in (1000, 2000, 4000, 8000)])

    failures = [case.find("failure") for case in cases_of(results, tmp_path).values()]
    assert [len(failure.text or "") for failure in failures if failure is not None] == [100] * 4


def test_properties_are_left_out_where_the_file_would_have_too_many_elements(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = sweep([cell(length=length) for length in (1000, 2000, 4000)])
    monkeypatch.setattr(junit, "_MOST_CASES_WITH_PROPERTIES", 3)
    assert all(case.find("properties") is not None for case in cases_of(results, tmp_path).values())
    monkeypatch.setattr(junit, "_MOST_CASES_WITH_PROPERTIES", 2)
    assert all(case.find("properties") is None for case in cases_of(results, tmp_path).values())
