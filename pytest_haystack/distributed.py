"""One process or many: rows travel from workers to the controller, the gateway's address the other way."""

from __future__ import annotations

import json
import platform
from collections.abc import Generator, Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

from pytest_haystack import collection
from pytest_haystack.collection import FAILURE, SweepFile, cell_of
from pytest_haystack.direct_cells import DirectCells
from pytest_haystack.errors import HaystackError, ModelError
from pytest_haystack.interrupting import OneFrame, Termination, is_planned
from pytest_haystack.lasting import Lasting
from pytest_haystack.looking_ahead import Scout, may_not_ask
from pytest_haystack.own_tests import Unanswered
from pytest_haystack.session import KEPT, ROWS, SEARCH_TRIALS, SWEEPS, TRIALS, Sweep, Sweeps, search_of, usage_error

if TYPE_CHECKING:
    from pytest_haystack.running.gateway.client import GatewayClient
    from pytest_haystack.running.gateway.process import GatewayProcess
    from pytest_haystack.sweep import Cell

#: Key in xdist's ``workerinput``.
GATEWAY = "haystack_gateway"


def register(config: pytest.Config) -> None:
    """Read the sweeps that this run was asked for, and register what this process does in a session with sweeps.

    Raises UsageError for a mistake in one.
    """
    sweeps = config.stash[SWEEPS] = Sweeps(config)
    try:
        for path in sweeps.run_paths:
            sweeps.at(path)
    except HaystackError as error:
        raise usage_error(error) from None
    config.pluginmanager.register(collection, "haystack-collection")
    config.pluginmanager.register(RowSender(hasattr(config, "workerinput")), "haystack-rows")
    config.pluginmanager.register(sweeps.keeper, "haystack-keeper")
    config.pluginmanager.register(Unanswered(), "haystack-unanswered")
    config.pluginmanager.register(DirectCells(config), "haystack-direct-cells")
    config.pluginmanager.register(Lasting(config, sweeps), "haystack-lasting")
    if not config.option.fulltrace:
        config.pluginmanager.register(OneFrame(), "haystack-one-frame")
    if hasattr(config, "workerinput"):
        worker = WorkerGateway(sweeps, config.workerinput.get(GATEWAY))
        sweeps.connect = worker.connect
        config.pluginmanager.register(worker, "haystack-gateway")
        return
    from pytest_haystack.announcing import Announcer
    from pytest_haystack.lost_workers import LostWorkers
    from pytest_haystack.recording import Recorder

    if getattr(config.option, "dist", "no") != "no":
        config.pluginmanager.register(LostWorkers(config, sweeps), "haystack-lost-workers")
    host = GatewayHost(config, sweeps)
    sweeps.connect = host.connect
    config.pluginmanager.register(host, "haystack-gateway")
    config.pluginmanager.register(host.scout, "haystack-scout")
    if sweeps.settings.dry_run:
        from pytest_haystack.planning import Planner

        config.pluginmanager.register(Planner(sweeps), "haystack-planner")
    elif not (config.option.collectonly or getattr(config.option, "setupplan", False)):
        recorder = Recorder(config, sweeps)
        config.pluginmanager.register(recorder, "haystack-recorder")
        config.pluginmanager.register(recorder.gates, "haystack-gates")
        config.pluginmanager.register(Announcer(config, sweeps), "haystack-announcer")
        if sweeps.settings.update_known_failures:
            from pytest_haystack.known_failure_update import KnownFailureUpdater

            config.pluginmanager.register(KnownFailureUpdater(sweeps, recorder), "haystack-known-failures")


def without_workers(config: pytest.Config) -> None:
    """Switch pytest-xdist off for this run."""
    if config.pluginmanager.hasplugin("xdist"):
        config.option.numprocesses, config.option.dist, config.option.tx = None, "no", []


