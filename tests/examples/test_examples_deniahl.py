"""The full grid of key-value objects: 27 kinds, each at eleven places in 50 data sets."""

from __future__ import annotations

from typing import Any

from pytest_haystack.running.plan import plan_of
from tests.examples.conftest import Run, bench_of


def test_the_grid_has_every_size_kind_and_pattern() -> None:
    bench = bench_of("deniahl.yaml")
    variants = [(entry.family, dict(entry.variant)) for entry in bench.config.tasks]
    sizes = [(one["items"], one["item_length"]) for family, one in variants if family == "size"]
    patterns = [(one["pattern"], one["mode"]) for family, one in variants if family == "pattern"]

    assert sizes == [(items, length) for items in (10, 30, 50) for length in (8, 16, 32, 48, 56, 64)]
    assert [one["data_type"] for family, one in variants if family == "kind"] == ["numbers", "letters", "mixed"]
    assert patterns == [
        (pattern, mode) for pattern in ("linear", "compound", "letters") for mode in ("original", "break")
    ]
    assert {cell.trials for cell in bench.cells} == {50}


def test_it_is_planned_whole() -> None:
    bench = bench_of("deniahl.yaml")
    plans = plan_of(bench, bench.cells)

    assert (sum(plan.cells for plan in plans), sum(plan.calls for plan in plans)) == (297, 14_850)
    assert round(sum(plan.input_tokens for plan in plans) / 1e6) == 20
    assert max(plan.input_tokens / plan.calls for plan in plans) < 4000


def test_a_sample_of_it_runs_on_the_embedded_reader(run: Run, rows: Any) -> None:
    result = run("deniahl.yaml", "--haystack-sample", "12", "--haystack-set", "sweep.trials=2")

    result.assert_outcomes(passed=12)
    assert len(rows()) == 24
    assert {row["family"] for row in rows()} == {"size", "kind", "pattern"}
