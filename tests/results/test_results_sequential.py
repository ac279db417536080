"""Tests that stop when they know, held to exact probabilities."""

from __future__ import annotations

import copy
import math
import random
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import beta, binom, binomtest

from pytest_haystack.config.trials import StopRule, TrialsEntry
from pytest_haystack.results.bounds import confidence_sequence
from pytest_haystack.results.sequential import (
    SequentialTest,
    decide,
    evidence_below,
    highest_failing,
    lowest_certifying,
    trials_to_certify,
)


def rule(stop: str, most: int, threshold: float = 0.9, **keys: object) -> StopRule:
    return StopRule.of(TrialsEntry(max=most, stop=stop, **keys), threshold, most)  # type: ignore[arg-type]


def exactly(stop: StopRule, rates: Sequence[float]) -> list[tuple[float, float]]:
    """Mean number of trials and probability of a pass at each rate, by going through all numbers of successes."""
    found = [[0.0, 0.0] for _ in rates]
    # A verdict depends on how many scores were 1, not on which: one test stands for all with as many.
    open_tests = {0: (SequentialTest(stop), [1.0] * len(rates))}
    for n in range(1, stop.most + 1):
        following: dict[int, tuple[SequentialTest, list[float]]] = {}
        for successes, (test, weights) in open_tests.items():
            for score in (0, 1):
                after = copy.deepcopy(test)
                verdict = after.add(score)
                parts = [w * (rate if score else 1 - rate) for w, rate in zip(weights, rates, strict=True)]
                if verdict is None:
                    known = following.setdefault(successes + score, (after, [0.0] * len(rates)))
                    known[1][:] = [one + part for one, part in zip(known[1], parts, strict=True)]
                for sums, part in zip(found, parts, strict=True):
                    sums[0] += n * part if verdict else 0
                    sums[1] += part if verdict == "pass" else 0
        open_tests = following
    return [(mean, chance) for mean, chance in found]


RATES = (0.5, 0.8, 0.85, 0.95, 0.99)
#: Mean trials and P(pass) for a threshold of .9, worked out elsewhere.
TABLE = {
    ("point", None, 20): [(6.0, 0.00), (13.5, 0.21), (15.6, 0.41), (18.5, 0.93), (18.2, 1.0)],
    ("sprt", (0.85, 0.95), 20): [(6.0, 0.00), (13.5, 0.20), (15.7, 0.41), (18.5, 0.93), (18.2, 1.0)],
    ("sprt", (0.80, 0.97), 20): [(4.2, 0.00), (11.8, 0.20), (14.0, 0.39), (17.2, 0.91), (16.4, 1.0)],
    ("point", None, 50): [(12.0, 0.00), (29.6, 0.05), (37.2, 0.22), (47.0, 0.96), (45.5, 1.0)],
    ("sprt", (0.85, 0.95), 50): [(6.7, 0.00), (23.6, 0.05), (32.1, 0.21), (40.2, 0.96), (30.1, 1.0)],
    ("sprt", (0.80, 0.95), 50): [(6.1, 0.00), (20.9, 0.07), (27.9, 0.23), (28.4, 0.95), (19.8, 1.0)],
    ("sprt", (0.80, 0.97), 50): [(4.3, 0.00), (14.5, 0.06), (20.1, 0.20), (25.1, 0.90), (17.8, 1.0)],
    ("point", None, 100): [(22, 0.00), (54.9, 0.01), (71.9, 0.10), (94.6, 0.99), (90.9, 1.0)],
    ("sprt", (0.85, 0.95), 100): [(6.7, 0.00), (25.5, 0.01), (40.8, 0.09), (51.0, 0.97), (30.4, 1.0)],
}


@pytest.mark.parametrize(("key", "expected"), TABLE.items(), ids=str)
def test_mean_trials_and_chances_are_as_worked_out(
    key: tuple[str, tuple[float, float] | None, int], expected: list[tuple[float, float]]
) -> None:
    stop, zone, most = key
    keys = {} if zone is None else {"indifference": list(zone)}

    found = exactly(rule(stop, most, **keys), RATES)

    for (mean, chance), (wanted_mean, wanted_chance) in zip(found, expected, strict=True):
        # Printed with few digits; for the ratio test they differ a little from what its definition gives (next test).
        assert mean == pytest.approx(wanted_mean, abs=0.75 if stop == "sprt" else 0.06 if most < 100 else 0.5)
        assert chance == pytest.approx(wanted_chance, abs=0.009 if stop == "sprt" else 0.0056)


