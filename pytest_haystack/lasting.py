"""What lasts as long as the session is kept out of the garbage collector's rounds.

Modules, the sweep and up to a hundred thousand items: to walk over them again and again, in search of garbage that is
not there, takes a tenth of the time of a sweep of functions that answer at once, and a fifth of a dry run's.
"""

from __future__ import annotations

import gc
import io
from contextlib import suppress

import pytest

from pytest_haystack.session import Sweeps

#: Under all files, those written in C as well.
_FILE = io.IOBase.__base__


class Lasting:
    """Tells the collector when there is something that lasts. Garbage that comes later is collected as ever."""

    def __init__(self, config: pytest.Config, sweeps: Sweeps) -> None:
        """To be made before pytest's own plugins are configured: the end comes after their last rounds then."""
        self._sweeps = sweeps
        self._told = False
        config.add_cleanup(self._end_worker if hasattr(config, "workerinput") else self._end)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self) -> None:
        """Modules and the sweep are there."""
        self._tell()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self) -> None:
        """So are the items."""
        self._tell()

    def _end(self) -> None:
        """The process may have something else to do."""
        if self._told:
            gc.unfreeze()

    def _end_worker(self) -> None:
        """The process has nothing else to do: Python need not take apart what is there, object by object, while all
        other workers do the same. A file that nobody closed is written all the same.
        """
        if self._told:
            gc.unfreeze()  # only then are the objects listed
            for one in gc.get_objects():
                if _FILE in type(one).__mro__:  # `isinstance` asks objects that pose as others
                    with suppress(Exception):  # closed, say; nobody would hear of it at a process's end either
                        one.flush()
            gc.freeze()

    def _tell(self) -> None:
        if self._sweeps.loaded:
            self._told = True
            gc.freeze()
