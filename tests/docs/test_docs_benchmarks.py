"""The commands of benchmarks/, which the README names, start as scripts."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"
SCRIPTS = sorted(path for path in FOLDER.glob("*.py") if "__main__" in path.read_text(encoding="utf-8"))
#: Modules of the folder that have the name of one of Python's own: a script's folder comes first in its path.
HIDDEN = {path.stem for path in FOLDER.glob("*.py")} & set(sys.stdlib_module_names)


def imported_first(path: Path) -> set[str]:
    """What a script imports before it takes its folder out of its path."""
    names: set[str] = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if "path.pop(" in ast.unparse(node):
            return names
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add((node.module or "").partition(".")[0])
    return names


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_no_script_takes_a_benchmark_for_a_module_of_python(path: Path) -> None:
    assert not imported_first(path) & HIDDEN


def test_a_script_says_how_it_is_used() -> None:
    assert "statistics" in HIDDEN
    done = subprocess.run(
        [sys.executable, FOLDER / "overhead.py", "--help"],
        capture_output=True,
        text=True,
        check=False,
        cwd=FOLDER.parent,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "--quick" in done.stdout
