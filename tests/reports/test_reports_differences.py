"""Pictures of what changed between two runs: what stands on them, and that anybody can read their colours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pytest_haystack.reports.differences import (
    MOST_PANELS,
    DifferencePanel,
    difference_figure,
    difference_grid,
    write_differences,
)
from pytest_haystack.reports.drawing import is_ours
from pytest_haystack.reports.grid import Mark
from pytest_haystack.reports.labels import change_label, difference_label
from pytest_haystack.reports.palette import difference_colours
from pytest_haystack.results.regression import compare_runs
from tests.reports.pictures import artists, linear, luminance
from tests.reports.test_reports_heatmap import values
from tests.reports.test_reports_palette import COLOUR_VISION
from tests.results.pairs import row

NAMES = ("run-1", "run-2")


def runs(tasks: int = 1) -> Any:
    """Two lengths by three depths: worse, better, the same, another prompt, no score, only in one run."""
    old = [
        row(score, task=f"task{task}", context_length=length, depth_percent=depth)
        for task in range(tasks)
        for length, depth, score in (
            (1000, 0, 1.0),
            (1000, 50, 0.25),
            (1000, 100, 1.0),
            (2000, 0, 1.0),
            (2000, 50, None),
        )
    ]
    new = [dict(one, score={0: 0.0, 50: 1.0, 100: 1.0}[int(one["depth_percent"])]) for one in old]
    for one in new:
        if one["context_length"] == 2000 and one["depth_percent"] == 0:
            one["prompt_sha256"] = "another"
    return compare_runs(old, new)


def test_every_cell_shows_its_change_or_why_there_is_none() -> None:
    comparison = runs()
    grid = difference_grid(comparison, comparison.groups[0])

    assert (grid.lengths, grid.depths) == ((1000, 2000), ("0", "50", "100"))
    shown = [[(place.mark, place.score) for place in line] for line in grid.places]
    assert shown == [
        [(Mark.SCORE, -1.0), (Mark.OTHER_PROMPT, None)],
        [(Mark.SCORE, 0.75), (Mark.NOT_PAIRED, None)],
        [(Mark.SCORE, 0.0), (Mark.NO_CELL, None)],
    ]


def test_the_picture_says_what_changed_and_between_which_runs() -> None:
    comparison = runs()
    figure = difference_figure(comparison, comparison.groups, NAMES)

    assert values(figure) == {"-1": 1, "+.75": 1, "0": 1, "?": 1}
    texts = [text.get_text() for text in figure.texts]
    assert texts[-1] == "new minus old, on the same prompts: run-2 minus run-1"
    assert "reader: task0" in texts
    assert {"better", "worse", "+1", "-1", "not compared", "not compared: another prompt (?)"} <= set(texts)
    assert any(text.startswith("mean score -0.08 (95% interval") and "1 worse, 1 better" in text for text in texts)


@pytest.mark.parametrize("tasks", [2, 5, MOST_PANELS + 1])
def test_several_groups_share_one_picture(tasks: int) -> None:
    comparison = runs(tasks)
    figure = difference_figure(comparison, comparison.groups, NAMES)

    drawn = min(tasks, MOST_PANELS)
    assert len(artists(figure, "cells")) == drawn
    head = next(text.get_text() for text in figure.texts if " pairs: " in text.get_text())
    assert head.startswith(f"{3 * drawn} pairs: {drawn} worse, {drawn} better")
    assert ("of 37 groups" in head) is (tasks > MOST_PANELS)


def test_text_stays_inside_the_picture() -> None:
    for tasks in (1, 4):
        comparison = runs(tasks)
        figure = difference_figure(comparison, comparison.groups, NAMES)
        renderer = figure.canvas.get_renderer()
        width, height = figure.get_size_inches() * figure.dpi
        for text in figure.texts:
            box = text.get_window_extent(renderer)
            assert box.x0 >= 0, text.get_text()
            assert box.y0 >= 0, text.get_text()
            assert box.x1 <= width, text.get_text()
            assert box.y1 <= height, text.get_text()


def test_files_are_named_after_model_and_task(tmp_path: Path) -> None:
    written = write_differences(runs(2), NAMES, tmp_path / "new")

    assert [path.name for path in written] == [
        "difference.png",
        "difference-reader-task0.png",
        "difference-reader-task1.png",
    ]
    assert all(is_ours(path) for path in written)
    assert [path.name for path in write_differences(runs(1), NAMES, tmp_path)] == ["difference.png"]
    assert write_differences(compare_runs([row()], [row(task="other")]), NAMES, tmp_path) == []


@pytest.mark.parametrize("vision", COLOUR_VISION)
def test_worse_and_better_are_told_apart_by_any_colour_vision(vision: str) -> None:
    steps = np.linspace(0, 1, 11)
    seen = {
        sign: np.clip(linear(difference_colours(list(sign * steps))[:, :3]) @ COLOUR_VISION[vision].T, 0, 1)
        for sign in (-1, 1)
    }

    for sign in (-1, 1):
        light = seen[sign] @ np.array([0.2126, 0.7152, 0.0722])
        assert (np.diff(light) < 0).all()
    # Blue against yellow is what every kind of red-green blindness keeps.
    yellow = {sign: seen[sign][4:, :2].mean(axis=1) - seen[sign][4:, 2] for sign in (-1, 1)}
    assert (yellow[-1] > 0.02).all()
    assert (yellow[1] < -0.02).all()


def test_values_can_be_read_on_their_ground() -> None:
    panel = DifferencePanel.__new__(DifferencePanel)

    for difference in np.linspace(-1, 1, 201).tolist():
        ground = luminance(difference_colours([difference])[0, :3])
        ink = luminance(np.array([int(panel.ink(difference)[i : i + 2], 16) / 255 for i in (1, 3, 5)]))
        contrast = (max(ground, ink) + 0.05) / (min(ground, ink) + 0.05)
        assert contrast > 4, f"difference {difference}"


def test_changes_have_their_sign() -> None:
    assert [difference_label(value) for value in (1, 0.333, -0.5, -0.001, 1e-12)] == ["+1", "+.33", "-.50", "-.01", "0"]
    assert [change_label(value) for value in (1, 0.333, -0.5, 0)] == ["+1.00", "+0.33", "-0.50", "0.00"]


def test_panels_of_one_model_stand_in_a_row_and_those_of_one_task_below_each_other() -> None:
    def rows(score: float) -> list[dict[str, Any]]:
        pairs = [("b", "one"), ("a", "two"), ("a", "three"), ("b", "three"), ("b", "two"), ("a", "one")]
        return [row(score, model_id=model, task=task) for model, task in pairs]

    comparison = compare_runs(rows(1.0), rows(0.0))
    figure = difference_figure(comparison, comparison.groups, NAMES)

    titles = {text.get_text(): text.get_position() for text in figure.texts}
    for tasks in ("one", "two", "three"):
        assert titles[f"a: {tasks}"][0] == titles[f"b: {tasks}"][0]
    for model in "ab":
        assert len({titles[f"{model}: {task}"][1] for task in ("one", "two", "three")}) == 1
    assert titles["a: one"][1] != titles["b: one"][1]
