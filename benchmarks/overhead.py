"""What a cell costs beside a bare pytest item: CPU of collecting and running them, and of collecting alone.

    python benchmarks/overhead.py [--quick]

The model answers at once: a function that returns a constant, and the embedded reader, which does read its prompt.
Bare items are parametrised alike and write a property. Documents have 500 to 1,000 tokens. "Collect and run" is the
CPU time of all processes from the start of collection to the last test, "without building" the same without needles,
documents and prompts, which are made once more apart to know what they take; "whole" is that of the whole command,
with imports, start of workers and reports. A ratio compares with the bare items of the same run, from medians of
interleaved repeats.
"""

from __future__ import annotations

import sys

sys.path.pop(0)  # this folder, whose names are also those of other modules

import argparse
import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.measuring import PYTEST, interleaved, print_table, spent_by
from pytest_haystack.registry import Registry
from pytest_haystack.running.workbench import load_bench

MODELS = {"function": "python:instant:answer", "reader": "simulated/perfect"}
CONFIG = """\
models: [{{id: m, model: "{model}"}}]
haystack: {{source: synthetic}}
sweep: {{context_lengths: {{min: 500, max: {longest}, num: {lengths}}}, depth_percents: {{num: {depths}}}}}
tasks: [{{type: single, threshold: 0}}]
"""
BARE = """\
import pytest

@pytest.mark.parametrize("number", range({cells}))
def test_cell(number, record_property):
    record_property("score", number)
"""
#: Each process of a run adds the CPU seconds from the start of its collection to its last test.
CLOCK = """\
import pathlib, time, pytest

FILE = pathlib.Path(__file__).with_name("clock.txt")
begun = []

@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart():
    begun.append(time.process_time())

@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish():
    with FILE.open("a") as file:
        file.write(f"{time.process_time() - begun[0]}\\n")
"""


@dataclass(frozen=True)
class Measured:
    """CPU seconds of a kind of item; ``without_building`` is ``run`` for bare ones."""

    cells: int
    workers: int
    kind: str
    run: float
    without_building: float
    whole: float


def building_seconds(config: Path) -> float:
    """CPU seconds of needles, documents and prompts of all cells."""
    bench = load_bench(config, Registry())
    bench.expect(bench.cells)
    bench.material(bench.cells[0])
    started = time.process_time()
    for cell in bench.cells:
        bench.material(cell)
    return time.process_time() - started


def prepare(folder: Path, cells: int) -> dict[str, list[str]]:
    """Write what is run for so many cells; the arguments of each kind."""
    depths = 50 if cells < 10_000 else 100
    lengths = cells // depths
    arguments = {"bare": ["-p", "no:haystack", f"test_bare_{cells}.py"]}
    (folder / f"test_bare_{cells}.py").write_text(BARE.format(cells=cells))
    for kind, model in MODELS.items():
        name = f"{kind}-{cells}.yaml"
        longest = max(1000, 500 + lengths)
        (folder / name).write_text(CONFIG.format(model=model, longest=longest, lengths=lengths, depths=depths))
        arguments[kind] = ["--haystack-config", name]
    (folder / "instant.py").write_text("def answer(prompt):\n    return 'no idea'\n")
    (folder / "phase_clock.py").write_text(CLOCK)
    (folder / "pytest.ini").write_text("[pytest]\n")
    return arguments


def run(folder: Path, cells: int, workers: int, repeats: int) -> list[Measured]:
    """Collect and run so many cells of each kind."""
    arguments = prepare(folder, cells)
    clock = folder / "clock.txt"
    runs: dict[str, list[float]] = {kind: [] for kind in arguments}
    whole: dict[str, list[float]] = {kind: [] for kind in arguments}
    for _ in range(repeats):
        for kind, own in arguments.items():
            clock.unlink(missing_ok=True)
            spent = spent_by([*PYTEST, "-p", "phase_clock", "-n", str(workers), *own], folder)
            runs[kind].append(sum(map(float, clock.read_text().split())))
            whole[kind].append(spent.cpu)
    building = building_seconds(folder / f"function-{cells}.yaml")
    return [
        Measured(
            cells,
            workers,
            kind,
            statistics.median(runs[kind]),
            statistics.median(runs[kind]) - (0 if kind == "bare" else building),
            statistics.median(whole[kind]),
        )
        for kind in arguments
    ]


def collecting(folder: Path, cells: int, repeats: int) -> float:
    """CPU of collecting so many cells, in terms of collecting bare items."""
    arguments = prepare(folder, cells)
    commands = {kind: [*PYTEST, "--collect-only", *arguments[kind]] for kind in ("bare", "function")}
    spent = interleaved(commands, folder, repeats, warm=False)
    return spent["function"].cpu / spent["bare"].cpu


def measure(quick: bool) -> tuple[list[Measured], dict[int, float]]:
    """What running takes, and by number of cells the ratio of collecting."""
    sizes = ((1000, 1),) if quick else ((1000, 5), (20_000, 1))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for own in prepare(folder, 100).values():  # so that modules are compiled
            spent_by([*PYTEST, *own], folder)
        found = [one for cells, repeats in sizes for workers in (0, 4) for one in run(folder, cells, workers, repeats)]
        many = 10_000 if quick else 100_000
        return found, {many: collecting(folder, many, 1 if quick else 3)}


def report(found: list[Measured], collected: dict[int, float]) -> None:
    """Print the tables."""
    rows = []
    for one in found:
        bare = next(o for o in found if (o.cells, o.workers, o.kind) == (one.cells, one.workers, "bare"))
        figures = [
            text
            for own, its in (
                (one.run, bare.run),
                (one.without_building, bare.without_building),
                (one.whole, bare.whole),
            )
            for text in (f"{own:.2f}", f"{own / its:.2f}x")
        ]
        rows.append([f"{one.cells:,}", str(one.workers), one.kind, *figures])
    print_table(["cells", "-n", "items", "collect and run", "", "without building", "", "whole", ""], rows)
    for cells, ratio in collected.items():
        print(f"collecting {cells:,} cells: {ratio:.2f}x of bare items")


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="1,000 cells once, collection of 10,000")
    report(*measure(parser.parse_args(argv).quick))


if __name__ == "__main__":
    main()
