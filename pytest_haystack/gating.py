"""On the controller: gates, decided when all rows are in, as test reports of their own.

They are emitted after the run loop, so that pytest counts them, every reporter shows them, and a failed one fails the
run. Where the loop is broken off (``-x``, Ctrl-C) they are decided at the end of the session, for the files alone.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from pytest_haystack.baselines import Baselines
from pytest_haystack.errors import HaystackError
from pytest_haystack.known_failures import known_failure_of
from pytest_haystack.row_files import cell_named
from pytest_haystack.session import usage_error

if TYPE_CHECKING:
    from pytest_haystack.recording import Recorder
    from pytest_haystack.reports.cell_result import CellResult, GateVerdict, SweepResults
    from pytest_haystack.results.gates import GatedCell, GateResult, Lack
    from pytest_haystack.session import Sweep, Sweeps

#: How the names of gates begin, in the place of a test's function name.
GATE = "gate["
_MISSING_OUTCOMES = {"context_overflow": "overflow", "budget": "budget"}


class GateKeeper:
    """Decides the gates of every sweep, once, from what the recorder has."""

    def __init__(self, config: pytest.Config, sweeps: Sweeps, recorder: Recorder) -> None:
        self._config = config
        self._sweeps = sweeps
        self._recorder = recorder
        self._selected: set[str] = set()
        self._results: dict[str, list[GateResult]] = {}
        self._reported = False
        self._baselines = Baselines(sweeps.settings.baseline, "--haystack-baseline")

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Without workers the selection is known here."""
        self._selected.update(item.nodeid for item in session.items)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        """With workers it is what each of them has left."""
        self._selected.update(ids)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """Read the baselines before the first test, and report the gates after the last one."""
        try:
            self._baselines.read(self._sweeps.loaded)
        except HaystackError as error:
            raise usage_error(error) from None
        result = yield
        sweeps = [sweep for sweep in self._sweeps.loaded if self._baselines.entries(sweep)]
        reports = [(sweep, gate) for sweep in sweeps for gate in self.results_of(sweep, self._recorder.gather(sweep))]
        # Else the progress would go beyond 100 %.
        session.testscollected += len(reports)
        for sweep, gate in reports:
            self._report(sweep, gate)
        self._reported = True
        return result

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """An undecided gate fails a run that has passed but for it."""
        if exitstatus == pytest.ExitCode.OK and any(gate.fails_run for gate in self._all()):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """A line for each gate that a reader must know of and that no failure shows, and one for those that passed."""
        from pytest_haystack.reports.labels import counted

        if not self._reported:
            undecided = sum(gate.outcome == "undecided" for gate in self._all())
            if undecided:
                words = f"haystack: the run was stopped before {counted(undecided, 'gate')} could be decided"
                terminalreporter.line(words, red=True)
            return
        for gate in self._all():
            if gate.entry.severity == "warn" and gate.outcome == "failed":
                terminalreporter.line(f"haystack: warning: gate {gate.name}: {gate.text}", yellow=True)
            elif gate.outcome == "undecided" and gate.fails_run:
                text = _undecided(gate).removeprefix("undecided: ")
                words = f"haystack: gate {gate.name} is undecided, which fails the run (see `undecided:`): {text}"
                terminalreporter.line(words, red=True)
        passed = sum(gate.outcome == "passed" for gate in self._all())
        # They count among the tests that passed, of which there is else one more than cells for no reason to be seen.
        if passed and self._config.get_verbosity() >= 0:
            terminalreporter.line(f"haystack: {counted(passed, 'gate')} passed, see summary.md")

    def results_of(self, sweep: Sweep, results: SweepResults | None) -> list[GateResult]:
        """The gates of a sweep; none where nothing of it ran."""
        if results is None:
            return []
        if sweep.name not in self._results:
            selected = _selected_cells(sweep, self._selected, sweep.nodeid(self._config))
            self._results[sweep.name] = decide(sweep, results, selected, self._baselines)
        return self._results[sweep.name]

    def _all(self) -> list[GateResult]:
        return [gate for gates in self._results.values() for gate in gates]

    def _report(self, sweep: Sweep, gate: GateResult) -> None:
        file = sweep.nodeid(self._config)
        name = f"{GATE}{gate.name}]"
        nodeid, location = f"{file}::{name}", (file, None, name)
        skipped = gate.outcome == "undecided" or (gate.outcome == "failed" and gate.entry.severity == "warn")
        outcome: Any = "skipped" if skipped else gate.outcome
        words = verdict_of(gate).text
        numbers = {entry.id: number for number, entry in enumerate(sweep.loaded.config.gates)}
        own = ("gates", numbers[gate.entry.id]) if gate.entry.id in numbers else ("baseline",)
        longrepr: Any = (
            (file, sweep.loaded.line_of(*own), f"Skipped: {words}")
            if skipped
            else words
            if gate.outcome == "failed"
            else None
        )
        hook = self._config.hook
        hook.pytest_runtest_logstart(nodeid=nodeid, location=location)
        for when, result, what in (("call", outcome, longrepr), ("teardown", "passed", None)):
            report = pytest.TestReport(nodeid, location, {}, result, what, when)  # type: ignore[arg-type]
            hook.pytest_runtest_logreport(report=report)
        hook.pytest_runtest_logfinish(nodeid=nodeid, location=location)


