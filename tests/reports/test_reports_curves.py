"""Curves of scores against a number and against the depth."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_haystack.reports.curves import MOST_CURVES, curves
from pytest_haystack.reports.drawing import save
from pytest_haystack.reports.writer import write_reports
from pytest_haystack.results.statistics import wilson
from tests.reports.sweeps import ANY_TEXT, cell, sweep
from tests.reports.variants import NUMBERS, PROMPTS, variant


def drawn(results: Any, name: str) -> tuple[Any, dict[str, Any]]:
    """The picture, and its curves by name."""
    figure = curves(results)[name]()
    (axes,) = figure.axes
    found = {str(line.get_gid()).removeprefix("curve "): line for line in axes.get_lines() if line.get_gid()}
    return figure, found


def points(line: Any) -> list[tuple[float, float]]:
    return list(zip(np.asarray(line.get_xdata()).tolist(), np.asarray(line.get_ydata()).tolist(), strict=True))


def words(figure: Any) -> list[str]:
    return [text.get_text() for text in figure.texts]


def test_a_family_with_numbers_is_a_line_a_model_with_whiskers() -> None:
    figure, lines = drawn(sweep(NUMBERS), "curve-multi.png")

    assert points(lines["good"]) == [(2, 1.0), (5, 1.0)]
    assert points(lines["weak"]) == [(2, 1.0), (5, 0.8), (10, pytest.approx(0.4))]
    whiskers = figure.axes[0].collections[1].get_segments()
    low, high = wilson(0.8, 2)
    assert whiskers[1].tolist() == [[5.0, pytest.approx(low)], [5.0, pytest.approx(high)]]
    assert [tick.get_text() for tick in figure.axes[0].get_xticklabels()] == ["2", "5", "10"]
    assert "multi: score by needles" in words(figure)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["good", "weak"]


def test_prompts_and_single_numbers_have_no_curve() -> None:
    one = [variant("multi", 1.0, {"needles": 5})]

    assert curves(sweep([*PROMPTS, *one, cell()])) == {}


def test_each_number_that_varies_has_its_curve() -> None:
    cells = [
        variant("kv", 1.0, {"items": items, "length": length, "type": kind})
        for items in (1, 100)
        for length in (8, 16)
        for kind in ("uuid", "letters")
    ]
    figure, lines = drawn(sweep(cells), "curve-kv-items.png")

    assert set(curves(sweep(cells))) == {"curve-kv-items.png", "curve-kv-length.png"}
    assert len(lines) == 4
    assert "reader, length 8, uuid" in lines
    assert figure.axes[0].get_xscale() == "log"


def test_too_many_lines_become_one_a_model() -> None:
    cells = [
        variant("multi", 1.0, {"needles": needles, "prompt": f"p{number}"}, model=model)
        for needles in (2, 5)
        for number in range(MOST_CURVES)
        for model in ("a", "b")
    ]

    assert set(drawn(sweep(cells), "curve-multi.png")[1]) == {"a", "b"}


def test_blind_guessing_is_drawn_where_it_can_be_seen() -> None:
    chance = {"multi-2": 0.5, "multi-5": 0.25}
    figure, _ = drawn(sweep(NUMBERS, chance=chance), "curve-multi.png")
    guesses = [points(line) for line in figure.axes[0].get_lines() if line.get_linestyle() == ":" or line.is_dashed()]

    assert guesses == [[(2.0, 0.5), (5.0, 0.25)]]
    assert "blind guessing" in [text.get_text() for text in figure.legends[0].get_texts()]
    quiet, _ = drawn(sweep(NUMBERS, chance=dict.fromkeys(chance, 1e-6)), "curve-multi.png")
    assert "blind guessing" not in [text.get_text() for text in quiet.legends[0].get_texts()]


def by_position(models: int, lengths: tuple[int, ...] = (1000,)) -> Any:
    cells = [
        variant("pairs", 1 - items / 300, {"items": items}, model=f"m{model}", depth=depth, length=length)
        for model in range(models)
        for items in (75, 150)
        for depth in (0, 50, 100)
        for length in lengths
    ]
    return sweep(cells, by_position=frozenset(one.task for one in cells))


def test_a_task_of_positions_is_a_line_a_configuration_over_the_depth() -> None:
    figure, lines = drawn(by_position(1), "position-pairs.png")

    assert {name: points(line) for name, line in lines.items()} == {
        "items 75": [(0, 0.75), (50, 0.75), (100, 0.75)],
        "items 150": [(0, 0.5), (50, 0.5), (100, 0.5)],
    }
    assert "m0: pairs, score by position" in words(figure)
    assert set(drawn(by_position(1, (1000, 4000)), "position-pairs.png")[1]) == {
        f"items {items}, {length} tokens" for items in (75, 150) for length in ("1K", "4K")
    }
    assert len(drawn(by_position(1, (1, 2, 3, 4, 5)), "position-pairs.png")[1]) == 2


def test_models_share_the_picture_of_a_position_while_it_can_be_read() -> None:
    names = curves(by_position(2))
    assert set(names) == {"position-pairs.png", "curve-pairs.png"}
    assert set(drawn(by_position(2), "position-pairs.png")[1]) == {
        f"m{model}, items {items}" for model in (0, 1) for items in (75, 150)
    }
    assert set(curves(by_position(3))) == {"curve-pairs.png", *(f"position-pairs-m{model}.png" for model in range(3))}


def test_one_depth_is_no_position_curve() -> None:
    assert curves(sweep([cell(task="pairs")], by_position=frozenset({"pairs"}))) == {}


def test_curves_are_written_and_stale_ones_removed(tmp_path: Path) -> None:
    first = write_reports(by_position(1), tmp_path)
    assert {"curve-pairs.png", "position-pairs.png"} <= {path.name for path in first.paths}
    write_reports(sweep(NUMBERS), tmp_path)

    left = {path.name for path in tmp_path.glob("*.png")}
    assert "curve-multi.png" in left
    assert not left & {"curve-pairs.png", "position-pairs.png"}


def test_the_same_results_give_the_same_picture(tmp_path: Path) -> None:
    files = [save(curves(sweep(NUMBERS))["curve-multi.png"](), tmp_path / name) for name in ("a.png", "b.png")]

    assert files[0].read_bytes() == files[1].read_bytes()


@settings(max_examples=15, deadline=None)
@given(ANY_TEXT, ANY_TEXT, st.lists(st.integers(-5, 10**6), min_size=2, max_size=12, unique=True))
def test_any_names_and_numbers_can_be_drawn_inside_the_picture(
    tmp_path_factory: pytest.TempPathFactory, model: str, family: str, numbers: list[int]
) -> None:
    results = sweep([variant(family, 0.5, {"needles": number}, model=model) for number in numbers])
    ((name, draw),) = curves(results).items()
    figure = draw()
    save(figure, tmp_path_factory.getbasetemp() / "any.png")

    assert "/" not in name
    box = figure.bbox
    renderer = figure.canvas.get_renderer()
    (axes,) = figure.axes
    labels = [label.get_window_extent(renderer) for label in axes.get_xticklabels()]
    texts = [text.get_window_extent(renderer) for text in figure.texts]
    assert all(extent.x0 >= 0 and extent.x1 <= box.width for extent in [*labels, *texts])
    ordered = sorted(labels, key=lambda extent: extent.x0)
    assert all(left.x1 < right.x0 for left, right in itertools.pairwise(ordered))
