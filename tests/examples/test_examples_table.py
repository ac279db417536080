"""The table of examples in the README, and the examples that are meant for a first look."""

from __future__ import annotations

import re
from typing import Any

import pytest

from pytest_haystack.registry import Registry
from pytest_haystack.running.workbench import load_bench
from tests.examples.conftest import EXAMPLES, ROOT, Run

#: Sweep files, as the table names them.
SWEEPS = {
    path.name if path.parent == EXAMPLES else f"{path.parent.name}/": path for path in sorted(EXAMPLES.rglob("*.yaml"))
}


def table() -> dict[str, int]:
    """Cells of each example, as the README has them."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    section = text.partition("\n## Examples\n")[2].partition("\n## ")[0]
    told = {}
    for line in re.findall(r"^\| `.*\|$", section, re.MULTILINE):
        named, _, cells = line.strip("| ").split(" | ")
        names = re.findall(r"`(.*?)`", named)
        numbers = [int(number.replace(",", "")) for number in re.findall(r"[\d,]+", cells)]
        told |= dict(zip(names, numbers * len(names) if "each" in cells else numbers, strict=False))
    return told


def test_the_table_names_every_example_with_its_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSISTANT_MODEL", "simulated/perfect")
    registry = Registry()
    made = {}
    for name, path in SWEEPS.items():
        # The plugin's task is known where it is installed; its own tests count its cells.
        made[name] = 36 if name == "plugin-task/" else len(load_bench(path, registry, ()).cells)

    assert table() == made


@pytest.mark.parametrize("name", SWEEPS)
def test_an_example_says_what_it_is_and_how_to_run_it_before_anything_else(name: str) -> None:
    header = SWEEPS[name].read_text(encoding="utf-8").partition("\nname:")[0]

    assert all(line.startswith("#") for line in header.splitlines())
    assert "pytest --haystack-config" in header
    assert f"{table()[name]:,} cells" in header
    assert "input tokens" in header


def test_the_first_sweep_is_green(run: Run) -> None:
    run("quickstart.yaml", "-k", "len1000- or len4000-").assert_outcomes(passed=35, xfailed=9)


@pytest.mark.parametrize(("name", "sample"), [("all-tasks.yaml", "20"), ("local-llm.yaml", "5")])
def test_the_others_run_on_the_embedded_reader(name: str, sample: str, run: Run, rows: Any) -> None:
    result = run(name, "--haystack-set", "models.0.model=simulated/perfect", "--haystack-sample", sample)

    result.assert_outcomes(passed=int(sample))
    assert {row["outcome"] for row in rows()} == {"answered"}
