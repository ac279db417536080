"""All benchmarks: their tables, then one list of figures beside what is promised of them.

    python benchmarks/run.py [--quick] [SECTION ...]

Under 20 minutes on two idle cores, under 4 with ``--quick``, which has smaller sweeps and fewer repeats. Each section
is a module of this folder and runs in a process of its own; the peers are installed from PyPI meanwhile, where they are
not in the user's cache folder already. Figures of time are CPU time and medians unless they say otherwise; those that
compare are ratios of what was measured in the same run. The exit code is 1 where a bound is missed or a section failed.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from typing import Any

sys.path.pop(0)  # this folder, whose names are also those of other modules
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.bounds import BOUNDS
from benchmarks.figures import Figure, print_figures
from benchmarks.peers import install_all

#: Modules of this folder in the order of running; what is timed least goes first, while peers are installed. Each has
#: ``measure(quick)``, which prints tables and returns figures, or returns what ``report`` prints and `BOUNDS` judges.
SECTIONS = ("memory", "prefix_cache", "building", "waiting", "startup", "overhead", "reporting")
#: Sections that need the peers.
_WANT_PEERS = ("building",)


def section(name: str, quick: bool) -> list[Figure]:
    """The figures of a section, whose tables it prints."""
    module = import_module(f"benchmarks.{name}")
    measured: Any = module.measure(quick)
    if name not in BOUNDS:
        figures: list[Figure] = measured
        return figures
    module.report(*(measured if isinstance(measured, tuple) else (measured,)))
    return BOUNDS[name](measured)


def in_own_process(name: str, quick: bool) -> list[Figure]:
    """The same from a fresh process; a figure without a value tells of a section that failed."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        try:
            return pool.submit(section, name, quick).result()
        except Exception as error:  # the other sections are still worth having
            return [Figure(f"section {name} failed", None, note=f"{type(error).__name__}: {error}")]


def main() -> int:
    """Run the sections; returns the exit code."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--quick", action="store_true", help="smaller sweeps, fewer repeats")
    options.add_argument("sections", nargs="*", metavar="SECTION", help=f"of: {', '.join(SECTIONS)}")
    asked = options.parse_args()
    here = Path(__file__).resolve().parent
    wanted = [name for name in asked.sections or SECTIONS if (here / f"{name}.py").exists()]
    started = time.monotonic()
    installing = threading.Thread(target=install_all)
    if any(name in _WANT_PEERS for name in wanted):
        installing.start()
    figures: list[Figure] = []
    failed = False
    for name in wanted:
        if name in _WANT_PEERS:
            installing.join()
        print(f"\n== {name}", flush=True)
        began = time.monotonic()
        found = in_own_process(name, asked.quick)
        failed |= any(one.name == f"section {name} failed" for one in found)
        figures += found
        print(f"({time.monotonic() - began:.0f} s)", flush=True)
    system = f"Python {platform.python_version()}, {os.cpu_count()} cores"
    print(f"\n== {time.strftime('%Y-%m-%d')}, {system}, {time.monotonic() - started:.0f} s in all")
    print_figures(figures)
    return 1 if failed or any(figure.holds is False for figure in figures) else 0


if __name__ == "__main__":
    raise SystemExit(main())
