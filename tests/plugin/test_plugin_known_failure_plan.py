"""What a run makes of the list of known failures, on any grid: nothing that passed is covered, nothing is lost."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_haystack.config.schema import KnownFailure
from pytest_haystack.known_failure_plan import OURS, Seen, Update, plan_update
from pytest_haystack.known_failures import covers
from pytest_haystack.sweep import Cell, depth_text

LENGTHS, DEPTHS, MODELS, TASKS = (1000, 2000, 4000), (0.0, 33.33, 100.0), ("a", "b"), ("single", "multi")


def cell(task: str, model: str, length: int, depth: float) -> Cell:
    return Cell(
        sweep="s",
        task=task,
        model=model,
        context_length=length,
        depth_percent=depth,
        depth=depth_text(depth),
        trials=1,
        threshold=0.9 if task == "multi" else 1.0,
        line=1,
        family=task,
    )


CELLS = [cell(*place) for place in itertools.product(TASKS, MODELS, LENGTHS, DEPTHS)]


def span(values: Sequence[float]) -> st.SearchStrategy[Any]:
    pairs = st.tuples(st.sampled_from(values), st.sampled_from(values)).map(sorted)
    return pairs.map(lambda ends: {"min": ends[0], "max": ends[1]}) | st.sampled_from(values).map(lambda one: [one])


ENTRIES = st.lists(
    st.fixed_dictionaries(
        {"reason": st.sampled_from(["by hand", OURS + "mean 0.00 over 3 trials)"])},
        optional={
            "model": st.sampled_from([*MODELS, list(MODELS)]),
            "task": st.sampled_from([*TASKS, list(TASKS)]),
            "context_lengths": span(LENGTHS),
            "depth_percents": span(DEPTHS),
            "strict": st.booleans(),
        },
    ),
    max_size=4,
)
STATES = st.lists(st.sampled_from(["failed", "failed", "passed", "unknown"]), min_size=len(CELLS), max_size=len(CELLS))


def planned(entries: Sequence[dict[str, Any]], states: Sequence[str]) -> tuple[Update, list[dict[str, Any]]]:
    """The plan, and the list that it makes."""
    seen = Seen(
        {one.id: [0.0] for one, state in zip(CELLS, states, strict=True) if state == "failed"},
        {one.id: [1.0] for one, state in zip(CELLS, states, strict=True) if state == "passed"},
    )
    update = plan_update([KnownFailure(**entry) for entry in entries], entries, CELLS, seen)
    left = [new for index, old in enumerate(entries) for new in update.replaced.get(index, [old])]
    return update, [dict(entry) for entry in [*left, *update.added]]


def covered(entries: Sequence[dict[str, Any]]) -> set[str]:
    known = [KnownFailure(**entry) for entry in entries]
    return {one.id for one in CELLS if any(covers(entry, one) for entry in known)}


@given(ENTRIES, STATES)
@settings(deadline=None)
def test_no_cell_that_passed_is_covered_and_what_is_not_known_stays_as_it_was(
    entries: list[dict[str, Any]], states: list[str]
) -> None:
    update, after = planned(entries, states)

    by_state = {
        wanted: {one.id for one, state in zip(CELLS, states, strict=True) if state == wanted}
        for wanted in ("failed", "passed", "unknown")
    }
    now = covered(after)
    assert not now & by_state["passed"]
    assert now & by_state["unknown"] == covered(entries) & by_state["unknown"]
    unlisted = {line.partition(":")[0] for line in update.unlisted}
    assert by_state["failed"] == (now & by_state["failed"]) | unlisted
    assert not now & unlisted
    # What a person has found out is not lost for want of trials.
    assert covered(entries) & by_state["failed"] <= now


@given(ENTRIES, STATES)
@settings(deadline=None)
def test_the_same_run_once_more_changes_nothing(entries: list[dict[str, Any]], states: list[str]) -> None:
    _, after = planned(entries, states)
    again, unchanged = planned(after, states)

    assert unchanged == after
    assert not again.lines


@given(ENTRIES, STATES)
@settings(deadline=None)
def test_entries_of_which_nothing_passed_are_kept_or_merged_if_no_person_wrote_them(
    entries: list[dict[str, Any]], states: list[str]
) -> None:
    _, after = planned(entries, states)

    for entry in entries:
        true = all(
            state != "passed" or not covers(KnownFailure(**entry), one)
            for one, state in zip(CELLS, states, strict=True)
        )
        if true and entry["reason"] == "by hand":
            assert entry in after


def test_a_row_of_lengths_and_a_column_of_depths_are_two_entries() -> None:
    fails = {("single", "a", 2000, depth) for depth in DEPTHS} | {("single", "a", length, 100.0) for length in LENGTHS}
    states = [
        "failed" if (one.task, one.model, one.context_length, one.depth_percent) in fails else "passed" for one in CELLS
    ]

    _, after = planned([], states)

    assert [(entry["context_lengths"], entry["depth_percents"]) for entry in after] == [
        ({"min": 1000, "max": 4000}, [100]),
        ([2000], {"min": 0, "max": 100}),
    ]


def test_what_was_listed_is_not_lost_when_it_is_taken_up_again_with_too_few_trials() -> None:
    # One wrong answer is no evidence of a rate below 0.9, and the two cells have no range in common.
    listed = {
        "model": "a",
        "task": "multi",
        "context_lengths": [1000],
        "depth_percents": [0],
        "reason": OURS + "mean 0.00 over 9 trials)",
    }
    fails = {("multi", "a", 1000, 0.0), ("multi", "a", 4000, 100.0)}
    states = [
        "failed" if (one.task, one.model, one.context_length, one.depth_percent) in fails else "passed" for one in CELLS
    ]

    update, after = planned([listed], states)

    assert after == [listed]
    assert update.unlisted == ["multi-a-len4000-depth100: mean 0.00 over 1 trial, threshold 0.9"]
