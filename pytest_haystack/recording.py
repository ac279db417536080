"""On the controller: rows as they arrive, what became of each test, reports when the session is over."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

from pytest_haystack.gating import GATE, GateKeeper, verdict_of
from pytest_haystack.own_tests import is_error
from pytest_haystack.row_files import RowFiles
from pytest_haystack.session import Sweep, Sweeps

if TYPE_CHECKING:
    from pytest_haystack.reports.cell_result import SweepResults

#: Every default spelled out, for a reader and for `pytest-haystack reconstruct`.
RESOLVED = "config.resolved.yaml"

#: Files that the terminal names; the others are pictures of single models and tasks.
MOST_NAMES = 12

State = Literal["passed", "failed", "error", "skipped", "xfailed", "xpassed", "not_run"]


@dataclass(slots=True)
class Tested:
    """What became of one test item so far: of a cell, or of a search, whose id ``cell`` is then.

    ``rows`` are by trial; those of a search by node id and trial, for they are of many cells.
    """

    nodeid: str
    sweep: str
    cell: str
    own: bool
    state: State = "not_run"
    message: str = ""
    duration_seconds: float = 0.0
    rows: dict[Any, Mapping[str, Any]] = field(default_factory=dict)
    search: bool = False

    @property
    def group(self) -> str:
        """What the test is, apart from its cell: empty for the sweep file's own test, else its file and function."""
        if self.own:
            return ""
        from pytest_haystack.results.row_groups import group_name

        return group_name(self.nodeid, self.cell)


