"""Parts of a sweep on several machines, put together; reports of rows that are there."""

from __future__ import annotations

import json

import pytest

from tests.resume.conftest import Project
from tests.support.runs import command

SIMULATED = """\
name: own
models:
  - {id: reader, model: simulated/lost-in-the-middle}
  - {id: other, model: simulated/perfect}
haystack: {source: synthetic}
sweep: {context_lengths: [400, 4000], depth_percents: [0, 50, 100], trials: 2}
tasks: [single]
known_failures: [{model: reader, depth_percents: [50], reason: the middle}]
"""


@pytest.fixture
def simulated(project: Project) -> Project:
    (project.path / "haystack.yaml").write_text(SIMULATED)
    return project


def test_parts_together_are_the_whole(simulated: Project) -> None:
    assert simulated.run()[0] == 0
    whole = simulated.reports()
    parts = []
    for number in (1, 2, 3):
        code, said = simulated.run("--haystack-shard", f"{number}/3", "--haystack-report-dir", f"part{number}")
        assert code == 0, said
        assert "4 cells" in said
        parts.append(f"part{number}/results.jsonl")

    merged = command("merge", *parts, "--out", "all.jsonl")
    assert merged.stdout == "wrote all.jsonl: 24 rows of 3 files\n"
    told = command("report", "all.jsonl", "--config", "haystack.yaml", "--dir", "again")

    assert told.returncode == 0, told.stderr
    assert "wrote again/: junit.xml, " in told.stdout
    again = Project(simulated.path, simulated.server, simulated.name)
    again.report = simulated.path / "again"
    (again.report / "results.jsonl").write_bytes((simulated.path / "all.jsonl").read_bytes())
    assert again.reports()["junit"] == whole["junit"]
    # What software asked does not stand in rows.
    summary, known = again.reports()["summary"], whole["summary"]
    assert (summary.pop("software"), bool(known.pop("software"))) == ({}, True)
    assert summary.pop("reproducibility") != known.pop("reproducibility")
    assert summary == known
    assert sorted(map(json.dumps, again.rows())) == sorted(map(json.dumps, whole["rows"]))


def test_cells_that_an_option_leaves_out_stay_and_are_reported(simulated: Project) -> None:
    assert simulated.run()[0] == 0
    whole = simulated.reports()

    for selection in (("--haystack-model", "other"), ("--haystack-shard", "2/3"), ("--haystack-sample", "2")):
        code, said = simulated.run("--haystack-resume", *selection)
        assert code == 0, said
        assert simulated.reports() == whole


def test_a_part_that_is_none_is_a_mistake(simulated: Project) -> None:
    for wrong in ("0/3", "4/3", "1", "a/b"):
        code, said = simulated.run("--haystack-shard", wrong)
        assert code == 4
        assert f"--haystack-shard: '{wrong}' is not I/N" in said


def test_rows_of_different_sweeps_are_not_merged(simulated: Project) -> None:
    assert simulated.run("-k", "len400-depth0")[0] == 0
    rows = simulated.report / "results.jsonl"
    changed = [json.loads(line) for line in rows.read_text().splitlines()]
    changed[0]["response"] = "later"
    later = simulated.path / "later.jsonl"
    later.write_text("".join(json.dumps(row) + "\n" for row in changed))
    assert command("merge", rows, later, "--out", "both.jsonl").returncode == 0
    both = [json.loads(line) for line in (simulated.path / "both.jsonl").read_text().splitlines()]
    assert [row["response"] for row in both] == [row["response"] for row in changed]

    changed[1]["prompt_sha256"] = "0" * 64
    later.write_text("".join(json.dumps(row) + "\n" for row in changed))
    refused = command("merge", rows, later, "--out", "none.jsonl")

    assert refused.returncode == 4
    assert f"{later}: trial 1 of haystack.yaml::test_cell" in refused.stderr
    assert "has another prompt than in" in refused.stderr
    assert not (simulated.path / "none.jsonl").exists()


def test_a_report_of_other_rows_says_so(simulated: Project) -> None:
    assert simulated.run("-k", "len400-depth0")[0] == 0
    told = command("report", simulated.report / "results.jsonl", "--config", "haystack.yaml", "--set", "sweep.seed=8")

    assert told.returncode == 4
    assert told.stderr == "none of the 4 rows is of haystack.yaml as it is now\n"


GATES = """\
gates:
  - {id: all, metric: mean_score, by: [model], min: 0.9}
  - {id: beyond, metric: regression, by: [model]}
"""


def test_reports_of_rows_decide_the_gates(simulated: Project) -> None:
    assert simulated.run()[0] == 0
    old, rows = simulated.path / "old.jsonl", simulated.report / "results.jsonl"
    old.write_bytes(rows.read_bytes())
    with (simulated.path / "haystack.yaml").open("a") as file:
        file.write(GATES)
    assert simulated.run("--haystack-baseline", "old.jsonl")[0] == 1
    whole = simulated.reports()
    ask = ("report", rows, "--config", "haystack.yaml", "--dir", "again", "--baseline", "old.jsonl")

    told = command(*ask)

    assert told.returncode == 0, told.stderr
    again = Project(simulated.path, simulated.server, simulated.name)
    again.report = simulated.path / "again"
    assert json.loads((again.report / "summary.json").read_text())["gates"] == whole["summary"]["gates"]
    assert "gate all-reader: failed: mean score 0.8333" in told.stdout
    assert "gate all-other: passed: mean score 1 " in told.stdout
    assert "gate beyond-other: passed: " in told.stdout
    assert command(*ask, "--fail").returncode == 1


def test_reports_of_a_green_run_may_be_asked_to_fail(simulated: Project) -> None:
    assert simulated.run()[0] == 0
    rows = simulated.report / "results.jsonl"
    # The run has written its settings beside its rows.
    ask = ("report", rows, "--dir", "again", "--fail")
    assert command(*ask).returncode == 0

    red = command(*ask, "--config", "haystack.yaml", "--set", "known_failures=[]")
    assert (red.returncode, "no row" in red.stdout) == (1, False)

    kept = [line for line in rows.read_text().splitlines(keepends=True) if "other-len400-depth0]" not in line]
    rows.write_text("".join(kept))
    less = command(*ask)
    (simulated.report / "config.resolved.yaml").unlink()
    lost = command(*ask)
    assert (lost.returncode, lost.stderr.endswith("no such file; name the sweep file with --config\n")) == (4, True)
    assert (less.returncode, "1 of 12 cells have no row" in less.stdout) == (1, True)


def test_a_gate_on_rows_that_are_not_there_is_undecided(simulated: Project) -> None:
    with (simulated.path / "haystack.yaml").open("a") as file:
        file.write("gates: [{id: all, metric: mean_score, by: [model], min: 0.9}]\n")
    assert simulated.run("-k", "other and not len400-depth0")[0] == 0
    ask = ("report", simulated.report / "results.jsonl", "--config", "haystack.yaml", "--dir", "again")

    told = command(*ask, "--fail")

    assert told.returncode == 1
    assert "gate all-other: skipped: undecided: " in told.stdout


def test_a_baseline_of_a_report_that_is_none_is_a_mistake(simulated: Project) -> None:
    assert simulated.run("-k", "len400-depth0")[0] == 0
    ask = ("report", simulated.report / "results.jsonl", "--config", "haystack.yaml", "--dir", "again")

    refused = command(*ask, "--baseline", "none.jsonl")

    assert refused.returncode == 4
    assert refused.stderr.startswith("--baseline: none.jsonl")
    assert not (simulated.path / "again").exists()
