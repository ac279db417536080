"""The rows of an earlier run that each sweep is held against."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_haystack.errors import HaystackError

if TYPE_CHECKING:
    from pytest_haystack.config.gates import GateEntry
    from pytest_haystack.results.gates import GateMetric
    from pytest_haystack.results.statistics import Row
    from pytest_haystack.session import Sweep

METRIC = "regression"


class Baselines:
    """Read before anything is asked: the run may move the very file away, and a wrong one should cost nothing.

    ``given`` is the file that ``option`` names, which goes before those of sweep files.
    """

    def __init__(self, given: Path | None, option: str) -> None:
        self._given = given
        self._option = option
        self._rows: dict[str, list[Row]] = {}

    def read(self, sweeps: Iterable[Sweep]) -> None:
        """Read the baseline of every sweep that has one.

        Raises HaystackError where it cannot be read, where no prompt of it can be asked in this run, and for a gate
        that needs one and has none.
        """
        for sweep in sweeps:
            path, option = self._path(sweep)
            if path is None:
                self._refuse_gates_without(sweep)
                continue
            try:
                self._rows[sweep.name] = self._read(sweep, path)
            except HaystackError as error:
                raise HaystackError(f"{option}: {error}") from None

    def entries(self, sweep: Sweep) -> list[GateEntry]:
        """The gates of a sweep; with a baseline and no gate of its own on it, one for each model and task."""
        from pytest_haystack.config.gates import GateEntry

        gates = list(sweep.loaded.config.gates)
        if sweep.name in self._rows and all(gate.metric != METRIC for gate in gates):
            taken = {gate.id for gate in gates}
            name = METRIC if METRIC not in taken else f"{METRIC}-to-baseline"
            gates.append(GateEntry(id=name, metric=METRIC, by=["model", "task"]))
        return gates

    def metric(self, sweep: Sweep, name: str) -> GateMetric:
        """The metric of this name, with the sweep's baseline where it compares with one."""
        metric = sweep.bench.registry.metrics[name]
        if name != METRIC:
            return metric()
        from pytest_haystack.results.regression_gate import Regression

        return Regression(self._rows.get(sweep.name, ()))

    def _read(self, sweep: Sweep, path: Path) -> list[Row]:
        from pytest_haystack.results.baseline import find_baseline, read_baseline
        from pytest_haystack.running.baseline_check import why_incomparable

        found = find_baseline(path, sweep.name)
        rows: list[Row] = list(read_baseline(found))
        why = why_incomparable(sweep.bench, sweep.cells, rows)
        if why:
            raise HaystackError(f"{found} cannot be compared with {sweep.path.name}: {why}; make a new baseline")
        return rows

    def _path(self, sweep: Sweep) -> tuple[Path | None, str]:
        """The baseline of a sweep, and where it is named."""
        if self._given is not None:
            return self._given, self._option
        named = sweep.loaded.config.baseline
        if named is None:
            return None, ""
        path = Path(os.path.abspath(sweep.path.parent / Path(named).expanduser()))
        return path, f"{sweep.path.name}:{sweep.loaded.line_of('baseline')}: baseline"

    def _refuse_gates_without(self, sweep: Sweep) -> None:
        for index, gate in enumerate(sweep.loaded.config.gates):
            if gate.metric == METRIC:
                raise HaystackError(
                    f"{sweep.path.name}:{sweep.loaded.line_of('gates', index)}: gates.{index}: {METRIC} needs the rows "
                    f"of an earlier run: give {self._option} FILE, or write `baseline: FILE` into the sweep file"
                )