def decide(sweep: Sweep, results: SweepResults, selected: Selected, baselines: Baselines) -> list[GateResult]:
    """The gates of a sweep, decided by what became of its cells."""
    from pytest_haystack.results.gates import judge_gates

    cells = gated_cells(sweep, results.cells, selected)
    return judge_gates(baselines.entries(sweep), partial(baselines.metric, sweep), cells)


def _undecided(gate: GateResult) -> str:
    return gate.text if gate.text.startswith("undecided") else f"undecided: {gate.text}"


def verdict_of(gate: GateResult) -> GateVerdict:
    """A gate as reports show it."""
    from pytest_haystack.reports.cell_result import GateVerdict

    warned = gate.outcome == "failed" and gate.entry.severity == "warn"
    text = _undecided(gate) if gate.outcome == "undecided" else f"warning: {gate.text}" if warned else gate.text
    outcome = "warned" if warned else "skipped" if gate.outcome == "undecided" else gate.outcome
    return GateVerdict(gate.name, outcome, text, gate.entry.metric, gate.value, gate.fails_run)


@dataclass(frozen=True, slots=True)
class Selected:
    """The ids of the cells that this run was to test; ``own`` is true where the sweep file's own test was."""

    cells: frozenset[str]
    own: bool


def _selected_cells(sweep: Sweep, nodeids: Iterable[str], file: str) -> Selected:
    tests = [nodeid.partition("[") for nodeid in nodeids]
    own = {name.removesuffix("]") for test, _, name in tests if test.partition("::")[0] == file}
    if own:
        return Selected(frozenset(own), True)
    # A test of the user's own may have parameters beside the cell.
    cells = (cell_named(sweep, name.removesuffix("]")) for _, _, name in tests)
    return Selected(frozenset(cell.id for cell in cells if cell is not None), False)


def gated_cells(sweep: Sweep, results: Iterable[CellResult], selected: Selected) -> list[GatedCell]:
    """Every cell of the sweep file as gates see it, whether or not this run has selected it.

    The rows are those of the sweep file's own test; where only tests of the user's own were selected, those of all
    of them.
    """
    from pytest_haystack.results.gates import GatedCell

    found: dict[str, list[CellResult]] = {}
    for result in results:
        cell = cell_named(sweep, result.nodeid.partition("[")[2].removesuffix("]"))
        if cell is not None and selected.own != bool(result.group):
            found.setdefault(cell.id, []).append(result)
    gated = []
    for cell in sweep.bench.cells:
        members = found.get(cell.id, [])
        rows = tuple(row for member in members for row in member.rows)
        gated.append(
            GatedCell(
                model=cell.model,
                task=cell.task,
                family=cell.family,
                task_type=sweep.bench.entries[cell.task].type,
                prompt=str(dict(cell.variant).get("prompt", _prompt(sweep, cell.task))),
                context_length=cell.context_length,
                depth_percent=cell.depth_percent,
                trials=cell.trials,
                known=known_failure_of(sweep.loaded.config, cell) is not None,
                rows=rows,
                lack=_lack(members, cell.id in selected.cells),
            )
        )
    return gated


def _prompt(sweep: Sweep, task: str) -> str:
    prompt = sweep.bench.entries[task].prompt or sweep.loaded.config.prompt
    return prompt.id or prompt.preset or "template"


def _lack(members: Sequence[CellResult], selected: bool) -> Lack | None:
    """Why a cell has no score, or not all of them; None where it has."""
    if not members:
        # Of a task that the run did not come to nothing is known but what was selected.
        return "stop" if selected else "selection"
    for cell in members:
        without = [row for row in cell.rows if row.get("score") is None]
        for row in without:
            return _MISSING_OUTCOMES.get(str(row.get("outcome")), "error")  # type: ignore[return-value]
        if cell.state == "error":
            return "error"
        if cell.state == "not_run":
            return "stop" if selected else "selection"
        if not cell.rows:
            return "known" if cell.state == "xfailed" else "skip"
    return None
