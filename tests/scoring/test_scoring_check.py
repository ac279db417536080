"""Tables of cases are checked, and mistakes in them are told."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_haystack.errors import ConfigError
from pytest_haystack.registry import Registry
from pytest_haystack.scoring.check import check_cases, check_file
from pytest_haystack.scoring.score import Reference, Score

RIGHT = {"scorer": "value", "expected": "a", "response": "a", "score": 1}


def test_a_mismatch_is_one_line_and_the_last_line_counts() -> None:
    wrong = {**RIGHT, "response": "b\n" * 100, "why": "other letter"}
    result = check_cases([RIGHT, wrong, {**wrong, "score": 0}], Registry())
    lines = result.lines()
    assert lines[-1] == "2/3 cases agree"
    assert len(lines) == 2
    assert lines[0].startswith("case 2: value: 'b b b")
    assert lines[0].endswith("...': 0 instead of 1 (other letter)")
    assert not result.all_agree
    assert check_cases([RIGHT], Registry()).all_agree


def test_labels_and_outcomes_are_compared_as_texts() -> None:
    conflict = {"scorer": "conflict", "expected": {"first": "1", "last": "2"}, "response": "2", "score": "chose_first"}
    outcome = {"scorer": "outcome", "expected": "answered", "response": {"error": {"status": 500}}, "score": 1}
    lines = check_cases([conflict, outcome], Registry()).lines()
    assert "chose_last instead of chose_first" in lines[0]
    assert "infra_error instead of answered" in lines[1]


def test_a_registered_scorer_can_be_checked() -> None:
    registry = Registry()
    registry.scorers.add("half", lambda answer, reference: Score(0.5, "wrong"))
    assert check_cases([{**RIGHT, "scorer": "half", "score": 0.5}], registry).all_agree


def test_reasoning_options_and_prefix_reach_the_scorer_as_in_a_run() -> None:
    seen: list[tuple[str, Reference]] = []

    def spy(answer: str, reference: Reference) -> Score:
        seen.append((answer, reference))
        return Score(1.0, "right")

    registry = Registry()
    registry.scorers.add("spy", spy)
    case = {**RIGHT, "scorer": "spy", "expected": [1, "b"], "options": {"x": 1}, "prefix": "p", "answerable": True}
    check_cases([{**case, "response": "<think>hm</think>yes"}, {**case, "response": "<think>hm"}], registry)
    assert [answer for answer, _ in seen] == ["yes", ""]
    assert seen[0][1].expected == ("1", "b")
    assert seen[0][1].options == {"x": 1, "prefix": "p", "answerable": True}


def test_a_file_is_read_with_its_cases(tmp_path: Path) -> None:
    table = tmp_path / "cases.yaml"
    table.write_text("cases:\n- {scorer: numeric, expected: 7, response: seven, score: 1}\n", encoding="utf-8")
    assert check_file(table, Registry()).lines() == ["1/1 cases agree"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("cases: 7", "a list under `cases:`"),
        ("cases: [", "no readable YAML"),
        ("cases: [7]", "case 1: a case is a mapping"),
        ("cases: [{scorer: value}]", "case 1: expected, response, score missing"),
        ("cases: [{scorer: valeu, expected: a, response: a, score: 1}]", "did you mean 'value'?"),
    ],
)
def test_a_mistake_in_a_table_says_where_and_what(tmp_path: Path, content: str, words: str) -> None:
    table = tmp_path / "cases.yaml"
    table.write_text(content, encoding="utf-8")
    with pytest.raises(ConfigError, match=re.escape(words)):
        check_file(table, Registry())


def test_a_missing_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nowhere\.yaml"):
        check_file(tmp_path / "nowhere.yaml", Registry())
