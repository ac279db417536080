"""Numbers as reports show them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence


def length_labels(lengths: Sequence[int]) -> list[str]:
    """Context lengths in tokens as 500, 4K, 131K, 1M; in full where two would look the same."""
    labels = [_short_length(length) for length in lengths]
    clashes = {label for label, count in Counter(labels).items() if count > 1}
    return [str(length) if label in clashes else label for length, label in zip(lengths, labels, strict=True)]


def _short_length(length: int) -> str:
    # 999,500 and more would be 1000K.
    for least, unit, suffix in ((999_500, 1_000_000, "M"), (1_000, 1_000, "K")):
        if length >= least:
            value = length / unit
            return f"{value:.0f}{suffix}" if value >= 99.95 else f"{value:.1f}".removesuffix(".0") + suffix
    return str(length)


def score_label(score: float) -> str:
    """A cell's score in at most three characters: 1, .67, 0. Only a perfect score shows as 1, only nothing as 0."""
    if score in (0, 1):
        return f"{score:.0f}"
    return f"{min(99, max(1, round(score * 100))):02d}".rjust(3, ".")


def rate_label(rate: float | None) -> str:
    """A rate with two decimals; - for none.

    Where it would look like 0 or 1 without being it, with up to four, then ``<0.0001`` or ``>0.9999``.
    """
    return "-" if rate is None else _with_decimals(rate, _decimals(rate))


def interval_labels(low: float, high: float) -> tuple[str, str]:
    """The ends of an interval as `rate_label` shows rates, both with as many decimals as either needs."""
    decimals = max(_decimals(low), _decimals(high))
    return _with_decimals(low, decimals), _with_decimals(high, decimals)


def _decimals(rate: float) -> int:
    if rate in (0, 1):
        return 2
    return next((decimals for decimals in (2, 3) if round(rate, decimals) not in (0, 1)), 4)


def _with_decimals(rate: float, decimals: int) -> str:
    text = f"{rate:.{decimals}f}"
    if rate in (0, 1) or float(text) not in (0, 1):
        return text
    return "<0.0001" if rate < 0.5 else ">0.9999"


def signed_label(value: float | None) -> str:
    """A figure from -1 to 1 as `rate_label` shows rates; - for none."""
    if value is None:
        return "-"
    # A sum of rates may miss 0 by the last bit.
    if abs(value) < 0.00005:
        return "0.00"
    return f"-{rate_label(-value)}" if value < 0 else rate_label(value)


def chance_label(chance: float) -> str:
    """A chance level: two figures that count, ``<0.0001`` below."""
    return f"{chance:.2g}" if chance in (0, 1) or chance >= 0.0001 else "<0.0001"


def usd_label(cost: float | None) -> str:
    """A cost in USD with as many decimals as small sums need; ``unknown`` where it is not known."""
    if cost is None:
        return "unknown"
    return f"${cost:.2f}" if cost >= 1 or cost == 0 else f"${cost:.4f}"


def counted(number: int, noun: str) -> str:
    """``1 trial``, ``2,000 trials``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def every_nth(count: int, most: int) -> range:
    """Indices of at most ``most`` of ``count`` things, evenly spaced, the first among them."""
    step = -(-count // max(1, most))
    return range(0, count, max(1, step))


def ends_and_between(count: int, most: int) -> list[int]:
    """Indices of at most ``most`` of ``count`` things, evenly spaced; the last takes the place of the one before it.

    So an axis is labelled at both of its ends.
    """
    if most < 2 or count < 2:
        return list(every_nth(count, most))
    step = -(-(count - 1) // (most - 1))
    return [*range(0, count - step, step), count - 1]


def difference_label(difference: float) -> str:
    """A difference of scores, -1 to 1, in the few characters of a cell: +1, -.33, 0 for none."""
    if abs(difference) < 1e-9:
        return "0"
    sign = "+" if difference > 0 else "-"
    return sign + score_label(abs(difference)).strip()


def change_label(change: float) -> str:
    """A difference of scores in running text, as `rate_label` shows rates: +0.12, -0.33, 0.00."""
    label = signed_label(change)
    return label if label[0] == "-" or label == "0.00" else f"+{label}"
