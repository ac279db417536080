"""What must hold for every scorer, whatever a model says."""

from __future__ import annotations

import json
import random
import re

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from pytest_haystack.registry import Registry
from pytest_haystack.scoring.matching import is_whole, occurrences
from pytest_haystack.scoring.reasoning import split_reasoning
from pytest_haystack.scoring.score import Reference, Score
from pytest_haystack.scoring.text import normalise

SCORERS = Registry().scorers
UUIDS = ("7c9e6679-7425-40de-944b-e07fc1f90ae7", "0b1f4a52-93d7-4c1e-8f7a-2d6e5c3b9a10")
CODES = ("QR-7749", "ZK-1180", "LM-0042", "PT-5561")
REFERENCES = {
    "value": Reference(CODES[0], "What is the access code of Zyranthex-7?", CODES[1:]),
    "numeric": Reference(412, "What is the boiling point of Xenarium?", ("891", "17")),
    "entity": Reference("Marta Voss", "Who is the great-grandparent of 'Ilan Roth'?", ("Petra Kol", "Greta Voss")),
    "uuid": Reference(UUIDS[0], "Which value is stored?", UUIDS[1:]),
    "auto": Reference(CODES[0], "What is the access code of Zyranthex-7?", CODES[1:]),
    "conflict": Reference(("412", "891"), "What is the boiling point?", (), {"expect": "last"}),
    "count": Reference(5, "How often does it occur?"),
    "multi": Reference(CODES, "Which codes are there?"),
    "ordered": Reference(("dock", "lantern", "bridge"), "List the stops."),
    "set_f1": Reference(("KQ", "VD", "ZT"), "Which variables?"),
    "abstain": Reference("UNANSWERABLE", "What is the vault number of Station Ormeth?"),
    "verbatim": Reference("Slow rain on the harbour wall.", "Copy it.", (), {"prefix": "kT9"}),
    "substring": Reference(CODES[0]),
    "exact": Reference(CODES[0]),
}
#: One value is asked for, others are planted.
COMMITTING = ("value", "numeric", "entity", "uuid", "auto")
PIECES = (
    *CODES, *UUIDS, "412", "891", "KQ", "dock", "Marta Voss", "UNANSWERABLE", "not ", "or ", "<answer>", "</answer>",
    "<think>", "</think>", "\\boxed{", "}", "{", '"', "```json", "```", "1" * 5000, "(" * 200, "[" * 200, '{"a":' * 150,
    "**", "~~", "&#99999999;", "&#xd800;", "\\frac{1}{0}", "1/0", "1e9999", "10^999", "½", "٤٢", "minus ",
    "one hundred ",
)  # fmt: skip
SOUP = st.lists(
    st.one_of(
        st.text(max_size=30),
        st.text(st.characters(categories=["Cs", "Cf", "Nd", "No", "Mn", "Lo", "Po"]), max_size=20),
        st.sampled_from(PIECES),
    ),
    max_size=12,
).map("".join)
QUICK = settings(max_examples=60, deadline=None)


def scored(scorer: str, answer: str, reference: Reference | None = None) -> Score:
    return SCORERS[scorer](answer, reference or REFERENCES[scorer])


@pytest.mark.parametrize("scorer", REFERENCES)
@QUICK
@given(answer=SOUP)
def test_any_text_gets_a_score_from_0_to_1_with_details_that_are_json(scorer: str, answer: str) -> None:
    score = scored(scorer, answer)
    assert 0.0 <= score.value <= 1.0
    assert (score.verdict == "right") == (score.value == 1.0)
    json.dumps(dict(score.details))


@QUICK
@given(text=SOUP)
def test_any_text_is_split_into_answer_and_reasoning(text: str) -> None:
    answer, reasoning = split_reasoning(text)
    assert answer is None or answer in text or "<|" in text or "think" in text
    assert isinstance(reasoning, str)


@QUICK
@given(expected=SOUP, alternatives=st.lists(SOUP, max_size=3), answer=SOUP, scorer=st.sampled_from(sorted(REFERENCES)))
def test_any_planted_text_can_be_scored(expected: str, alternatives: list[str], answer: str, scorer: str) -> None:
    reference = Reference(expected, "What?", tuple(alternatives), {"prefix": "x", "rel_tol": "many"})
    assert 0.0 <= scored(scorer, answer, reference).value <= 1.0


def candidates(scorer: str) -> list[str]:
    reference = REFERENCES[scorer]
    return [str(reference.expected), *reference.alternatives]