@pytest.mark.parametrize(("low", "high", "most"), [(0.85, 0.95, 50), (0.85, 0.95, 100), (0.8, 0.97, 40)])
def test_walds_test_is_what_its_definition_gives(low: float, high: float, most: int) -> None:
    found = exactly(rule("sprt", most, indifference=[low, high]), RATES)

    for one, other in zip(found, [walds(low, high, most, rate) for rate in RATES], strict=True):
        assert one == pytest.approx(other, abs=1e-9)


def walds(low: float, high: float, most: int, rate: float) -> tuple[float, float]:
    """The same for a threshold of .9 and risks of .05, by Wald's two lines and the counts that settle a mean."""
    gain, loss, bound = math.log(high / low), math.log((1 - high) / (1 - low)), math.log(19)
    weights, mean, passing = {0: 1.0}, 0.0, 0.0
    for n in range(1, most + 1):
        following: dict[int, float] = {}
        for successes, weight in weights.items():
            for right, part in ((successes + 1, weight * rate), (successes, weight * (1 - rate))):
                ratio = right * gain + (n - right) * loss
                if ratio >= bound or 10 * right >= 9 * most:
                    mean, passing = mean + n * part, passing + part
                elif ratio <= -bound or 10 * (n - right) > most:
                    mean += n * part
                else:
                    following[right] = following.get(right, 0.0) + part
        weights = following
    return mean, passing


def test_where_walds_test_passes_and_fails() -> None:
    stop = rule("sprt", 1000, indifference=[0.85, 0.95])

    for failures, trials in [(0, 27), (1, 38), (2, 49)]:
        assert decide(stop, [1.0] * 5 + [0.0] * failures + [1.0] * 60).trials == trials
    assert decide(stop, [1.0] * 20 + [0.0] * 3 + [1.0] * 60).trials == 60
    for failures, most in [(3, 6), (4, 17), (5, 27), (6, 38)]:
        rest = [0.0] * (failures - 2)
        assert decide(stop, [0.0, 0.0] + [1.0] * (most - failures) + rest).verdict == "fail"
        assert decide(stop, [0.0, 0.0] + [1.0] * (most - failures + 1) + rest).verdict is None


def of_all(stop: StopRule, scores: Sequence[float]) -> str:
    """The verdict of the mean of all scores."""
    return "pass" if math.fsum(scores) >= stop.threshold * stop.most - 1e-9 else "fail"


@given(st.lists(st.sampled_from([0, 1]), min_size=1, max_size=60), st.floats(0.05, 1))
@settings(max_examples=300, deadline=None)
def test_a_curtailed_verdict_is_that_of_all_trials(scores: list[int], threshold: float) -> None:
    stop = rule("point", len(scores), threshold)

    assert decide(stop, scores).verdict == of_all(stop, scores)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40), st.floats(0.05, 1))
@settings(max_examples=200, deadline=None)
def test_a_curtailed_verdict_on_fractions_is_that_of_all_trials(scores: list[float], threshold: float) -> None:
    stop = rule("point", len(scores), threshold)

    assert decide(stop, scores).verdict == of_all(stop, scores)


@given(
    st.sampled_from(["point", "sprt", "fail_on_evidence", "certify"]),
    st.lists(st.sampled_from([0, 1, 0.5, 0.2]), min_size=1, max_size=60),
    st.floats(0, 1),
)
@settings(max_examples=300, deadline=None)
def test_every_rule_decides_within_its_trials(stop: str, scores: list[float], threshold: float) -> None:
    decision = decide(rule(stop, len(scores), threshold), scores)

    assert decision.verdict in ("pass", "fail")
    assert decision.trials <= len(scores)
    assert 0 <= decision.interval[0] <= decision.mean + 1e-9
    assert decision.mean - 1e-9 <= decision.interval[1] <= 1


