"""What lasts as long as the session is kept out of the garbage collector's rounds.

Modules, the sweep and up to a hundred thousand items: to walk over them again and again, in search of garbage that is
not there, takes a tenth of the time of a sweep of functions that answer at once, and a fifth of a dry run's.
"""

from __future__ import annotations

import gc

import pytest

from pytest_haystack.session import Sweeps


class Lasting:
    """Tells the collector when there is something that lasts. Garbage that comes later is collected as ever."""

    def __init__(self, sweeps: Sweeps) -> None:
        self._sweeps = sweeps
        self._told = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self) -> None:
        """Modules and the sweep are there."""
        self._tell()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self) -> None:
        """So are the items."""
        self._tell()

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self) -> None:
        """The process may have something else to do; pytest's own last rounds are over."""
        if self._told:
            gc.unfreeze()

    def _tell(self) -> None:
        if self._sweeps.loaded:
            self._told = True
            gc.freeze()
