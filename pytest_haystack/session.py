"""The sweeps of this process: loaded once, when something needs them."""

from __future__ import annotations

import hashlib
import os
import traceback
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_haystack.errors import ConfigError, HaystackError
from pytest_haystack.keeping import Keeper
from pytest_haystack.options import Settings
from pytest_haystack.registry import Registry, suggestion

if TYPE_CHECKING:
    from pytest_haystack.config.environment import Environment
    from pytest_haystack.config.loader import LoadedConfig
    from pytest_haystack.config.schema import ModelEntry
    from pytest_haystack.models.model import Model
    from pytest_haystack.running.gateway.budgets import Limit
    from pytest_haystack.running.gateway.client import GatewayClient
    from pytest_haystack.running.search_run import TrialKey
    from pytest_haystack.running.trial import Trial
    from pytest_haystack.running.workbench import Workbench
    from pytest_haystack.scoring.score import Complete
    from pytest_haystack.searches import Search
    from pytest_haystack.sweep import Cell

#: Trials that an item has had, by number: a rerun asks again only what has no score.
TRIALS: pytest.StashKey[dict[int, Trial]] = pytest.StashKey()
#: The same of a search, by length, depth and number.
SEARCH_TRIALS: pytest.StashKey[dict[TrialKey, Trial]] = pytest.StashKey()
#: Rows that an item has left and that no report has carried off yet.
ROWS: pytest.StashKey[list[Mapping[str, Any]]] = pytest.StashKey()

#: How many of those rows hold an answer that was not asked for now.
KEPT: pytest.StashKey[int] = pytest.StashKey()


