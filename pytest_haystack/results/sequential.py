"""Tests that stop when they know: score by score until a cell's verdict is certain, or as certain as asked for.

Every rule stops as well where the remaining trials cannot change its verdict (curtailment), which costs nothing: the
verdict is that of all trials. Scores are from 0 to 1; as soon as one is a fraction, what rests on the binomial
distribution gives way to betting, which needs none.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, TypeAlias

from pytest_haystack.config.trials import StopRule
from pytest_haystack.results.betting import Bettor
from pytest_haystack.results.bounds import confidence_sequence
from pytest_haystack.results.statistics import Interval, wilson

Verdict: TypeAlias = Literal["pass", "fail"]

_ROUNDING = 1e-9
#: The prior of the mixture over rates (H. Jeffreys).
_PRIOR = 0.5


@dataclass(frozen=True, slots=True)
class Decision:
    """What a rule made of the scores so far.

    ``verdict`` is None while another trial is needed. ``fallback`` is true where the trials ran out before the
    evidence was there, so that the mean decided. ``interval`` holds the mean with 95 %; but for ``point`` it does so
    at whatever trial the test stopped.
    """

    verdict: Verdict | None
    trials: int
    mean: float
    interval: Interval
    fallback: bool

    def values(self, rule: StopRule) -> dict[str, Any]:
        """As JSON values, for a row."""
        return {
            "rule": rule.stop,
            "verdict": self.verdict,
            "trials": self.trials,
            "most_trials": rule.most,
            "interval_95": [round(end, 6) for end in self.interval],
            "fallback": self.fallback,
        }


class SequentialTest:
    """One cell's test: give it scores, in order, until `verdict` is there."""

    def __init__(self, rule: StopRule) -> None:
        self.rule = rule
        self.scores: list[float] = []
        self.verdict: Verdict | None = None
        self.fallback = False
        self._total = 0.0
        self._binary = True
        self._high = Bettor(rule.threshold, rule.alpha)
        self._low = Bettor(1 - rule.threshold, rule.alpha if rule.stop != "sprt" else rule.beta)

    def add(self, score: float) -> Verdict | None:
        """One more score, from 0 to 1; the verdict, once it is there. Raises ValueError after it."""
        if self.verdict is not None:
            raise ValueError("the verdict is there already")
        self.scores.append(score)
        self._total = math.fsum(self.scores)
        self._binary = self._binary and score in (0, 1)
        self._high.add(score)
        self._low.add(1 - score)
        self.verdict = _RULES[self.rule.stop](self)
        if self.verdict is None and self.n == self.rule.most:
            raise AssertionError(f"{self.rule.stop} did not decide")
        return self.verdict

    @property
    def n(self) -> int:
        """Scores so far."""
        return len(self.scores)

    def decision(self) -> Decision:
        """What is known by now; at least one score is needed."""
        mean = self._total / self.n
        interval = wilson(mean, self.n) if self.rule.stop == "point" else confidence_sequence(self.scores, 0.05)
        return Decision(self.verdict, self.n, mean, interval, self.fallback)

    def _settled(self, needed: float) -> Verdict | None:
        """The verdict of "the sum of all scores is at least ``needed``", once the rest cannot change it."""
        if self._total >= needed - _ROUNDING:
            return "pass"
        return "fail" if self._total + self.rule.most - self.n < needed - _ROUNDING else None

    def _point(self) -> Verdict | None:
        return self._settled(self.rule.threshold * self.rule.most)

    def _sprt(self) -> Verdict | None:
        """Wald's sequential probability ratio test (A. Wald, 1945), the mean deciding where trials run out."""
        rule = self.rule
        if not self._binary:
            evidence: Verdict | None = "pass" if self._high.won else "fail" if self._low.won else None
        else:
            gain = math.log(rule.high / rule.low)
            loss = math.log((1 - rule.high) / (1 - rule.low))
            ratio = self._total * gain + (self.n - self._total) * loss
            evidence = None
            if ratio >= math.log((1 - rule.beta) / rule.alpha):
                evidence = "pass"
            elif ratio <= math.log(rule.beta / (1 - rule.alpha)):
                evidence = "fail"
        if evidence is None:
            evidence = self._point()
            self.fallback = evidence is not None
        return evidence

    def _fail_on_evidence(self) -> Verdict | None:
        """Fails only where the mean is below the threshold for sure; no model that reaches it is failed more often
        than ``alpha``. Half of that is spent on stopping early (see `evidence_below`), half on the exact binomial
        test of all trials.
        """
        rule = self.rule
        if not self._binary:
            if self._low.won:
                return "fail"
            return "pass" if self.n == rule.most else None
        least = highest_failing(rule.most, rule.threshold, rule.alpha / 2) + 1
        early = math.log(2 / rule.alpha)
        if evidence_below(int(self._total), self.n, rule.threshold) >= early:
            return "fail"
        settled = self._settled(least)
        if settled == "pass" and evidence_below(int(self._total), rule.most, rule.threshold) >= early:
            # Failures from here on could still be evidence enough on the way.
            return None if self.n < rule.most else "pass"
        return settled

    def _certify(self) -> Verdict | None:
        """Passes only where the mean reaches the threshold for sure: the one-sided Clopper-Pearson bound of all trials
        does; a model below the threshold is passed no more often than ``alpha``.
        """
        rule = self.rule
        if not self._binary:
            if self._high.won:
                return "pass"
            return "fail" if self.n == rule.most else None
        needed = lowest_certifying(rule.most, rule.threshold, rule.alpha)
        return self._settled(rule.most + 1 if needed is None else needed)


