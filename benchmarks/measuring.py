"""How the benchmarks measure programs: CPU and wall time of whole commands, and medians of interleaved repeats."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: Options that keep other plugins from ordering tests or writing caches, the same for both sides of a ratio.
PYTEST = (sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:randomly", "-q")


@dataclass(frozen=True)
class Spent:
    """Seconds of CPU, child processes that were waited for included, and of the clock."""

    cpu: float
    wall: float


def spent_by(command: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None) -> Spent:
    """Run a command in ``folder`` to its end. Raises RuntimeError with its output where it fails."""
    variables = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{folder}", **(environment or {})}
    # Compiled modules are kept, as wherever a package is used more than once, and none of them beside the sources.
    variables.pop("PYTHONDONTWRITEBYTECODE", None)
    variables["PYTHONPYCACHEPREFIX"] = str(folder / "compiled")
    log = folder / "log.txt"
    started = time.perf_counter()
    with log.open("wb") as output:
        process = subprocess.Popen(command, cwd=folder, env=variables, stdout=output, stderr=output)
        _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}:\n{log.read_text()[-2000:]}")
    return Spent(usage.ru_utime + usage.ru_stime, wall)


def interleaved(
    commands: Mapping[str, Sequence[str]],
    folder: Path,
    repeats: int,
    environment: Mapping[str, str] | None = None,
    *,
    warm: bool = True,
) -> dict[str, Spent]:
    """The medians of each command, all run in turn so that a busy machine slows all of them alike.

    With ``warm`` each runs once before it counts, so that modules are compiled and files are in memory.
    """
    seen: dict[str, list[Spent]] = {name: [] for name in commands}
    for command in commands.values() if warm else ():
        spent_by(command, folder, environment)
    for _ in range(repeats):
        for name, command in commands.items():
            seen[name].append(spent_by(command, folder, environment))
    return {
        name: Spent(statistics.median(one.cpu for one in all_of), statistics.median(one.wall for one in all_of))
        for name, all_of in seen.items()
    }


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """The first column to the left, all others to the right."""
    widths = [max(len(row[column]) for row in (header, *rows)) for column in range(len(header))]
    for row in (header, *rows):
        cells = [
            text.rjust(width) if column else text.ljust(width)
            for column, (text, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("  ".join(cells), flush=True)
