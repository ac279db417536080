"""From tests to results: which cells are listed, what notes say."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path

import pytest

from pytest_haystack import recording
from pytest_haystack.gathering import gather, note_on, notes_of, path_from
from pytest_haystack.registry import Registry
from pytest_haystack.reports.cell_result import SweepResults, state_counts
from pytest_haystack.running.workbench import load_bench
from pytest_haystack.session import Sweep, Sweeps
from tests.reports.sweeps import row

CONFIG = """\
name: small
models: [{id: reader, model: simulated/perfect}]
haystack: {source: synthetic}
sweep: {context_lengths: [1000, 2000], depth_percents: [0, 50]}
tasks: [single, counting, multi]
"""
STARTED = datetime(2026, 1, 2, tzinfo=timezone.utc)


@pytest.fixture
def gathered(tmp_path: Path, request: pytest.FixtureRequest) -> Callable[..., SweepResults]:
    """The results of CONFIG where these (node id, cell, own) have passed."""
    path = tmp_path / "haystack.yaml"
    path.write_text(CONFIG)
    bench = load_bench(path, Registry())
    made = Sweep(bench.loaded, bench, bench.cells, bench.searches, Sweeps(request.config))

    def gatherer(*tests: tuple[str, str, bool]) -> SweepResults:
        tested = [recording.Tested(nodeid, "small", cell, own, state="passed") for nodeid, cell, own in tests]
        return gather(made, tested, "run", STARTED)

    return gatherer


def own(cell: str) -> tuple[str, str, bool]:
    return f"haystack.yaml::test_cell[{cell}]", cell, True


def users(cell: str) -> tuple[str, str, bool]:
    return f"tests/test_rag.py::test_rag[{cell}]", cell, False


def test_of_the_sweep_files_own_tests_every_cell_of_a_touched_task_is_listed(
    gathered: Callable[..., SweepResults],
) -> None:
    results = gathered(own("single-reader-len1000-depth0"))

    assert results.tasks == ("single",)
    assert state_counts(results.cells)["passed"] == 1
    assert state_counts(results.cells)["not_run"] == 3
    assert {cell.group for cell in results.cells} == {""}


def test_of_a_users_function_only_the_cells_that_it_was_run_on_are_listed(
    gathered: Callable[..., SweepResults],
) -> None:
    results = gathered(users("single-reader-len1000-depth0"), users("multi-reader-len2000-depth50"))

    assert [(cell.task, cell.context_length, cell.state, cell.group) for cell in results.cells] == [
        ("tests.test_rag:single", 1000, "passed", "tests.test_rag"),
        ("tests.test_rag:multi", 2000, "passed", "tests.test_rag"),
    ]


def test_chances_stand_in_the_order_of_the_tasks(gathered: Callable[..., SweepResults]) -> None:
    cells = [f"{task}-reader-len1000-depth50" for task in ("multi", "counting", "single")]
    results = gathered(*map(own, cells), *map(users, cells))

    assert list(results.chance) == list(results.tasks)


def test_a_note_on_depths_names_tasks_of_the_results_alone(gathered: Callable[..., SweepResults]) -> None:
    without = gathered(own("single-reader-len1000-depth0"))
    with_it = gathered(users("counting-reader-len1000-depth50"), own("single-reader-len1000-depth0"))

    assert not any("do not follow the depth" in note for note in without.notes)
    (note,) = (note for note in with_it.notes if "do not follow the depth" in note)
    assert note.startswith("counting: ")


@pytest.mark.parametrize(
    ("note", "left"),
    [
        ("a, b: words: more", "b: words: more"),
        ("a, c: words", ""),
        ("b: words", "b: words"),
        ("another, b: words", "another, b: words"),
        ("no task at all", "no task at all"),
    ],
)
def test_a_note_loses_the_tasks_that_are_not_there(note: str, left: str) -> None:
    assert note_on(note, {"a", "b", "c"}, {"b"}) == left


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("{here}/h.yaml", "h.yaml"),
        ("{here}/evals/h.yaml", "evals/h.yaml"),
        ("evals/h.yaml", "evals/h.yaml"),
        ("{here}/../h.yaml", "h.yaml"),
        ("../other/h.yaml", "h.yaml"),
    ],
)
def test_a_sweep_file_is_told_by_its_path_from_where_the_run_was_started(path: str, shown: str, tmp_path: Path) -> None:
    assert path_from(tmp_path, Path(path.format(here=tmp_path))) == shown


def answered(model: str, *provider_models: str | None, score: float | None = 1.0) -> recording.Tested:
    """A test of a model whose trials were answered by these."""
    recipe = {"repeats": 1, "document_tokens": 1000}
    rows = {
        trial: row(score, model_id=model, provider_model=name, recipe=recipe)
        for trial, name in enumerate(provider_models)
    }
    return recording.Tested(f"x[{model}]", "small", "x", True, rows=rows)


def test_a_model_that_a_fixture_stood_in_for_is_told() -> None:
    tested = [
        answered("reader", "fixture model.<locals>.answer", "fixture model.<locals>.answer"),
        answered("reader", None, score=None),
        answered("mixed", "fixture Pipeline", "gpt-4o-2024"),
        answered("scored", "fixture Pipeline", None),
        answered("broken", None, score=None),
        answered("own", "gpt-4o-2024"),
    ]

    assert notes_of(iter(tested)) == [
        "reader: answered by the fixture model.<locals>.answer of a conftest, not by the configured model"
    ]
