"""What the judge is shown, and what is read from its reply."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_haystack.errors import ModelError
from pytest_haystack.models.model import Completion, Prompt, Usage
from pytest_haystack.models.prices import model_facts
from pytest_haystack.registry import Registry
from pytest_haystack.scoring.judge import JudgeOptions, judge_prompt, read_verdict
from pytest_haystack.scoring.judge_models import cheapest_with_key, known_keys
from pytest_haystack.scoring.score import Reference, Score

QUICK = settings(max_examples=80, deadline=None)
QUESTION = "What is the access code of Vault A?"


def scored(
    answer: str, complete: Callable[[Prompt], Completion] | None, scorer: str = "judge", **options: Any
) -> Score:
    reference = Reference("QR-7749", QUESTION, ("QR-7794",), options, complete=complete)
    return Registry().scorers[scorer](answer, reference)


@pytest.mark.parametrize(
    ("reply", "yes", "reason"),
    [
        ("YES. It gives the code.", True, "It gives the code."),
        ("NO. It gives another code.", False, "It gives another code."),
        ("YES", True, ""),
        ("NO\n", False, ""),
        ("  YES\n\nThe reply gives the code.", True, "The reply gives the code."),
        ("YES The reply gives the code.", True, "The reply gives the code."),
        ("**NO** - it lists both codes.", False, "it lists both codes."),
        ("**YES.** It does.", True, "It does."),
        ('"YES": it does', True, "it does"),
        ("yes, it does", True, "it does"),
        ("No.", False, ""),
        ("No: it says nothing", False, "it says nothing"),
        ("YES. No other code is given.", True, "No other code is given."),
        ("NO, yes-men would disagree", False, "yes-men would disagree"),
        ("YES — it is in capitals", True, "it is in capitals"),
        ("<think>NO? Let me see.</think>\nYES. It does.", True, "It does."),
        ("NO. It says: YES.", False, "It says: YES."),
        ("YES. It says so in the sec", True, "It says so in the sec"),
    ],
)
def test_a_verdict_is_the_first_word(reply: str, yes: bool, reason: str) -> None:
    assert read_verdict(Completion(reply)) == (yes, reason)
    assert read_verdict(Completion(reply, finish_reason="length")) == (yes, reason)


@pytest.mark.parametrize(
    "reply",
    [
        "",
        None,
        "The reply is right: YES.",
        "Verdict: YES",
        "I would say NO.",
        "YES/NO",
        "YES or NO",
        "YES and NO.",
        "Yes and no, depending.",
        "YES, no.",
        "NO NO",
        "Yes it gives the code.",
        "No answer can be found in it.",
        "NOT right.",
        "YESTERDAY it was right.",
        "NO-one can tell",
        "Ja.",
        "<think>YES. It gives the code.",
        "1",
        '{"verdict": "YES"}',
    ],
)
def test_any_other_reply_is_an_error_and_no_score(reply: str | None) -> None:
    with pytest.raises(ModelError, match="the judge gave no verdict: ") as caught:
        scored("QR-7749", lambda prompt: Completion(reply))
    assert caught.value.outcome == "infra_error"


def test_a_refusal_is_no_verdict() -> None:
    with pytest.raises(ModelError, match="refused"):
        read_verdict(Completion("NO.", refusal="NO. I judge nobody."))


def test_the_score_says_who_judged_why_and_at_what_cost() -> None:
    completion = Completion("NO. Another code.", usage=Usage(310, 6), cost_usd=0.0001)
    asked: list[Prompt] = []
    score = scored("QR-7794", lambda prompt: asked.append(prompt) or completion, model="openai/judge")
    assert (score.value, score.verdict) == (0.0, "wrong")
    assert score.details["judge"] == {
        "model": "openai/judge",
        "verdict": "NO",
        "reason": "Another code.",
        "input_tokens": 310,
        "output_tokens": 6,
        "cost_usd": 0.0001,
        "prompt_sha256": asked[0].sha256,
    }
    assert scored("QR-7749", lambda prompt: Completion("YES. So it is.")).value == 1.0
    assert scored("The text does not say.", lambda prompt: Completion("NO. It declines.")).verdict == "abstained"


def test_an_empty_answer_is_wrong_and_nobody_is_asked() -> None:
    def never(prompt: Prompt) -> Completion:
        raise AssertionError("asked for a verdict on nothing")

    assert scored("  \n", never).value == 0.0


@pytest.mark.parametrize(
    ("outcome", "told"),
    [
        ("rate_limited", "rate_limited"),
        ("infra_error", "infra_error"),
        ("config_error", "config_error"),
        ("budget", "budget"),
        # These would be taken for what became of the model's own answer.
        ("context_overflow", "infra_error"),
        ("content_filter", "infra_error"),
        ("silent_truncation", "infra_error"),
    ],
)
def test_a_judge_that_cannot_be_asked_is_an_error(outcome: str, told: str) -> None:
    def fails(prompt: Prompt) -> Completion:
        raise ModelError(outcome, "no use")

    with pytest.raises(ModelError, match=r"the judge.*no use") as caught:
        scored("QR-7749", fails)
    assert caught.value.outcome == told


def test_outside_of_a_sweep_there_is_no_judge() -> None:
    with pytest.raises(ModelError, match="only be used in a sweep") as caught:
        scored("QR-7749", None)
    assert caught.value.outcome == "config_error"


def test_the_judge_sees_question_right_answer_and_reply() -> None:
    prompt = judge_prompt("It is {answer} QR-7749.", Reference("QR-7749", QUESTION))
    assert QUESTION in prompt
    assert "Right answer: QR-7749\n" in prompt
    assert "\nIt is {answer} QR-7749.\n" in prompt
    assert prompt.messages == [{"role": "user", "content": str(prompt)}]
    several = judge_prompt("a", Reference(("QR-1", "QR-2"), QUESTION))
    assert "Right answer: all of these, none left out: QR-1; QR-2\n" in several


def test_the_same_reply_is_judged_by_the_same_request_in_every_trial() -> None:
    one = judge_prompt("QR-7749", Reference("QR-7749", QUESTION))
    other = judge_prompt("QR-7749", Reference("QR-7749", QUESTION, ("QR-1",), {"model": "a/b"}, ("a fact",)))
    assert (str(one), one.trial) == (str(other), other.trial)


ANY = st.one_of(
    st.text(max_size=60),
    st.text(st.characters(categories=["Cs", "Cf", "Mn", "Lo", "Po"]), max_size=30),
    st.lists(st.sampled_from(["YES", "NO", "yes", "no", " ", ".", ",", "/", "\n", "=== ", "QR-7749", "<think>"])).map(
        "".join
    ),
)


@QUICK
@given(answer=ANY)
def test_no_reply_can_close_the_lines_around_it(answer: str) -> None:
    prompt = str(judge_prompt(answer, Reference("QR-7749", QUESTION)))
    fence = prompt.partition("two lines that read ")[2].partition(". It is")[0]
    assert prompt.split(f"\n{fence}\n")[1] == answer
    assert fence not in answer


@QUICK
@given(answer=ANY, reply=ANY)
def test_any_reply_is_a_score_or_an_error(answer: str, reply: str) -> None:
    try:
        score = scored(answer, lambda prompt: Completion(reply))
    except ModelError:
        return
    assert score.value in (0.0, 1.0)
    assert (score.verdict == "right") == (score.value == 1.0)
    assert score.value == 0.0 or reply.strip().upper().lstrip("./,=<> \n").startswith("YES") or "<think>" in reply
    json.dumps(dict(score.details))


# --- numbers first, the judge where there is none


def test_the_judge_is_the_fallback_where_no_number_is_given() -> None:
    asked: list[Prompt] = []

    def agrees(prompt: Prompt) -> Completion:
        asked.append(prompt)
        return Completion("YES. As expected.")

    for scorer in ("numeric", "auto"):
        for answer, value in (("412", 1.0), ("413", 0.0), ("a dozen dozen, roughly put", 0.0)):
            reference = Reference(412, QUESTION, options={"fallback": {"model": "a/b"}}, complete=agrees)
            assert Registry().scorers[scorer](answer, reference).value == value
        assert asked == []
        reference = Reference(412, QUESTION, options={"fallback": {"model": "a/b"}}, complete=agrees)
        score = Registry().scorers[scorer]("as many as the book of that name says", reference)
        assert (score.value, score.details["judge"]["model"]) == (1.0, "a/b")
        assert len(asked) == 1
        asked.clear()
        alone = Reference(412, QUESTION, options={"fallback": None}, complete=agrees)
        assert Registry().scorers[scorer]("as many as the book of that name says", alone).value == 0.0
        assert asked == []


# --- which judge


@pytest.mark.parametrize("key", known_keys())
def test_every_known_key_has_a_model_with_a_price(key: str) -> None:
    choice = cheapest_with_key({key: "x"})
    assert choice is not None
    assert choice[1] == key
    assert model_facts(choice[0]).output_usd_per_million is not None


def test_of_several_keys_the_one_with_the_cheapest_verdict_is_used() -> None:
    def cost(key: str) -> float:
        choice = cheapest_with_key({key: "x"})
        assert choice is not None
        facts = model_facts(choice[0])
        return 400 * (facts.input_usd_per_million or 0) + 60 * (facts.output_usd_per_million or 0)

    for one in known_keys():
        for other in known_keys():
            choice = cheapest_with_key({one: "x", other: "y", "UNRELATED_API_KEY": "z"})
            assert choice is not None
            assert cost(choice[1]) == min(cost(one), cost(other))


def test_without_a_key_there_is_no_judge() -> None:
    assert cheapest_with_key({}) is None
    assert cheapest_with_key({"OPENAI_API_KEY": "", "UNRELATED_API_KEY": "z"}) is None


def test_options_made_by_hand_do_not_look_at_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    assert JudgeOptions().model is None
