"""On the controller: a cell whose worker dies is run again once, and is an error where it cannot be."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_haystack.row_files import cell_named
from pytest_haystack.session import Sweeps

_KEPT = "what it had asked is kept: run again with --haystack-resume"


class LostWorkers:
    """pytest-xdist replaces a worker that dies, but reports its test as failed: for a cell that would be a wrong
    answer.
    """

    def __init__(self, config: pytest.Config, sweeps: Sweeps) -> None:
        self._config = config
        self._sweeps = sweeps
        self._again: set[str] = set()
        self._awaited: dict[str, str] = {}

    @pytest.hookimpl(optionalhook=True, trylast=True)
    def pytest_handlecrashitem(self, crashitem: str, report: pytest.TestReport, sched: Any) -> None:
        """Put the cell back once, where the scheduler takes it back; else tell why it is an error."""
        if report.outcome == "rerun" or not self._is_cell(crashitem):  # type: ignore[comparison-overlap]
            return  # another plugin has seen to it, or it is none of ours
        worker = getattr(getattr(getattr(report, "node", None), "gateway", None), "id", "of this cell")
        words = f"the worker {worker} died while it ran this cell"
        if crashitem in self._again:
            words += ", as did one before it"
            _take_out(sched, crashitem)
        elif _put_back(sched, crashitem):
            report.outcome = "rerun"  # type: ignore[assignment]
            self._awaited[crashitem] = words
        else:
            words += "; this kind of --dist cannot run it again"
        self._again.add(crashitem)
        report.when = "setup"
        report.longrepr = f"infra_error: {words}; {_KEPT}"

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A cell that was put back has come about."""
        if report.outcome != "rerun":  # type: ignore[comparison-overlap]
            self._awaited.pop(report.nodeid, None)

    def pytest_report_teststatus(self, report: Any) -> tuple[str, str, str] | None:
        """How the terminal shows a cell that was put back."""
        return ("rerun", "R", "RERUN") if report.outcome == "rerun" and report.nodeid in self._again else None

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """A cell that was put back when no worker was left to take it is an error."""
        for nodeid, words in list(self._awaited.items()):
            text = f"infra_error: {words}, and the run ended before it could run again; {_KEPT}"
            location = (nodeid.partition("::")[0], None, nodeid.partition("::")[2])
            report = pytest.TestReport(nodeid, location, {}, "failed", text, "setup")
            self._config.hook.pytest_runtest_logreport(report=report)

    def _is_cell(self, nodeid: str) -> bool:
        parameters = nodeid.partition("[")[2].removesuffix("]")
        sweeps = self._sweeps.loaded
        return any(cell_named(sweep, parameters) is not None or parameters in sweep.search_ids for sweep in sweeps)


def _put_back(sched: Any, nodeid: str) -> bool:
    """Have a test run again; False where the scheduler cannot."""
    try:
        sched.mark_test_pending(nodeid)
    except NotImplementedError:
        # Those that hand out tests by scope have put back what was left of it, this test included.
        units = [*getattr(sched, "workqueue", {}).values()]
        units += [unit for work in getattr(sched, "assigned_work", {}).values() for unit in work.values()]
        return any(unit.get(nodeid) is False for unit in units)
    return True


def _take_out(sched: Any, nodeid: str) -> None:
    """Keep a test from being run once more by a scheduler that puts it back by itself."""
    queue = getattr(sched, "workqueue", {})
    for scope, unit in list(queue.items()):
        if nodeid in unit:
            unit[nodeid] = True
            if all(unit.values()):
                del queue[scope]
