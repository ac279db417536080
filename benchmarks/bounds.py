"""What is promised of running, starting and reporting, beside what their modules measured."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from benchmarks.figures import Figure

#: Seconds of CPU for all reports of this many rows.
_MOST_SECONDS, _ROWS = 5.0, 20_000


def overhead(measured: Any) -> list[Figure]:
    """Cells beside bare items, by number and workers, and of collecting alone."""
    found, collected = measured
    bare = {(one.cells, one.workers): one for one in found if one.kind == "bare"}
    figures = []
    for one in found:
        if one.kind != "function":
            continue
        its = bare[one.cells, one.workers]
        name = f"{one.cells:,} cells, -n {one.workers}: collecting and running / bare items"
        note = f"without needles, documents and prompts {one.without_building / its.run:.2f}"
        figures.append(Figure(name, one.run / its.run, most=2.0, note=note))
    return figures + [
        Figure(f"collecting {cells:,} cells / bare items", ratio, most=2.0) for cells, ratio in collected.items()
    ]


def startup(measured: Any) -> list[Figure]:
    """An unrelated run, and a dry run."""
    return [
        Figure("an unrelated pytest run with the plugin, CPU ms more", measured.milliseconds, most=10.0),
        Figure("a dry run of 1,000 cells / importing what it needs", measured.dry_ratio, most=1.5),
    ]


def reporting(measured: Any) -> list[Figure]:
    """Reports of the most rows, and how they grow."""
    figures = []
    for shape in dict.fromkeys(one.shape for one in measured):
        few, *_, many = (one for one in measured if one.shape == shape)
        growth = math.log(many.seconds / few.seconds) / math.log(many.rows / few.rows)
        most = _MOST_SECONDS if many.rows == _ROWS else None
        figures.append(Figure(f"reports of {many.rows:,} rows ({shape}), CPU s", many.seconds, most=most))
        figures.append(Figure("  exponent of growth with rows", growth, most=1.2))
    return figures


#: By section, for those whose ``measure`` returns figures of its own that its ``report`` prints.
BOUNDS: Mapping[str, Callable[[Any], list[Figure]]] = {
    "overhead": overhead,
    "startup": startup,
    "reporting": reporting,
}
