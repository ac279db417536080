"""The picture of all models and tasks."""

from __future__ import annotations

import pytest

from pytest_haystack.reports.cell_result import SweepResults
from pytest_haystack.reports.drawing import DPI, Sheet, text_width
from pytest_haystack.reports.drawing import settings as drawing_settings
from pytest_haystack.reports.overview import MOST_PANELS, overview_figure
from tests.reports.pictures import artists, words
from tests.reports.sweeps import cell, grid, sweep

LENGTHS = [500, 1000, 4000, 128_000]


def many(models: int, tasks: int) -> SweepResults:
    return sweep(
        cell(model=f"m{model}", task=f"t{task}", score=model / models)
        for model in range(models)
        for task in range(tasks)
    )


def test_the_overview_puts_models_below_each_other_and_tasks_side_by_side() -> None:
    cells = [
        *grid(LENGTHS, [0, 50, 100], lambda *_: {"task": "single"}),
        *grid([1000, 32_000], [50], lambda *_: {"task": "multi", "score": 0.5}),
        *grid(LENGTHS, [0, 50, 100], lambda *_: {"task": "single", "model": "other"}),
        *grid([1000], [50], lambda *_: {"task": "multi", "model": "other", "state": "error", "score": None}),
    ]
    figure = overview_figure(sweep(cells))
    places = {text.get_text(): text.get_position() for text in figure.texts}
    reader, multi, other = (places[name] for name in ("reader: single", "reader: multi", "other: single"))

    assert reader[0] == other[0] < multi[0]
    assert reader[1] == multi[1] < other[1]
    assert "mean score 0.96 over 26 trials, 2 models, 2 tasks; 1 of 27 cells had an error" in places
    assert [text for text in words(figure) if text.startswith("mean ") and len(text) < 10] == [
        "mean 1.00",
        "mean 0.50",
        "mean 1.00",
        "mean -",
    ]
    assert "error (!)" in places


def test_with_many_tasks_each_model_keeps_to_columns_of_its_own() -> None:
    places = {text.get_text(): text.get_position() for text in overview_figure(many(2, 8)).texts}

    for task in range(8):
        left, right = places[f"m0: t{task}"], places[f"m1: t{task}"]
        assert left[1] == right[1]
        assert left[0] < right[0]
    assert not {places[f"m0: t{task}"][0] for task in range(8)} & {places[f"m1: t{task}"][0] for task in range(8)}


def test_more_panels_than_can_be_read_become_a_table_of_means() -> None:
    assert len(artists(overview_figure(many(6, 6)), "cells")) == MOST_PANELS == 36
    figure = overview_figure(many(4, 10))

    assert artists(figure, "cells") == []
    (means,) = artists(figure, "means")
    assert len(means.get_paths()) == 40
    assert {"m0", "m3", "t0", "t9"} <= set(words(figure))


def test_text_is_measured_as_it_is_drawn() -> None:
    with drawing_settings():
        sheet = Sheet(10, 2)
        text = sheet.text(0.1, 0.1, "mean score 0.73 over 15 trials", 12, fontweight="bold")
        drawn = text.get_window_extent().width / DPI

    assert text_width("mean score 0.73 over 15 trials", 12, bold=True) == pytest.approx(drawn, rel=0.03)
