"""Examples that are more than a sweep file: a retrieval pipeline, a gate for new weights, a plugin."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.examples.conftest import EXAMPLES, Run

SETS = {
    "retrieval": ("sweep.context_lengths=[2000, 8000]", "sweep.depth_percents=[50]"),
    "plugin": ("sweep.context_lengths=[2000]", "sweep.depth_percents=[50]"),
}


def overlay(name: str) -> list[str]:
    """Arguments that make a sweep small."""
    return [part for one in SETS[name] for part in ("--haystack-set", one)]


def test_a_retriever_gives_back_what_its_model_loses_in_the_middle(run: Run, rows: Any) -> None:
    pytest.importorskip("bm25s")
    result = run("rag/haystack.yaml", *overlay("retrieval"))

    assert result.ret == 0
    found = {(row["task"], row["model_id"], row["context_length"]): row for row in rows()}
    assert found["single", "bare", 8000]["score"] == 0
    assert found["single", "bm25", 8000]["score"] == 1
    assert found["uuid", "bm25", 8000]["score"] == 1
    assert {row["outcome"] for row in rows()} == {"answered"}, "a pipeline may send less than it was given"
    tokens = [found["single", model, 8000]["usage"]["input_tokens"] for model in ("bare", "bm25")]
    assert tokens[0] > 8000
    assert tokens[1] < 1000


@pytest.fixture
def gate(pytester: pytest.Pytester, examples: Path) -> Any:
    """Run the steps of the workflow in a folder as a checkout has it; gives exit code and output of the last one."""
    folder = examples / "fine-tune-gate"
    (job,) = yaml.safe_load((folder / "workflow.yml").read_text(encoding="utf-8"))["jobs"].values()
    steps = [step["run"] for step in job["steps"] if "run" in step and step["name"] != "Install"]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

    def runner(candidate: str) -> tuple[int, str]:
        code, output = 0, ""
        for step in steps:
            models = {"BASE_MODEL": "simulated/perfect", "CANDIDATE_MODEL": candidate, "PATH": path}
            # A third of the sweep: enough pairs for a verdict.
            models["PYTEST_HAYSTACK_SET"] = "sweep.context_lengths=[8000]"
            result = subprocess.run(
                ["bash", "-e", "-o", "pipefail", "-c", step],
                cwd=folder,
                env={**os.environ, **models, "GITHUB_STEP_SUMMARY": str(folder / "step.md")},
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )
            code, output = result.returncode, result.stdout + result.stderr
        return code, output

    return runner


@pytest.mark.skipif(sys.platform == "win32", reason="the steps are bash")
def test_the_workflow_fails_for_weights_that_lost_their_long_context_and_passes_others(
    gate: Any, examples: Path
) -> None:
    code, output = gate("simulated/lost-in-the-middle")
    assert code == 1, output
    assert "assistant" in output
    assert (examples / "fine-tune-gate/junit.xml").is_file()
    assert "regression" in (examples / "fine-tune-gate/step.md").read_text(encoding="utf-8")

    baseline = examples / "fine-tune-gate/baseline/results.jsonl"
    before = baseline.stat().st_mtime_ns
    code, output = gate("simulated/perfect")
    assert code == 0, output
    assert baseline.stat().st_mtime_ns == before, "the base model is asked once"


def test_the_steps_of_the_workflow_are_pinned_and_keep_what_a_reader_needs() -> None:
    workflow = yaml.safe_load((EXAMPLES / "fine-tune-gate/workflow.yml").read_text(encoding="utf-8"))
    steps = workflow["jobs"]["gate"]["steps"]

    assert all("@v" in step["uses"] for step in steps if "uses" in step)
    assert steps[-1]["if"] == "always()"
    assert workflow["permissions"] == {"contents": "read"}
    # YAML 1.1 reads the key `on` as a flag.
    assert workflow[True]["pull_request"]["paths"] == ["weights/**", "haystack.yaml"]


@pytest.fixture
def timeline(monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """The plugin as pytest loads it where it is installed."""
    monkeypatch.syspath_prepend(str(EXAMPLES / "plugin-task"))
    return "-p", "haystack_timeline.plugin"


def test_a_plugin_adds_a_task_with_an_axis(run: Run, rows: Any, timeline: tuple[str, str]) -> None:
    result = run("plugin-task/haystack.yaml", *overlay("plugin"), *timeline)

    result.assert_outcomes(passed=4)
    assert {row["task"] for row in rows()} == {"timeline-n2", "timeline-n4", "timeline-n8", "first-half"}
    assert {row["score"] for row in rows()} == {0.0}, "the embedded reader puts nothing in order"
    for row in rows():
        texts = [place["text"] for place in row["recipe"]["placements"]]
        years = {text.partition(" was opened")[0]: text[-5:-1] for text in texts}
        assert [years[name] for name in row["expected"]] == sorted(years.values())


def test_who_puts_the_events_in_order_is_right(run: Run, timeline: tuple[str, str], pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        sorter="""
        import re

        def answer(prompt):
            events = re.findall(r"([A-Z][\\w-]+(?: [A-Z]\\w+)*) was opened in the year (\\d+)", prompt.document)
            return ", ".join(name.strip() for name, year in sorted(events, key=lambda event: event[1]))
        """
    )
    pytester.syspathinsert()
    result = run(
        "plugin-task/haystack.yaml", *overlay("plugin"), *timeline,
        "--haystack-set", "models.0.model=python:sorter:answer", "--haystack-set", "threshold=1",
    )  # fmt: skip

    result.assert_outcomes(passed=4)


def test_the_plugin_names_an_entry_point_that_is_there(timeline: tuple[str, str]) -> None:
    text = (EXAMPLES / "plugin-task/pyproject.toml").read_text(encoding="utf-8")
    assert '[project.entry-points.pytest11]\nhaystack_timeline = "haystack_timeline.plugin"\n' in text
    assert callable(import_module("haystack_timeline.plugin").pytest_haystack_register)
