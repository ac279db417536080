"""How providers count: estimates that lean towards sending, floors that lean towards believing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pytest_haystack.running.token_ratio import CUT_BELOW, TokenRatio, TokenRatios


def learned(*seen: tuple[int, int]) -> TokenRatio:
    ratio = TokenRatio()
    for ours, theirs in seen:
        ratio.observe(ours, theirs)
    return ratio


def test_before_the_first_answer_our_count_is_the_estimate_and_nothing_is_too_little() -> None:
    assert TokenRatio().estimate(8000) == 8000
    assert TokenRatio().least(8000) == 0


def test_a_frame_of_a_few_tokens_is_not_taken_for_a_vocabulary() -> None:
    assert learned((100, 130)).estimate(16_000) == 16_030
    assert learned((100, 100)).estimate(16_000) == 16_000


def test_two_lengths_tell_frame_and_vocabulary_apart() -> None:
    # Twelve hundred for 1,000 and a system message of 200.
    assert learned((1000, 1400), (4000, 5000)).estimate(16_000) == 200 + 19_200


def test_counts_of_nothing_teach_nothing() -> None:
    assert learned((0, 10), (10, 0)) == TokenRatio()


@given(ours=st.integers(1000, 200_000), share=st.floats(0.7, 1.6), frame=st.integers(0, 256), longer=st.integers(1, 8))
def test_a_longer_prompt_of_the_same_vocabulary_is_never_taken_for_one_that_was_cut(
    ours: int, share: float, frame: int, longer: int
) -> None:
    ratio = learned((ours, round(ours * share) + frame))

    assert ratio.least(ours * longer) <= ours * longer * share + 1


@given(ours=st.integers(8000, 100_000), share=st.floats(0.7, 1.6))
def test_a_prompt_of_which_a_fifth_is_missing_is_told_once_a_whole_one_was_seen(ours: int, share: float) -> None:
    ratio = learned((ours, round(ours * share)))

    assert ratio.least(2 * ours) > 0.8 * 2 * ours * share * (1 - 256 / (ours * share)) - 1
    assert CUT_BELOW > 0.8


def test_models_and_tasks_are_kept_apart() -> None:
    ratios = TokenRatios()
    ratios.of("a", "single").observe(1000, 2000)

    assert ratios.of("a", "single").least(2000) > 0
    assert ratios.of("a", "uuid").least(2000) == ratios.of("b", "single").least(2000) == 0
