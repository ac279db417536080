"""How many tokens a provider makes of what we count: learned from the usage of its answers so far.

Lengths are measured with one tokenizer and providers count with their own, and they add a frame: roles, a system
message of theirs. Each task has its own text, so ratios are kept by model and task.
"""

from __future__ import annotations

from dataclasses import dataclass, field

#: Tokens that a provider may add to a prompt, at most; what is more is its vocabulary's doing.
FRAME = 256
#: Tokens by which an estimate from one prompt may differ for the frame alone.
_SMALL_FRAME = 64
#: Prompts of fewer tokens tell too little of the vocabulary: the frame weighs too much in them.
_TELLING = 1000
#: A prompt of which less than this share arrived has been cut: texts of one task differ by less.
CUT_BELOW = 0.9


@dataclass(slots=True)
class TokenRatio:
    """What the answers of one model to one task have shown. All numbers are tokens."""

    longest: tuple[int, int] | None = None
    shortest: tuple[int, int] | None = None
    _ratios: list[tuple[int, float]] = field(default_factory=list)

    def observe(self, ours: int, theirs: int) -> None:
        """Learn from a prompt of ``ours`` tokens that the provider counted as ``theirs``."""
        if ours <= 0 or theirs <= 0:
            return
        if self.longest is None or ours > self.longest[0]:
            self.longest = ours, theirs
        if self.shortest is None or ours < self.shortest[0]:
            self.shortest = ours, theirs
        if ours >= _TELLING:
            self._ratios.append((ours, max(theirs - FRAME, 0) / ours))

    def estimate(self, ours: int) -> int:
        """Tokens that the provider will count for a prompt of ``ours`` tokens; ``ours`` before the first answer.

        A longer prompt than any before it is estimated from the longest and the shortest one; where these are of
        much the same length, from the longest, of which up to 64 tokens count as the provider's frame.
        """
        if self.longest is None or self.shortest is None:
            return ours
        (long, long_theirs), (short, short_theirs) = self.longest, self.shortest
        if long >= 2 * short:
            slope = (long_theirs - short_theirs) / (long - short)
        else:
            slope = (long_theirs - min(max(long_theirs - long, 0), _SMALL_FRAME)) / long
        return max(round(long_theirs + (ours - long) * slope), 0)

    def least(self, ours: int) -> int:
        """Tokens below which a provider's count says that it cut a prompt of ``ours`` tokens; 0 is unknown.

        By the smallest ratio of prompts that were at least a quarter as long, of which the frame tells little; of
        all others where there was none of these.
        """
        near = [ratio for length, ratio in self._ratios if 4 * length >= ours]
        smallest = min(near or (ratio for _, ratio in self._ratios), default=0.0)
        return int(CUT_BELOW * smallest * ours)


@dataclass(slots=True)
class TokenRatios:
    """The ratios of all models and tasks of a sweep, as this process has seen them."""

    _by_task: dict[tuple[str, str], TokenRatio] = field(default_factory=dict)

    def of(self, model: str, task: str) -> TokenRatio:
        """What is known of a model in a task."""
        return self._by_task.setdefault((model, task), TokenRatio())
