"""How often the comparison with a baseline sees a drop, and how often it sees one where there is none.

    python benchmarks/regression_power.py [RUNS]

Cells differ in how hard they are: the logit of a cell's rate has a standard deviation of 2. Two runs answer the same
prompts, the second with the rates of the lower mean. A run is red where p is at most 0.05. The table gives the share
of red runs, in brackets that of runs in which nothing had changed; its standard error is at most 0.008 with 4,000
runs. The last table has cells of several trials with fractional scores, tested by flipped signs, and several groups
under Holm's correction, of which none has changed.
"""

from __future__ import annotations

import argparse
import sys
from functools import cache
from pathlib import Path

import numpy as np

sys.path.pop(0)  # this folder, whose names are also those of other modules
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from pytest_haystack.results.paired_tests import holm, mcnemar, sign_flip

ALPHA = 0.05
SPREAD = 2.0
CASES = (
    (50, 0.95, 0.85),
    (100, 0.95, 0.90),
    (100, 0.95, 0.85),
    (165, 0.95, 0.90),
    (165, 0.95, 0.85),
    (330, 0.95, 0.90),
)
TESTS = ("exact", "mid-p")


@cache
def p_values(b: int, c: int) -> tuple[float, float]:
    """Exact and mid-p."""
    figures = mcnemar(b, c)
    return figures.exact, figures.mid_p


@cache
def centre_of(mean: float) -> float:
    """The centre of the logits whose rates have this mean, by bisection over fixed quantiles."""
    quantiles = SPREAD * np.sort(np.random.default_rng(0).normal(size=20_001))
    low, high = -10.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        if (1 / (1 + np.exp(-(middle + quantiles)))).mean() < mean:
            low = middle
        else:
            high = middle
    return low


def rates(generator: np.random.Generator, n: int, *means: float) -> list[np.ndarray]:
    """The rates of n cells for each mean, cell by cell from one draw."""
    hardness = SPREAD * generator.normal(size=n)
    return [1 / (1 + np.exp(-(centre_of(mean) + hardness))) for mean in means]


def binary(generator: np.random.Generator, n: int, old: float, new: float, runs: int) -> dict[str, float]:
    """Share of red runs by each of McNemar's tests."""
    red = dict.fromkeys(TESTS, 0)
    for _ in range(runs):
        before, after = rates(generator, n, old, new)
        was, now = generator.random(n) < before, generator.random(n) < after
        found = p_values(int((was & ~now).sum()), int((now & ~was).sum()))
        for test, p in zip(TESTS, found, strict=True):
            red[test] += p <= ALPHA
    return {test: count / runs for test, count in red.items()}


def fractional(generator: np.random.Generator, cells: int, old: float, new: float, runs: int) -> float:
    """Share of red runs where a cell has three trials, each the share of five needles found."""
    red = 0
    for _ in range(runs):
        before, after = rates(generator, cells, old, new)
        was, now = (generator.binomial(5, rate[:, None], (cells, 3)).mean(axis=1) / 5 for rate in (before, after))
        red += sign_flip(list(now - was)) <= ALPHA
    return red / runs


def several(generator: np.random.Generator, groups: int, n: int, runs: int) -> float:
    """Share of runs in which any of several groups is red although none has changed."""
    red = 0
    for _ in range(runs):
        found = []
        for _ in range(groups):
            (same,) = rates(generator, n, 0.95)
            was, now = generator.random(n) < same, generator.random(n) < same
            found.append(p_values(int((was & ~now).sum()), int((now & ~was).sum()))[1])
        red += min(holm(found)) <= ALPHA
    return red / runs


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="?", type=int, default=4000, help="runs a case (default 4000)")
    runs = parser.parse_args().runs
    generator = np.random.default_rng(20)
    print(f"{'pairs':>5}  {'change':<12}" + "".join(f"  {test:>13}" for test in TESTS))
    for n, old, new in CASES:
        power, alarm = (binary(generator, n, old, mean, runs) for mean in (new, old))
        cells = "".join(f"  {power[test]:>5.2f} [{alarm[test]:.3f}]" for test in TESTS)
        print(f"{n:>5}  {old:.2f} -> {new:.2f}{cells}")
    few = max(1, runs // 10)
    print("\ncells of three trials, five needles each")
    for n, old, new in ((12, 0.9, 0.85), (33, 0.9, 0.87), (66, 0.9, 0.87)):
        power, alarm = (fractional(generator, n, old, mean, few) for mean in (new, old))
        print(f"{n:>5}  {old:.2f} -> {new:.2f}  {power:.2f} [{alarm:.3f}]")
    print("\nany of several unchanged groups red")
    for groups in (3, 10):
        print(f"{groups:>5} groups of 165 pairs  {several(generator, groups, 165, runs):.3f}")


if __name__ == "__main__":
    main()
