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
        """To be made before pytest's own plugins are configured: what is added first is cleaned up last, and pytest's
        last rounds are over then.
        """
        self._sweeps = sweeps
        self._told = False
        self._is_worker = hasattr(config, "workerinput")
        self._interrupted = False
        config.add_cleanup(self._end)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self) -> None:
        """Modules and the sweep are there."""
        self._tell()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self) -> None:
        """So are the items."""
        self._tell()

    def pytest_keyboard_interrupt(self) -> None:
        """Somebody waits for the end."""
        self._interrupted = True

    def _end(self) -> None:
        """The process may have something else to do; an interrupted worker has not."""
        if self._told:
            gc.unfreeze()
            if self._is_worker and self._interrupted:
                _leave_as_it_is()

    def _tell(self) -> None:
        if self._sweeps.loaded:
            self._told = True
            gc.freeze()


def _leave_as_it_is() -> None:
    """Spare Python to take apart at its end what is there, object by object, while all other workers do the same.

    A file that nobody closed is written all the same.
    """
    for one in gc.get_objects():
        if _FILE in type(one).__mro__:  # `isinstance` asks objects that pose as others
            with suppress(Exception):  # closed, say; nobody would hear of it at a process's end either
                one.flush()
    gc.freeze()
