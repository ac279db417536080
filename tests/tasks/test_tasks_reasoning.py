"""The task reasoning against solvers that know only the question and the text."""

from __future__ import annotations

import random
import re
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from pytest_haystack.errors import HaystackError
from pytest_haystack.needles.needle import Needle
from pytest_haystack.tasks.reasoning import Reasoning, ReasoningOptions
from pytest_haystack.tasks.task import TrialContext
from tests.tasks.benches import DEPTHS, LENGTHS, TRIALS, Bench, cell_of, check_length, occurrences, scored

NAME = r"[A-Z][a-z]+(?:-\d+|(?: [A-Z][a-z]+){1,2})"


def facts_of(text: str, subject: str) -> dict[str, int]:
    """What the text says of an attribute, by entity."""
    found = re.findall(rf"The {subject} of ({NAME}) is (\d+)\.", text)
    assert len({name for name, _ in found}) == len(found)
    return {name: int(value) for name, value in found}


def solve_sum(question: str, text: str) -> Fraction:
    subject = re.search(r"total of the ([a-z ]+) of ", question)[1]  # type: ignore[index]
    return Fraction(sum(facts_of(text, subject).values()))


def solve_mean(question: str, text: str) -> Fraction:
    values = facts_of(text, re.search(r"of the ([a-z ]+) of ", question)[1]).values()  # type: ignore[index]
    return Fraction(sum(values), len(values))


def solve_conditional(question: str, text: str) -> Fraction:
    subject, limit = re.search(r"whose ([a-z ]+) is above (\d+)\.", question).groups()  # type: ignore[union-attr]
    values = list(facts_of(text, subject).values())
    chosen = [value for value in values if value > int(limit)]
    assert 2 <= len(chosen) < len(values)
    return Fraction(sum(chosen))


def solve_chain(question: str, text: str) -> Fraction:
    subject, last = re.search(rf"What ([a-z ]+) does ({NAME}) have in the end\?", question).groups()  # type: ignore[union-attr]
    holds = {name: Fraction(value) for name, value in facts_of(text, subject).items()}
    for giver, taker in re.findall(rf"({NAME}) gives half of (?:its [a-z ]+|what it then has) to ({NAME})", question):
        holds[giver] /= 2
        holds[taker] += holds[giver]
    return holds[last]


SOLVERS = {"sum": solve_sum, "mean": solve_mean, "conditional": solve_conditional, "chain": solve_chain}


@pytest.mark.parametrize("kind", SOLVERS)
@pytest.mark.parametrize("needles", [3, 5, 8])
@given(trial=st.integers(0, TRIALS - 1), length=st.sampled_from(LENGTHS), depth=st.sampled_from(DEPTHS))
@settings(max_examples=15, deadline=None)
def test_the_number_follows_from_several_needles_and_stands_nowhere(
    bench: Bench, kind: str, needles: int, trial: int, length: int, depth: float
) -> None:
    made = bench("reasoning", kind=kind, needles=needles, placement="random")
    cell = cell_of(made, length, depth)
    material = made.material(cell, trial)
    text, question = material.document.text, material.ask.question
    solved = SOLVERS[kind](question, text)

    check_length(made, cell, material)
    assert solved == material.ask.expected
    assert solved.denominator == 1
    assert occurrences(text, str(solved)) == 0
    assert scored(made, cell, trial, material, f"It is {solved}.").score == 1.0
    for needle in material.needles:
        assert 1 <= int(needle.expected) <= 999
        assert scored(made, cell, trial, material, needle.expected).score == 0.0
    all_values = ", ".join(needle.expected for needle in material.needles)
    assert scored(made, cell, trial, material, all_values).score == 0.0
    assert scored(made, cell, trial, material, question).score == 0.0


@given(trial=st.integers(0, TRIALS - 1), length=st.sampled_from(LENGTHS), needles=st.sampled_from([2, 5]))
@settings(max_examples=20, deadline=None)
def test_the_highest_is_one_entity_of_those_named(bench: Bench, trial: int, length: int, needles: int) -> None:
    made = bench("reasoning", kind="max", needles=needles)
    cell = cell_of(made, length, 50)
    material = made.material(cell, trial)
    question = material.ask.question
    subject = re.search(r"has the highest ([a-z ]+)\?", question)[1]  # type: ignore[index]
    facts = facts_of(material.document.text, subject)
    best = max(facts, key=facts.__getitem__)

    check_length(made, cell, material)
    assert list(facts.values()).count(facts[best]) == 1
    assert len(facts) == needles
    assert all(name in question for name in facts)
    assert material.ask.expected == best
    assert scored(made, cell, trial, material, f"{best}.").score == 1.0
    for other in set(facts) - {best}:
        wrong = scored(made, cell, trial, material, other)
        assert wrong.score == 0.0
        assert wrong.row["score_details"]["verdict"] == "distractor"
    assert scored(made, cell, trial, material, ", ".join(facts)).score == 0.0


