"""Items: the sweep file as a test module, and the parametrisation of every test that asks for a cell.

This module is itself a plugin of the sessions that know a sweep file.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from pytest_haystack import items
from pytest_haystack.errors import HaystackError
from pytest_haystack.known_failures import known_failure_of, known_failure_of_search
from pytest_haystack.registry import suggestion
from pytest_haystack.session import SWEEPS, Sweep, Sweeps, nodeid_of, search_of, usage_error

if TYPE_CHECKING:
    from pytest_haystack.config.schema import KnownFailure
    from pytest_haystack.searches import Search
    from pytest_haystack.sweep import Cell

#: What went wrong with a sweep that was needed late; raised once collection is over, as a usage error.
FAILED = pytest.StashKey[HaystackError]()
#: Key in xdist's ``workeroutput`` under which a worker tells of it.
FAILURE = "haystack_failure"


class SweepFile(pytest.Module):
    """A sweep file: a module with the test functions of `pytest_haystack.items`."""

    def _getobj(self) -> ModuleType:
        return items

    def istestfunction(self, obj: object, name: str) -> bool:
        """`test_cell`, and `test_search` where there are searches, whatever ``python_functions`` asks for."""
        return name == "test_cell" or (name == "test_search" and self._has_searches())

    def _has_searches(self) -> bool:
        try:
            return bool(self.config.stash[SWEEPS].at(self.path).searches)
        except HaystackError:
            return False  # told with the cells

    def collect(self) -> Iterator[pytest.Item | pytest.Collector]:
        """Cells and searches, each located at its entry in the file rather than in this package."""
        for node in super().collect():
            written = cell_of(node) or search_of(node)
            if isinstance(node, pytest.Item):
                node.location = (node.nodeid.split("::")[0], written.line - 1 if written else 0, node.name)
            yield node


def add_sweep_files(early_config: pytest.Config, parser: pytest.Parser, args: list[str]) -> None:
    """Append the sweep files of the command line to pytest's arguments. Raises UsageError for a missing file."""
    known = parser.parse_known_args(args)
    base = early_config.invocation_params.dir
    given = {os.path.abspath(base / str(arg).split("::")[0]) for arg in known.file_or_dir}
    for name in dict.fromkeys(known.haystack_config):
        path = Path(os.path.abspath(base / name))
        if not path.is_file():
            what = "is a folder, not a sweep file" if path.is_dir() else "no such file"
            raise pytest.UsageError(f"--haystack-config: {what}: {name}")
        # A node id inside the file has been given: leave the selection alone.
        if str(path) not in given:
            args.append(str(path))
            # A conftest beside the file is read now, like that of any other argument, so that it can register
            # what the file names.
            early_config.known_args_namespace.file_or_dir.append(str(path))


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> SweepFile | None:
    """The collector of a sweep file that was asked for by name."""
    sweeps = parent.config.stash[SWEEPS]
    # pytest drops an argument that a folder before it contains, so the option counts whatever else is given.
    if file_path in sweeps.run_paths or (file_path in sweeps.paths and parent.session.isinitpath(file_path)):
        # Stated, because pytest derives a file's id from the other arguments where it lies outside the rootdir.
        return SweepFile.from_parent(parent, path=file_path, nodeid=nodeid_of(parent.config, file_path))
    return None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give a test that asks for a cell its cells, and the test of searches its searches."""
    config = metafunc.config
    sweeps = config.stash[SWEEPS]
    parent = metafunc.definition.parent
    if "haystack_search" in metafunc.fixturenames:
        if isinstance(parent, SweepFile):
            sweep = sweeps.at(parent.path)
            found = [search_parameter(sweep, search) for search in sweep.searches]
            metafunc.parametrize("haystack_search", found, indirect=True)
        return
    if "haystack_cell" not in metafunc.fixturenames:
        return
    try:
        if isinstance(parent, SweepFile):
            sweep = sweeps.at(parent.path)
            params = [parameter(sweep, cell, cell.id, own=True) for cell in sweep.cells]
        else:
            params = _own_test(metafunc, sweeps)
    except HaystackError as error:
        config.stash.setdefault(FAILED, error)
        params = []
    if params:
        metafunc.parametrize("haystack_cell", params, indirect=True)


def _own_test(metafunc: pytest.Metafunc, sweeps: Sweeps) -> list[Any]:
    """The cells of a user's own test function; without a sweep none, and the fixture skips the test."""
    mark = metafunc.definition.get_closest_marker("haystack")
    known = sweeps.all()
    try:
        params = [
            parameter(sweep, cell, cell.id if len(known) == 1 else f"{sweep.name}-{cell.id}", own=False)
            for sweep in known
            for cell in narrow(sweep, mark)
        ]
    except HaystackError as error:
        raise HaystackError(f"{metafunc.definition.nodeid}: {error}") from None
    if known and not params:
        where = mark.kwargs if mark else "no cells"
        raise HaystackError(
            f"{metafunc.definition.nodeid}: @pytest.mark.haystack selects no cell of the sweep: {where}"
        )
    return params


