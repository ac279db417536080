"""Rows and tests are named as a user has them at hand: a report folder, a part of a node id."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.plugin.conftest import BLIND


@pytest.fixture
def ran(small: Path, run: Any) -> Path:
    """A run of the two cells at depth 50."""
    run("-k", "depth50]")
    return small


def test_a_part_of_a_node_id_names_the_cell_that_alone_has_it(ran: Path, command: Any) -> None:
    whole = command("show", BLIND)
    assert whole.returncode == 0

    assert command("show", "len4000-depth50").stdout == whole.stdout
    assert command("show", "len4000").stdout == whole.stdout
    several = command("show", "depth50")
    assert several.returncode == 4
    assert "depth50 is in 2 node ids; name one, e.g. 'haystack.yaml::test_cell[single-reader-len" in several.stderr


def test_a_part_ends_where_a_coordinate_does(ran: Path, command: Any) -> None:
    refused = command("show", "len4000-depth5")

    assert refused.returncode == 4
    assert f"did you mean '{BLIND}'?" in refused.stderr


def test_a_report_folder_stands_for_its_rows(ran: Path, command: Any, run: Any) -> None:
    rows = "haystack-report/results.jsonl"

    assert command("reconstruct", "haystack-report", BLIND).stdout == command("reconstruct", rows, BLIND).stdout
    assert command("merge", "haystack-report", "-o", "all.jsonl").returncode == 0
    run(
        "--haystack-replay", "haystack-report", "-k", "len1000-depth50]", "--haystack-report-dir", "again"
    ).assert_outcomes(passed=1)
    bare = command("reconstruct", ".", BLIND)
    assert bare.returncode == 4
    assert "the folder has no results.jsonl; name one of again/results.jsonl, haystack-report" in bare.stderr