_RULES = {
    "point": SequentialTest._point,
    "sprt": SequentialTest._sprt,
    "fail_on_evidence": SequentialTest._fail_on_evidence,
    "certify": SequentialTest._certify,
}


def decide(rule: StopRule, scores: Iterable[float]) -> Decision:
    """The decision of a rule on scores in order; those after the verdict do not count. At least one is needed."""
    test = SequentialTest(rule)
    for score in scores:
        if test.add(score) is not None:
            break
    return test.decision()


def evidence_below(successes: int, n: int, threshold: float) -> float:
    """Logarithm of the evidence (an e-value) that the rate is below the threshold.

    The likelihood of the trials, averaged over the rates below the threshold with Jeffreys' prior, over that at the
    threshold. Under any rate at or above it this is a supermartingale: it exceeds 1/alpha at some time with a
    probability of alpha at most (J. Ville, 1939), so it may be looked at after every trial.
    """
    from scipy.special import betainc, betaln

    if threshold >= 1:
        return math.inf if successes < n else 0.0
    if threshold <= 0:
        return 0.0
    a, b = _PRIOR + successes, _PRIOR + n - successes
    inside, prior = betainc(a, b, threshold), betainc(_PRIOR, _PRIOR, threshold)
    if inside == 0:
        return -math.inf
    likelihood = successes * math.log(threshold) + (n - successes) * math.log1p(-threshold)
    return float(betaln(a, b) + math.log(inside) - betaln(_PRIOR, _PRIOR) - math.log(prior) - likelihood)


@cache
def lowest_certifying(n: int, threshold: float, alpha: float) -> int | None:
    """Fewest successes of n whose one-sided lower bound reaches the threshold; None where not even n do."""
    from scipy.special import bdtrc

    # Between a number whose tail is too likely and one beyond all: P(X > needed - 1) falls with `needed`.
    before, needed = 0, n + 1
    while needed - before > 1:
        middle = (before + needed) // 2
        if bdtrc(middle - 1, n, threshold) <= alpha:
            needed = middle
        else:
            before = middle
    return needed if needed <= n else None


@cache
def highest_failing(n: int, threshold: float, alpha: float) -> int:
    """Most successes of n that are too few for the threshold by the exact one-sided test; -1 where none are."""
    certifying = lowest_certifying(n, 1 - threshold, alpha)
    return -1 if certifying is None else n - certifying


def trials_to_certify(threshold: float, alpha: float) -> int | None:
    """Fewest trials with which anything can be certified, all of them right; None for a threshold of 1."""
    if threshold >= 1:
        return None
    return 1 if threshold <= 0 else max(1, math.ceil(math.log(alpha) / math.log(threshold) - _ROUNDING))
