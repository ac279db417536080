"""The verdict beside a score says what kind of miss it was."""

from __future__ import annotations

import pytest

from pytest_haystack.registry import Registry
from pytest_haystack.scoring.score import Expected, Reference

SCORERS = Registry().scorers
CODE = Reference("QR-7749", "What is the access code of Zyranthex-7?", ("ZK-1180", "LM-0042"))
NAME = Reference("Marta Voss", "Who is the parent of 'Ilan Roth'?", ("Petra Kol", "Ilan Roth"))
UUID = Reference("7c9e6679-7425-40de-944b-e07fc1f90ae7", "", ("0b1f4a52-93d7-4c1e-8f7a-2d6e5c3b9a10",))
TEXT = Reference("Slow rain.", "", ("Nets hang drying.",), {"prefix": "kT9"})


@pytest.mark.parametrize(
    ("scorer", "reference", "answer", "verdict"),
    [
        ("value", CODE, "QR-7749", "right"),
        ("value", CODE, "", "wrong"),
        ("value", CODE, "QR-7794", "wrong"),
        ("value", CODE, "QR-77490", "wrong"),
        ("value", CODE, "not QR-7749", "wrong"),
        ("value", CODE, "The text does not say.", "abstained"),
        ("value", CODE, "The text only gives ZK-1180 for Zyranthex-8; none for Zyranthex-7.", "abstained"),
        ("value", CODE, "ZK-1180", "distractor"),
        ("value", CODE, "QR-7749 or ZK-1180", "distractor"),
        ("value", CODE, "QR7749", "format_failure"),
        ("value", CODE, "Q R - 7 7 4 9", "format_failure"),
        ("value", CODE, "not QR7749", "wrong"),
        ("value", Reference("café"), "cafe", "format_failure"),
        ("numeric", Reference(412), "413", "wrong"),
        ("numeric", Reference(412), "4 1 2", "format_failure"),
        ("numeric", Reference(412), "I could not find it.", "abstained"),
        ("numeric", Reference(412, "", ("891",)), "891", "distractor"),
        ("numeric", Reference(412, "", ("unknown value X-1",)), "unknown value X-1", "distractor"),
        ("count", Reference(5), "4", "wrong"),
        ("count", Reference(5), "It does not say.", "abstained"),
        ("multi", Reference(("VK-31", "HT-08")), "VK-31", "wrong"),
        ("multi", Reference(("VK-31", "HT-08"), "", ("ZZ-99",)), "VK-31, ZZ-99", "distractor"),
        ("multi", Reference(("VK-31", "HT-08")), "VK31 HT08", "format_failure"),
        ("multi", Reference(("VK-31", "HT-08")), "None is mentioned.", "abstained"),
        ("entity", NAME, "Petra Kol", "distractor"),
        ("entity", NAME, "martavoss", "format_failure"),
        ("entity", NAME, "Marta Voss Kiel", "wrong"),
        ("entity", NAME, "I cannot determine it.", "abstained"),
        ("uuid", UUID, UUID.alternatives[0], "distractor"),
        ("uuid", UUID, UUID.expected[:-1], "wrong"),
        ("uuid", UUID, "No value found.", "abstained"),
        ("ordered", Reference(("a1", "b2")), "b2, a1", "wrong"),
        ("ordered", Reference(("a1", "b2"), "", ("c3",)), "a1, c3", "distractor"),
        ("set_f1", Reference(("KQ", "VD"), "", ("XX",)), "KQ, XX", "distractor"),
        ("set_f1", Reference(()), "There are none.", "right"),
        ("abstain", Reference("UNANSWERABLE", "", ("4471",)), "4471", "distractor"),
        ("abstain", Reference("UNANSWERABLE"), "9020", "wrong"),
        ("abstain", Reference("4471", "", (), {"answerable": True}), "UNANSWERABLE", "abstained"),
        ("conflict", Reference(("412", "891"), "", (), {"expect": "last"}), "412", "distractor"),
        ("conflict", Reference(("412", "891")), "The text does not say.", "abstained"),
        ("conflict", Reference(("412", "891")), "412 or 891", "wrong"),
        ("verbatim", TEXT, "kT9Slow rain.", "right"),
        ("verbatim", TEXT, "Slow rain.", "format_failure"),
        ("verbatim", TEXT, "kT9Nets hang drying.", "distractor"),
        ("verbatim", TEXT, "kT9Slow.", "wrong"),
    ],
)  # fmt: skip
def test_a_verdict_tells_what_was_answered(scorer: str, reference: Reference, answer: str, verdict: str) -> None:
    assert SCORERS[scorer](answer, reference).verdict == verdict


def test_a_distractor_is_named_as_it_was_planted() -> None:
    assert SCORERS["value"]("zk–1180", CODE).details["distractors"] == ["ZK-1180"]
    assert SCORERS["entity"]("PETRA KOL", NAME).details["distractors"] == ["Petra Kol"]


@pytest.mark.parametrize(
    ("expected", "answer", "value"),
    [
        (412, "four hundred and twelve", 1),
        ("412", "412.0", 1),
        ("QR-7749", "`QR-7749`", 1),
        (("VK-31", "HT-08"), "HT-08", 0.5),
    ],
)
def test_auto_takes_the_scorer_that_fits_the_expected_value(expected: Expected, answer: str, value: float) -> None:
    assert SCORERS["auto"](answer, Reference(expected)).value == value


@pytest.mark.parametrize(
    ("expected", "answer", "value"),
    [
        (" QR-7749 ", "xxqr-77490", 1), ("QR-7749", "not QR-7749", 1), ("QR-7749", "QR‑7749", 0), (7, "17", 1),
        (("a", "bb", "zz"), "ABBA", 2 / 3), ((), "anything", 0), (7.0, "7", 1),
    ],
)  # fmt: skip
def test_the_published_substring_rule_is_applied_to_the_letter(expected: Expected, answer: str, value: float) -> None:
    assert SCORERS["substring"](answer, Reference(expected)).value == pytest.approx(value)
    assert SCORERS["exact"](answer, Reference(expected)).value == pytest.approx(value)


def test_a_tolerance_is_a_share_of_the_expected_number() -> None:
    def value(answer: str, tolerance: object) -> float:
        return SCORERS["numeric"](answer, Reference(200, "", (), {"rel_tol": tolerance})).value

    assert value("202", 0.01) == 1.0
    assert value("202.01", 0.01) == 0.0
    assert value("198", "0.01") == 1.0
    assert value("202", None) == value("202", -1) == value("202", "many") == value("202", float("nan")) == 0.0


def test_an_answer_far_longer_than_the_passage_is_bounded_by_its_length() -> None:
    passage = "Slow rain on the harbour wall. " * 10
    score = SCORERS["verbatim"]("kT9" + passage * 100, Reference(passage, "", (), {"prefix": "kT9"}))
    assert score.value == pytest.approx(2 / 101)
