"""Stop rules, gates and searches held to their promises, by simulation with a known truth.

    python benchmarks/statistics.py [--quick]

Every table has the promised figure beside the measured one. All verdicts come from the shipped code. The seed is
fixed: two runs print the same. The exit code is 1 where a promise is broken by more than three standard errors.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

# Not this folder: its file of this name would hide the standard library's `statistics`.
sys.path.pop(0)
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from pytest_haystack.config.trials import StopRule, TrialsEntry
from pytest_haystack.results.bounds import betting_lower, clopper_pearson_lower
from pytest_haystack.results.length_search import find_effective_length
from pytest_haystack.results.length_tests import LengthTests
from pytest_haystack.results.paired_tests import mcnemar, sign_flip
from pytest_haystack.results.sequential import SequentialTest

SEED = 20260101
THRESHOLD = 0.9
DEPTHS = [i / 10 for i in range(11)]
LENGTHS = [round(1000 * 2 ** (i / 2)) for i in range(15)]


@dataclass
class Promises:
    """Lines of a table, and whether one of its promises is broken."""

    runs: int
    broken: list[str] = field(default_factory=list)

    def at_most(self, what: str, measured: float, promised: float) -> str:
        """A rate that must not be exceeded."""
        error = math.sqrt(promised * (1 - promised) / self.runs)
        return self._told(what, measured, f"<= {promised:.3f}", measured <= promised + 3 * error)

    def at_least(self, what: str, measured: float, promised: float) -> str:
        """A rate that must be reached."""
        error = math.sqrt(promised * (1 - promised) / self.runs)
        return self._told(what, measured, f">= {promised:.3f}", measured >= promised - 3 * error)

    def _told(self, what: str, measured: float, promised: str, kept: bool) -> str:
        if not kept:
            self.broken.append(f"{what}: {measured:.3f}, promised {promised}")
        return f"{measured:.3f} {promised}{'' if kept else ' BROKEN'}"


def rule_of(stop: str, most: int, threshold: float = THRESHOLD, **keys: object) -> StopRule:
    return StopRule.of(TrialsEntry(max=most, stop=stop, **keys), threshold, most)  # type: ignore[arg-type]


def coin(rate: float, chance: random.Random) -> float:
    """A score of 0 or 1."""
    return float(chance.random() < rate)


def needles(rate: float, chance: random.Random) -> float:
    """The share of five needles found; those of one answer hang together (correlation about .3)."""
    own = chance.betavariate(rate * 7 / 3, (1 - rate) * 7 / 3)
    return sum(chance.random() < own for _ in range(5)) / 5


Scorer = Callable[[float, random.Random], float]


def outcomes(rule: StopRule, rate: float, runs: int, scorer: Scorer, chance: random.Random) -> tuple[float, float]:
    """Share of passes and mean number of trials."""
    passes = trials = 0
    for _ in range(runs):
        test = SequentialTest(rule)
        while test.verdict is None:
            test.add(scorer(rate, chance))
        passes += test.verdict == "pass"
        trials += test.n
    return passes / runs, trials / runs


def stop_rules(promises: Promises, chance: random.Random) -> None:
    """False reds and greens of every rule, and what it asks."""
    zone = {"indifference": [0.85, 0.95]}
    rows: list[tuple[str, StopRule, Scorer, str]] = [
        ("point", rule_of("point", 50), coin, "none"),
        ("point", rule_of("point", 100), coin, "none"),
        # Cutting Wald's test off at `max` adds to its risks what the mean then decides; SCIENCE: .115/.104 at 50.
        ("sprt .85/.95", rule_of("sprt", 50, **zone), coin, "zone"),
        ("sprt .85/.95", rule_of("sprt", 100, **zone), coin, "zone"),
        ("sprt .85/.95", rule_of("sprt", 400, **zone), coin, "zone exact"),
        ("fail_on_evidence", rule_of("fail_on_evidence", 50), coin, "red"),
        ("fail_on_evidence", rule_of("fail_on_evidence", 100), coin, "red"),
        ("certify", rule_of("certify", 50), coin, "green"),
        ("certify", rule_of("certify", 100), coin, "green"),
        ("fail_on_evidence, 5 needles", rule_of("fail_on_evidence", 50), needles, "red"),
        ("certify, 5 needles", rule_of("certify", 50), needles, "green"),
    ]
    print(f"Stop rules, threshold {THRESHOLD}, alpha = beta = .05, {promises.runs} runs a figure")
    print("red: P(fail) at a rate that holds; green: P(pass) at one that does not; calls: mean trials at rates")
    head = f"{'rule':29}{'max':>4}  {'red':24}{'green':24}"
    rates = (0.5, 0.8, 0.95, 0.99)
    print(head + "".join(f"{f'calls at {rate}':>14}" for rate in rates))
    for name, rule, scorer, promise in rows:
        holds, holds_not = (0.95, 0.85) if promise.startswith("zone") else (THRESHOLD, THRESHOLD)
        passed, _ = outcomes(rule, holds, promises.runs, scorer, chance)
        wrongly, _ = outcomes(rule, holds_not - 1e-9, promises.runs, scorer, chance)
        label = f"{name}, max {rule.most}"
        red, green = f"{1 - passed:.3f}", f"{wrongly:.3f}"
        if promise in ("red", "zone exact"):
            red = promises.at_most(f"{label}: false reds", 1 - passed, 0.05)
        if promise in ("green", "zone exact"):
            green = promises.at_most(f"{label}: false greens", wrongly, 0.05)
        if promise.startswith("zone"):
            red, green = f"{red} at .95", f"{green} at .85"
        else:
            red, green = (text if "=" in text else f"{text} at .9" for text in (red, green))
        shown = []
        for rate in rates:
            _, calls = outcomes(rule, rate, max(50, promises.runs // 5), scorer, chance)
            shown.append(f"{calls:.1f} ({100 * (calls / rule.most - 1):+.0f} %)")
        print(f"{name:29}{rule.most:4}  {red:24}{green:24}" + "".join(f"{text:>14}" for text in shown))


def gates(promises: Promises, chance: random.Random) -> None:
    """Gates that claim something: how often they are green at a rate that is just too low."""
    print("\nGates: green although the true mean is just below `min`")
    for n in (29, 165, 495):
        greens = sum(
            clopper_pearson_lower(sum(chance.random() < THRESHOLD for _ in range(n)), n, 0.05) >= THRESHOLD
            for _ in range(promises.runs)
        )
        label = f"lower_bound, {n} trials of 0 or 1"
        print(f"  {label:42}{promises.at_most(label, greens / promises.runs, 0.05)}")
    few = max(100, promises.runs // 5)
    fewer = Promises(few)
    for n in (55, 165):
        drawn = [[needles(THRESHOLD, chance) for _ in range(n)] for _ in range(few)]
        greens = sum(betting_lower(scores, 0.05) >= THRESHOLD for scores in drawn)
        label = f"lower_bound, {n} fractional scores"
        print(f"  {label:42}{fewer.at_most(label, greens / few, 0.05)}")
    promises.broken += fewer.broken


def item_rates(mean: float, hardness: Sequence[float]) -> list[float]:
    """Rates with about this mean of items that are so hard (logits, standard deviation 2)."""
    shift = math.log(mean / (1 - mean)) * math.sqrt(1 + 0.346 * 2**2)
    return [1 / (1 + math.exp(logit - shift)) for logit in hardness]


def regression(promises: Promises, chance: random.Random) -> None:
    """Two runs of the same prompts: how often a model that has not changed is red, and one that has is."""
    print("\nRegression: red at alpha .05, pairs of about .95 of which items differ; `drop`: the new rate is .85")
    few = max(100, promises.runs // 5)
    fewer = Promises(few)
    tests: list[tuple[str, Callable[[list[float], list[float]], float]]] = [
        ("McNemar mid-p, scores of 0 or 1", by_mcnemar),
        ("sign flips by cell, fractional scores", by_sign_flips),
    ]
    for name, test in tests:
        for n in (165, 330):
            red = found = 0
            for _ in range(few):
                hardness = [chance.gauss(0, 2) for _ in range(n)]
                old = item_rates(0.95, hardness)
                scorer = coin if test is by_mcnemar else needles
                before, same = ([scorer(rate, chance) for rate in old] for _ in range(2))
                dropped = [scorer(rate, chance) for rate in item_rates(0.85, hardness)]
                red += test(before, same) <= 0.05
                found += test(before, dropped) <= 0.05
            told = fewer.at_most(f"{name}, {n} pairs: false reds", red / few, 0.05)
            print(f"  {f'{name}, {n} pairs':52}{told:18}drop found {found / few:.2f}")
    promises.broken += fewer.broken


def by_mcnemar(old: list[float], new: list[float]) -> float:
    """One-sided p of the pairs that became wrong."""
    pairs = list(zip(old, new, strict=True))
    return mcnemar(sum(a > b for a, b in pairs), sum(a < b for a, b in pairs)).mid_p


def by_sign_flips(old: list[float], new: list[float]) -> float:
    """One-sided p of the differences, each of a cell of its own."""
    return sign_flip([b - a for a, b in zip(old, new, strict=True)])


@dataclass(frozen=True)
class Decay:
    """p(L, d) = u s(-k (log2 L + dip(d) / 2 - m)), s the logistic function, dip = 1 - (2d - 1)^2.

    ``floor`` and ``noise`` are for a truth that no such curve fits: scores fall to ``floor`` and not below, and each
    cell is off by normal ``noise`` on the logit.
    """

    name: str
    steepness: float
    most: int
    promised: float
    floor: float = 0.0
    noise: float = 0.0
    top: float = 0.99


SCENARIOS = (
    Decay("cliff, slope 6", 6, 66, 0.95),
    Decay("moderate, slope 2", 2, 66, 0.95),
    Decay("gradual, slope 1", 1, 66, 0.90),
    Decay("gradual, slope 1", 1, 220, 0.90),
    Decay("misspecified", 2, 66, 0.95, floor=0.4, noise=0.7),
)


def rates_of(decay: Decay, middle: float, chance: random.Random) -> list[list[float]]:
    """The true rate of each length and depth."""
    rows = []
    for length in LENGTHS:
        row = []
        for depth in DEPTHS:
            logit = -decay.steepness * (math.log2(length) + 0.5 * (1 - (2 * depth - 1) ** 2) - middle)
            logit += chance.gauss(0, decay.noise) if decay.noise else 0.0
            row.append(decay.floor + (decay.top - decay.floor) / (1 + math.exp(-logit)))
        rows.append(row)
    return rows


def answer_of(means: Sequence[float]) -> int:
    """How many lengths hold, with all shorter ones: 0 to 15."""
    return next((number for number, mean in enumerate(means) if mean < THRESHOLD), len(means))


def truths(decay: Decay, runs: int, chance: random.Random) -> list[tuple[list[list[float]], int]]:
    """Rates of so many models, the answers spread evenly over the 16 that there are."""
    found: list[tuple[list[list[float]], int]] = []
    while len(found) < runs:
        wanted = len(found) % (len(LENGTHS) + 1)
        rates = rates_of(decay, chance.uniform(8, 24), chance)
        answer = answer_of([sum(row) / len(row) for row in rates])
        if answer == wanted:
            found.append((rates, answer))
    return found


def isotonic(means: Sequence[float]) -> list[float]:
    """The falling sequence nearest to these means (pool adjacent violators)."""
    blocks: list[tuple[float, int]] = []
    for mean in means:
        value, size = mean, 1
        while blocks and blocks[-1][0] < value:
            before, count = blocks.pop()
            value, size = (before * count + value * size) / (count + size), count + size
        blocks.append((value, size))
    return [value for value, size in blocks for _ in range(size)]


def searched(rates: list[list[float]], most: int, chance: random.Random, at_once: bool) -> tuple[int, int, int]:
    """Answer, calls and tokens of a search; ``at_once``: whole rounds are asked at once, as with a paid model."""
    spent = [0, 0]

    def one_by_one(length: int, _: int) -> Iterator[float]:
        row = rates[LENGTHS.index(length)]
        for rate in chance.sample(row, len(row)):
            spent[0] += 1
            spent[1] += length
            yield coin(rate, chance)

    def round_at_once(length: int, number: int) -> list[float]:
        return list(one_by_one(length, number))

    rule = rule_of("sprt", most, indifference=[0.85, 0.95])
    tests = LengthTests(rule, round_at_once if at_once else one_by_one)
    found = find_effective_length(LENGTHS, THRESHOLD, tests.passes, tests.sample, chance)
    return (LENGTHS.index(found.length) + 1 if found.length else 0), spent[0], spent[1]


def gridded(rates: list[list[float]], trials: int, chance: random.Random) -> int:
    """Answer of a grid with so many trials a cell, smoothed to fall with length."""
    means = [sum(coin(rate, chance) for rate in row for _ in range(trials)) / (trials * len(row)) for row in rates]
    return answer_of(isotonic(means))


def searches(promises: Promises, chance: random.Random) -> None:
    """The effective context length, against a grid of ten trials a cell."""
    cells, tokens = 10 * len(LENGTHS) * len(DEPTHS), 10 * sum(LENGTHS) * len(DEPTHS)
    print(f"\nEffective context length: 15 lengths from 1,000 to 128,000, 11 depths, {promises.runs} runs each")
    print(f"fewer: against a grid of 10 trials a cell, {cells:,} calls, {tokens:,} tokens")
    print("asked: round: all depths at once, as with a paid model; single: one by one, as with a model in the process")
    print(
        f"{'truth':19}{'max':>4} {'asked':8}{'within a step':19}{'exact':>6}{'calls':>7}{'fewer':>7}{'tokens':>12}"
        f"{'fewer':>7}{'grid 10/cell: step':>20}{'exact':>6}"
    )
    for decay in SCENARIOS:
        models = truths(decay, promises.runs, chance)
        some = models[: max(64, promises.runs // 5)]
        grids = [(gridded(rates, 10, chance), answer) for rates, answer in some]
        grid_near = sum(abs(found - answer) <= 1 for found, answer in grids) / len(grids)
        grid_exact = sum(found == answer for found, answer in grids) / len(grids)
        n = len(models)
        for asked in ("round", "single"):
            near = exact = calls = used = 0
            for rates, answer in models:
                found, spent, sent = searched(rates, decay.most, chance, asked == "round")
                near, exact = near + (abs(found - answer) <= 1), exact + (found == answer)
                calls, used = calls + spent, used + sent
            label = f"{decay.name}, max {decay.most}, {asked}: within a step"
            told = promises.at_least(label, near / n, decay.promised)
            print(
                f"{decay.name:19}{decay.most:4} {asked:8}{told:19}{exact / n:6.2f}{calls / n:7.0f}"
                f"{cells * n / calls:6.1f}x{used / n:12,.0f}{tokens * n / used:6.1f}x{grid_near:20.2f}{grid_exact:6.2f}"
            )


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the runs")
    runs = 300 if parser.parse_args().quick else 3000
    started = time.process_time()
    promises = Promises(runs)
    for number, part in enumerate((stop_rules, gates, regression, searches)):
        part(promises, random.Random(SEED + number))
    print(f"\n{time.process_time() - started:.0f} s of CPU; broken promises: {len(promises.broken)}")
    for line in promises.broken:
        print(f"  {line}")
    return 1 if promises.broken else 0


if __name__ == "__main__":
    sys.exit(main())
