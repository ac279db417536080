"""Bets on scores, whose winnings are evidence whatever the scores' distribution."""

from __future__ import annotations

import math

#: How far a bet may go towards ruin.
CAUTION = 0.75


class Bettor:
    """A gambler who stakes 1 on scores (0 to 1) being higher than ``mean`` on average.

    If they are not, the capital reaches 1/alpha at some time with a probability of ``alpha`` at most. Bets follow
    I. Waudby-Smith and A. Ramdas, 2024: lambda_t = sqrt(2 ln(1/alpha) / (v_(t-1) t ln(1 + t))), at most 3/4 of what
    a score of 0 would ruin, v being the variance so far.
    """

    def __init__(self, mean: float, alpha: float) -> None:
        self.mean = mean
        self.won = False
        self.log_capital = 0.0
        self._wanted = math.log(1 / alpha)
        self._n = 0
        self._total, self._squares, self._variance = 0.5, 0.25, 0.25

    def add(self, score: float) -> bool:
        """Bet on the next score; true once 1/alpha has been reached."""
        self._n += 1
        if self.mean <= 0:
            self.won = self.won or score > 0
        else:
            bet = math.sqrt(2 * self._wanted / (self._variance * self._n * math.log1p(self._n)))
            self.log_capital += math.log1p(min(bet, CAUTION / self.mean) * (score - self.mean))
            self.won = self.won or self.log_capital >= self._wanted
        self._total += score
        self._squares += (score - self._total / (self._n + 1)) ** 2
        self._variance = self._squares / (self._n + 1)
        return self.won
