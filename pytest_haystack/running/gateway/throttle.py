"""Giving way to a provider that says 429: half as much at once, then slowly more again."""

from __future__ import annotations

import math
from collections import deque

#: Seconds of departures and answers that tell how fast requests were leaving, and how many the provider took.
_LOOK_BACK = 10.0
#: Requests a second below which nothing is slowed down further: the pauses between tries do the rest.
SLOWEST = 0.5
#: Share of the pace before the cut that each answer gives back.
_GIVEN_BACK = 0.02


class Throttle:
    """Additive increase and multiplicative decrease, as TCP has it, of requests in flight and of requests a second.

    A provider that refuses a share of all requests, however few there are (others use up the same quota), is not asked
    more slowly than it answers: that would help nobody.

    ``in_flight`` is the most requests at once that the config allows. Times are seconds of any steady clock.
    """

    def __init__(self, in_flight: int) -> None:
        self._most = in_flight
        self._width = float(in_flight)
        self._before_cut = 0.0
        self._pace: float | None = None
        self._left: deque[float] = deque()
        self._answered: deque[float] = deque()
        self._cut_at = -math.inf

    @property
    def width(self) -> int:
        """Requests that may be in flight now, from 1 to what the config allows."""
        return max(1, int(self._width))

    @property
    def pace(self) -> float | None:
        """Requests a second that may leave now, None where nothing is held back."""
        return self._pace

    def wait(self, now: float) -> float:
        """Seconds until the next request may leave; 0 is now."""
        if self._pace is None or not self._left:
            return 0.0
        return max(0.0, self._left[-1] + 1 / self._pace - now)

    def take(self, now: float) -> None:
        """Count a request that leaves."""
        self._left.append(now)
        _forget(self._left, now)

    def refused(self, left_at: float, now: float) -> None:
        """The provider said 429 to a request that had left then.

        What left before the last cut was too much of the same, and cuts nothing again.
        """
        if left_at <= self._cut_at:
            return
        self._cut_at = now
        self._width = max(1.0, self._width / 2)
        seen = len(self._left) / max(1.0, now - self._left[0]) if self._left else SLOWEST
        self._before_cut = seen if self._pace is None else min(seen, self._pace)
        _forget(self._answered, now)
        self._pace = max(SLOWEST, self._before_cut / 2, len(self._answered) / _LOOK_BACK)

    def answered(self, now: float) -> None:
        """A request had an answer: about one more at once after each round, and a little faster."""
        self._answered.append(now)
        _forget(self._answered, now)
        self._width = min(float(self._most), self._width + 1 / self._width)
        if self._pace is not None:
            self._pace += _GIVEN_BACK * max(self._before_cut, SLOWEST)
            if self._pace >= 2 * max(self._before_cut, SLOWEST) and self.width == self._most:
                self._pace = None


def _forget(times: deque[float], now: float) -> None:
    """Leave out what is too long ago."""
    while times and times[0] < now - _LOOK_BACK:
        times.popleft()
