"""Two runs compared: what is paired, what is refused and why, what is significant."""

from __future__ import annotations

import copy
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_haystack.results.pairing import NO_NEW_SCORE, NO_OLD_SCORE, ONLY_BASELINE, ONLY_NEW, pair_rows
from pytest_haystack.results.regression import compare_runs, least_units
from tests.results.pairs import row, run


def test_rows_pair_by_place_whatever_their_order() -> None:
    old, new = run([1, 1, 0, 1]), run([1, 0, 1, 1])
    random.Random(1).shuffle(new)

    (group,) = compare_runs(old, new).groups

    assert (group.n, group.worse, group.better) == (4, 1, 1)
    assert [cell.context_length for cell in group.reddened] == [2000]
    assert [cell.context_length for cell in group.greened] == [3000]
    assert group.difference == 0


def test_each_row_is_paired_once_or_counted_with_its_reason() -> None:
    old = [*run([1, 1, None, 1, 1]), row(task="other")]
    new = [*run([1, None, 1, 1]), row(trial=1)]
    new[3]["prompt_sha256"] = "another"
    new[3]["recipe"] = {**new[3]["recipe"], "tokenizer": "o200k_base"}

    single, other = compare_runs(old, new).groups

    assert single.n == 1
    assert single.unpaired == {NO_NEW_SCORE: 1, NO_OLD_SCORE: 1, ONLY_NEW: 1, ONLY_BASELINE: 1}
    assert single.refused == {"tokenizer changed (cl100k_base, now o200k_base)": 1}
    assert (other.n, other.p, other.unpaired) == (0, 1.0, {ONLY_BASELINE: 1})


@given(st.lists(st.tuples(st.integers(1, 4), st.sampled_from([0, 50.0, 100]), st.booleans()), max_size=20))
def test_no_row_is_lost(places: list[tuple[int, float, bool]]) -> None:
    rows = {(length, depth): row(context_length=length, depth_percent=depth) for length, depth, _ in places}
    new = {(length, depth): rows[(length, depth)] for length, depth, keep in places if keep}
    paired = pair_rows(rows.values(), new.values())

    assert len(paired.pairs) == len(new)
    assert len(paired.unpaired) == len(rows) - len(new)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("recipe", "haystack", "source", "files"), "haystack changed (essays, now files)"),
        (("recipe", "haystack", "sha256", "b2"), "haystack changed (text or options of essays)"),
        (("recipe", "tokenizer", "o200k_base"), "tokenizer changed (cl100k_base, now o200k_base)"),
        (("recipe", "template_sha256", "t2"), "wording of the prompt changed"),
        (("seed", 43), "seed changed (42, now 43)"),
        (("question", "Which code has Alpha?"), "needles or question changed"),
        (("recipe", "placements", [{"text": "Other.", "token_index": 500}]), "needles or question changed"),
        (("recipe", "document_tokens", 900), "document length changed (1000 tokens, now 900)"),
        (
            ("recipe", "placements", [{"text": "The code of Alpha is QR-1.", "token_index": 7}]),
            "position of the needles changed",
        ),
        (("plugin_version", "0.2.0"), "built by other versions of pytest-haystack (0.1.0, now 0.2.0)"),
        (("finish_reason", "stop"), "prompt changed, its recipe did not"),
    ],
)
def test_a_refusal_says_what_changed(change: tuple[Any, ...], reason: str) -> None:
    new = copy.deepcopy(row(prompt_sha256="another"))
    owner: Any = new
    *path, key, value = change
    for part in path:
        owner = owner[part]
    owner[key] = value

    (unpaired,) = pair_rows([row()], [new]).unpaired

    assert (unpaired.refused, unpaired.reason) == (True, reason)


def test_causes_are_told_and_not_what_follows_from_them() -> None:
    new = row(prompt_sha256="another", seed=7, question="Another one?")
    new["recipe"] = {**new["recipe"], "tokenizer": "p50k_base", "document_tokens": 999}

    (unpaired,) = pair_rows([row()], [new]).unpaired

    assert unpaired.reason == "tokenizer changed (cl100k_base, now p50k_base); seed changed (42, now 7)"


def test_two_models_are_compared_when_one_is_said_to_stand_for_the_other() -> None:
    old, new = run([1, 1, 1, 1, 1]), run([0, 0, 0, 0, 0], model_id="next")

    assert [group.n for group in compare_runs(old, new).groups] == [0, 0]
    (group,) = compare_runs(old, new, {"reader": "next"}).groups
    assert (group.model, group.n, group.worse) == ("next", 5, 5)