@pytest.mark.parametrize("most", [10, 29, 50, 120])
@pytest.mark.parametrize("threshold", [0.5, 0.8, 0.9, 0.97])
def test_evidence_rules_keep_their_promise_exactly(most: int, threshold: float) -> None:
    below = [threshold - 1e-9, threshold - 0.05]
    above = [threshold, min(threshold + 0.02, 1)]

    for (_, passes), (_, spares) in zip(
        exactly(rule("certify", most, threshold), below),
        exactly(rule("fail_on_evidence", most, threshold), above),
        strict=True,
    ):
        assert passes <= 0.05
        assert 1 - spares <= 0.05


def test_certifying_is_the_exact_test_of_all_trials() -> None:
    for n, threshold in [(29, 0.9), (50, 0.9), (100, 0.95), (7, 0.3)]:
        needed = lowest_certifying(n, threshold, 0.05)
        lows = [binomtest(s, n, alternative="greater").proportion_ci(0.95, "exact").low for s in range(n + 1)]
        assert needed == next((s for s, low in enumerate(lows) if low >= threshold), None)
        assert highest_failing(n, threshold, 0.05) == max(
            (s for s in range(n + 1) if binom.cdf(s, n, threshold) <= 0.05), default=-1
        )


@pytest.mark.parametrize(("threshold", "trials"), [(0.9, 29), (0.95, 59), (0.99, 299), (0.5, 5), (1.0, None), (0.0, 1)])
def test_fewest_trials_that_certify(threshold: float, trials: int | None) -> None:
    assert trials_to_certify(threshold, 0.05) == trials
    if trials is not None and trials > 1:
        assert lowest_certifying(trials, threshold, 0.05) == trials
        assert lowest_certifying(trials - 1, threshold, 0.05) is None


@pytest.mark.parametrize(("successes", "n", "threshold"), [(3, 10, 0.9), (20, 22, 0.9), (0, 4, 0.5), (40, 60, 0.8)])
def test_evidence_is_the_averaged_likelihood_ratio(successes: int, n: int, threshold: float) -> None:
    def averaged(low: float, high: float) -> float:
        prior = beta(0.5, 0.5)
        mass = prior.cdf(high) - prior.cdf(low)
        # Substituted, for the prior's density has poles at 0 and 1.
        start, end = math.asin(math.sqrt(low)), math.asin(math.sqrt(high))
        value, _ = quad(
            lambda t: math.sin(t) ** (2 * successes) * math.cos(t) ** (2 * (n - successes)), start, end, epsabs=0
        )
        return 2 / math.pi * value / mass / (threshold**successes * (1 - threshold) ** (n - successes))

    assert math.exp(evidence_below(successes, n, threshold)) == pytest.approx(averaged(0, threshold), rel=1e-9)


def test_betting_fails_fractional_scores_sooner_than_coins() -> None:
    chance = random.Random(3)

    def mean_trials(needles: int) -> float:
        runs = [[sum(chance.random() < 0.6 for _ in range(needles)) / needles for _ in range(50)] for _ in range(200)]
        return sum(decide(rule("fail_on_evidence", 50), run).trials for run in runs) / 200

    assert mean_trials(5) < 12
    assert mean_trials(5) < mean_trials(1)


def test_betting_keeps_its_promise() -> None:
    chance = random.Random(11)
    runs = [[sum(chance.random() < 0.9 for _ in range(5)) / 5 for _ in range(50)] for _ in range(300)]

    failed = sum(decide(rule("fail_on_evidence", 50), run).verdict == "fail" for run in runs)
    certified = sum(decide(rule("certify", 50, 0.9001), run).verdict == "pass" for run in runs)

    assert failed <= 15
    assert certified <= 15


def test_a_confidence_sequence_holds_wherever_it_is_read() -> None:
    chance = random.Random(5)
    missed = 0
    for _ in range(60):
        scores = [float(chance.random() < 0.8) for _ in range(60)]
        intervals = [confidence_sequence(scores[:n], 0.1) for n in range(1, 61, 3)]
        missed += any(not low <= 0.8 <= high for low, high in intervals)

    assert missed <= 6
