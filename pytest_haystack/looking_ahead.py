"""On the controller: where the tests are, so that the gateway can be asked ahead of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import pytest

from pytest_haystack.collection import SweepFile, cell_of
from pytest_haystack.known_failures import known_failure_of
from pytest_haystack.session import Sweep, Sweeps

if TYPE_CHECKING:
    from pytest_haystack.running.gateway.process import GatewayProcess
    from pytest_haystack.running.looking_ahead import Coming, LookAhead
    from pytest_haystack.sweep import Cell


class Scout:
    """Looks ahead of the tests of sweep files; a user's own tests ask for themselves, for who knows what they ask."""

    def __init__(self, config: pytest.Config, sweeps: Sweeps) -> None:
        self._config = config
        self._sweeps = sweeps
        self._session: pytest.Session | None = None
        self._gateway: GatewayProcess | None = None
        self._cells: dict[str, Cell] = {}
        self._ahead: dict[str, LookAhead] = {}

    def begin(self, gateway: GatewayProcess, nodeids: Sequence[str], never: Iterable[Cell] = ()) -> None:
        """Look ahead of these tests, in their order, but not to cells that may ``never`` ask."""
        if self._gateway is not None:
            return
        from pytest_haystack.running.gateway.client import GatewayClient
        from pytest_haystack.running.looking_ahead import LookAhead

        self._gateway = gateway
        excluded = set(never)
        for sweep in self._sweeps.loaded:
            models = self._coming(sweep, nodeids, excluded)
            if models:
                client = GatewayClient(gateway.address, gateway.authkey)
                self._ahead[sweep.name] = LookAhead(sweep.bench.twin(), client, models)
                self._ahead[sweep.name].start()

    def stop(self) -> None:
        """Offer nothing more; to be called before the gateway ends."""
        for ahead in self._ahead.values():
            ahead.stop()

    def end(self) -> None:
        """The gateway has ended."""
        for ahead in self._ahead.values():
            ahead.end()
        self._ahead = {}

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Remember who knows when to stop."""
        self._session = session

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """A test has begun, in whichever process."""
        cell = self._cells.get(nodeid)
        if cell is not None and cell.sweep in self._ahead:
            self._ahead[cell.sweep].started(cell)

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self) -> None:
        """Where this was the last test, what was only offered is not sent: `-x`, `--maxfail`, a plugin's stop."""
        if self._session is None or self._gateway is None or not self._ahead:
            return
        if self._session.shouldfail or self._session.shouldstop:
            self.stop()
            self._gateway.halt()

    def _coming(self, sweep: Sweep, nodeids: Sequence[str], never: set[Cell]) -> list[Coming]:
        """The cells of each model that will be asked through the gateway, as far as can be known."""
        from pytest_haystack.running.looking_ahead import Coming

        paid = {name: told for name, told in sweep.paid_models.items() if told["sending"]["look_ahead"]}
        asked = {cell.model: sweep.gateway_id(cell.model) for cell in sweep.cells}
        models = {model for model, name in asked.items() if name in paid}
        if not models:
            return []
        file = sweep.nodeid(self._config)
        known = {f"{file}::test_cell[{cell.id}]": cell for cell in sweep.cells if cell.model in models}
        self._cells.update(known)
        coming: dict[str, list[Cell]] = {}
        for nodeid in nodeids:
            cell = known.get(nodeid)
            if cell is not None and cell not in never and self._will_ask(sweep, cell):
                coming.setdefault(cell.model, []).append(cell)
        marks = {name: tuple((told.get("local") or {}).get("mark", ())) for name, told in paid.items()}
        return [
            Coming(asked[model], sweep.bench.models[model], cells, marks[asked[model]])
            for model, cells in coming.items()
        ]

    def _will_ask(self, sweep: Sweep, cell: Cell) -> bool:
        known = known_failure_of(sweep.loaded.config, cell)
        if known is not None and not known.run:
            return False
        # Answers that nobody could judge any more, or that are a cell's first and stay its only ones, are paid in vain.
        return not (self._sweeps.limits and (cell.stop is not None or sweep.judged_by_paid(cell.task)))


def may_not_ask(items: Iterable[pytest.Item]) -> list[Cell]:
    """Cells whose tests are marked so that they perhaps do not run: what decides that is evaluated by pytest later."""
    return [
        cell
        for item in items
        if isinstance(item.parent, SweepFile)
        and (cell := cell_of(item)) is not None
        and (
            any(item.iter_markers("skip"))
            or any(item.iter_markers("skipif"))
            or any(mark.kwargs.get("run") is False for mark in item.iter_markers("xfail"))
        )
    ]