@pytest.mark.parametrize("scorer", COMMITTING)
@QUICK
@given(
    order=st.randoms(use_true_random=False),
    separator=st.sampled_from([", ", "\n", " ", "; ", " or ", " and ", "\n- ", " / ", "\n\n", " | ", ". "]),
    around=st.sampled_from(
        ["{}", "The candidates are {}.", "Answer: {}", "<answer>{}</answer>", "\\boxed{{{}}}", '"{}"', "**{}**"]
    ),
)
def test_an_answer_that_lists_every_planted_candidate_is_not_right(
    scorer: str, order: random.Random, separator: str, around: str
) -> None:
    listed = candidates(scorer)
    order.shuffle(listed)
    score = scored(scorer, around.format(separator.join(listed)))
    assert score.value == 0.0
    # Set apart by blanks only, numbers and names may read as one long one.
    assert score.verdict == "distractor" or separator == " "
    assert set(score.details.get("distractors", ())) <= set(REFERENCES[scorer].alternatives)


@pytest.mark.parametrize("scorer", COMMITTING)
@pytest.mark.parametrize(
    "sentence", ["The answer is {}.", "It is {}.", "So {}.", "<answer>{}</answer>", "Total: {}", "{}?"]
)
def test_a_sentence_for_every_candidate_commits_to_none(scorer: str, sentence: str) -> None:
    listed = candidates(scorer)
    for answer in ("\n".join(map(sentence.format, listed)), " ".join(map(sentence.format, reversed(listed)))):
        assert scored(scorer, answer).value == 0.0


@pytest.mark.parametrize("scorer", COMMITTING)
@QUICK
@given(
    before=st.text("abxyzABXYZ0123456789-_", max_size=3),
    after=st.text("abxyzABXYZ0123456789-_", max_size=3),
)
def test_the_value_inside_a_longer_token_is_not_right(scorer: str, before: str, after: str) -> None:
    # A sign that stands at the outer edge is punctuation, not part of the token.
    glued = before.strip("-_") + before[len(before.rstrip("-_")) :] if before.strip("-_") else ""
    tail = after[: len(after) - len(after.lstrip("-_"))] + after.strip("-_") if after.strip("-_") else ""
    if scorer == "numeric":
        # Leading zeros, grouped or not, do not make another number, and some letters are units.
        glued, tail = glued.lstrip("0_"), tail if tail.strip("-_").isdigit() or not tail else f"{tail}q"
    if not glued and not tail:
        glued = "x"
    # Two hyphens in a row are a dash.
    assume("--" not in f"{glued}.{tail}")
    expected = str(REFERENCES[scorer].expected)
    assert scored(scorer, f"It is {glued}{expected}{tail}.").value == 0.0


@pytest.mark.parametrize("scorer", sorted(set(REFERENCES) - {"substring", "exact"}))
def test_echoing_the_question_is_not_right(scorer: str) -> None:
    question = REFERENCES[scorer].question
    for echo in (question, question.upper(), f"> {question}", question.rstrip("?."), f"You ask: {question}"):
        assert scored(scorer, echo).value < 1.0


DENIALS = (
    "not {}", "It is not {}.", "It isn't {}", "The answer is not {}.", "{} is wrong.", "{} is not the answer.",
    "{} is incorrect", "It is certainly not {}", "It cannot be {}.", "It could never be {}", "I do not think it is {}.",
    "anything but {}", "{}? No.", "Neither {} nor anything else.", "There is no {} in the text.", "Is it {}? Wrong!",
    "<answer>not {}</answer>", "Answer: not {}", "{} was a decoy.", "I rule out {}.", "~~{}~~", "{} isn't it.",
    "Es ist nicht {}.", "Ce n'est pas {}.", "No es {}.", "Não é {}.", "Это не {}.", "不是{}。", "{}ではありません。",
)  # fmt: skip


@pytest.mark.parametrize("scorer", COMMITTING)
@pytest.mark.parametrize("denial", DENIALS)
def test_negating_the_value_is_not_right(scorer: str, denial: str) -> None:
    assert scored(scorer, denial.format(REFERENCES[scorer].expected)).value == 0.0


