"""The golden table, and the table of further cases beside it, agree case by case."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from pytest_haystack.registry import Registry
from pytest_haystack.scoring.check import check_cases

GOLDEN = Path(__file__).parents[1] / "golden" / "scoring.yaml"
BEYOND = Path(__file__).parent / "beyond_golden.yaml"


def golden_cases() -> list[Any]:
    cases = yaml.safe_load(GOLDEN.read_text(encoding="utf-8"))["cases"]
    return [
        pytest.param(case, id=f"{number}-{case['scorer']}-{case['why']}") for number, case in enumerate(cases, start=1)
    ]


def beyond_cases() -> list[Any]:
    groups = yaml.safe_load(BEYOND.read_text(encoding="utf-8"))["groups"]
    return [
        pytest.param(case, id=f"{number}-{case['scorer']}")
        for number, case in enumerate((case for group in groups for case in expanded(group)), start=1)
    ]


def expanded(group: dict[str, Any]) -> Iterator[dict[str, Any]]:
    shared = {key: group[key] for key in group if key not in ("right", "wrong", "scores")}
    scored = [(answer, 1) for answer in group.get("right", ())] + [(answer, 0) for answer in group.get("wrong", ())]
    for response, score in scored + [tuple(pair) for pair in group.get("scores", ())]:
        yield {**shared, "response": response, "score": score}


@pytest.mark.parametrize("case", golden_cases())
def test_a_golden_case_agrees(case: dict[str, Any]) -> None:
    assert check_cases([case], Registry()).lines() == ["1/1 cases agree"]


@pytest.mark.parametrize("case", beyond_cases())
def test_a_case_beyond_the_golden_table_agrees(case: dict[str, Any]) -> None:
    assert check_cases([case], Registry()).lines() == ["1/1 cases agree"]


def test_the_golden_table_is_whole() -> None:
    assert len(golden_cases()) == 240
