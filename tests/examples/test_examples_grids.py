"""The published grids: planned whole, and run on the embedded reader by a sample of their cells."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest

from pytest_haystack.running.plan import plan_of
from tests.examples.conftest import EXAMPLES, Run, bench_of

#: Cells and calls of each grid.
GRIDS = {
    "niah-2023.yaml": (1225, 1225),
    "niah-v2.yaml": (176, 528),
    "random-number.yaml": (528, 792),
    "needlebench.yaml": (544, 544),
    "ruler.yaml": (444, 444),
    "lost-in-the-middle.yaml": (32, 640),
    "radar.yaml": (624, 1872),
}


@pytest.mark.parametrize("name", GRIDS)
def test_a_grid_is_planned_whole_and_its_header_tells_its_size(name: str) -> None:
    bench = bench_of(name)
    plans = plan_of(bench, bench.cells)
    cells, calls, tokens = (sum(getattr(plan, key) for plan in plans) for key in ("cells", "calls", "input_tokens"))
    header = " ".join(re.findall(r"^# ?(.*)$", (EXAMPLES / name).read_text(encoding="utf-8"), re.MULTILINE))

    assert (cells, calls) == GRIDS[name]
    assert f"{cells:,} cells" in header
    assert calls == cells or f"{calls:,} calls" in header
    (told,) = re.findall(r"(\d+) million input tokens", header)
    assert abs(int(told) - tokens / 1e6) <= 0.5


@pytest.mark.parametrize("name", GRIDS)
def test_a_sample_of_a_grid_runs_on_the_embedded_reader(name: str, run: Run, rows: Any) -> None:
    trials = ("--haystack-set", "sweep.trials=2") if name == "lost-in-the-middle.yaml" else ()
    result = run(name, "--haystack-sample", "5", *trials)

    outcomes = result.parseoutcomes()
    assert (outcomes["passed"] >= 5, outcomes.get("failed", 0), outcomes.get("errors", 0)) == (True, 0, 0)
    assert len({row["nodeid"] for row in rows()}) == 5
    assert {row["outcome"] for row in rows()} == {"answered"}
    assert result.ret == 0


def test_the_grid_of_2023_has_its_lengths_depths_and_reserve() -> None:
    bench = bench_of("niah-2023.yaml")
    lengths = sorted({cell.context_length for cell in bench.cells})
    depths = sorted({cell.depth_percent for cell in bench.cells})
    steps = [after - before for before, after in pairwise(depths)]

    assert (len(lengths), lengths[0], lengths[-1]) == (35, 1000, 128_000)
    assert (len(depths), depths[0], depths[-1]) == (35, 0, 100)
    assert steps[0] < steps[len(steps) // 2] > steps[-1], "denser at both ends"
    material = bench.material(bench.cells[40])
    assert material.document.tokens == bench.cells[40].context_length - 200
    assert {bench.material(cell).needles[0].statement for cell in bench.cells[:3]} == {material.needles[0].statement}


def test_the_runs_of_the_second_version_ask_each_cell_with_three_seeds() -> None:
    bench = bench_of("niah-v2.yaml")
    chain = next(cell for cell in bench.cells if cell.task == "uuid_chain")

    assert Counter(cell.task for cell in bench.cells) == {"uuid": 88, "uuid_chain": 88}
    assert [bench.base_seed(chain, trial) for trial in range(chain.trials)] == [1, 2, 3]
    assert len(bench.material(chain).needles) == 4
    assert len({bench.material(chain, trial).needles[0].key for trial in range(3)}) == 3


def test_the_pairs_of_lost_in_the_middle_stand_where_they_stood() -> None:
    bench = bench_of("lost-in-the-middle.yaml")
    places: dict[int, list[int]] = {}
    for cell in bench.cells:
        if cell.task.endswith("question-last"):
            pairs = bench.material(cell).needles
            places.setdefault(len(pairs), []).append([pair.role for pair in pairs].index("needle") + 1)

    assert places == {
        75: [1, 25, 50, 75],
        140: [1, 35, 70, 105, 140],
        300: [1, 50, 100, 150, 200, 250, 300],
    }


def test_the_three_styles_of_asking_share_their_numbers_and_documents() -> None:
    bench = bench_of("random-number.yaml")
    cells = [cell for cell in bench.cells if cell.context_length == 2000 and cell.depth_percent == 50]
    styles = [bench.material(cell) for cell in cells if cell.task.startswith("number-")]

    assert len(styles) == 3
    assert len({material.document.text for material in styles}) == 1
    assert len({str(material.prompt) for material in styles}) == 3
    assert re.search(r"The secret number of \w+ is \d{7}\.", styles[0].document.text)


def test_the_radar_suite_has_eight_tasks_and_three_trials() -> None:
    cells = bench_of("radar.yaml").cells
    assert len({cell.task for cell in cells}) == 8
    assert min(cell.trials for cell in cells) >= 3


def test_the_figures_of_the_suites_are_put_together_as_published(run: Run) -> None:
    short = ("sweep.context_lengths=[4096]", "sweep.depth_percents=[50, 100]")
    trace = ("tasks.ancestral-trace.hops=2", "tasks.ancestral-trace.context_lengths=[900]")
    fewer = ("tasks.multi-reasoning.needles=2", *trace)
    result = run("needlebench.yaml", *(part for one in (*short, *fewer) for part in ("--haystack-set", one)))

    result.stdout.re_match_lines(
        [r".*gate overall-reader: weighted score \S+ \(single-retrieval \S+ x 0\.4, multi-retrieval \S+ x 0\.3, "]
    )
    effective, by_task = bench_of("ruler.yaml").config.gates
    assert (effective.metric, effective.absolute, effective.by) == ("effective_context_length", 0.856, ["model"])
    assert by_task.by == ["model", "task"]
