"""The radar of tasks."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_haystack.reports.radar import radar_figure
from pytest_haystack.reports.writer import write_reports
from tests.reports.sweeps import ANY_TEXT, cell, sweep

SCORES = {
    ("reader", "single"): 1.0,
    ("reader", "multi"): 0.5,
    ("reader", "uuid"): 0.25,
    ("other", "single"): 0.75,
    ("other", "multi"): 0.0,
    ("other", "uuid"): None,
}


def results(**fields: Any) -> Any:
    return sweep(
        [
            cell("error" if score is None else "passed", score, model=model, task=task)
            for (model, task), score in SCORES.items()
        ],
        **fields,
    )


def test_each_model_is_a_line_through_its_means() -> None:
    figure = radar_figure(results())
    assert figure is not None
    (axes,) = figure.axes
    lines = {line.get_color(): line.get_ydata() for line in axes.get_lines()}
    (first, second) = lines.values()

    assert np.asarray(first).tolist() == [1.0, 0.5, 0.25, 1.0]
    assert np.asarray(second).tolist()[:2] == [0.75, 0.0]
    assert math.isnan(np.asarray(second)[2])
    assert axes.get_ylim() == (0, 1)
    assert [text.get_text() for text in axes.texts] == ["single", "multi", "uuid"]


def test_the_legends_means_are_over_the_same_tasks_for_each_model() -> None:
    figure = radar_figure(results())
    assert figure is not None

    # Without "uuid", for which "other" has no score.
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["reader  0.75", "other  0.38"]
    said = "3 tasks; means over the 2 that every model has a score for; 5 trials"
    assert said in [text.get_text() for text in figure.texts]


def test_models_without_a_task_in_common_have_no_means_to_compare() -> None:
    cells = [cell(model=f"m{number % 2}", task=f"t{number}") for number in range(4)]
    figure = radar_figure(sweep(cells))
    assert figure is not None

    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["m0  -", "m1  -"]


def test_a_users_own_test_functions_are_no_axes() -> None:
    own = [cell(task=task) for task in ("a", "b", "c")]
    users = [cell(task=f"test_rag:{task}", group="test_rag") for task in ("a", "b", "c")]
    figure = radar_figure(sweep([*own, *users]))
    assert figure is not None

    assert [text.get_text() for text in figure.axes[0].texts] == ["a", "b", "c"]
    assert radar_figure(sweep([*own[:2], *users])) is None


@given(st.integers(2, 12))
@settings(max_examples=5, deadline=None)
def test_lines_of_equal_scores_do_not_hide_each_other(models: int) -> None:
    figure = radar_figure(sweep([cell(model=f"m{model}", task=task) for model in range(models) for task in "abc"]))
    assert figure is not None
    lines = figure.axes[0].get_lines()

    for first, second in itertools.pairwise(lines):
        apart = np.asarray(second.get_xdata()) - np.asarray(first.get_xdata())
        assert (apart > 0.01).all()
        assert first.get_linestyle() != second.get_linestyle()
        assert first.get_marker() != second.get_marker()
    # All of them still point at their tasks.
    assert max(abs(float(np.asarray(line.get_xdata())[0])) for line in lines) < 0.1


def test_many_models_are_told_apart_by_more_than_colour() -> None:
    cells = [cell(model=f"m{model}", task=task) for model in range(50) for task in ("a", "b", "c")]
    figure = radar_figure(sweep(cells))
    assert figure is not None

    looks = {(line.get_color(), line.get_marker(), line.get_linestyle()) for line in figure.axes[0].get_lines()}
    assert len(looks) == 50


@pytest.mark.parametrize("tasks", [["a"], ["a", "b"]])
def test_fewer_than_three_tasks_are_no_radar(tasks: list[str], tmp_path: Path) -> None:
    few = sweep([cell(task=task) for task in tasks] + [cell("error", None, task="c")])

    assert radar_figure(few) is None
    assert tmp_path / "radar.png" not in write_reports(few, tmp_path).paths
    assert not (tmp_path / "radar.png").exists()


def test_the_picture_is_written(tmp_path: Path) -> None:
    assert tmp_path / "radar.png" in write_reports(results(), tmp_path).paths
    assert (tmp_path / "radar.png").read_bytes().startswith(b"\x89PNG")


@given(st.lists(ANY_TEXT, min_size=3, max_size=5, unique=True), ANY_TEXT)
@settings(max_examples=8, deadline=None)
def test_any_text_can_be_drawn_without_a_warning(tasks: list[str], model: str) -> None:
    figure = radar_figure(sweep([cell(task=task, model=model) for task in tasks]))

    assert figure is not None
    figure.canvas.draw()