def test_a_users_own_test_is_a_group_of_its_own() -> None:
    nodeid = "tests/test_rag.py::test_answers[single-reader-len1000-depth50]"
    old, new = [row(1.0), row(1.0, nodeid=nodeid)], [row(1.0), row(0.0, nodeid=nodeid)]

    first, second = compare_runs(old, new).groups

    assert (first.task, first.worse) == ("single", 0)
    assert (second.task, second.worse) == ("tests.test_rag.test_answers:single", 1)


@pytest.mark.parametrize(("lost", "red"), [(3, False), (4, True)])
def test_four_lost_pairs_and_none_gained_are_the_least_regression(lost: int, red: bool) -> None:
    comparison = compare_runs(run([1] * 40), run([0] * lost + [1] * (40 - lost)))

    assert bool(comparison.regressions) is red
    assert comparison.groups[0].p_exact > comparison.groups[0].p


def test_several_groups_share_the_error_they_may_make() -> None:
    def both(lost: int) -> Any:
        old = [*run([1] * 40), *run([1] * 40, task="other")]
        return compare_runs(old, [*run([0] * lost + [1] * (40 - lost)), *run([1] * 40, task="other")])

    assert both(4).groups[0].p < 0.05 < both(4).groups[0].p_adjusted
    assert [group.task for group in both(5).regressions] == ["single"]


def test_better_is_no_regression() -> None:
    (group,) = compare_runs(run([0] * 30), run([1] * 30)).groups

    assert group.p > 0.99
    assert group.interval is not None
    assert group.interval[0] > 0.8


def test_fractional_scores_are_tested_by_cell() -> None:
    old = [row(0.8, context_length=length, trial=trial) for length in range(1, 21) for trial in range(3)]
    new = [dict(one, score=0.6) for one in old]

    (group,) = compare_runs(old, new).groups

    assert (group.test, group.n, group.units(), group.p_exact) == ("sign_flip", 60, 20, None)
    assert group.p == pytest.approx(1 / 10_001)
    assert len(group.reddened) == 20
    assert group.difference == pytest.approx(-0.2)


def test_cells_that_stopped_at_their_own_time_are_exchanged_as_a_whole() -> None:
    old = [row(1.0, context_length=length, trial=trial) for length in range(1, 7) for trial in range(5)]
    new = [dict(one, score=0.0) for one in old if one["trial"] < 2]

    (group,) = compare_runs(old, new).groups

    assert (group.test, group.n, group.units()) == ("sign_flip", 12, 6)
    assert group.p == 1 / 64
    # A cell that is missing as a whole says nothing of when the others stopped.
    (whole,) = compare_runs(run([1] * 8), run([0] * 5)).groups
    assert whole.test == "mcnemar"


def test_trials_of_one_cell_do_not_pass_for_many_cells() -> None:
    old = [row(0.8, context_length=length, trial=trial) for length in (1, 2) for trial in range(50)]
    (group,) = compare_runs(old, [dict(one, score=0.1) for one in old]).groups

    assert group.p == 0.25
    assert group.is_blind()


@pytest.mark.parametrize(
    ("test", "alpha", "least"), [("mcnemar", 0.05, 4), ("sign_flip", 0.05, 5), ("mcnemar", 0.01, 6)]
)
def test_too_few_pairs_are_told_before_they_pass_for_good(test: Any, alpha: float, least: int) -> None:
    assert least_units(test, alpha) == least
    scores = [1.0] * least if test == "mcnemar" else [0.9] * least
    worst = [0.0] * least if test == "mcnemar" else [0.1] * least

    assert compare_runs(run(scores), run(worst), alpha=alpha).regressions
    (fewer,) = compare_runs(run(scores[1:]), run(worst[1:]), alpha=alpha).groups
    assert fewer.is_blind(alpha)
    assert fewer.p > alpha


def test_false_alarms_stay_within_what_is_promised_and_real_drops_are_seen() -> None:
    generator = random.Random(11)

    def answers(rates: list[float]) -> list[dict[str, Any]]:
        return run([float(generator.random() < rate) for rate in rates])

    same = worse = 0
    for _ in range(150):
        # Cells differ in how hard they are.
        rates = [min(1.0, generator.betavariate(9.5, 0.5)) for _ in range(100)]
        same += bool(compare_runs(answers(rates), answers(rates)).regressions)
        worse += bool(compare_runs(answers(rates), answers([rate - 0.15 * rate for rate in rates])).regressions)

    assert same / 150 <= 0.1
    assert worse / 150 >= 0.85