class RowSender:
    """Puts an item's new rows on its report; where that ``crosses`` to the controller, as one ASCII JSON text."""

    def __init__(self, crosses: bool) -> None:
        self._crosses = crosses

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Every row leaves with the first report after it was made, so that a worker that dies takes none along."""
        report = yield
        cell, search = cell_of(item), search_of(item)
        rows = item.stash.get(ROWS, None)
        asking = cell or search
        own = isinstance(item.parent, SweepFile)
        if own and report.skipped and isinstance(report.longrepr, tuple):
            # The line of the sweep file, as for failures, rather than one of this package.
            report.longrepr = (str(item.path), (item.location[1] or 0) + 1, report.longrepr[2])
        if asking is not None and (report.when == "setup" or rows):
            told = {
                "sweep": asking.sweep,
                "cell": asking.id,
                "own": own,
                "search": cell is None,
                "rows": list(rows or ()),
                "kept": item.stash.get(KEPT, 0),
            }
            # pytest carries added attributes.
            report.haystack = json.dumps(told) if self._crosses else told  # type: ignore[attr-defined]
            if rows:
                rows.clear()
                item.stash[KEPT] = 0
        if report.when == "call" and report.passed:
            # Only what failed may be run again; the rest would pile up over the session.
            keys: tuple[pytest.StashKey[Any], ...] = (TRIALS, SEARCH_TRIALS)
            for key in keys:
                if key in item.stash:
                    del item.stash[key]
        return report


class GatewayHost:
    """On the controller: one gateway a machine, started when a paid model is selected."""

    def __init__(self, config: pytest.Config, sweeps: Sweeps) -> None:
        self._config = config
        self._sweeps = sweeps
        self._process: GatewayProcess | None = None
        self._failure: str | None = None
        #: Looks ahead of the tests.
        self.scout = Scout(config, sweeps)
        self._elsewhere = False
        self._called_off = False
        self._warm = False
        self._termination = Termination()

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Without workers the selection is known here: start only for a cell that will ask."""
        if self._idle():
            return
        cells = [cell for item in session.items if (cell := cell_of(item)) is not None]
        searches = [search for item in session.items if (search := search_of(item)) is not None]
        paid = False
        for sweep in self._sweeps.loaded:
            own = [cell for cell in cells if cell.sweep == sweep.name]
            sought = [search for search in searches if search.sweep == sweep.name]
            asked = [*own, *(cell for search in sought for cell in search.cells())]
            sweep.bench.expect(asked)
            sweep.bench.follow(own)
            self._check(sweep, asked)
            paid = paid or any(map(sweep.asks_paid, asked))
        if paid:
            self._start(warm=True)
        if self._process is not None:
            self.scout.begin(self._process, [item.nodeid for item in session.items], may_not_ask(session.items))

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        """With workers it is known from the first of them; all select the same."""
        # What a worker on another machine asks leaves from there.
        if self._process is not None and not self._elsewhere:
            self.scout.begin(self._process, ids)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker where the gateway is; start it before the first one, so that both start up together."""
        # Known sweeps are loaded here only to learn whether they need the gateway: the workers share it.
        if self._process is None and not self._idle() and self._may_ask():
            sure = bool(self._sweeps.run_paths) and not _narrowed(self._config)
            for sweep in self._sweeps.loaded if sure else ():
                self._check(sweep, sweep.asked)
            self._start(warm=sure)
        self._elsewhere = self._elsewhere or not node.gateway.spec.popen
        if self._process is not None:
            node.workerinput[GATEWAY] = {
                "host": platform.node(),
                "address": self._process.address,
                "authkey": self._process.authkey,
            }

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> None:
        """The child imports litellm for seconds, and workers start: time for what the reports will need here.

        Tests of the user's own may want to import it in another way.
        """
        if self._warm and all(isinstance(item.parent, SweepFile) for item in session.items):
            from pytest_haystack.reports.loading import load

            load()

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Keep what a worker could not read."""
        self._failure = self._failure or getattr(node, "workeroutput", {}).get(FAILURE)

    @pytest.hookimpl(tryfirst=True)
    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Whoever waits for an answer is told at once that none will come."""
        if not is_planned(excinfo.value) and self._process is not None:
            # It takes a second for the last answers, in which the reports are written: so before anything else.
            self._called_off = True
            self.scout.stop()
            self._process.call_off()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None, None, None]:
        """The last answer has been scored, or none of those to come will be: they are paid, and kept for a resume."""
        try:
            if not self._called_off:
                self._finish()
        except KeyboardInterrupt:
            session.exitstatus = pytest.ExitCode.INTERRUPTED
        try:
            yield
        finally:
            self.stop()
        if self._failure:
            session.exitstatus = pytest.ExitCode.USAGE_ERROR

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """What a worker could not read, in the words of a run without workers."""
        for line in (self._failure or "").splitlines():
            terminalreporter.line(f"ERROR: {line}", red=True)

    def pytest_unconfigure(self) -> None:
        """A run that broke off before its session finished."""
        self.stop()

    def connect(self) -> GatewayClient:
        """A client of the gateway, which is started where it does not run yet."""
        from pytest_haystack.running.gateway.client import GatewayClient

        if self._process is None:
            self._start(warm=True)
        assert self._process is not None
        return GatewayClient(self._process.address, self._process.authkey)

    def stop(self) -> None:
        """End the gateway; what waits for it gets an error."""
        if self._process is not None:
            self.scout.stop()
            self._process.stop()
            self._process = None
            self._termination.restore()
            self.scout.end()

    def _finish(self) -> None:
        """End the gateway as soon as what is under way has been answered."""
        if self._process is not None:
            self.scout.stop()
            try:
                self._process.finish(self._tell_of_waiting)
            finally:
                self.stop()

    def _tell_of_waiting(self) -> None:
        terminal = self._config.pluginmanager.get_plugin("terminalreporter")
        if terminal is not None:
            terminal.ensure_newline()
            terminal.write_line("haystack: waiting for answers that are on their way, to keep them; Ctrl-C ends it")
            terminal.flush()

    def _idle(self) -> bool:
        return self._sweeps.only_plans or self._sweeps.keeper.replays

    def _may_ask(self) -> bool:
        try:
            return any(sweep.paid_models for sweep in self._sweeps.all())
        except HaystackError:
            # A mistake in a sweep that is merely known: told by the worker whose test needs it.
            return False

    def _check(self, sweep: Sweep, cells: Iterable[Cell]) -> None:
        try:
            sweep.check_models(cells)
        except HaystackError as error:
            raise usage_error(error) from None

    def _start(self, *, warm: bool) -> None:
        try:
            self._process = start_gateway(self._sweeps, warm=warm)
        except HaystackError as error:
            raise usage_error(error) from None
        self._warm = warm
        self._termination.interrupts()


class WorkerGateway:
    """In a worker: the controller's gateway, or one of its own where the controller is on another machine."""

    def __init__(self, sweeps: Sweeps, given: dict[str, str] | None) -> None:
        self._sweeps = sweeps
        self._given = given
        self._process: GatewayProcess | None = None

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Tell which tests perhaps do not run: the controller, which looks ahead, sees no marks."""
        if not self._is_near:
            return
        cells = [(self._sweeps.named(cell.sweep), cell) for cell in may_not_ask(session.items)]
        asking = [(sweep.gateway_id(cell.model), cell.id) for sweep, cell in cells if sweep.asks_paid(cell)]
        if asking:
            with suppress(ModelError):  # the test that asks is told
                self._sweeps.client.never(asking)

    def connect(self) -> GatewayClient:
        """A client of the gateway of this machine."""
        from pytest_haystack.running.gateway.client import GatewayClient

        if self._given is not None and self._is_near:
            return GatewayClient(self._given["address"], self._given["authkey"])
        self._process = start_gateway(self._sweeps, warm=True)
        return GatewayClient(self._process.address, self._process.authkey)

    @property
    def _is_near(self) -> bool:
        return self._given is not None and self._given["host"] == platform.node()

    def pytest_unconfigure(self) -> None:
        """The worker ends, and its own gateway with it."""
        if self._process is not None:
            self._process.stop()


def start_gateway(sweeps: Sweeps, *, warm: bool) -> GatewayProcess:
    """Start the child process that asks paid models. Raises HaystackError where it does not come up."""
    from pytest_haystack.running.gateway.process import GatewayProcess

    models = {name: entry for sweep in sweeps.loaded for name, entry in sweep.paid_models.items()}
    sweeps.keeper.check()
    # Where answers are used that are kept, perhaps none is missing and nothing is sent.
    warm = warm and not sweeps.settings.resume
    return GatewayProcess.start(
        models,
        sweeps.settings.concurrency,
        warm,
        sweeps.environ,
        keep=sweeps.keeper.settings,
        limits=sweeps.limits,
        debug_http=sweeps.settings.debug_http,
    )


def _narrowed(config: pytest.Config) -> bool:
    """True where the command line selects cells, so that perhaps no paid one is left."""
    option = config.option
    names = ("keyword", "markexpr", "deselect", "lf", "failedfirst", "stepwise")
    return any(getattr(option, name, None) for name in names) or any("::" in arg for arg in config.args)
