"""Tests that an earlier run has been through, told from the rows that it left."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pytest_haystack.recording import Tested
from pytest_haystack.row_files import cell_named
from pytest_haystack.running.verdict import is_current, verdict_of
from pytest_haystack.session import Sweep


def tested_from_rows(sweep: Sweep, rows: Iterable[Any], *, strict: bool) -> tuple[list[Tested], int]:
    """The tests that rows tell of, and the number of rows that are not of this sweep as it is now."""
    found: dict[str, Tested] = {}
    strange = 0
    for row in rows:
        test, _, parameters = row["nodeid"].partition("[")
        cell = cell_named(sweep, parameters.removesuffix("]"))
        if cell is None or not is_current(sweep.bench, cell, row):
            strange += 1
            continue
        own = test.endswith((".yaml::test_cell", ".yml::test_cell"))
        one = found.setdefault(row["nodeid"], Tested(row["nodeid"], sweep.name, cell.id, own))
        one.rows[row["trial"]] = row
    for one in found.values():
        cell = sweep.cells_by_id[one.cell]
        one.state, one.message = verdict_of(
            sweep.bench, cell, [one.rows[number] for number in sorted(one.rows)], strict=strict
        )
    return list(found.values()), strange
