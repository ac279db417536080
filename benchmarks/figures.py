"""What the benchmarks have in common: medians of CPU time, tables, and figures with what is promised of them."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NEEDLE = "The special magic number for the harbour of Zorbluth is 4719203."


@dataclass(frozen=True)
class Figure:
    """A measured figure and its bound: at most ``most`` or at least ``least``; ``value`` is None where it is missing.

    ``note`` says why, or under what conditions it was measured.
    """

    name: str
    value: float | None
    most: float | None = None
    least: float | None = None
    note: str = ""

    @property
    def holds(self) -> bool | None:
        """Whether the bound is kept; None where there is nothing to compare."""
        if self.value is None or (self.most is None and self.least is None):
            return None
        return (self.most is None or self.value <= self.most) and (self.least is None or self.value >= self.least)

    def row(self) -> tuple[str, str, str, str]:
        """Name, value, bound and verdict as texts."""
        bound = "" if self.most is None else f"<= {self.most:g}"
        bound = bound if self.least is None else f">= {self.least:g}"
        verdict = {True: "ok", False: "MISSED", None: ""}[self.holds]
        value = "not measured" if self.value is None else number(self.value)
        return self.name + (f" ({self.note})" if self.note else ""), value, bound, verdict


def number(value: float) -> str:
    """Three significant digits, or all of a whole number's."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def cpu_ms(*works: Callable[[], object], seconds: float = 1.0, least: int = 5) -> list[float]:
    """Median CPU milliseconds of each call, made in turn.

    Each is called ``least`` times at least, and until ``seconds`` of CPU are spent on all or it was called 2,000 times.
    """
    taken: list[list[float]] = [[] for _ in works]
    for work in works:
        work()
    gc.collect()
    while len(taken[0]) < least or (sum(map(sum, taken)) < seconds and len(taken[0]) < 2000):
        for work, times in zip(works, taken, strict=True):
            started = time.process_time()
            result = work()
            times.append(time.process_time() - started)
            del result
    return [1000 * sorted(times)[len(times) // 2] for times in taken]


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Columns side by side, the first to the left, the others to the right."""
    lines = [tuple(header), *map(tuple, rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if column else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def print_figures(figures: Iterable[Figure]) -> None:
    """The figures as a table."""
    print(table(("figure", "measured", "bound", ""), (figure.row() for figure in figures)), flush=True)
