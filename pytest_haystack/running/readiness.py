"""What must be there before a model can be asked at all, told at once and before anything is sent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING

from pytest_haystack.config.local_names import is_local
from pytest_haystack.errors import ConfigError
from pytest_haystack.models.local import check_ready

if TYPE_CHECKING:
    from pytest_haystack.config.schema import ModelEntry
    from pytest_haystack.running.workbench import Workbench
    from pytest_haystack.sweep import Cell


def check_models(bench: Workbench, cells: Iterable[Cell]) -> None:
    """Raise ConfigError where a model that these cells ask lacks its weights, its runtime or a header's variable."""
    cells = tuple(cells)
    models, tasks = {cell.model for cell in cells}, {cell.task for cell in cells}
    problems: list[str] = []
    for index, entry in enumerate(bench.config.models):
        if entry.id in models:
            problems += [f"{_where(bench, 'models', index)}: {words}" for words in _missing(bench, entry)]
    for index, task in enumerate(bench.config.tasks):
        judge = bench.judges.get(task.id)
        if judge is not None and task.id in tasks:
            problems += [f"{_where(bench, 'tasks', index)}.scorer: {words}" for words in _missing(bench, judge)]
    if problems:
        raise ConfigError(problems)


def _missing(bench: Workbench, entry: ModelEntry) -> Iterator[str]:
    if is_local(entry.model):
        try:
            check_ready(entry.model, bench.loaded.path.parent)
        except ConfigError as error:
            yield str(error)
    for header, name in entry.headers_env.items():
        if not bench.environ.get(name):
            yield f"headers_env.{header}: the environment variable {name} is not set"


def _where(bench: Workbench, *path: str | int) -> str:
    return f"{bench.loaded.path.name}:{bench.loaded.line_of(*path)}: {bench.loaded.written(*path)}"


def load_all(bench: Workbench) -> None:
    """Load what every test needs, now rather than in the first one, whose time it would count to."""
    import_module("pytest_haystack.running.cell_run")
    bench.encoding.count("")
    for entry in bench.config.tasks:
        name = entry.scorer.name if entry.scorer else bench.tasks[entry.id].scorer
        with suppress(Exception):  # told by the test that needs it
            bench.registry.scorers[name]
