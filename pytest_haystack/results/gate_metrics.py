"""The figures that gates can be set on."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pytest_haystack.results.bounds import betting_lower, clopper_pearson_lower
from pytest_haystack.results.effective_length import RULER_THRESHOLD, LengthScores, effective_length_of
from pytest_haystack.results.gates import GatedCell, GateMetric, Measurement, filled_rows
from pytest_haystack.results.judging import whole_cost
from pytest_haystack.results.statistics import Row, mean, scores, wilson
from pytest_haystack.results.tendencies import abstention_rates, conflict_rates

if TYPE_CHECKING:
    from pytest_haystack.config.gates import GateEntry

_NO_ERROR = frozenset({"answered", "refused", "truncated", "no_final_answer", "empty"})
_NOT_ASKED = frozenset({"context_overflow", "budget"})


class _Plain(GateMetric):
    """A metric without keys of its own."""

    keys = frozenset()


class MeanScore(_Plain):
    """Mean score of all scored trials, 0 to 1."""

    bounds = (0, 1)
    monotone = True

    def measure(self, rows: Sequence[Row], entry: GateEntry) -> Measurement:
        found = scores(rows)
        value = mean(found)
        return _none(rows) if value is None else Measurement(value, len(found), _mean_text(found))


class WeightedScore(GateMetric):
    """Mean scores (0 to 1) of several tasks put together by their ``weights``, which are shares of the weights' sum.

    Each task counts by its weight, however many cells it has; a family counts as one task.
    """

    monotone = True
    keys = frozenset({"weights"})

    def measure(self, rows: Sequence[Row], entry: GateEntry) -> Measurement:
        weights = entry.weights or {}
        found = {name: scores(row for row in rows if name in (row["task"], row.get("family"))) for name in weights}
        lacking = [name for name, one in found.items() if not one]
        if lacking:
            return Measurement(None, 0, f"there is no score of {', '.join(lacking)}")
        means = {name: math.fsum(one) / len(one) for name, one in found.items()}
        value = math.fsum(weights[name] * means[name] for name in weights) / math.fsum(weights.values())
        parts = ", ".join(f"{name} {means[name]:.4g} x {weights[name]:g}" for name in weights)
        return Measurement(value, sum(map(len, found.values())), f"weighted score {value:.4g} ({parts})")


class LowerBound(GateMetric):
    """One-sided lower confidence bound of the mean score, wrong in a share of ``alpha`` of all runs at most.

    Clopper and Pearson's for scores of 0 and 1; for fractional ones the bound by betting (see `bounds`), which needs
    no distribution.
    """

    bounds = (0, 1)
    monotone = True
    keys = frozenset({"alpha"})

    def measure(self, rows: Sequence[Row], entry: GateEntry) -> Measurement:
        found = scores(rows)
        if not found:
            return _none(rows)
        if all(score in (0, 1) for score in found):
            value = clopper_pearson_lower(int(sum(found)), len(found), entry.alpha)
        else:
            value = betting_lower(found, entry.alpha)
        sure = f"{100 * (1 - entry.alpha):g} %"
        return Measurement(value, len(found), f"{sure} lower bound {value:.4g}, {_mean_text(found)}")

    def advice(self, entry: GateEntry) -> str:
        if entry.min is None or not 0 < entry.min < 1:
            return ""
        # All right, the bound is alpha to the power of 1 / n.
        return f"it takes {math.ceil(math.log(entry.alpha) / math.log(entry.min)):,} trials to show {entry.min:.12g}"


class WorstDepthMean(_Plain):
    """The lowest mean score among depths, each pooled over its context lengths."""

    bounds = (0, 1)
    monotone = True

    def measure(self, rows: Sequence[Row], entry: GateEntry) -> Measurement:
        means = _means_by(rows, "depth_percent")
        if not means:
            return _none(rows)
        depth = min(means, key=lambda key: (means[key][0], key))
        value, n = means[depth]
        return Measurement(value, n, f"worst depth {depth:.12g} %: mean score {value:.4g} over {_trials(n)}")


class EffectiveContextLength(GateMetric):
    """The longest context length (tokens) that, with all shorter ones, reaches the wanted mean score; 0 if none does.

    ``absolute`` is that score (RULER's rule, arXiv 2404.06654); ``relative`` a share of the mean at the shortest
    lengths (NoLiMa's, arXiv 2502.05167).
    """

    bounds = (0, None)
    keys = frozenset({"absolute", "relative", "base_lengths"})

    def is_monotone(self, entry: GateEntry) -> bool:
        # A better score at short context raises what the others are held to.
        return entry.relative is None

    def measure(self, rows: Sequence[Row], entry: GateEntry) -> Measurement:
        lengths = {int(key): LengthScores(found) for key, found in _scores_by(rows, "context_length").items()}
        wanted = wanted_mean(lengths, entry)
        found = None if wanted is None else effective_length_of(lengths, wanted)
        if found is None:
            return _none(rows)
        n = sum(len(one.scores) for one in lengths.values())
        why = f"mean score {found.mean:.4g} at {found.at:,}" if found.ended == "fell" else "all lengths reach it"
        text = f"effective context length {found.tokens:,} tokens (wanted: a mean of {wanted:.4g}; {why})"
        return Measurement(found.tokens, n, text)


class PrimacyBiasRate(_Plain):
    """Share of trials with two contradictory facts in which the first one's value was given alone."""

    bounds = (0, 1)
    task_types = frozenset({"conflicting"})

    def measure(self, rows: Sequence[Row], entry: GateEntry) -> Measurement:
        rates = conflict_rates(rows)
        if rates is None:
            return _none(rows)
        return Measurement(rates.primacy_bias, rates.n, f"primacy bias {rates.primacy_bias:.4g} of {_trials(rates.n)}")


class RecencyBiasRate(_Plain):
    """Share of trials with two contradictory facts in which the last one's value was given alone."""

    bounds = (0, 1)
    task_types = frozenset({"conflicting"})

    def measure(self, rows: Sequence[Row], entry: GateEntry) -> Measurement:
        rates = conflict_rates(rows)
        if rates is None:
            return _none(rows)
        return Measurement(rates.recency_bias, rates.n, f"recency bias {rates.recency_bias:.4g} of {_trials(rates.n)}")


class Abstention(_Plain):
    """Youden's J: hit rate plus rate of rightly saying that the text has no answer, minus 1. From -1 to 1."""

    bounds = (-1, 1)
    task_types = frozenset({"unanswerable"})

    def measure(self, rows: Sequence[Row], entry: GateEntry) -> Measurement:
        rates = abstention_rates(rows)
        if rates is None or rates.youden_j is None:
            return Measurement(
                None, 0, "Youden's J needs answerable and unanswerable trials: set `paired: true` on the task"
            )
        text = (
            f"Youden's J {rates.youden_j:.4g} (hit rate {rates.hit_rate:.4g} of {rates.answerable}, "
            f"true abstentions {rates.true_abstain_rate:.4g} of {rates.unanswerable})"
        )
        return Measurement(rates.youden_j, rates.answerable + rates.unanswerable, text)


class ErrorRate(_Plain):
    """Share of the trials that were asked and ended in an error of provider, network or set-up."""

    bounds = (0, 1)
    needs_scores = False

    def measure(self, rows: Sequence[Row], entry: GateEntry) -> Measurement:
        asked = [row for row in rows if row.get("outcome") not in _NOT_ASKED]
        if not asked:
            return _none(rows)
        errors = sum(row.get("outcome") not in _NO_ERROR for row in asked)
        value = errors / len(asked)
        return Measurement(value, len(asked), f"error rate {value:.4g}: {errors} of {_trials(len(asked))}")

    def extremes(self, cells: Sequence[GatedCell], entry: GateEntry) -> tuple[Sequence[Row], Sequence[Row]]:
        answered = filled_rows(cells, 0.0)
        return answered, [{**row, "outcome": "infra_error", "score": None} for row in answered]


class CostUsd(_Plain):
    """What the answers and their judging cost, in USD."""

    bounds = (0, None)
    needs_scores = False
    grows = True

    def measure(self, rows: Sequence[Row], entry: GateEntry) -> Measurement:
        unknown = sum(row.get("cost_usd") is None and row.get("usage") is not None and _answered(row) for row in rows)
        value = whole_cost(rows) or 0.0
        if unknown and not (entry.max is not None and value > entry.max):
            words = f"the cost of {_trials(unknown)} is not known; set `pricing` on the model"
            return Measurement(None, len(rows), words)
        return Measurement(value, len(rows), f"cost {value:.4g} USD over {_trials(len(rows))}")


class P95LatencySeconds(_Plain):
    """The latency, in seconds, that 95 % of the answers stay within (nearest rank)."""

    bounds = (0, None)
    needs_scores = False

    def measure(self, rows: Sequence[Row], entry: GateEntry) -> Measurement:
        found = sorted(row["latency_seconds"] for row in rows if row.get("latency_seconds") is not None)
        if not found:
            return Measurement(None, 0, "no latency was measured")
        value = found[math.ceil(0.95 * len(found)) - 1]
        return Measurement(value, len(found), f"95 % of {len(found)} answers came within {value:.3g} s")


def wanted_mean(lengths: Mapping[int, LengthScores], entry: GateEntry) -> float | None:
    """The mean score that a length must have; None where the short context has no score."""
    if entry.relative is None:
        return RULER_THRESHOLD if entry.absolute is None else entry.absolute
    base = mean(score for length in sorted(lengths)[: entry.base_lengths] for score in lengths[length].scores)
    return None if base is None else entry.relative * base


def _means_by(rows: Sequence[Row], name: str) -> dict[float, tuple[float, int]]:
    """Mean score and number of scored rows for each value of a field."""
    return {key: (math.fsum(found) / len(found), len(found)) for key, found in _scores_by(rows, name).items()}


def _scores_by(rows: Sequence[Row], name: str) -> dict[float, list[float]]:
    """The scores for each value of a field that has any."""
    groups: dict[float, list[float]] = {}
    for row in rows:
        if row.get("score") is not None:
            groups.setdefault(row[name], []).append(float(row["score"]))
    return groups


def _answered(row: Row) -> bool:
    return row.get("outcome") in _NO_ERROR


def _mean_text(found: Sequence[float]) -> str:
    value = math.fsum(found) / len(found)
    low, high = wilson(value, len(found))
    return f"mean score {value:.4g} over {_trials(len(found))} (95 % interval {low:.3f} to {high:.3f})"


def _trials(n: int) -> str:
    return f"{n:,} trial{'' if n == 1 else 's'}"


def _none(rows: Sequence[Row]) -> Measurement:
    return Measurement(None, 0, f"none of {_trials(len(rows))} has a score")
