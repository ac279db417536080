"""Tests that an earlier run has been through, told from the rows that it left."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pytest_haystack.recording import Tested
from pytest_haystack.results.search_values import search_nodeid
from pytest_haystack.row_files import cell_named
from pytest_haystack.running.search_verdict import search_verdict_of
from pytest_haystack.running.verdict import is_current, verdict_of
from pytest_haystack.searches import Search
from pytest_haystack.session import Sweep


def tested_from_rows(sweep: Sweep, rows: Iterable[Any], *, strict: bool) -> tuple[list[Tested], int]:
    """The tests that rows tell of, and the number of rows that are not of this sweep as it is now."""
    found: dict[str, Tested] = {}
    strange = 0
    searches = {search.id: search for search in sweep.bench.searches}
    for row in rows:
        item = search_nodeid(row["nodeid"])
        if item is not None:
            strange += not _add_search_row(sweep, searches, found, item, row)
            continue
        test, _, parameters = row["nodeid"].partition("[")
        cell = cell_named(sweep, parameters.removesuffix("]"))
        if cell is None or not is_current(sweep.bench, cell, row):
            strange += 1
            continue
        own = test.endswith((".yaml::test_cell", ".yml::test_cell"))
        one = found.setdefault(row["nodeid"], Tested(row["nodeid"], sweep.name, cell.id, own))
        one.rows[row["trial"]] = row
    for one in found.values():
        if one.search:
            asked = one.rows.values()
            one.state, one.message = search_verdict_of(sweep.bench, searches[one.cell], asked, strict=strict)
            continue
        cell = sweep.cells_by_id[one.cell]
        one.state, one.message = verdict_of(
            sweep.bench, cell, [one.rows[number] for number in sorted(one.rows)], strict=strict
        )
    return list(found.values()), strange


def _add_search_row(
    sweep: Sweep, searches: Mapping[str, Search], found: dict[str, Tested], nodeid: str, row: Any
) -> bool:
    """Add a row to those of its search; False where it is of none."""
    search = searches.get(nodeid.partition("[")[2].removesuffix("]"))
    if search is None:
        return False
    cell = search.cell(row["context_length"], row["depth_percent"])
    if not is_current(sweep.bench, cell, row):
        return False
    one = found.setdefault(nodeid, Tested(nodeid, sweep.name, search.id, own=True, search=True))
    one.rows[row["nodeid"], row["trial"]] = row
    return True
