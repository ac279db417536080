"""Tests of context lengths by rounds, each of which asks every depth once."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from pytest_haystack.config.trials import StopRule
from pytest_haystack.results.sequential import Decision, SequentialTest

#: Gives the scores (0 to 1) of a round (from 0) at a length (tokens), one by one; what is not taken need not be asked.
AskRound = Callable[[int, int], Iterable[float]]


class LengthTests:
    """One sequential test for each length; scores of the same length are asked once, whoever needs them.

    The order within a round is the asker's, and must be random over depths. A verdict stands with the score that
    brings it: what else a round has asked by then is left out.
    """

    def __init__(self, rule: StopRule, ask: AskRound) -> None:
        self._rule = rule
        self._ask = ask
        self._sampled: dict[int, list[float]] = {}
        self._tests: dict[int, SequentialTest] = {}

    def passes(self, length: int) -> bool:
        """Test a length."""
        test = self._tests[length] = SequentialTest(self._rule)
        number = 0
        while test.verdict is None:
            known = self._sampled.get(length) if number == 0 else None
            asked = 0
            for score in self._ask(length, number) if known is None else known:
                asked += 1
                if test.add(score) is not None:
                    break
            if not asked:
                raise ValueError(f"round {number} at {length} tokens has no scores")
            number += 1
        return test.verdict == "pass"

    def sample(self, length: int) -> float:
        """Mean score of the first round at a length."""
        scores = self._sampled[length] = list(self._ask(length, 0))
        return math.fsum(scores) / len(scores)

    def decisions(self) -> dict[int, Decision]:
        """What became of each length that was tested, in the order of the tests; those broken off before their first
        score are left out.
        """
        return {length: test.decision() for length, test in self._tests.items() if test.n}
