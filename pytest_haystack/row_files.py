"""The files that rows go to, one a sweep: locked for this run, continued where it resumes, put in order at the end."""

from __future__ import annotations

import errno
import os
from collections.abc import Container, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from pytest_haystack.errors import HaystackError
from pytest_haystack.results.search_values import search_nodeid
from pytest_haystack.session import Sweep, Sweeps, usage_error

if TYPE_CHECKING:
    from pytest_haystack.results.lock import FolderLock
    from pytest_haystack.results.store import RowWriter
    from pytest_haystack.sweep import Cell


class RowFiles:
    """The report folders of a session, as far as rows go."""

    def __init__(self, config: pytest.Config, sweeps: Sweeps, run_id: str) -> None:
        self._config = config
        self._sweeps = sweeps
        self._run_id = run_id
        self._locks: dict[Path, FolderLock] = {}
        self._writers: dict[str, RowWriter] = {}

    def directory(self, sweep: Sweep) -> Path:
        """Where the reports of a sweep go."""
        base = self._sweeps.settings.report_dir
        if base is None:
            named = sweep.loaded.config.report.dir or "haystack-report"
            base = Path(os.path.abspath(self._config.invocation_params.dir / named))
        return base / sweep.name if len(self._sweeps.paths) > 1 else base

    def lock(self, sweep: Sweep) -> None:
        """Have the sweep's folder for this run alone. Raises UsageError where another run has it."""
        directory = self.directory(sweep)
        if directory in self._locks:
            return
        from pytest_haystack.results.lock import FolderLock

        try:
            self._locks[directory] = FolderLock(directory, self._run_id)
        except HaystackError as error:
            raise usage_error(error) from None
        except OSError as error:
            raise pytest.UsageError(f"the report folder cannot be written: {error}") from None

    def writer(self, name: str) -> RowWriter:
        """The file of the sweep of this name, opened when the first row comes."""
        if name not in self._writers:
            from pytest_haystack.results.store import RowWriter

            sweep = self._sweeps.named(name)
            self.lock(sweep)
            try:
                writer = RowWriter(self.directory(sweep), self._run_id, self._sweeps.settings.resume)
            except HaystackError as error:
                raise usage_error(error) from None
            except OSError as error:
                raise pytest.UsageError(f"the report folder cannot be written: {error}") from None
            if writer.moved is not None:
                self._sweeps.keeper.moved(writer.path, writer.moved)
            self._writers[name] = writer
        return self._writers[name]

    def append(self, name: str, row: Mapping[str, Any]) -> dict[str, Any]:
        """Write a row of the sweep of this name, now or soon; returns it as written. Where that fails, the run ends."""
        writer = self.writer(name)
        try:
            return writer.append(row)
        except OSError as error:
            _end(writer, error)

    def flush(self) -> None:
        """Write what waits to be written. Where that fails, the run ends."""
        for writer in self._writers.values():
            try:
                writer.flush()
            except OSError as error:
                _end(writer, error)

    def path(self, name: str) -> Path | None:
        """The file of the sweep of this name, None where nothing was written."""
        return self._writers[name].path if name in self._writers else None

    def earlier(self, sweep: Sweep, known: Container[str]) -> list[dict[str, Any]]:
        """Rows that an earlier run left of tests other than these, where this one resumes it."""
        rows = self.writer(sweep.name).earlier
        return [row for row in rows if (search_nodeid(row["nodeid"]) or row["nodeid"]) not in known]

    def settle(self, sweep: Sweep, rows: Iterable[Mapping[str, Any]]) -> list[str]:
        """Close the sweep's file and put it in order; says what went wrong, if something did.

        ``rows`` are those of this run, should somebody have deleted the file.
        """
        writer = self.writer(sweep.name)
        writer.close()
        if not writer.path.exists():
            try:
                writer.write_anew(rows)
            except OSError as error:
                return [f"{writer.path}: was deleted while the run went on, and cannot be written anew: {error}"]
            return [f"{writer.path}: was deleted while the run went on, and written anew"]
        order = {cell.id: number for number, cell in enumerate(sweep.bench.cells)}

        def rank(nodeid: str) -> tuple[str, int, str]:
            test, _, parameters = nodeid.partition("[")
            cell = cell_named(sweep, parameters.removesuffix("]"))
            return test, order[cell.id] if cell else len(order), nodeid

        try:
            writer.settle(rank)
        except OSError as error:
            return [f"{writer.path}: the rows are not in order: {error}"]
        return []

    def close(self) -> None:
        """Let another run have the folders."""
        for writer in self._writers.values():
            writer.close()
        for lock in self._locks.values():
            lock.release()
        self._locks.clear()


def _end(writer: RowWriter, error: OSError) -> NoReturn:
    """End the run: a row could not be written."""
    advice = "see to it" if error.errno == errno.ENOENT else "make room"
    pytest.exit(
        f"haystack: {writer.path}: a row could not be written: {error.strerror or error}. The rows before it "
        f"are there and answers are kept: {advice} and run again with --haystack-resume",
        returncode=pytest.ExitCode.INTERRUPTED,
    )


def cell_named(sweep: Sweep, parameters: str) -> Cell | None:
    """The cell in the parameters of a test's id, which may name others beside it."""
    cells = sweep.cells_by_id
    if parameters in cells:
        return cells[parameters]
    found = [name for name in cells if name in parameters]
    return cells[max(found, key=len)] if found else None
