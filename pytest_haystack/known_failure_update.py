"""``--haystack-update-known-failures``: the list in the sweep file as this run saw it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_haystack.errors import HaystackError

if TYPE_CHECKING:
    from pytest_haystack.known_failure_plan import Seen, Update
    from pytest_haystack.recording import Recorder, Tested
    from pytest_haystack.session import Sweep, Sweeps
    from pytest_haystack.sweep import Cell

OPTION = "--haystack-update-known-failures"
#: Lines on cells that are not listed.
_MOST_UNLISTED = 10


class KnownFailureUpdater:
    """On the controller: rewrites ``known_failures`` when the run is over."""

    def __init__(self, sweeps: Sweeps, recorder: Recorder) -> None:
        self._sweeps, self._recorder = sweeps, recorder
        self._texts: dict[Path, bytes] = {}
        self._lines: list[str] = []
        self._troubles: list[str] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self) -> None:
        """Refuse to run for a list that could not be written."""
        for override in self._sweeps.settings.overrides:
            if override.strip().startswith("known_failures"):
                raise pytest.UsageError(f"{OPTION}: --haystack-set {override} is not in the file; leave it out")
        for sweep in self._sweeps.loaded:
            target = sweep.path.resolve()
            if not os.access(target, os.W_OK) or not os.access(target.parent, os.W_OK):
                raise pytest.UsageError(f"{OPTION}: {sweep.path.name} cannot be written: see {target}")
            self._texts[sweep.path] = target.read_bytes()

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Write what has been seen, unless the run was broken off."""
        if exitstatus not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            self._lines.append("the known failures are as they were: the run did not come to its end")
            return
        for sweep in self._sweeps.loaded:
            tested = [one for one in self._recorder.tested(sweep.name) if one.own]
            if tested and sweep.path in self._texts:
                try:
                    self._update(sweep, tested)
                except (HaystackError, OSError) as error:
                    self._troubles.append(f"{sweep.path.name}: the known failures are as they were: {error}")
        if self._troubles:
            session.exitstatus = pytest.ExitCode.USAGE_ERROR

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """What was changed, or why nothing was."""
        if self._lines or self._troubles:
            terminalreporter.section("haystack: known failures")
        for line in self._lines:
            terminalreporter.line(line)
        for trouble in self._troubles:
            terminalreporter.line(f"ERROR: {trouble}", red=True)

    def _update(self, sweep: Sweep, tested: Iterable[Tested]) -> None:
        from pytest_haystack.config.known_failures_text import KEY, rewrite_known_failures
        from pytest_haystack.config.yaml_text import read_yaml
        from pytest_haystack.known_failure_plan import plan_update
        from pytest_haystack.reports.files import write_whole

        path, content = sweep.path.resolve(), self._texts[sweep.path]
        if path.read_bytes() != content:
            raise HaystackError("the file has changed since the run began; run again")
        text = content.decode("utf-8-sig")
        written = list(read_yaml(text, sweep.path.name).value.get(KEY) or ())
        depthless = {name for name, task in sweep.bench.tasks.items() if not task.depth_matters}
        cells = _cells(sweep, self._sweeps)
        update = plan_update(sweep.loaded.config.known_failures, written, cells, seen_of(cells, tested), depthless)
        if update.replaced or update.added:
            changed = rewrite_known_failures(text, sweep.path.name, update.replaced, update.added)
            mark = b"\xef\xbb\xbf" if content.startswith(b"\xef\xbb\xbf") else b""

            def write(temporary: Path) -> None:
                temporary.write_bytes(mark + changed.encode())
                shutil.copymode(path, temporary)

            write_whole(path, write)
        self._lines += _told(sweep.path.name, update)


def seen_of(cells: Iterable[Cell], tested: Iterable[Tested]) -> Seen:
    """What became of the cells, by their scores: an error, a skip and a trial without a score say nothing."""
    from pytest_haystack.known_failure_plan import Seen

    known = {cell.id: cell for cell in cells}
    failed: dict[str, list[float]] = {}
    passed: dict[str, list[float]] = {}
    for one in tested:
        scores = [row["score"] for row in one.rows.values()]
        if one.state in ("error", "skipped", "not_run") or not scores or None in scores or one.cell not in known:
            continue
        # A known failure that passes may have to fail for that.
        holds = one.state in ("passed", "xpassed") or one.message.startswith("[XPASS(strict)]")
        (passed if holds else failed)[one.cell] = scores
    return Seen(failed, passed)


def _cells(sweep: Sweep, sweeps: Sweeps) -> list[Cell]:
    """All cells of the run's sweep and of the file's own, which overrides may have made another."""
    cells = {cell.id: cell for cell in sweep.bench.cells}
    if sweeps.settings.overrides:
        from pytest_haystack.running.workbench import load_bench

        for cell in load_bench(sweep.path, sweeps.registry, ()).cells:
            cells.setdefault(cell.id, cell)
    return list(cells.values())


def _told(name: str, update: Update) -> list[str]:
    lines = [f"{name}: {line}" for line in update.lines] or [f"{name}: the known failures are as they were"]
    unlisted = list(update.unlisted)
    if unlisted:
        lines.append(f"{name}: below their threshold, but so few trials may be chance; not listed:")
        lines += [f"  {line}" for line in unlisted[:_MOST_UNLISTED]]
        if len(unlisted) > _MOST_UNLISTED:
            lines.append(f"  and {len(unlisted) - _MOST_UNLISTED:,} more")
    return lines
