"""How long documents are where a window is near; samples of cells; prompts that never change unnoticed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_haystack.errors import ConfigError
from pytest_haystack.registry import Registry
from pytest_haystack.running.workbench import Workbench, load_bench
from pytest_haystack.sweep import sample

CONFIG = """\
models: [{{id: m, model: simulated/perfect, context_window: {window}, request: {{max_tokens: 100}}}}]
haystack: {{source: synthetic@1}}
sweep: {{context_lengths: [{length}], depth_percents: [0, 50, 100], reserve: {reserve}}}
tasks: [single]
"""


@pytest.fixture
def bench(tmp_path: Path) -> Any:
    def make(window: int = 100_000, length: int = 1000, reserve: str = "auto") -> Workbench:
        path = tmp_path / "haystack.yaml"
        path.write_text(CONFIG.format(window=window, length=length, reserve=reserve))
        return load_bench(path, Registry())

    return make


def test_nothing_is_kept_free_where_prompt_and_answer_fit_the_window(bench: Any) -> None:
    made = bench(window=5000)

    assert made.material(made.cells[1]).document.tokens == 1000


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(window=st.integers(1000, 1200))
def test_just_what_prompt_and_answer_need_is_kept_free_in_a_tight_window(bench: Any, window: int) -> None:
    made = bench(window=window)
    for cell in made.cells:
        material = made.material(cell)
        frame = made.encoding.count(made.templates["single"].render("", material.ask.question))
        assert material.document.tokens == min(1000, window - frame - 100)
        assert len(made.encoding.encode(material.document.text)) == material.document.tokens


def test_a_fixed_reserve_is_kept_free_of_every_length(bench: Any) -> None:
    made = bench(reserve="200")

    assert {made.material(cell).document.tokens for cell in made.cells} == {800}


def test_a_sample_is_spread_over_rows_and_in_config_order(tmp_path: Path) -> None:
    path = tmp_path / "haystack.yaml"
    path.write_text(
        CONFIG.format(window=100_000, length="1000, 2000, 3000, 4000", reserve="auto").replace(
            "[0, 50, 100]", "{num: 11}"
        )
    )
    cells = load_bench(path, Registry()).cells

    assert len({cell.context_length for cell in sample(cells, 4)}) == 4
    assert len({cell.depth for cell in sample(cells, 20)}) > 5
    for count in (1, 4, 7, 44, 100):
        chosen = sample(cells, count)
        assert len(chosen) == min(count, 44)
        assert list(chosen) == [cell for cell in cells if cell in chosen]


def test_prompts_are_the_same_bytes_on_every_machine_and_version(bench: Any) -> None:
    made = bench()
    hashes = [made.material(cell).prompt.sha256[:16] for cell in made.cells]

    # Whoever changes these changes every prompt: stored answers and baselines no longer match, and that is to be told.
    assert hashes == ["f45caae0ebf51cc6", "db1b6ee1cecb818f", "3a7db20d6d33f012"]


@pytest.mark.parametrize("task", ["single", "multi", "distractor"])
def test_a_length_is_refused_at_load_where_any_trial_does_not_fit_and_only_there(tmp_path: Path, task: str) -> None:
    def load(length: int) -> Workbench:
        path = tmp_path / "haystack.yaml"
        text = CONFIG.format(window=100_000, length=length, reserve="auto").replace("[single]", f"[{task}]")
        path.write_text(text.replace("sweep: {", "sweep: {trials: 4, "))
        return load_bench(path, Registry())

    refused: dict[int, str] = {}
    for length in range(20, 200, 12):
        try:
            bench = load(length)
        except ConfigError as error:
            refused[length] = str(error)
            continue
        for cell in bench.cells:
            for trial in range(cell.trials):
                assert bench.material(cell, trial).document.tokens == length
    assert refused
    assert len(refused) < len(range(20, 200, 12))
    for length, words in refused.items():
        assert f"-len{length}-" in words
        assert f"a document of {length} tokens cannot hold" in words


def test_no_document_is_made_at_load_where_needles_leave_room(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    original = Workbench.material
    monkeypatch.setattr(
        Workbench, "material", lambda self, cell, trial=0: made.append(trial) or original(self, cell, trial)
    )

    # A needle takes about 25 tokens: near enough to look at each trial, far enough to need no document.
    bench(length=80)
    assert not made
    bench(length=40)
    assert made
