"""The tasks distractor, conflicting, unanswerable and counting, from the definition and the built document."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from pytest_haystack.errors import DocumentError, HaystackError
from pytest_haystack.needles.needle import Needle
from pytest_haystack.tasks.conflicting import ConflictingOptions
from pytest_haystack.tasks.distractor import near
from pytest_haystack.tasks.unanswerable import UnanswerableOptions
from tests.tasks.benches import DEPTHS, LENGTHS, TRIALS, Bench, cell_of, check_length, occurrences, scored

trials = st.integers(0, TRIALS - 1)
lengths = st.sampled_from(LENGTHS)
depths = st.sampled_from(DEPTHS)
few = settings(max_examples=25, deadline=None)


def facts_for(question: str, text: str) -> list[tuple[str, str, int]]:
    """Entity, value and place of every fact of the text about the attribute that a question asks for."""
    attribute, entity = re.match(r"What is the ([a-z ]+) of ([^?]+)\?", question).groups()  # type: ignore[union-attr]
    word = re.split(r"[ -]", entity)[0]
    facts = re.finditer(rf"The {attribute} of ({word}[^.]*?) is (\S+)\.(?=\s|$)", text)
    return [(match[1], match[2], match.start()) for match in facts]


def entity_of(question: str) -> str:
    return re.match(r"What is the [a-z ]+ of ([^?]+)\?", question)[1]  # type: ignore[index]


@pytest.mark.parametrize("distance", ["near", "spread"])
@pytest.mark.parametrize("value", ["code", "int", "float"])
@given(trial=trials, length=lengths, depth=depths)
@few
def test_one_of_the_lookalikes_is_asked_about(
    bench: Bench, distance: str, value: str, trial: int, length: int, depth: float
) -> None:
    made = bench("distractor", distance=distance, value={"type": value})
    cell = cell_of(made, length, depth)
    material = made.material(cell, trial)
    facts = facts_for(material.ask.question, material.document.text)
    (right,) = [given for name, given, _ in facts if name == entity_of(material.ask.question)]
    wrong = [given for name, given, _ in facts if name != entity_of(material.ask.question)]

    check_length(made, cell, material)
    assert len({name for name, _, _ in facts}) == 5
    assert len({re.split(r"[ -]", name)[0] for name, _, _ in facts}) == 1
    assert material.ask.expected == right
    assert sorted(material.ask.alternatives) == sorted(wrong)
    assert occurrences(material.document.text, right) == 1
    assert scored(made, cell, trial, material, right).score == 1.0
    for other in wrong:
        assert scored(made, cell, trial, material, other).row["score_details"]["distractors"] == [other]
    assert scored(made, cell, trial, material, ", ".join([right, *wrong])).score == 0.0
    asked = material.needles[0]
    assert (asked.role, asked.depth_percent) == ("needle", depth)
    if length == 4000:
        assert abs((asked.actual_depth_percent or 0) - depth) <= 3


@given(st.integers(1, 7), st.floats(0, 100))
@settings(max_examples=100, deadline=None)
def test_distractors_that_are_near_stand_around_the_needle(count: int, depth: float) -> None:
    places = near(count, depth)

    assert len(places) == len(set(places)) == count
    assert depth not in places
    assert all(0 <= place <= 100 and abs(place - depth) <= 2 * count + 1e-9 for place in places)
    if 14 <= depth <= 86:
        assert max(abs(place - depth) for place in places) <= count + 1 + 1e-9


@pytest.mark.parametrize(("kind", "count"), [("code", 1), ("int", 7)])
def test_the_number_of_distractors_is_the_configs(bench: Bench, kind: str, count: int) -> None:
    made = bench("distractor", distractors=count, value={"type": kind})
    material = made.material(cell_of(made, 4000, 50), 3)

    assert len(material.ask.alternatives) == count
    assert made.tasks["distractor"].chance == pytest.approx(1 / (count + 1))


@given(trial=trials, length=lengths, depth=depths, expect=st.sampled_from(["any", "first", "last"]))
@few
def test_two_facts_contradict_each_other_and_the_label_says_which_one_was_chosen(
    bench: Bench, trial: int, length: int, depth: float, expect: str
) -> None:
    made = bench("conflicting", expect=expect)
    cell = cell_of(made, length, depth)
    material = made.material(cell, trial)
    facts = sorted(facts_for(material.ask.question, material.document.text), key=lambda fact: fact[2])
    (name, first, _), (again, last, _) = facts

    check_length(made, cell, material)
    assert name == again == entity_of(material.ask.question)
    assert first != last
    assert material.ask.expected == (first, last)
    assert occurrences(material.document.text, first) == occurrences(material.document.text, last) == 1
    for answer, label, right in (
        (first, "chose_first", expect != "last"),
        (last, "chose_last", expect != "first"),
        (f"{first} and {last}", "chose_both", False),
        ("ZZ-0000", "chose_neither", False),
    ):
        trial_of = scored(made, cell, trial, material, answer)
        assert (trial_of.score, trial_of.row["score_details"]["label"]) == (float(right), label)


@pytest.mark.parametrize(
    ("depth", "asked"), [(0.0, (0, 100)), (12.5, (12.5, 87.5)), (100.0, (0, 100)), (50.0, (50, 50))]
)
def test_the_facts_stand_at_the_depth_and_its_mirror(bench: Bench, depth: float, asked: tuple[float, float]) -> None:
    material = bench("conflicting").material(cell_of(bench("conflicting"), 4000, depth), 0)

    assert tuple(needle.depth_percent for needle in material.needles) == asked


def test_fixed_depths_make_one_column(bench: Bench) -> None:
    made = bench("conflicting", first_depth=20, last_depth=90)
    cells = [cell for cell in made.cells if cell.context_length == 4000]
    material = made.material(cells[0], 0)

    assert len(cells) == 1
    assert [needle.depth_percent for needle in material.needles] == [20, 90]


def test_a_conflict_takes_two_needles(bench: Bench) -> None:
    made = bench("conflicting")

    with pytest.raises(HaystackError, match="asks about two needles; the fixture `needles` gave 1"):
        made.assemble(cell_of(made, 700, 50), 0, [Needle("A.", "What?", "x")])


@pytest.mark.parametrize(
    "options", [{"first_depth": 10}, {"last_depth": 10}, {"first_depth": 60, "last_depth": 40}, {"expect": "both"}]
)
def test_options_of_a_conflict_that_make_no_sense_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        ConflictingOptions.model_validate(options)


@given(trial=st.integers(0, TRIALS - 1), length=lengths, depth=depths, distractors=st.sampled_from([0, 3]))
@few
def test_pairs_ask_the_same_of_the_same_text_with_and_without_the_needle(
    bench: Bench, trial: int, length: int, depth: float, distractors: int
) -> None:
    made = bench("unanswerable", paired=True, distractors=distractors)
    cell = cell_of(made, length, depth)
    assert cell.trials == 2 * TRIALS
    without, with_it = made.material(cell, 2 * trial), made.material(cell, 2 * trial + 1)
    entity = entity_of(without.ask.question)
    (value,) = [given for name, given, _ in facts_for(with_it.ask.question, with_it.document.text) if name == entity]

    for material in (without, with_it):
        check_length(made, cell, material)
        assert material.document.recipe["haystack"] == without.document.recipe["haystack"]
    assert without.ask.question == with_it.ask.question
    assert entity not in without.document.text
    assert occurrences(without.document.text, value) == 0
    assert occurrences(with_it.document.text, value) == 1
    assert with_it.ask.expected == value
    said = {
        "UNANSWERABLE": (1.0, 0.0),
        "The text does not mention it.": (1.0, 0.0),
        value: (0.0, 1.0),
        "QX-1234": (0.0, 0.0),
        **dict.fromkeys(without.ask.alternatives, (0.0, 0.0)),
    }
    for answer, scores in said.items():
        pair = (scored(made, cell, 2 * trial, without, answer), scored(made, cell, 2 * trial + 1, with_it, answer))
        assert tuple(one.score for one in pair) == scores
        assert [one.row["score_details"]["answerable"] for one in pair] == [False, True]
        assert pair[0].row["seed"] == pair[1].row["seed"]
    assert len(without.ask.alternatives) == distractors


def test_the_next_pair_is_about_something_else(bench: Bench) -> None:
    made = bench("unanswerable", paired=True)
    cell = cell_of(made, 700, 50)

    assert made.material(cell, 1).ask.question != made.material(cell, 2).ask.question


def test_youdens_j_follows_from_the_rows_alone(bench: Bench) -> None:
    made = bench("unanswerable", paired=True)
    cell = cell_of(made, 700, 50)
    answers = {
        0: "UNANSWERABLE",
        1: None,
        2: "The vault code is TX-9911.",
        3: "UNANSWERABLE",
        4: "UNANSWERABLE",
        5: None,
    }
    rows = []
    for trial, answer in answers.items():
        material = made.material(cell, trial)
        rows.append(scored(made, cell, trial, material, answer or str(material.ask.expected)).row)

    rates = {
        kind: sum(row["score"] for row in rows if row["score_details"]["answerable"] is kind) / 3
        for kind in (True, False)
    }
    assert rates[True] + rates[False] - 1 == pytest.approx(2 / 3 + 2 / 3 - 1)
    assert sum(row["score"] for row in rows) / 6 == pytest.approx((rates[True] + rates[False]) / 2)


def test_an_answer_that_never_came_still_tells_which_twin_it_was(bench: Bench) -> None:
    from pytest_haystack.running.asking import Asked
    from pytest_haystack.running.trial import score_trial
    from pytest_haystack.scoring.outcomes import Outcome

    made = bench("unanswerable", paired=True)
    cell = cell_of(made, 700, 50)
    row = score_trial(made, cell, 1, made.material(cell, 1), Asked(None, Outcome.refused), "node").row

    assert row["score_details"]["answerable"] is True
    assert row["score"] == 0.0


def test_alone_the_needle_is_always_missing_and_depth_makes_no_difference(bench: Bench) -> None:
    made = bench("unanswerable")
    cells = [cell for cell in made.cells if cell.context_length == 700]

    assert len(cells) == 1
    assert cells[0].trials == TRIALS
    for trial in range(6):
        material = made.material(cells[0], trial)
        check_length(made, cells[0], material)
        assert material.document.placements == ()
        assert material.needles[0].role == "absent"
        assert material.needles[0].statement not in material.document.text
    assert (made.tasks["unanswerable"].chance, bench("unanswerable", paired=True).tasks["unanswerable"].chance) == (
        1,
        0.5,
    )


@pytest.mark.parametrize("options", [{"distractors": 8}, {"paired": "maybe"}])
def test_options_of_unanswerable_that_make_no_sense_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        UnanswerableOptions.model_validate(options)


@given(trial=trials, length=lengths, count=st.sampled_from([1, 2, 5, 12]), depth=depths)
@few
def test_the_phrase_stands_in_the_text_as_often_as_expected(
    bench: Bench, trial: int, length: int, count: int, depth: float
) -> None:
    made = bench("counting", count=count, placement="random")
    cell = cell_of(made, length, depth)
    material = made.material(cell, trial)
    phrase = re.search(r'"(.+)"', material.ask.question)[1]  # type: ignore[index]
    counted = material.document.text.count(phrase)

    check_length(made, cell, material)
    assert counted == count == material.ask.expected
    assert scored(made, cell, trial, material, f"{counted} times").score == 1.0
    assert scored(made, cell, trial, material, str(counted + 1)).score == max(0.0, 1 - 1 / count)
    assert scored(made, cell, trial, material, str(2 * counted)).score == 0.0
    assert scored(made, cell, trial, material, material.ask.question).score == 0.0
    tokens = [needle.token_index for needle in material.needles]
    assert len(set(tokens)) == count
    assert tokens == sorted(tokens)  # type: ignore[type-var]


def test_a_phrase_of_ones_own_must_not_be_in_the_haystack(bench: Bench) -> None:
    own = bench("counting", count=3, phrase="Ring the ninth bell.")
    held = bench("counting", count=3, phrase="the")

    assert own.material(cell_of(own, 700, 50), 0).document.text.count("Ring the ninth bell.") == 3
    with pytest.raises(DocumentError, match="the haystack text holds the phrase 'the' itself; choose another phrase"):
        held.material(cell_of(held, 700, 50), 0)
