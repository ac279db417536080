"""Numbers as they are shown, and cells in their places."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_haystack.reports.cell_result import total
from pytest_haystack.reports.grid import Mark, grid_of
from pytest_haystack.reports.labels import (
    counted,
    ends_and_between,
    every_nth,
    interval_labels,
    length_labels,
    rate_label,
    score_label,
    signed_label,
    usd_label,
)
from tests.reports.sweeps import MIXED, cell, row


@pytest.mark.parametrize(
    ("length", "label"),
    [
        (1, "1"),
        (500, "500"),
        (999, "999"),
        (1000, "1K"),
        (1500, "1.5K"),
        (4000, "4K"),
        (4096, "4.1K"),
        (99_960, "100K"),
        (128_000, "128K"),
        (131_072, "131K"),
        (999_400, "999K"),
        (999_960, "1M"),
        (1_000_000, "1M"),
        (2_500_000, "2.5M"),
    ],
)
def test_lengths_are_short(length: int, label: str) -> None:
    assert length_labels([length]) == [label]


@given(st.lists(st.integers(1, 10_000_000), unique=True, max_size=40))
@settings(max_examples=200, deadline=None)
def test_no_two_lengths_look_the_same(lengths: list[int]) -> None:
    assert len(set(length_labels(lengths))) == len(lengths)


def test_lengths_that_would_look_the_same_are_written_out() -> None:
    assert length_labels([4000, 4096, 4097]) == ["4K", "4096", "4097"]


@given(st.floats(0, 1))
@settings(max_examples=200, deadline=None)
def test_only_a_perfect_score_shows_as_one_and_only_nothing_as_zero(score: float) -> None:
    label = score_label(score)

    assert len(label) <= 3
    assert (label == "1") == (score == 1)
    assert (label == "0") == (score == 0)
    assert float(label) == pytest.approx(score, abs=0.0101)


def test_rates_take_more_decimals_near_the_ends() -> None:
    assert [rate_label(rate) for rate in (0, 1, 0.5, 0.9996, 0.0004, None)] == [
        "0.00",
        "1.00",
        "0.50",
        "0.9996",
        "0.0004",
        "-",
    ]


def test_rates_that_are_nearly_0_or_1_never_look_like_it() -> None:
    assert [rate_label(rate) for rate in (1e-9, 0.00004, 0.00006, 0.99994, 1 - 1e-9)] == [
        "<0.0001",
        "<0.0001",
        "0.0001",
        "0.9999",
        ">0.9999",
    ]
    assert [signed_label(value) for value in (-1e-17, 1e-17, -0.25, None)] == ["0.00", "0.00", "-0.25", "-"]


@pytest.mark.parametrize(
    ("ends", "shown"),
    [
        ((0.36, 0.98), ("0.36", "0.98")),
        ((0, 0.9986), ("0.000", "0.999")),
        ((0.9962, 1), ("0.996", "1.000")),
        ((0.00042, 0.4), ("0.0004", "0.4000")),
        ((0, 1), ("0.00", "1.00")),
        ((1e-9, 0.5), ("<0.0001", "0.5000")),
    ],
)
def test_both_ends_of_an_interval_have_the_same_decimals(ends: tuple[float, float], shown: tuple[str, str]) -> None:
    assert interval_labels(*ends) == shown


def test_sums_of_money_and_counts_read_well() -> None:
    assert [usd_label(cost) for cost in (None, 0.0, 0.0012, 12.3)] == ["unknown", "$0.00", "$0.0012", "$12.30"]
    assert (counted(1, "trial"), counted(2000, "trial")) == ("1 trial", "2,000 trials")


@given(st.integers(0, 200), st.integers(1, 60))
@settings(max_examples=100, deadline=None)
def test_labels_are_thinned_evenly(count: int, most: int) -> None:
    shown = every_nth(count, most)

    assert len(shown) <= most
    assert count == 0 or shown[0] == 0
    assert count > most or len(shown) == count


@given(st.integers(0, 200), st.integers(1, 60))
@settings(max_examples=200, deadline=None)
def test_the_labels_of_an_axis_are_thinned_but_for_its_ends(count: int, most: int) -> None:
    shown = ends_and_between(count, most)

    assert len(shown) <= most
    assert count > most or shown == list(range(count))
    assert count < 2 or most < 2 or (shown[0], shown[-1]) == (0, count - 1)
    gaps = [after - before for before, after in pairwise(shown)]
    # Nothing is closer than the rest, so that labels never touch.
    assert not gaps[:-1] or (len(set(gaps[:-1])) == 1 and gaps[-1] >= gaps[0])


def test_each_state_has_its_mark_and_only_judged_cells_a_score() -> None:
    (places,) = grid_of(MIXED.cells).places

    assert [(shown.mark, shown.score) for shown in places] == [
        (Mark.SCORE, 1),
        (Mark.FAILED, 0),
        (Mark.XFAIL, 0),
        (Mark.XPASS, 1),
        (Mark.ERROR, None),
        (Mark.UNSUPPORTED, None),
        (Mark.NOT_RUN, None),
        (Mark.NOT_RUN, None),
    ]


def test_an_error_hides_the_score_of_its_other_trials() -> None:
    erred = cell("error", rows=(row(1.0), row(None, "infra_error")))

    assert grid_of([erred]).places[0][0].score is None
    assert (erred.score, erred.outcome) == (1.0, "infra_error")


def test_a_test_that_never_asked_is_not_shown_as_a_score() -> None:
    grid = grid_of([cell("passed", rows=()), cell("xfailed", rows=(), length=2000)])

    assert [shown.mark for shown in grid.places[0]] == [Mark.NO_SCORE, Mark.XFAIL]
    assert grid.marks() == [Mark.XFAIL, Mark.NO_SCORE]


def test_lengths_run_to_the_right_and_depth_0_is_on_top() -> None:
    cells = [cell(length=length, depth=depth) for length in (4000, 500) for depth in (100, 3.95, 20.33)]
    grid = grid_of(cells[:-1])

    assert grid.lengths == (500, 4000)
    assert grid.depths == ("3.95", "20.33", "100")
    assert [len(places) for places in grid.places] == [2, 2, 2]
    assert grid.places[1][0].mark is Mark.NO_CELL


def test_of_two_cells_in_one_place_the_one_that_ran_is_shown() -> None:
    for cells in ([cell("not_run"), cell("failed", 0.0)], [cell("failed", 0.0), cell("not_run")]):
        assert grid_of(cells).places[0][0].score == 0


def test_the_most_telling_outcome_stands_for_the_cell() -> None:
    rows = (row(1.0), row(0.0, "truncated"), row(0.0, "refused"))

    assert cell(rows=rows).outcome == "refused"
    assert cell(rows=(*rows, row(None, "config_error"))).outcome == "config_error"
    assert cell(rows=(row(1.0),)).outcome == "answered"
    assert cell(rows=()).outcome is None


def test_unknown_costs_are_not_zero() -> None:
    assert total([None, None]) is None
    assert total([None, 0.25, 0.5]) == 0.75
    assert cell(rows=(row(cost_usd=None),)).cost_usd is None
