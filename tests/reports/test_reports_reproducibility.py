"""The checklist of a run is ticked by its facts, and by nothing else."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from pytest_haystack.reports.cell_result import SweepResults
from pytest_haystack.reports.markdown import summary_markdown
from pytest_haystack.reports.reproducibility import checklist
from pytest_haystack.reports.run_record import RunRecord, software
from pytest_haystack.reports.summary import summary_data
from tests.reports.sweeps import cell, row, sweep
from tests.support.runs import LEFT_OUT

#: A row that tells everything.
WHOLE: dict[str, Any] = {
    "seed": 42,
    "model": "openai/gpt-4o",
    "model_id": "gpt",
    "provider_model": "gpt-4o-2024-08-06",
    "prompt_sha256": "ab" * 32,
    "plugin_version": "0.1.0",
    "recipe": {"tokenizer": "cl100k_base", "haystack": {"source": "essays@2", "sha256": "6b1d1475f55cba07"}},
}
RECORD = RunRecord(
    {"python": "3.12.1", "pytest-haystack": "0.1.0"}, {"gpt": {"temperature": 0}}, "config.resolved.yaml"
)


def results(record: RunRecord | None = RECORD, state: Any = "passed", **changes: Any) -> SweepResults:
    """A sweep of one cell whose row differs from the whole one in this."""
    one = replace(cell(state, model="gpt"), rows=(row(**{**WHOLE, **changes}),))
    return replace(sweep([one]), record=record)


def ticks(found: SweepResults) -> dict[str, bool]:
    return {check.name: check.ticked for check in checklist(found)}


def test_a_run_that_tells_everything_has_every_tick() -> None:
    assert set(ticks(results()).values()) == {True}
    assert len(ticks(results())) == 9


@pytest.mark.parametrize(
    ("changes", "missing"),
    [
        ({"seed": None}, "Seed fixed"),
        ({"recipe": {**WHOLE["recipe"], "haystack": {"source": "tickets"}}}, "Haystack hashed"),
        ({"recipe": {"haystack": WHOLE["recipe"]["haystack"]}}, "Tokenizer named"),
        ({"prompt_sha256": None}, "Prompts hashed"),
        ({"provider_model": None}, "Model version told"),
        ({"provider_model": "gpt-4o"}, "Model version told"),
        ({"provider_model": "fixture model"}, "Model version told"),
        ({"score_details": {"dropped_parameters": ["temperature"]}}, "Temperature set"),
        ({"record": replace(RECORD, requests={"gpt": {}})}, "Temperature set"),
        ({"record": replace(RECORD, settings=None)}, "Settings written"),
        ({"record": replace(RECORD, software={})}, "Software recorded"),
        ({"state": "error"}, "Complete"),
        ({"state": "skipped"}, "Complete"),
        ({"state": "not_run"}, "Complete"),
    ],
)
def test_what_is_not_known_of_a_run_is_not_ticked(changes: dict[str, Any], missing: str) -> None:
    assert [name for name, ticked in ticks(results(**changes)).items() if not ticked] == [missing]


def test_rows_of_two_versions_are_no_run_of_one() -> None:
    two = replace(cell(model="gpt"), rows=(row(**WHOLE), row(**{**WHOLE, "plugin_version": "0.2.0"})))

    assert not ticks(replace(sweep([two]), record=RECORD))["Software recorded"]


@pytest.mark.parametrize(
    ("asked", "told", "known"),
    [
        ("simulated/perfect", "simulated/perfect", True),
        ("openai/gpt-4o-2024-08-06", "gpt-4o-2024-08-06", True),
        ("anthropic/claude-sonnet-4-5", "claude-sonnet-4-5-20250929", True),
        ("hosted_vllm/Qwen/Qwen3-8B", "Qwen/Qwen3-8B", False),
    ],
)
def test_a_name_tells_a_version_where_it_has_a_date_or_says_more_than_was_asked(
    asked: str, told: str, known: bool
) -> None:
    assert ticks(results(model=asked, provider_model=told))["Model version told"] is known


def test_documents_without_filler_need_no_haystack() -> None:
    assert ticks(results(recipe={"tokenizer": "cl100k_base"}))["Haystack hashed"]


def test_reports_name_the_facts() -> None:
    page, data = summary_markdown(results(seed=None)), summary_data(results(seed=None))

    assert "- ✅ Haystack hashed: `essays@2 sha256 6b1d1475f55c`" in page
    assert "- ⬜ Seed fixed: no row has one" in page
    assert data["software"] == dict(RECORD.software)
    assert [check["check"] for check in data["reproducibility"] if not check["ticked"]] == ["Seed fixed"]
    json.dumps(data, allow_nan=False)


def test_nothing_is_claimed_of_a_run_that_asked_nothing() -> None:
    assert checklist(sweep([cell("not_run", None)])) == []
    assert "Can it be repeated?" not in summary_markdown(sweep([cell("not_run", None)]))


def test_software_is_what_is_installed() -> None:
    assert {"python", "system", "pytest-haystack", "tiktoken", "litellm"} <= software().keys()


def test_a_run_ticks_its_own_list(pytester: pytest.Pytester) -> None:
    (pytester.path / "haystack.yaml").write_text(
        "models: [{id: reader, model: simulated/perfect}]\nhaystack: synthetic\n"
        "sweep: {context_lengths: [600], depth_percents: [0, 50]}\ntasks: [single]\n",
        encoding="utf-8",
    )
    pytester.runpytest_inprocess(*LEFT_OUT, "--haystack-config", "haystack.yaml")
    whole = json.loads((pytester.path / "haystack-report" / "summary.json").read_text())["reproducibility"]
    pytester.runpytest_inprocess(*LEFT_OUT, "--haystack-config", "haystack.yaml", "-k", "depth50")
    part = json.loads((pytester.path / "haystack-report" / "summary.json").read_text())["reproducibility"]

    assert all(check["ticked"] for check in whole), whole
    assert [check["check"] for check in part if not check["ticked"]] == ["Complete"]
