"""Materials that are made together: which, how many, and who is told of one that cannot be made."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_haystack.registry import Registry
from pytest_haystack.running import batches
from pytest_haystack.running.batches import Batches
from pytest_haystack.running.workbench import load_bench
from pytest_haystack.sweep import Cell
from tests.plugin.conftest import SMALL

CONFIG = """\
models: [{id: m, model: simulated/perfect}]
haystack: {source: synthetic}
sweep: {context_lengths: [500, 600, 700], depth_percents: {num: 20}}
tasks: [single]
"""


@pytest.fixture
def cells(tmp_path: Path) -> tuple[Cell, ...]:
    """Sixty cells."""
    (tmp_path / "haystack.yaml").write_text(CONFIG)
    return load_bench(tmp_path / "haystack.yaml", Registry()).cells


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow this machine is."""
    monkeypatch.setattr(batches, "_PATIENCE", 60.0)


class Maker:
    """Writes down for which cells it was called, and fails for one of them."""

    def __init__(self, bad: Cell | None = None, error: BaseException | None = None) -> None:
        self.made: list[Cell] = []
        self.bad = bad
        self.error = error or ValueError("cannot be made")

    def __call__(self, cell: Cell) -> str:
        if cell is self.bad:
            raise self.error
        self.made.append(cell)
        return cell.id


def test_each_is_made_once_and_in_order(cells: tuple[Cell, ...], patient: None) -> None:
    made, make = Batches[str](cells), Maker()

    assert [made.get(cell, make) for cell in cells] == [cell.id for cell in cells]

    assert make.made == list(cells)


def test_those_behind_the_first_are_made_with_it(cells: tuple[Cell, ...], patient: None) -> None:
    make = Maker()

    Batches[str](cells).get(cells[5], make)

    assert make.made == list(cells[5 : 5 + batches._BATCH])


def test_none_is_made_before_its_turn_where_the_order_is_unknown(cells: tuple[Cell, ...]) -> None:
    make = Maker()

    Batches[str]().get(cells[5], make)

    assert make.made == [cells[5]]


def test_a_long_document_waits_for_its_turn(cells: tuple[Cell, ...], patient: None) -> None:
    longer = replace(cells[3], context_length=batches._LONGEST + 1)
    make = Maker()

    Batches[str]((*cells[:3], longer, *cells[4:])).get(cells[0], make)

    assert make.made == list(cells[:3])


def test_slow_ones_wait_for_their_turn(cells: tuple[Cell, ...]) -> None:
    make = Maker()

    def slowly(cell: Cell) -> str:
        time.sleep(2 * batches._PATIENCE)
        return make(cell)

    Batches[str](cells).get(cells[0], slowly)

    assert make.made == list(cells[:2])


@pytest.mark.parametrize("error", [ValueError("no"), pytest.skip.Exception("no"), pytest.fail.Exception("no")])
def test_one_that_cannot_be_made_is_told_when_it_is_its_turn(
    cells: tuple[Cell, ...], patient: None, error: BaseException
) -> None:
    made, make = Batches[str](cells), Maker(cells[2], error)

    assert made.get(cells[0], make) == cells[0].id
    assert made.get(cells[1], make) == cells[1].id
    with pytest.raises(type(error), match="no"):
        made.get(cells[2], make)
    assert made.get(cells[3], make) == cells[3].id


def test_whoever_comes_out_of_turn_gets_his_own(cells: tuple[Cell, ...], patient: None) -> None:
    made, make = Batches[str](cells), Maker()

    order = [cells[0], cells[40], cells[1], cells[0], cells[59]]

    assert [made.get(cell, make) for cell in order] == [cell.id for cell in order]


@pytest.mark.parametrize("times", [1, 3])
@pytest.mark.parametrize("seed", range(5))
def test_none_is_made_more_often_than_it_is_asked_for(
    cells: tuple[Cell, ...], patient: None, times: int, seed: int
) -> None:
    order = list(cells) * times
    random.Random(seed).shuffle(order)
    made, make = Batches[str](order), Maker()

    # As the workbench has it, of tests that share a cell and stand side by side only the first asks.
    for cell in order:
        assert made.get(cell, make) == cell.id

    assert len(make.made) == len(order)


#: A task of somebody's own that has no needles at depth 50.
MOODY = """
import pytest
from pytest_haystack.errors import DocumentError
from pytest_haystack.tasks.single import Single

class Moody(Single):
    name = "moody"

    def needles(self, context):
        with open("asked.txt", "a") as file:
            print(context.depth_percent, file=file)
        if context.depth_percent == 50 and context.haystack_text:
            HOW
        return super().needles(context)

def pytest_haystack_register(registry):
    registry.tasks.add("moody", Moody)
"""


def test_a_task_of_somebody_else_is_not_called_before_its_turn(
    pytester: pytest.Pytester, write: Callable[..., Path], run: Callable[..., pytest.RunResult]
) -> None:
    pytester.makeconftest(MOODY.replace("HOW", "pytest.skip('not in the middle')"))
    function = "    with open('asked.txt', 'a') as file:\n        print('asked', file=file)\n    return 'nothing'\n"
    pytester.makepyfile(moody_model=f"def answer(prompt):\n{function}")
    sweep = SMALL.replace("tasks: [single]", "tasks: [{type: moody, threshold: 0}]")
    write(sweep.replace("simulated/lost-in-the-middle", "python:moody_model:answer"))

    run().assert_outcomes(passed=4, skipped=2)

    before = (pytester.path / "asked.txt").read_text().partition("asked")[0]
    assert set(before.split()) == {"0.0"}


def test_only_the_test_whose_needles_fail_is_an_error(
    pytester: pytest.Pytester, write: Callable[..., Path], run: Callable[..., pytest.RunResult], rows: Any
) -> None:
    pytester.makeconftest(MOODY.replace("HOW", "raise DocumentError('no needle today')"))
    write(SMALL.replace("tasks: [single]", "tasks: [{type: moody, threshold: 0}]"))

    result = run()

    result.assert_outcomes(passed=4, errors=2)
    result.stdout.fnmatch_lines(["*no needle today*"])
    assert len(rows()) == 4
