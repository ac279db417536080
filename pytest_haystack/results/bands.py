"""Words for scores, so that a reader need not weigh figures."""

from __future__ import annotations

#: Least mean score (0 to 1) of each band, the best first; what is below all of them is failing.
BANDS = (("excellent", 0.95), ("good", 0.80), ("fair", 0.60), ("poor", 0.40))
FAILING = "failing"
#: A mean that misses a band by less has it: sums of scores are rounded.
_ROUNDING = 1e-9


def band_of_score(score: float | None) -> str | None:
    """excellent from .95 on, good from .80, fair from .60, poor from .40, failing below; None without a score."""
    if score is None:
        return None
    return next((name for name, least in BANDS if score >= least - _ROUNDING), FAILING)
