"""Heatmaps: what stands on them, and where."""

from __future__ import annotations

import itertools
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_haystack.reports.cell_result import CellResult
from pytest_haystack.reports.drawing import model_and_task
from pytest_haystack.reports.heatmap import heatmap_figure
from pytest_haystack.reports.overview import overview_figure
from pytest_haystack.reports.palette import score_colours
from tests.reports.pictures import artists, luminance, words
from tests.reports.sweeps import ANY_TEXT, MIXED, cell, grid, sweep

LENGTHS = [500, 1000, 4000, 128_000]


def values(figure: Any) -> dict[str, int]:
    """How often each value stands in a cell."""
    counts: dict[str, int] = {}
    for artist in figure.artists:
        name = artist.get_gid() or ""
        if name.startswith("value "):
            counts[name[6:]] = counts.get(name[6:], 0) + len(artist.get_offsets())
    return counts


def test_a_heatmap_says_model_task_mean_trials_axes_and_source() -> None:
    cells = grid(LENGTHS, [0, 50, 100], lambda length, depth: {"score": float(depth != 50 or length < 4000)}, trials=2)
    shown = words(heatmap_figure(sweep(cells, haystack="essays (used 3.2 times)"), "reader", "single"))

    assert "reader: single" in shown
    assert "mean score 0.83 over 24 trials, 95% interval 0.64 to 0.93" in shown
    assert "context-gate · essays (used 3.2 times) · cl100k_base · 2026-01-02" in shown
    assert [label for label in shown if label in ("500", "1K", "4K", "128K")] == ["500", "1K", "4K", "128K"]
    assert {"0%", "50%", "100%", "context length (tokens)", "depth of the needle"} <= set(shown)


def test_lengths_run_to_the_right_and_depth_0_is_on_top() -> None:
    cells = grid(LENGTHS, [0, 50], lambda length, depth: {"score": 1.0 if length == 500 and depth == 0 else 0.0})
    figure = heatmap_figure(sweep(cells), "reader", "single")
    places = {text.get_text(): text.get_position() for text in figure.texts}
    (ground,) = artists(figure, "cells")
    boxes = [path.vertices[:4].mean(axis=0) for path in ground.get_paths()]
    (best,) = (box for box, colour in zip(boxes, ground.get_facecolors(), strict=True) if colour[1] > colour[0])

    assert places["500"][0] < places["1K"][0] < places["128K"][0]
    # Inches from the upper edge: less is higher.
    assert places["0%"][1] < places["50%"][1]
    assert best[0] == pytest.approx(places["500"][0])
    assert best[1] == pytest.approx(places["0%"][1])


def test_cells_without_a_plain_score_are_marked_and_the_legend_names_what_occurs() -> None:
    figure: Any = heatmap_figure(MIXED, "reader", "single")
    marked = {
        (artist.get_gid() or "")[5:]: len(artist.get_paths())
        for artist in figure.artists
        if (artist.get_gid() or "").startswith("mark ")
    }

    assert marked.pop("FAILED") == 1
    # Two cells that touch are hatched as one.
    assert marked == {"XFAIL": 1, "XPASS": 1, "ERROR": 1, "UNSUPPORTED": 1, "NOT_RUN": 1}
    assert all(artists(figure, f"mark {name}")[0].get_hatch() for name in marked)
    assert len({artists(figure, f"mark {name}")[0].get_hatch() for name in marked}) == len(marked)
    assert values(figure) == {"1": 2, "0": 2, "!": 1, "n/a": 1}
    (ground,) = artists(figure, "cells")
    colours = ground.get_facecolors()[:, :3]
    assert np.allclose(colours[[0, 1, 2, 3]], score_colours([1, 0, 0, 1])[:, :3])
    # What has no score is nearly white, far from the dark red of a score of 0.
    assert (luminance(colours[4:]) > 0.7).all()
    shown = words(figure)
    assert "error (!)" in shown
    assert "known failure (xfail)" in shown
    assert "unsupported: context too long (n/a)" in shown
    assert "ran without a score (?)" not in shown


