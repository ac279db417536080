"""How many records a document without filler can hold."""

from __future__ import annotations

from collections.abc import Callable

from pytest_haystack.errors import DocumentError

#: Guesses by the rule of three before the interval is halved instead.
_GUESSES = 12


def most_that_fit(compose: Callable[[int], str], tokens: int, count: Callable[[str], int], least: int = 1) -> int:
    """The number of records that fill ``tokens`` tokens: their text fits, and with one more it would not.

    ``compose(n)`` is the text of n records, each of which must add at least one token; ``count`` counts tokens. As
    records are much of a size, a guess by the rule of three is nearly right, and five or six counts are enough for
    a text of any length.

    Raises DocumentError where not even ``least`` records fit.
    """
    low, low_tokens = least, count(compose(least))
    if low_tokens > tokens:
        raise DocumentError(
            f"its records take {low_tokens:,} tokens at least, {tokens:,} are free; choose a longer context length"
        )
    high = least + tokens - low_tokens + 1
    each = low_tokens / least
    guesses = 0
    while high - low > 1:
        guess = low + int((tokens - low_tokens) / each) if guesses < _GUESSES else (low + high) // 2
        guess = min(max(guess, low + 1), high - 1)
        guesses += 1
        taken = count(compose(guess))
        each = max(1.0, (taken - low_tokens) / (guess - low))
        if taken <= tokens:
            low, low_tokens = guess, taken
        else:
            high = guess
    return low
