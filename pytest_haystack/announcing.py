"""On the controller: what paid models may cost, and texts in which a needle stands out, are told beforehand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from pytest_haystack.collection import cell_of
from pytest_haystack.session import Sweep, Sweeps


class Announcer:
    """Tells what there is to tell of a sweep once: in the header, for tests of one's own alone after collection."""

    def __init__(self, config: pytest.Config, sweeps: Sweeps) -> None:
        self._config = config
        self._sweeps = sweeps
        self._told: set[str] = set()

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_header(self) -> list[str]:
        """The estimate for all cells of the sweeps that run; -k and the like can only leave fewer."""
        return [line for sweep in self._sweeps.loaded for line in self._lines(sweep, sweep.cells, sweep.searches)]

    def pytest_report_collectionfinish(self, items: Sequence[pytest.Item]) -> list[str]:
        """Sweeps that only tests of one's own use, where this process collects."""
        cells = [cell for item in items if (cell := cell_of(item)) is not None]
        return [
            line
            for sweep in self._sweeps.loaded
            for line in self._lines(sweep, [cell for cell in cells if cell.sweep == sweep.name])
        ]

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self) -> None:
        """The same where workers collect: they have asked nothing yet."""
        terminal: Any = self._config.pluginmanager.get_plugin("terminalreporter")
        if self._config.get_verbosity() < 0:
            return
        for sweep in self._sweeps.loaded:
            for line in self._lines(sweep, sweep.cells, sweep.searches):
                if terminal is not None:
                    terminal.write_line(line)

    def _lines(self, sweep: Sweep, cells: Sequence[Any], searches: Sequence[Any] = ()) -> list[str]:
        from pytest_haystack.running.haystack_notes import haystack_notes
        from pytest_haystack.running.spending import estimate_lines

        if sweep.name in self._told or not (cells or searches):
            return []
        self._told.add(sweep.name)
        lines = estimate_lines(sweep.bench, cells, self._sweeps.settings.max_cost, searches)
        notes = [f"note: {note}" for note in haystack_notes(sweep.bench, cells)]
        return [f"haystack: {line}" for line in (*lines, *notes)]