def test_a_failed_cell_has_a_corner_that_its_score_does_not_give() -> None:
    cells = [
        cell("failed", 1 / 3, length=1000, threshold=0.6),
        cell("passed", 1 / 3, length=2000, threshold=0.3),
        cell("failed", 1.0, length=4000, message="[XPASS(strict)] lost in the middle"),
    ]
    figure: Any = heatmap_figure(sweep(cells), "reader", "single")
    (ground,) = artists(figure, "cells")
    boxes = [path.get_extents() for path in ground.get_paths()]
    corners = artists(figure, "mark FAILED")
    triangles = [path.get_extents() for artist in corners for path in artist.get_paths()]

    assert len(triangles) == 2
    for box, triangle in zip((boxes[0], boxes[2]), triangles, strict=True):
        assert box.x0 < triangle.x0 < triangle.x1 < box.x1
        assert box.y0 < triangle.y0 < triangle.y1 < (box.y0 + box.y1) / 2
        assert triangle.width > 0.1
    # Light on a dark score, dark on a light one, and no hatch over either.
    assert [luminance(artist.get_facecolors()[0, :3]) > 0.5 for artist in corners] == [True, False]
    assert not any(artist.get_hatch() for artist in corners)
    assert "failed" in words(figure)
    assert "failed" in words(overview_figure(sweep([*cells, cell(task="multi")])))


def test_a_cell_that_failed_without_a_score_is_marked_as_failed() -> None:
    figure: Any = heatmap_figure(sweep([cell("failed", None, rows=())]), "reader", "single")

    assert len(artists(figure, "mark FAILED")) == 1
    assert values(figure) == {}


def test_a_plain_grid_has_no_legend() -> None:
    figure = heatmap_figure(sweep([cell()]), "reader", "single")

    assert not any((artist.get_gid() or "").startswith(("mark ", "legend ")) for artist in figure.artists)


def test_values_are_left_out_where_nobody_could_read_them() -> None:
    few = sweep(grid(range(1000, 16_000, 1000), range(0, 101, 10), lambda *_: {"score": 0.666}))
    many = sweep(grid(range(1000, 36_000, 1000), range(35), lambda *_: {"score": 0.666}))

    assert values(heatmap_figure(few, "reader", "single")) == {".67": 165}
    assert values(heatmap_figure(many, "reader", "single")) == {}


@pytest.mark.parametrize(("columns", "rows"), [(1, 1), (5, 3), (15, 11), (15, 26), (25, 16), (34, 3)])
def test_values_stay_inside_their_cells(columns: int, rows: int) -> None:
    states: dict[float, dict[str, Any]] = {0: {"state": "error", "score": None}, 1: {"state": "xfailed", "score": 0.25}}
    cells = grid(
        range(1000, 1000 * columns + 1, 1000), range(rows), lambda _, depth: states.get(depth % 5, {"score": 0.8})
    )
    figure: Any = heatmap_figure(sweep(cells), "reader", "single")
    corners = artists(figure, "cells")[0].get_paths()[0].vertices
    width, height = corners.max(axis=0) - corners.min(axis=0)
    stamps = [artist for artist in figure.artists if (artist.get_gid() or "").startswith("value ")]

    assert stamps
    for stamp in stamps:
        extents = stamp.get_paths()[0].get_extents()
        assert extents.width / 72 < 0.95 * width
        assert extents.height / 72 < 0.8 * height
        assert 3 < extents.height < 12
        assert abs(extents.y0 + extents.y1) < 1


def test_the_threshold_is_told_where_it_is_not_perfection() -> None:
    shown = words(heatmap_figure(sweep([cell(threshold=0.8)]), "reader", "single"))
    plain = words(heatmap_figure(sweep([cell()]), "reader", "single"))

    assert any(text.endswith("; a cell passes from 0.8") for text in shown)
    assert not any("passes from" in text for text in plain)


