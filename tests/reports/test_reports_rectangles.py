"""Rectangles that touch are put together, and cover what they covered."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pytest_haystack.reports.rectangles import joined

PLACES = st.sets(st.tuples(st.integers(0, 7), st.integers(0, 7)))


@given(PLACES, st.floats(0.01, 3), st.floats(0.01, 3), st.floats(-5, 5))
def test_the_same_places_are_covered_each_once(
    places: set[tuple[int, int]], width: float, height: float, left: float
) -> None:
    found = joined((left + column * width, row * height, width, height) for column, row in places)

    covered = [
        (column, row)
        for box in found
        for column in range(round((box[0] - left) / width), round((box[0] - left + box[2]) / width))
        for row in range(round(box[1] / height), round((box[1] + box[3]) / height))
    ]
    assert sorted(covered) == sorted(places)
    assert len(found) <= len(places)


def test_a_whole_grid_is_one_and_a_hole_in_it_leaves_four() -> None:
    grid = [(0.1 * column, 0.3 * row, 0.1, 0.3) for row in range(40) for column in range(30)]

    assert len(joined(grid)) == 1
    assert len(joined(box for number, box in enumerate(grid) if number != 615)) == 4
    assert joined([]) == []
