"""Layouts: where inserts aim, and who stands with whom."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from pytest_haystack.documents.document import Insert
from pytest_haystack.documents.layout import SEPARATION, lay_out


def inserts_at(*depths: float) -> list[Insert]:
    return [Insert("needle", depth) for depth in depths]


def tokens_before(depths: Sequence[float], sizes: Sequence[int], tokens: int) -> dict[int, float]:
    """Document tokens before each insert of a layout that is followed to the letter."""
    layout = lay_out(inserts_at(*depths), sizes, tokens, 1.0)
    before: dict[int, float] = {}
    added = 0
    for members, aim in [(group.members, group.aim) for group in layout.groups] + [
        (layout.tail, float(tokens - sum(sizes) - SEPARATION * len(sizes)))
    ]:
        for member in members:
            before[member] = aim + added
            added += sizes[member] + SEPARATION
    return before


def test_depths_refer_to_the_finished_document() -> None:
    before = tokens_before([25, 50, 75], [100, 100, 100], 1100)

    assert before == {0: 250, 1: 500, 2: 750}


def test_inserts_at_the_end_make_the_tail_in_the_given_order() -> None:
    layout = lay_out(inserts_at(100, 30, 100), [20, 20, 20], 1000, 1.0)

    assert [group.members for group in layout.groups] == [(1,)]
    assert layout.tail == (0, 2)


def test_inserts_at_one_depth_stand_together_around_it() -> None:
    layout = lay_out(inserts_at(50, 50, 50), [96, 96, 96], 1096, 1.0)

    (group,) = layout.groups
    assert group.members == (0, 1, 2)
    assert group.aim == 500 - 100
    assert group.width == 300


def test_a_crowd_shares_the_error_evenly() -> None:
    before = tokens_before([50, 51], [96, 96], 1096)

    assert 500 - before[0] == before[1] - 510 == 45


@given(
    st.lists(st.tuples(st.floats(0, 100), st.integers(1, 60)), min_size=1, max_size=10),
    st.integers(0, 3000),
)
def test_no_two_inserts_swap_or_overlap_and_all_fit(needles: list[tuple[float, int]], spare: int) -> None:
    depths, sizes = [depth for depth, _ in needles], [size for _, size in needles]
    tokens = sum(sizes) + SEPARATION * len(sizes) + 8 + spare
    before = tokens_before(depths, sizes, tokens)

    order = sorted(range(len(depths)), key=depths.__getitem__)
    for left, right in pairwise(order):
        assert before[right] >= before[left] + sizes[left] + SEPARATION - 1.01
    assert min(before.values()) >= 0
    assert before[order[-1]] + sizes[order[-1]] <= tokens