def test_the_subtitle_says_how_many_cells_had_an_error() -> None:
    cells = grid(LENGTHS, [0, 50], lambda length, _: {"state": "error", "score": None} if length == 500 else {})
    shown = words(heatmap_figure(sweep(cells), "reader", "single"))
    overview = words(overview_figure(sweep([*cells, cell(task="multi")])))

    assert "mean score 1.00 over 6 trials, 95% interval 0.61 to 1.00; 2 of 8 cells had an error" in shown
    assert "mean score 1.00 over 7 trials, 1 model, 2 tasks; 2 of 9 cells had an error" in overview


def test_a_sweep_of_errors_has_no_mean() -> None:
    figure = heatmap_figure(sweep([cell("error", None, trials=3)]), "reader", "single")

    assert "no score (3 trials; 1 of 1 cell had an error)" in words(figure)
    assert values(figure) == {"!": 1}


@pytest.mark.parametrize(("columns", "rows"), [(1, 1), (1, 11), (5, 3), (15, 11), (35, 35), (15, 1), (80, 2), (2, 101)])
def test_pictures_have_a_sensible_size_and_nothing_leaves_them(columns: int, rows: int) -> None:
    lengths = [1000 * (number + 1) for number in range(columns)]
    cells = grid(lengths, [number * 100 / max(1, rows - 1) for number in range(rows)], lambda *_: {})
    check_layout(cells, least_labels=min(columns, 12))


def test_long_labels_side_by_side_do_not_touch() -> None:
    # All would be 1M, so they are written out, wider than their cells.
    check_layout(grid(range(1_000_001, 1_000_021), [0, 50, 100], lambda *_: {}), least_labels=10)


def check_layout(cells: list[CellResult], least_labels: int) -> None:
    figure = heatmap_figure(sweep(cells), "reader", "single")
    figure.canvas.draw()
    width, height = figure.get_size_inches()

    assert 6 <= width <= 16
    assert 3 <= height <= 11
    frame = figure.bbox.padded(1)
    for text in figure.texts:
        box = text.get_window_extent()
        assert frame.contains(*box.min), text.get_text()
        assert frame.contains(*box.max), text.get_text()
    labels = [text for text in figure.texts if re.fullmatch(r"\d{4,}|[\d.]+K", text.get_text())]
    boxes = sorted((text.get_window_extent() for text in labels), key=lambda box: float(box.x0))
    assert least_labels <= len(labels) <= 20
    assert all(left.x1 <= right.x0 for left, right in itertools.pairwise(boxes))


def test_long_names_are_cut_so_that_something_of_both_stays() -> None:
    model, task = "anthropic.claude-" + "x" * 60 + "-eu-west-1", "needle_" + "y" * 60 + "_hard"
    figure = heatmap_figure(sweep([cell(model=model, task=task)]), model, task)
    figure.canvas.draw()
    title = next(text for text in figure.texts if text.get_fontweight() == "bold")

    assert title.get_text().startswith("anthropic.cl")
    assert title.get_text().endswith("_hard")
    assert ": needle_" in title.get_text()
    assert title.get_window_extent().x1 <= figure.bbox.x1


@given(ANY_TEXT, ANY_TEXT, st.integers(3, 100))
@settings(max_examples=100, deadline=None)
def test_cut_titles_keep_to_their_length(model: str, task: str, most: int) -> None:
    title, cut = model_and_task(model, task)

    assert len(cut(title, most)) <= most


@given(name=ANY_TEXT, model=ANY_TEXT, task=ANY_TEXT)
@settings(max_examples=15, deadline=None)
def test_any_text_can_be_drawn_without_a_warning(name: str, model: str, task: str) -> None:
    results = sweep([cell(model=model, task=task), cell(model=model, task=task + "2")], name=name, haystack=task)

    heatmap_figure(results, model, task).canvas.draw()
    overview_figure(results).canvas.draw()


def test_dollars_are_dollars_and_no_formula() -> None:
    figure = heatmap_figure(sweep([cell(model="$\\frac$", task="ab")]), "$\\frac$", "ab")
    figure.canvas.draw()

    assert "$\\frac$: ab" in words(figure)
