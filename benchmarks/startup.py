"""What the plugin costs before anything runs: an unrelated test run, and a dry run.

    python benchmarks/startup.py [--quick]

An unrelated run of one empty test is compared with the same without the plugin (``-p no:haystack``); the difference is
that of medians of interleaved repeats, in milliseconds of CPU. A dry run of 1,000 cells is compared with a process that
imports the modules the dry run imports, in the same order, and does nothing with them.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

sys.path.pop(0)  # this folder, whose names are also those of other modules
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.measuring import PYTEST, Spent, interleaved, print_table, spent_by

CONFIG = """\
models: [{id: reader, model: simulated/perfect}]
haystack: {source: essays}
sweep: {context_lengths: {min: 1000, max: 20000, num: 20}, depth_percents: {num: 50}}
tasks: [single]
"""
#: Writes down what a run has imported when it ends, in the order in which that came about.
NOTE_IMPORTS = """\
import pathlib, sys

def pytest_unconfigure():
    pathlib.Path(__file__).with_name("modules.txt").write_text("\\n".join(sys.modules))
"""
IMPORT_THEM = """\
import importlib, pathlib

for name in pathlib.Path("modules.txt").read_text().split("\\n"):
    try:
        importlib.import_module(name)
    except Exception:  # made by hand, or of no use outside of what made it
        pass
"""


@dataclass(frozen=True)
class Measured:
    """What was measured, by what is run."""

    unrelated: dict[str, Spent]
    dry: dict[str, Spent]

    @property
    def milliseconds(self) -> float:
        """CPU milliseconds that an unrelated run takes longer with the plugin."""
        return 1000 * (self.unrelated["with the plugin"].cpu - self.unrelated["-p no:haystack"].cpu)

    @property
    def dry_ratio(self) -> float:
        """CPU of a dry run of 1,000 cells in terms of its imports."""
        return self.dry["dry run, 1,000 cells"].cpu / self.dry["its imports"].cpu


def measure(quick: bool) -> Measured:
    """Run it all."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "pytest.ini").write_text("[pytest]\n")
        (folder / "test_unrelated.py").write_text("def test_nothing():\n    pass\n")
        (folder / "haystack.yaml").write_text(CONFIG)
        (folder / "note_imports.py").write_text(NOTE_IMPORTS)
        (folder / "import_them.py").write_text(IMPORT_THEM)
        one = [*PYTEST, "test_unrelated.py"]
        unrelated = interleaved(
            {"with the plugin": one, "-p no:haystack": [*one, "-p", "no:haystack"]}, folder, 11 if quick else 41
        )
        dry = [*PYTEST, "--haystack-config", "haystack.yaml", "--haystack-dry-run"]
        spent_by([*dry, "-p", "note_imports"], folder)
        imports = [sys.executable, "import_them.py"]
        return Measured(
            unrelated, interleaved({"dry run, 1,000 cells": dry, "its imports": imports}, folder, 3 if quick else 11)
        )


def report(found: Measured) -> None:
    """Print the table."""
    rows = [
        [name, f"{1000 * spent.cpu:.0f}", f"{1000 * spent.wall:.0f}"]
        for name, spent in {**found.unrelated, **found.dry}.items()
    ]
    print_table(["", "ms CPU", "ms"], rows)
    print(f"an unrelated run takes {found.milliseconds:+.1f} ms of CPU with the plugin")
    print(f"a dry run of 1,000 cells takes {found.dry_ratio:.2f}x of its imports")


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few repeats")
    report(measure(parser.parse_args(argv).quick))


if __name__ == "__main__":
    main()
