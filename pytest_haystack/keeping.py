"""Where the answers of this session are kept, what of earlier ones is used, and what is replayed instead of asked."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_haystack.errors import ConfigError, HaystackError

if TYPE_CHECKING:
    from pytest_haystack.models.model import Completion, Model, Prompt
    from pytest_haystack.running.replay import Replay
    from pytest_haystack.running.store.kept import KeepSettings, KeptAnswers
    from pytest_haystack.session import Sweep, Sweeps

#: Key in xdist's ``workerinput``.
KEEPING = "haystack_keeping"


class Keeper:
    """One a process; workers learn of the controller's."""

    def __init__(self, config: pytest.Config, sweeps: Sweeps) -> None:
        given: dict[str, Any] = getattr(config, "workerinput", {}).get(KEEPING, {})
        self._config = config
        self._sweeps = sweeps
        self._kept: KeptAnswers | None = None
        #: What this run is called in the store.
        self.run: str = given.get("run") or os.urandom(8).hex()
        #: Files that are replayed; the one that makes room for the rows of this run is followed.
        self.replayed = [Path(path) for path in given.get("replay", ())] or sweeps.settings.replay

    @property
    def replays(self) -> bool:
        """True where rows answer and nobody is asked."""
        return bool(self.replayed)

    @property
    def settings(self) -> KeepSettings:
        """Place, run and whether earlier answers are used. Raises ConfigError where sweeps name several places."""
        from pytest_haystack.running.store.kept import KeepSettings

        alone = not hasattr(self._config, "workerinput")
        return KeepSettings(self.place, self.run, self._sweeps.settings.resume, alone)

    @cached_property
    def place(self) -> str:
        """The store: of the option, environment or ini file, else of the sweep file, else beside pytest's cache."""
        from pytest_haystack.running.store.place import FOLDER, place_of

        settings = self._sweeps.settings
        named = settings.store
        if named is not None:
            return place_of(*named)
        places = {
            sweep.path: place_of(sweep.loaded.config.store, sweep.path.parent)
            for sweep in self._sweeps.loaded
            if sweep.loaded.config.store is not None
        }
        if len(set(places.values())) > 1:
            files = ", ".join(path.name for path in places)
            raise ConfigError(f"store: {files} name different places; a session has one, so give --haystack-store")
        return next(iter(places.values()), None) or place_of(FOLDER, self._config.rootpath)

    def check(self) -> None:
        """Open the store and close it again. Raises HaystackError where nothing could be kept."""
        from pytest_haystack.running.store.place import open_store

        open_store(self.place).close()

    @property
    def kept(self) -> KeptAnswers:
        """The store, for what this process asks itself."""
        if self._kept is None:
            from pytest_haystack.running.store.kept import KeptAnswers

            self._kept = KeptAnswers(lambda: self.settings)
        return self._kept

    @cached_property
    def replay(self) -> Replay:
        """The rows that answer. Raises HaystackError where they cannot be read."""
        from pytest_haystack.running.replay import Replay

        return Replay.of_files(self.replayed)

    def judge(self, model: Model, *mark: str) -> Callable[[Prompt], Completion]:
        """How a scorer's model is asked in this session; ``model`` need not be able to answer in a replay.

        ``mark`` is that of its weights.
        """
        from pytest_haystack.running.store.kept import asked_by_itself, keeping, key_of

        if self.replays:
            entry = model.entry
            return self.replay.judge(entry, lambda prompt: self._existing(key_of(entry, prompt, *mark)))
        return keeping(model, self.kept) if asked_by_itself(model) else model.complete

    def prepare(self, sweep: Sweep) -> None:
        """Let a sweep keep its answers, or take them from rows. Raises HaystackError where no row is of it."""
        if not self.replays:
            sweep.bench.kept = self.kept
            return
        sweep.bench.replay = self.replay
        names = self.replay.names
        if not any(_is_of(sweep, name) for name in names):
            files = ", ".join(str(path) for path in self.replayed)
            some = next(iter(names), None)
            raise HaystackError(
                f"--haystack-replay: no row of {files} is of a cell of {sweep.path.name}; "
                + (f"they are of tests such as {some}" if some else "there are no rows")
            )

    def moved(self, old: Path, new: Path) -> None:
        """Follow a file that makes room for the rows of this run: a worker may yet come to read it."""
        self.replayed = [new if path == old else path for path in self.replayed]

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker of this run."""
        node.workerinput[KEEPING] = {"run": self.run, "replay": [str(path) for path in self.replayed]}

    def pytest_unconfigure(self) -> None:
        """The process ends."""
        if self._kept is not None:
            self._kept.close()

    def _existing(self, key: str) -> Completion | None:
        from pytest_haystack.running.store.place import open_existing

        store = open_existing(self.place)
        if store is None:
            return None
        found = store.get(key)
        store.close()
        return None if found is None else found.completion


def _is_of(sweep: Sweep, name: str) -> bool:
    """True where a test of this name, parameters included, is of one of the sweep's cells or searches."""
    test, _, parameters = name.partition("[")
    parameters = parameters.removesuffix("]")
    # A test of the user's own may have parameters beside the cell.
    if any(parameters.startswith(f"{search}]::") for search in sweep.search_ids):
        return True
    return parameters in sweep.ids or (test != "test_cell" and any(cell in parameters for cell in sweep.ids))