WRAPPERS = (
    "{}", "**{}**", "*{}*", "`{}`", "'{}'", '"{}"', "“{}”", "„{}“", "«{}»", "「{}」", "({})", "[{}]", "{}.", "{}!",
    "<answer>{}</answer>", "<b>{}</b>", "\\boxed{{{}}}", "$\\text{{{}}}$", "- {}", "> {}", "# {}", "Answer: {}",
    "**Final answer:** {}", '{{"answer": "{}"}}', "```\n{}\n```", "\u200b{}\ufeff", "{}\n\nLet me know!",
    "The answer is {}.",
)  # fmt: skip
RIGHT = {scorer: str(REFERENCES[scorer].expected) for scorer in COMMITTING} | {
    "count": "5",
    "conflict": "891",
    "multi": ", ".join(CODES),
    "ordered": "dock, lantern, bridge",
    "set_f1": "KQ, VD, ZT",
    "abstain": "UNANSWERABLE",
}
WRONG = {scorer: REFERENCES[scorer].alternatives[0] for scorer in COMMITTING} | {
    "count": "99",
    "conflict": "412",
    "multi": "nothing of the kind",
    "ordered": "bridge, dock, lantern",
    "set_f1": "AA, BB",
    "abstain": "4471",
}
ZEROS = "0٠۰०০๐０𝟎"


def in_digits_of(text: str, zero: str) -> str:
    return "".join(chr(ord(zero) + int(c)) if c in "0123456789" else c for c in text)


@pytest.mark.parametrize("scorer", RIGHT)
@QUICK
@given(
    outer=st.sampled_from(WRAPPERS),
    inner=st.sampled_from(WRAPPERS),
    dash=st.sampled_from("-‐‑‒–−－—"),
    zero=st.sampled_from(ZEROS),
)
def test_markup_quotes_dashes_and_digits_do_not_change_the_result(
    scorer: str, outer: str, inner: str, dash: str, zero: str
) -> None:
    # Two wrappers with talk of their own make a text of several sentences; one is enough.
    inner = "{}" if "answer" in (outer + inner).lower() or "Let me" in inner else inner
    for said, value in ((RIGHT[scorer], 1.0), (WRONG[scorer], 0.0)):
        presented = outer.format(inner.format(in_digits_of(said.replace("-", dash), zero)))
        assert scored(scorer, presented).value == value


def test_very_long_answers_of_every_kind_are_scored() -> None:
    units = (
        "-",
        "=",
        "((",
        "<answer>",
        "\\boxed{",
        "\\text{",
        "~~a",
        "[a](",
        "1,",
        "one hundred ",
        "QR-7749, ",
        "- a\n",
        "not ",
        "\ud800",
    )
    for unit in units:
        answer = unit * (30_000 // len(unit))
        for scorer in REFERENCES:
            assert 0.0 <= scored(scorer, answer).value <= 1.0


@given(st.text("ab1 .,\n~<\\`{*$#>_]()/-\"'", max_size=40) | st.text(max_size=40))
def test_what_is_taken_for_free_of_markup_has_none(text: str) -> None:
    quickly = normalise(text)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pytest_haystack.scoring.text._ANY_MARKUP", re.compile(""))
        assert normalise(text) == quickly


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.sampled_from(["a", "b1", "-", "-", " ", "—", "."]), min_size=1, max_size=6)
    .map(lambda parts: "".join(parts).strip())
    .filter(re.compile("[ab]").search),
    st.text(st.sampled_from("ab1 -—.\n"), max_size=12),
    st.text(st.sampled_from("ab1 -—.\n"), max_size=12),
    st.sampled_from(["-", "—", " - ", "- ", " ", "-\n", "  "]),
)
@example("a-b1", "", "", " - ")
@example("a-b1", "", "", "-\n")
@example("a-b1", "", "", " ")
@example("a b1", "", "\n", "-")
def test_a_value_is_found_wherever_its_pattern_is(value: str, before: str, after: str, joint: str) -> None:
    text = before + value.replace("-", joint) + after
    pieces = re.split(r"([-—]|\s+)", value)
    pattern = "".join(
        re.escape(piece)
        if i % 2 == 0
        else r"\s+"
        if piece.isspace()
        else r"(?:\s?[-—]\s?|\s)"
        if pieces[i - 1] and pieces[i + 1]
        else "[-—]"
        for i, piece in enumerate(pieces)
    )
    spans, found = [], re.search(pattern, text)
    while found:
        whole = is_whole(text, *found.span(), value)
        spans += [found.span()] if whole else []
        found = re.compile(pattern).search(text, found.end() if whole else found.start() + 1)

    assert list(occurrences(text, value)) == spans