@pytest.mark.parametrize("kind", ["sum", "mean", "conditional", "chain"])
def test_an_answer_that_the_haystack_holds_is_not_asked_for(kind: str) -> None:
    # Of the values only multiples of three are free, of larger numbers those of seven.
    text = " ".join(str(n) for n in range(1, 5000) if n % (3 if n < 1000 else 7))
    task = Reasoning(ReasoningOptions.model_validate({"kind": kind}))
    for seed in range(15):
        context = TrialContext(1000, 50, 0, random.Random(seed), text, 1000, len)
        ask = task.ask(task.needles(context), context)
        assert str(ask.expected) not in text.split()


def test_a_mean_is_right_within_one_percent_and_a_sum_only_exactly(bench: Bench) -> None:
    for kind, off, score in (("mean", 0.009, 1.0), ("mean", 0.012, 0.0), ("sum", 0.009, 0.0)):
        made = bench("reasoning", kind=kind)
        cell = cell_of(made, 4000, 50)
        material = made.material(cell, 0)
        answer = f"{float(material.ask.expected) * (1 + off):.3f}"  # type: ignore[arg-type]
        assert scored(made, cell, 0, material, answer).score == score


def test_the_tolerance_of_the_config_comes_before_the_tasks_own(bench: Bench) -> None:
    made = bench("reasoning", kind="mean", scorer={"name": "numeric", "rel_tol": 0.0001})
    cell = cell_of(made, 4000, 50)
    material = made.material(cell, 0)

    assert scored(made, cell, 0, material, f"{float(material.ask.expected) * 1.009:.3f}").score == 0.0  # type: ignore[arg-type]


def test_a_chain_of_fewer_steps_leaves_needles_over(bench: Bench) -> None:
    made = bench("reasoning", kind="chain", steps=1)
    for trial in range(20):
        material = made.material(cell_of(made, 1500, 50), trial)
        first, second = (int(needle.expected) for needle in material.needles[:2])
        assert material.ask.expected == second + first // 2
        assert first % 2 == 0
        assert len(material.needles) == 5


@pytest.mark.parametrize(("kind", "scorer"), [("sum", "numeric"), ("max", "entity"), ("chain", "numeric")])
def test_the_scorer_follows_the_kind(bench: Bench, kind: str, scorer: str) -> None:
    made = bench("reasoning", kind=kind)
    cell = cell_of(made, 1500, 50)
    row = scored(made, cell, 0, made.material(cell, 0), "x").row

    assert row["score_details"]["scorer"] == scorer


def test_the_chance_level_of_a_mean_is_that_of_guessing_the_middle(bench: Bench) -> None:
    rng = random.Random(5)
    means = [sum(rng.randint(1, 999) for _ in range(5)) / 5 for _ in range(40_000)]
    hits = sum(abs(500 - mean) <= 0.01 * mean for mean in means) / len(means)

    assert bench("reasoning", kind="mean").tasks["reasoning"].chance == pytest.approx(hits, abs=0.004)
    assert bench("reasoning", kind="max").tasks["reasoning"].chance == pytest.approx(0.2)


def test_needles_that_cannot_be_joined_get_a_clear_error(bench: Bench) -> None:
    made = bench("reasoning")
    cell = cell_of(made, 1500, 50)
    apart = [Needle("A is 1.", "What is the x of A?", "1", "A"), Needle("B is 2.", "What is the y of B?", "2", "B")]
    no_numbers = [Needle("A.", "What is the x of A?", "red", "A"), Needle("B.", "What is the x of B?", "2", "B")]

    with pytest.raises(HaystackError, match="joins two or more needles"):
        made.assemble(cell, 0, apart)
    with pytest.raises(HaystackError, match="whole numbers"):
        made.assemble(cell, 0, no_numbers)


@pytest.mark.parametrize(
    "options",
    [
        {"needles": 1},
        {"kind": "conditional", "needles": 2},
        {"steps": 2},
        {"kind": "chain", "steps": 5},
        {"kind": "chain", "steps": 0},
        {"kind": "median"},
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        ReasoningOptions.model_validate(options)