class Sweep:
    """One sweep file in this process."""

    def __init__(
        self,
        loaded: LoadedConfig,
        bench: Workbench,
        cells: Iterable[Cell],
        searches: Iterable[Search],
        session: Sweeps,
    ) -> None:
        self.loaded = loaded
        self.bench = bench
        self.path: Path = loaded.path
        self.name: str = loaded.config.name
        self.cells = tuple(cells)
        self.searches = tuple(searches)
        self._session = session
        self._models: dict[str, Model] = {}

    @cached_property
    def cells_by_id(self) -> dict[str, Cell]:
        """All cells of its file, each by its id, whether or not this run selects them."""
        return {cell.id: cell for cell in self.bench.cells}

    @cached_property
    def ids(self) -> frozenset[str]:
        """The ids of its cells."""
        return frozenset(cell.id for cell in self.cells)

    @cached_property
    def asked(self) -> tuple[Cell, ...]:
        """Its cells, and those that its searches may ask."""
        return (*self.cells, *(cell for search in self.searches for cell in search.cells()))

    @cached_property
    def search_ids(self) -> frozenset[str]:
        """The ids of its searches."""
        return frozenset(search.id for search in self.searches)

    def nodeid(self, config: pytest.Config) -> str:
        """Node id of the sweep file."""
        return nodeid_of(config, self.path)

    def model(self, model_id: str) -> Model:
        """The model of this id, made once a process."""
        return self._made(self.gateway_id(model_id), self.bench.models[model_id])

    def judge(self, task: str) -> Complete | None:
        """What asks the model that the scorer of a task needs, None where it needs none."""
        entry = self.bench.judges.get(task)
        if entry is None:
            return None
        from pytest_haystack.models.weights import weights_mark

        mark = weights_mark(entry.model, self.path.parent)
        return self._session.keeper.judge(self._made(self._judge_id(entry), entry), *mark)

    def _made(self, gateway_id: str, entry: ModelEntry) -> Model:
        if gateway_id not in self._models:
            provider = self._session.registry.provider_of(entry.model)
            if self._session.keeper.replays:
                from pytest_haystack.unasked import Unasked

                self._models[gateway_id] = Unasked(entry)
            elif provider is None:
                from pytest_haystack.models.paid import GatewayModel

                self._models[gateway_id] = GatewayModel(entry, self._session.client, gateway_id)
            else:
                self._models[gateway_id] = self._session.registry.providers[provider](entry)
        return self._models[gateway_id]

    def gateway_id(self, model_id: str) -> str:
        """The name of a model at the gateway, which serves all sweeps of the session."""
        return f"{self.name}/{model_id}"

    def _judge_id(self, entry: ModelEntry) -> str:
        """The same for a scorer's model: tasks that judge alike share their limits and their answers."""
        digest = hashlib.sha256(entry.model_dump_json().encode()).hexdigest()[:16]
        return f"{self.name}/{entry.id}/{digest}"

    def asks_paid(self, cell: Cell) -> bool:
        """True where the gateway is needed for a cell: to answer, or to judge."""
        judge = self.bench.judges.get(cell.task)
        asked = [self.gateway_id(cell.model)] + ([self._judge_id(judge)] if judge else [])
        return any(name in self.paid_models for name in asked)

    def judged_by_paid(self, task: str) -> bool:
        """True where judging the answers to a task asks the gateway too."""
        judge = self.bench.judges.get(task)
        return judge is not None and self._judge_id(judge) in self.paid_models

    def check_models(self, cells: Iterable[Cell]) -> None:
        """Raise ConfigError where what a model of these cells needs is missing."""
        from pytest_haystack.running.readiness import check_models

        check_models(self.bench, cells)

    @cached_property
    def paid_models(self) -> dict[str, dict[str, Any]]:
        """Entries of the models that the gateway asks, by their name there."""
        models, tasks = {cell.model for cell in self.asked}, {cell.task for cell in self.asked}
        asked = {self.gateway_id(name): entry for name, entry in self.bench.models.items() if name in models}
        judges = (entry for task, entry in self.bench.judges.items() if task in tasks)
        asked |= {self._judge_id(entry): entry for entry in judges}
        return {
            name: self._told(entry)
            for name, entry in asked.items()
            if self._session.registry.provider_of(entry.model) is None
        }

    def _told(self, entry: ModelEntry) -> dict[str, Any]:
        """What the gateway is told of an entry."""
        from pytest_haystack.config.local_names import is_local
        from pytest_haystack.models.local import serving
        from pytest_haystack.models.weights import weights_mark
        from pytest_haystack.running.send_order import sending_of

        told = entry.model_dump(mode="json")
        lengths = [cell.context_length for cell in self.asked if self.bench.models[cell.model] is entry]
        execution = self.loaded.config.execution
        told["sending"] = sending_of(execution, entry, lengths, self._session.settings.concurrency)
        if is_local(entry.model):
            told["local"] = serving(entry, self.path.parent, max(lengths, default=None))
            told["local"]["mark"] = weights_mark(entry.model, self.path.parent)
        return told


