"""Rules that others published: tables computed by hand from the rules' own words."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_haystack.registry import Registry
from pytest_haystack.scoring.levenshtein import distance, likeness
from pytest_haystack.scoring.rails import UNPARSABLE, snap
from pytest_haystack.scoring.score import Reference, Score

SCORERS = Registry().scorers
QUICK = settings(max_examples=80, deadline=None)
NEEDLE = "The code is QR-7749."


def scored(scorer: str, answer: str, expected: Any, *statements: str, **options: Any) -> Score:
    return SCORERS[scorer](answer, Reference(expected, options=options, statements=statements))


@pytest.mark.parametrize(
    ("expected", "answer", "value"),
    [
        ("QR-7749", "QR-7749", 1),
        ("QR-7749", "  qr-7749\n", 1),
        (" QR-7749 ", "QR-7749", 1),
        ("QR-7749", "QR-7749.", 0),
        ("QR-7749", "The code is QR-7749", 0),
        ("QR-7749", "**QR-7749**", 0),
        ("QR-7749", "", 0),
        (412, "412", 1),
        (412, "412.0", 0),
        (2.5, "2.5", 1),
        (("a", "b"), "A, B", 1),
        (("a", "b"), "a", 0),
    ],
)
def test_equality_is_the_same_text_stripped_and_lowered(expected: Any, answer: str, value: float) -> None:
    assert scored("equality", answer, expected).value == value


@pytest.mark.parametrize("name", ["substring", "exact"])
def test_equality_is_stricter_than_what_is_published_as_exact(name: str) -> None:
    assert scored(name, "The code is qr-7749.", "QR-7749").value == 1
    assert scored("equality", "The code is qr-7749.", "QR-7749").value == 0


@pytest.mark.parametrize(
    ("expected", "answer", "value"),
    [
        (7749, "7749", 1),
        (7749, "7750", 1),  # what the rule is known for
        (7749, "7826", 1),  # 77 / 7749 = 0.00994
        (7749, "7827", 0),  # 78 / 7749 = 0.01007
        (7749, "7,749 metres", 1),
        (7749, "It is 7749.", 1),
        (7749, "Section 3 gives 7749.", 0),  # the first number counts
        (7749, "7749, not 12", 1),
        (7749, "QR-7749", 0),  # the hyphen is read as a sign
        (7749, "no number", 0),
        (7749, "", 0),
        ("7749", "7750", 1),
        (50, "50.49", 1),
        (50, "50.5", 0),  # 0.01 is not less than 0.01
        (0, "0.009", 1),  # divided by 1, not by 0
        (0, "0.01", 0),
        (0, "-0.005", 1),
        (0.5, "0.509", 1),  # divided by 1, not by 0.5
        (0.5, "0.52", 0),
        (-20, "-20", 1),
        (-20, "20", 0),
        (1500, "1.5e3", 0),
        (1234567.5, "1,234,567.5", 1),
        ("Paris", "1", 0),
        (("1", "2"), "1", 0),
        (5, "1" * 5000, 0),
    ],
)
def test_numeric_1pct_holds_the_first_number_to_one_percent(expected: Any, answer: str, value: float) -> None:
    assert scored("numeric_1pct", answer, expected).value == value


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("QR-7749", 1),
        ("It is QR-7749 or QR-7794.", 1),
        ("xQR-77490", 1),
        ("", 0),
        ("The code is", 0.2 * 9 / 17),  # 9 of the 17 characters of TheCodeIsQR-7749.
        ("The code is QR-7794.", 0.2 * 15 / 17),  # two characters replaced
        ("T h e code is\n\tQR-7794 .", 0.2 * 15 / 17),  # white space does not count
        ("qr-7749", 0.2 * 5 / 17),  # letter case does: two replaced, ten inserted
        ("?" * 34, 0),
        ("The code is QR-7794." + "?" * 17, 0.2 * 15 / 34),
    ],
)
def test_keyword_or_levenshtein_gives_a_fifth_of_the_likeness_to_the_needle(answer: str, value: float) -> None:
    assert scored("keyword_or_levenshtein", answer, "QR-7749", "Another fact.", NEEDLE).value == pytest.approx(value)


def test_without_the_needle_the_keyword_itself_is_compared() -> None:
    assert scored("keyword_or_levenshtein", "abd", "abc").value == pytest.approx(0.2 * 2 / 3)
    assert scored("keyword_or_levenshtein", "abd", "abc", "another fact").value == pytest.approx(0.2 * 2 / 3)


def test_of_several_keywords_the_mean_counts() -> None:
    score = scored("keyword_or_levenshtein", "QR-1", ("QR-1", "QR-2"))
    assert score.value == pytest.approx((1 + 0.2 * 3 / 4) / 2)
    assert score.details == {"missing": ["QR-2"]}


def by_the_table(first: str, second: str) -> int:
    """Edit distance by its recurrence."""
    row = list(range(len(second) + 1))
    for i, a in enumerate(first, start=1):
        diagonal, row[0] = row[0], i
        for j, b in enumerate(second, start=1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (a != b))
    return row[-1]


@settings(max_examples=400, deadline=None)
@given(st.text("abc", max_size=90), st.text("abcd", max_size=90))
def test_the_distance_is_that_of_the_recurrence(first: str, second: str) -> None:
    assert distance(first, second) == distance(second, first) == by_the_table(first, second)
    assert 0 <= likeness(first, second) <= 1
    assert distance(first, first) == 0


@pytest.mark.parametrize(
    ("text", "labels", "label"),
    [
        ("Yes", ["yes", "no"], "yes"),
        ("  YES, it is.", ["yes", "no"], "yes"),
        ("yes... yes!", ["yes", "no"], "yes"),
        ("no, yes", ["yes", "no"], UNPARSABLE),
        ("maybe", ["yes", "no"], UNPARSABLE),
        ("", ["yes", "no"], UNPARSABLE),
        ("I know", ["yes", "no"], "no"),  # as published: contained, not a word
        ("Irrelevant.", ["relevant", "irrelevant"], "irrelevant"),
        ("relevant", ["relevant", "irrelevant"], "relevant"),
        ("relevant or irrelevant", ["relevant", "irrelevant"], UNPARSABLE),
        ("irrelevant, quite irrelevant", ["irrelevant", "relevant"], "irrelevant"),
        ("abc", ["a", "ab", "abc"], "abc"),
        ("b b", ["a", "b", "c"], "b"),
        ("TRUE", ["True", "true"], "true"),
    ],
)
def test_rails_snap_to_the_only_label_contained(text: str, labels: list[str], label: str) -> None:
    assert snap(text, labels) == label
    assert snap(text, labels[::-1]) == label


def test_rails_score_by_the_label() -> None:
    right = scored("rails", "It is factual.", "Factual", labels=["factual", "hallucinated"])
    assert (right.value, right.details["label"]) == (1, "factual")
    wrong = scored("rails", "hallucinated", "factual", labels=["factual", "hallucinated"])
    assert (wrong.value, wrong.verdict, wrong.details["label"]) == (0, "wrong", "hallucinated")
    none = scored("rails", "factual and hallucinated", "factual", labels=["factual", "hallucinated"])
    assert (none.value, none.details["label"]) == (0, UNPARSABLE)


def test_without_labels_rails_are_what_was_planted() -> None:
    reference = Reference("Vault A", alternatives=("Vault B", "Vault C"))
    assert SCORERS["rails"]("In vault a.", reference).value == 1
    planted = SCORERS["rails"]("In vault b.", reference)
    assert (planted.value, planted.verdict, planted.details["distractors"]) == (0, "distractor", ["Vault B"])
    assert SCORERS["rails"]("Vault B or Vault A", reference).details["label"] == UNPARSABLE


SOUP = st.lists(
    st.one_of(
        st.text(max_size=30),
        st.text(st.characters(categories=["Cs", "Cf", "Nd", "No", "Mn", "Lo", "Po"]), max_size=20),
        st.sampled_from(
            ["QR-7749", "qr-7749", "7749", "7,749", "-", "1" * 400, "1e9", "yes", "no", " ", "\n", "紫色", "é"]
        ),
    ),
    max_size=8,
).map("".join)


@pytest.mark.parametrize("scorer", ["equality", "numeric_1pct", "keyword_or_levenshtein", "rails"])
@QUICK
@given(
    answer=SOUP,
    expected=st.one_of(SOUP, st.integers(), st.floats(), st.lists(SOUP, max_size=3).map(tuple)),
    statements=st.lists(SOUP, max_size=2),
)
def test_any_text_gets_a_score_from_0_to_1(scorer: str, answer: str, expected: Any, statements: list[str]) -> None:
    score = scored(scorer, answer, expected, *statements)
    assert 0.0 <= score.value <= 1.0
    assert (score.verdict == "right") == (score.value == 1.0)
    json.dumps(dict(score.details))


@QUICK
@given(answer=SOUP)
def test_literal_rules_are_ordered_by_how_much_they_let_through(answer: str) -> None:
    equal = scored("equality", answer, "QR-7749").value
    contained = scored("substring", answer, "QR-7749").value
    keyword = scored("keyword_or_levenshtein", answer, "QR-7749").value
    assert equal <= contained
    assert keyword < 1 or contained == 1
