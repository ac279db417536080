"""A dry run: the plan of what was selected, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_haystack.collection import cell_of
from pytest_haystack.session import Sweeps, search_of


class Planner:
    """Prints the plan in place of running the items."""

    def __init__(self, sweeps: Sweeps) -> None:
        self._sweeps = sweeps
        self._lines: list[str] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run nothing: plan the cells and searches that are left after -k, -m and the like."""
        from pytest_haystack.running.gate_cells import gate_lines
        from pytest_haystack.running.haystack_notes import haystack_notes
        from pytest_haystack.running.plan import plan_lines, plan_of

        cells = [cell for item in session.items if (cell := cell_of(item)) is not None]
        searches = [search for item in session.items if (search := search_of(item)) is not None]
        for sweep in self._sweeps.loaded:
            own = [cell for cell in cells if cell.sweep == sweep.name]
            sought = [search for search in searches if search.sweep == sweep.name]
            if own or sought:
                self._lines += [
                    f"{sweep.path.name}:",
                    *plan_lines(plan_of(sweep.bench, own, sought)),
                    *gate_lines(sweep.bench),
                    *sweep.bench.notes,
                    *haystack_notes(sweep.bench, own),
                ]
        return True

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """The plan, where a summary of results would be."""
        terminalreporter.section("haystack plan: nothing was sent")
        for line in self._lines:
            terminalreporter.line(line)