class Recorder:
    """Keeps results and writes them: rows at once, reports at the end."""

    def __init__(self, config: pytest.Config, sweeps: Sweeps) -> None:
        self._config = config
        self._sweeps = sweeps
        self._tested: dict[str, Tested] = {}
        self._written: dict[Path, list[str]] = {}
        self._results: list[SweepResults] = []
        self._troubles: list[str] = []
        #: Decides the gates.
        self.gates = GateKeeper(config, sweeps, self)
        #: Answers that were not asked for in this run.
        self._kept = 0
        self.started_utc = datetime.now(timezone.utc)
        self.run_id = f"{self.started_utc:%Y%m%dT%H%M%SZ}-{secrets.token_hex(3)}"
        self._files = RowFiles(config, sweeps, self.run_id)

    def pytest_report_header(self) -> list[str]:
        """What this run is going to do, and what in the sweep file looks like a slip."""
        from pytest_haystack.running.gate_cells import gate_notes

        return [
            line
            for sweep in self._sweeps.loaded
            for line in (
                self._header(sweep),
                *(f"haystack: note: {note}" for note in (*sweep.loaded.notes, *gate_notes(sweep.bench))),
            )
        ]

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self) -> Generator[None, object, object]:
        """Refuse to ask anything whose answer could not be kept; afterwards every row is in its file."""
        for sweep in self._sweeps.loaded:
            directory = self._files.directory(sweep)
            there = next(path for path in (directory, *directory.parents) if path.exists())
            if not there.is_dir() or not os.access(there, os.W_OK):
                raise pytest.UsageError(f"the report folder {_relative(directory)} cannot be written: see {there}")
            if sweep.path in self._sweeps.run_paths:
                self._files.lock(sweep)
        try:
            return (yield)
        finally:
            self._files.flush()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep a report's rows and its verdict."""
        told = getattr(report, "haystack", {})
        if isinstance(told, str):
            told = json.loads(told)
        tested = self._known(report, told)
        if tested is None:
            return
        self._kept += told.get("kept", 0)
        for row in told.get("rows", ()):
            # What is asked again leaves a row of its own.
            if report.outcome != "rerun" or row["score"] is not None:  # type: ignore[comparison-overlap]
                # A search has trials of one number in many cells, which their rows' node ids tell apart.
                key = (row["nodeid"], row["trial"]) if tested.search else row["trial"]
                tested.rows[key] = self._files.append(tested.sweep, row)
        judge(tested, report)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_teardown(self, nextitem: pytest.Item | None) -> None:
        """Fixtures of the whole session, which end with the last test, find every row in its file."""
        if nextitem is None:
            self._files.flush()

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the reports of every sweep of which something ran."""
        if not self._tested:
            return
        if self._sweeps.keeper.replays and not any(one.rows for one in self._tested.values()):
            # Cells that are skipped one by one would pass for a run that found nothing wrong.
            why = next((one.message for one in self._tested.values() if one.message), "")
            self._troubles.append(f"--haystack-replay: nothing could be replayed, so nothing was tested: {why}")
            session.exitstatus = pytest.ExitCode.USAGE_ERROR
        for sweep in self._sweeps.loaded:
            results = self.gather(sweep)
            if results is not None:
                rows = (row for one in self.tested(sweep.name) for row in one.rows.values())
                self._troubles += self._files.settle(sweep, rows)
                self._results.append(results)
                try:
                    self._write(sweep, results)
                except KeyboardInterrupt:
                    session.exitstatus = pytest.ExitCode.INTERRUPTED
                    again = f"pytest-haystack report {_relative(self._files.directory(sweep))}"
                    # The rows are there: nothing is lost but time.
                    self._troubles.append(f"Ctrl-C: not all reports are written; `{again}` makes them of the rows")
                    return

    def gather(self, sweep: Sweep) -> SweepResults | None:
        """What is known of a sweep so far; None where nothing of it ran."""
        from pytest_haystack.gathering import gather

        tested = self.tested(sweep.name)
        if not tested:
            return None
        # Also without a row of this run: those of an earlier one must not pass for its own.
        return gather(sweep, self._with_earlier(sweep, tested), self.run_id, self.started_utc)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """A grid of scores for each model and task, and where the reports are."""
        if not self._results:
            return
        from pytest_haystack.reports.search_sections import search_lines
        from pytest_haystack.reports.terminal import painted, render_grid, render_headline

        terminal = self._config.get_terminal_writer()
        for results in self._results:
            terminalreporter.section(f"haystack: {results.name}")
            lines = render_headline(results, terminal.fullwidth)
            # With -q a reader wants the verdict and where to look, not the table.
            if self._config.get_verbosity() >= 0:
                lines += render_grid(results, terminal.fullwidth) if results.cells else []
                lines += search_lines(results.searches, terminal.fullwidth)
            for line in lines:
                terminalreporter.line(painted(line, terminal.markup))
        for directory, names in self._written.items():
            more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
            terminalreporter.line(f"wrote {_relative(directory)}/: {', '.join(names[:MOST_NAMES])}{more}")
        if self._kept:
            where = "replayed from rows" if self._sweeps.keeper.replays else "there already"
            rows = sum(len(one.rows) for one in self._tested.values())
            terminalreporter.line(f"haystack: {self._kept} of {rows} answers were {where}, and not asked for")
        for trouble in self._troubles:
            terminalreporter.line(f"haystack: {trouble}", yellow=True)

    def tested(self, sweep: str) -> list[Tested]:
        """What became of the tests of a sweep so far."""
        return [one for one in self._tested.values() if one.sweep == sweep]

    def pytest_unconfigure(self) -> None:
        """Another run may have the folders."""
        self._files.close()

    def _with_earlier(self, sweep: Sweep, tested: list[Tested]) -> list[Tested]:
        """With what an earlier run left of tests that did not come about now, where this run resumes it."""
        rows = self._files.earlier(sweep, {one.nodeid for one in tested if one.rows or one.state != "not_run"})
        if not rows:
            return tested
        from pytest_haystack.earlier import tested_from_rows

        found, strange = tested_from_rows(sweep, rows, strict=bool(self._config.getini("xfail_strict")))
        if strange:
            words = (
                f"{strange} of the rows that were there are not of {sweep.path.name} as it is now; "
                "they stay in results.jsonl and are not reported"
            )
            # Results are gathered for the gates, and again at the end.
            self._troubles += [words] if words not in self._troubles else []
        names = {one.nodeid for one in found}
        return [*(one for one in tested if one.nodeid not in names), *found]

    def _known(self, report: pytest.TestReport, told: Mapping[str, Any]) -> Tested | None:
        """What is known of the report's test, None where it is a test of no cell; ``told`` is what came with it."""
        nodeid = report.nodeid
        if nodeid not in self._tested:
            if told:
                self._tested[nodeid] = Tested(nodeid, told["sweep"], told["cell"], told["own"], search=told["search"])
            elif (lost := self._lost(nodeid)) is not None:
                self._tested[nodeid] = lost
        return self._tested.get(nodeid)

    def _lost(self, nodeid: str) -> Tested | None:
        """A test of which the worker died before it could report: only the node id tells its cell."""
        file, _, name = nodeid.partition("::")
        if name.startswith(GATE):
            return None
        parameters = name.partition("[")[2].removesuffix("]")
        path = Path(os.path.abspath(self._config.rootpath / file))
        own = [sweep for sweep in self._sweeps.loaded if sweep.path == path]
        for sweep in own:
            if name.startswith("test_search[") and parameters in sweep.search_ids:
                return Tested(nodeid, sweep.name, parameters, own=True, search=True)
        for sweep in own or self._sweeps.loaded:
            # A test of the user's own may have parameters beside the cell.
            found = [cell for cell in sweep.ids if cell == parameters or (not own and cell in parameters)]
            if found:
                return Tested(nodeid, sweep.name, max(found, key=len), bool(own))
        return None

    def _write(self, sweep: Sweep, results: SweepResults) -> None:
        from pytest_haystack.config.resolved import resolved_yaml
        from pytest_haystack.reports.files import write_text
        from pytest_haystack.reports.markdown import summary_markdown
        from pytest_haystack.reports.run_record import with_settings
        from pytest_haystack.reports.step_summary import append_step_summary
        from pytest_haystack.reports.writer import write_reports

        directory = self._files.directory(sweep)
        gates = [verdict_of(gate) for gate in self.gates.results_of(sweep, results)]
        settings: list[Path] = []
        try:
            settings = [write_text(directory / RESOLVED, resolved_yaml(sweep.loaded))]
            results = with_settings(results, RESOLVED)
        except OSError as error:
            self._troubles.append(f"{directory / RESOLVED}: not written: {error}")
        written = write_reports(results, directory, gates)
        paths, self._troubles = [*written.paths, *settings], [*self._troubles, *written.problems]
        rows = [path] if (path := self._files.path(sweep.name)) else []
        # Pictures of single models and tasks come last: there may be many.
        names = [path.name for path in [*rows, *paths]]
        self._written[directory] = sorted(names, key=lambda name: name.startswith(("heatmap-", "curve-", "position-")))
        step_summary = os.environ.get("GITHUB_STEP_SUMMARY")
        if step_summary:
            trouble = append_step_summary(summary_markdown(results, gates), Path(step_summary))
            self._troubles += [trouble] if trouble else []

    def _header(self, sweep: Sweep) -> str:
        from pytest_haystack.reports.labels import counted

        tasks, models = {c.task for c in sweep.cells}, {c.model for c in sweep.cells}
        grid = f"{counted(len(sweep.cells), 'cell')} ({counted(len(tasks), 'task')} x {counted(len(models), 'model')})"
        if sweep.searches:
            grid += f", {len(sweep.searches)} search{'es' if len(sweep.searches) > 1 else ''}"
        return f"haystack: {_relative(sweep.path)}, {grid}, reports in {_relative(self._files.directory(sweep))}"


def judge(tested: Tested, report: pytest.TestReport) -> None:
    """Bring what became of a test up to date with one more report of it."""
    tested.duration_seconds += report.duration
    xfailed = hasattr(report, "wasxfail")
    if report.outcome == "rerun":  # type: ignore[comparison-overlap]
        tested.state, tested.message = "not_run", ""
        return
    if report.failed:
        tested.state = "error" if is_error(report) else "failed"
    elif report.skipped:
        tested.state = "xfailed" if xfailed else "skipped"
    elif report.when == "call":
        tested.state = "xpassed" if xfailed else "passed"
    else:
        return
    tested.message = message_of(report)


def message_of(report: pytest.TestReport) -> str:
    """First line of why a test failed or was skipped; what was expected of an xfail."""
    if hasattr(report, "wasxfail"):
        return str(report.wasxfail).removeprefix("reason: ")
    if isinstance(report.longrepr, tuple):
        return str(report.longrepr[2]).removeprefix("Skipped: ").split("\n")[0]
    crash = getattr(report.longrepr, "reprcrash", None)
    text = crash.message if crash is not None else str(report.longrepr or "")
    return text.split("\n")[0]


def _relative(path: Path) -> str:
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