def narrow(sweep: Sweep, mark: pytest.Mark | None) -> list[Cell]:
    """Cells that a ``haystack`` mark leaves. Raises HaystackError for a word that it does not know."""
    wanted: dict[str, set[Any]] = {}
    for key, value in (mark.kwargs if mark else {}).items():
        name = _MARK_WORDS.get(key)
        if name is None:
            raise HaystackError(f"@pytest.mark.haystack({key}=...): {suggestion(key, list(_MARK_WORDS))}")
        if isinstance(value, dict):
            raise HaystackError(f"@pytest.mark.haystack({key}={value!r}): give one value or a list of values")
        values = value if isinstance(value, (list, tuple, set, frozenset)) else [value]
        wanted.setdefault(name, set()).update(values)
    if mark and mark.args:
        raise HaystackError("@pytest.mark.haystack takes keywords only: " + ", ".join(_MARK_WORDS))
    tasks = dict.fromkeys([*sweep.bench.entries, *(entry.family or "" for entry in sweep.bench.entries.values())])
    tasks.pop("", None)
    for name, known in (("task", tasks), ("model", dict.fromkeys(sweep.bench.models))):
        for value in wanted.get(name, ()):
            if value not in known:
                raise HaystackError(
                    f"@pytest.mark.haystack({name}={value!r}): no {name} of {sweep.path.name}; "
                    f"{suggestion(str(value), list(known))}"
                )
    return [c for c in sweep.cells if all(_has(c, name, values) for name, values in wanted.items())]


def _has(cell: Cell, name: str, values: set[Any]) -> bool:
    return getattr(cell, name) in values or (name == "task" and cell.family in values)


_MARK_WORDS = {
    "task": "task",
    "tasks": "task",
    "model": "model",
    "models": "model",
    "context_length": "context_length",
    "context_lengths": "context_length",
    "depth_percent": "depth_percent",
    "depth_percents": "depth_percent",
    "sweep": "sweep",
}


def parameter(sweep: Sweep, cell: Cell, id_: str, *, own: bool) -> Any:
    """A cell as a parameter set: its id, its ``haystack_cell`` mark, and xfail where it is a known failure."""
    known = known_failure_of(sweep.loaded.config, cell)
    # A test function of the user's own states its threshold with `assert`.
    raises = items.BelowThreshold if own else (items.BelowThreshold, AssertionError)
    return pytest.param(cell, id=id_, marks=[pytest.mark.haystack_cell(**cell.mark), *_xfail(known, raises)])


def search_parameter(sweep: Sweep, search: Search) -> Any:
    """A search as a parameter set, with its mark, and xfail where known failures cover what it claims."""
    known = known_failure_of_search(sweep.loaded.config, search)
    marks = [pytest.mark.haystack_search(**search.mark), *_xfail(known, items.BelowThreshold)]
    return pytest.param(search, id=search.id, marks=marks)


def _xfail(known: KnownFailure | None, raises: Any) -> list[pytest.MarkDecorator]:
    """Only scores are known to fail: what goes wrong in asking is raised in set-up and stays an error."""
    if known is None:
        return []
    strict = {} if known.strict is None else {"strict": known.strict}
    return [pytest.mark.xfail(raises=raises, reason=known.reason, run=known.run, **strict)]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """End a run whose sweep could not be read. A worker tells its controller, which ends the run."""
    error = config.stash.get(FAILED, None)
    if error is None:
        return
    if not hasattr(config, "workeroutput"):
        raise usage_error(error)
    config.workeroutput[FAILURE] = str(error)
    items.clear()


def cell_of(node: Any) -> Cell | None:
    """The cell of an item, None where it has none."""
    callspec = getattr(node, "callspec", None)
    return callspec.params.get("haystack_cell") if callspec is not None else None
