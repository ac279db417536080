"""Searches beside what else a run may be: resumed, replayed, sharded, with gates, from rows."""

from __future__ import annotations

import json
from typing import Any

from tests.plugin.test_plugin_searches import CLAIM, LONGEST, ONLY, Run, found, sweep_of_searches, trial_rows  # noqa: F401


def test_gates_of_a_run_of_searches_alone_fail_nothing(sweep: Any, run: Run, pytester: Any) -> None:
    sweep(CLAIM, more="gates: [{metric: mean_score, min: 0.9}]\n")

    result = run(*ONLY)

    result.assert_outcomes(passed=1)
    assert result.ret == 0
    page = (pytester.path / "haystack-report" / "summary.md").read_text()
    assert "No cell ran, only searches." in page
    assert "`700 tokens: pass, mean 1.000 over 27 trials" in page


def test_the_resolved_config_searches_as_the_original(sweep: Any, run: Run, pytester: Any) -> None:
    path = sweep(LONGEST)
    run(*ONLY)
    first = found(pytester.path)[0]["result"]

    path.write_text((pytester.path / "haystack-report" / "config.resolved.yaml").read_text())
    run(*ONLY)

    assert found(pytester.path)[0]["result"] == first


def test_a_prompt_of_a_search_is_rebuilt(sweep: Any, run: Run, pytester: Any, command: Any) -> None:
    path = sweep(CLAIM, task="{type: uuid}")
    path.write_text(path.read_text().replace("python:scripted:answer", "simulated/perfect"))
    run(*ONLY)
    rows = pytester.path / "haystack-report" / "results.jsonl"

    name = "haystack.yaml::test_search[mean_score-uuid-script-len700]::len700-depth30"
    rebuilt = command("reconstruct", rows, name, "--trial", "1", "--out", pytester.path / "prompt.txt")
    shown = command("show", name, "--trial", "1")

    assert rebuilt.returncode == 0, rebuilt.stderr
    assert (pytester.path / "prompt.txt").stat().st_size > 1000
    assert "700 tokens, depth 30 %" in shown.stdout


def test_a_resumed_run_asks_nothing_again_and_keeps_searches_that_it_does_not_select(
    sweep: Any, run: Run, pytester: Any
) -> None:
    sweep(LONGEST, CLAIM)
    run(*ONLY)
    first = found(pytester.path)
    (pytester.path / "asked.txt").unlink()

    again = run("--haystack-resume", "-k", "test_search and len700")

    again.assert_outcomes(passed=1, deselected=21)
    assert not (pytester.path / "asked.txt").exists()
    assert [one["result"] for one in found(pytester.path)] == [one["result"] for one in first]
    assert [one["state"] for one in found(pytester.path)] == ["passed", "passed"]


def test_a_replay_scores_searches_again_and_asks_nobody(sweep: Any, run: Run, pytester: Any) -> None:
    sweep(LONGEST)
    run(*ONLY)
    first = found(pytester.path)[0]["result"]
    (pytester.path / "asked.txt").unlink()
    (pytester.path / "haystack-report" / "results.jsonl").rename(pytester.path / "old.jsonl")

    run(*ONLY, "--haystack-replay", "old.jsonl").assert_outcomes(passed=1)

    assert not (pytester.path / "asked.txt").exists()
    assert found(pytester.path)[0]["result"] == first


def test_reports_of_rows_have_their_searches(sweep: Any, run: Run, pytester: Any, command: Any) -> None:
    sweep(LONGEST, f"{CLAIM}, stop: point", blind=((0, 9999),))
    run(*ONLY)
    first = found(pytester.path)

    done = command("report", "haystack-report/results.jsonl", "--config", "haystack.yaml", "--dir", "again")

    assert done.returncode == 0, done.stderr
    again = json.loads((pytester.path / "again" / "summary.json").read_text())["searches"]
    assert [(one["state"], one["result"]) for one in again] == [(one["state"], one["result"]) for one in first]
    assert "search effective_context_length: single on script: failed" in done.stdout


def test_shards_share_searches_out(sweep: Any, run: Run, pytester: Any) -> None:
    sweep(LONGEST, CLAIM)

    run("--haystack-shard", "1/2").assert_outcomes(passed=11)
    assert [one["id"] for one in found(pytester.path)] == ["effective_context_length"]
    run("--haystack-shard", "2/2").assert_outcomes(passed=11)
    assert [one["id"] for one in found(pytester.path)] == ["mean_score"]


def test_a_baseline_holds_cells_against_cells_alone(sweep: Any, run: Run, pytester: Any) -> None:
    sweep(CLAIM)
    run()
    (pytester.path / "haystack-report" / "results.jsonl").rename(pytester.path / "old.jsonl")

    result = run("--haystack-baseline", "old.jsonl")

    assert result.ret == 0
    summary = json.loads((pytester.path / "haystack-report" / "summary.json").read_text())
    [gate] = summary["gates"]
    assert gate["outcome"] == "passed"
    assert "20 pairs" in gate["text"]