class Sweeps:
    """All sweeps of this process, found by file or by name."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.settings = Settings(config)
        self.run_paths = self.settings.run_paths
        if self.run_paths:
            # A mistake in them is told at once, whether or not this run comes to need them.
            self.settings.check()
        self._loaded: dict[Path, Sweep] = {}
        self.keeper = Keeper(config, self)
        #: Gives the gateway's client; set by `pytest_haystack.distributed`.
        self.connect: Callable[[], GatewayClient]

    @cached_property
    def paths(self) -> list[Path]:
        """Sweep files that this session knows: those to run, else those of environment and ini."""
        return self.run_paths or self.settings.known_paths

    @cached_property
    def registry(self) -> Registry:
        """Built-in names and those that conftests and other plugins add."""
        return make_registry(self.config)

    @cached_property
    def environ(self) -> Environment:
        """The variables of this process, and behind them those of a `.env` file."""
        from pytest_haystack.config.environment import Environment

        return Environment([self.config.invocation_params.dir, self.config.rootpath])

    @cached_property
    def client(self) -> GatewayClient:
        """The connection to the gateway."""
        return self.connect()

    def all(self) -> list[Sweep]:
        """Every known sweep, loaded. Raises ConfigError."""
        return [self.at(path) for path in self.paths]

    @property
    def loaded(self) -> list[Sweep]:
        """The sweeps that something has needed so far."""
        return list(self._loaded.values())

    def at(self, path: Path) -> Sweep:
        """The sweep of a file. Raises ConfigError with every mistake in it."""
        if path not in self._loaded:
            sweep = self._load(path)
            for other in self._loaded.values():
                if other.name == sweep.name:
                    raise ConfigError(
                        f"{path}: name: {sweep.name!r} is also the name of {other.path}; "
                        "reports go to a folder of that name, so give one of them another `name:`"
                    )
            self._loaded[path] = sweep
        return self._loaded[path]

    @property
    def only_plans(self) -> bool:
        """True where no test of this session runs."""
        option = self.config.option
        return bool(option.collectonly or getattr(option, "setupplan", False) or self.settings.dry_run)

    @property
    def limits(self) -> list[Limit]:
        """What this session may spend: on the command line for all of it, in sweep files for each."""
        from pytest_haystack.running.spending import limits_of

        return limits_of(
            self.settings.max_cost, [(sweep.loaded.config.budget, tuple(sweep.paid_models)) for sweep in self.loaded]
        )

    def named(self, name: str) -> Sweep:
        """The loaded sweep of this name."""
        return next(sweep for sweep in self._loaded.values() if sweep.name == name)

    def _load(self, path: Path) -> Sweep:
        from pytest_haystack.running.spending import check_prices
        from pytest_haystack.running.workbench import load_bench
        from pytest_haystack.sweep import sample, shard

        bench = load_bench(path, self.registry, self.settings.overrides, self.environ)
        cells, searches = bench.cells, bench.searches
        wanted = self.settings.models
        for name in wanted:
            if name not in bench.models:
                raise ConfigError(
                    f"--haystack-model: {name!r} is no model of {path.name}; {suggestion(name, list(bench.models))}"
                )
        if wanted:
            cells = tuple(cell for cell in cells if cell.model in wanted)
            searches = tuple(search for search in searches if search.model in wanted)
        if self.settings.sample is not None:
            # A sample is to be small and quick; a search is neither.
            cells, searches = sample(cells, self.settings.sample), ()
        if self.settings.shard is not None:
            cells, searches = shard(cells, *self.settings.shard), shard(searches, *self.settings.shard)
        if not self.only_plans and getattr(self.config.option, "dist", "no") == "no":
            # This process runs tests itself, and is no controller of workers.
            from pytest_haystack.running.readiness import load_all

            load_all(bench)
        sweep = Sweep(bench.loaded, bench, cells, searches, self)
        bench.expect(sweep.asked)
        check_prices(bench, sweep.asked, self.settings.max_cost)
        self.keeper.prepare(sweep)
        if any("local" not in told for told in sweep.paid_models.values()):
            # Keys, and whatever else providers take from the environment.
            self.environ.read()
        return sweep


def nodeid_of(config: pytest.Config, path: Path) -> str:
    """Node id of a sweep file, wherever it lies."""
    return Path(os.path.relpath(path, config.rootpath)).as_posix()


SWEEPS = pytest.StashKey[Sweeps]()


def make_registry(config: pytest.Config) -> Registry:
    """The registry after every conftest and plugin has added to it. Raises ConfigError where one cannot."""
    registry = Registry()
    try:
        config.hook.pytest_haystack_register(registry=registry)
    except HaystackError:
        raise
    except Exception as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(frame.filename).name}:{frame.lineno}"
        raise ConfigError(f"{where}: pytest_haystack_register: {type(error).__name__}: {error}") from error
    return registry


def search_of(node: Any) -> Search | None:
    """The search of an item, None where it has none."""
    callspec = getattr(node, "callspec", None)
    return callspec.params.get("haystack_search") if callspec is not None else None


def sweep_of(item: pytest.Item, asking: Cell | Search) -> Sweep:
    """The sweep that the cell or search of a test belongs to."""
    return item.config.stash[SWEEPS].named(asking.sweep)


def usage_error(error: HaystackError) -> pytest.UsageError:
    """pytest's error for a mistake in what it was given: printed without traceback, exit code 4."""
    return pytest.UsageError(*str(error).split("\n"))
