"""How a run that asks paid models is broken off, and what tells that from one that stops by a rule."""

from __future__ import annotations

import signal
import threading
from typing import Any

import pytest


class Termination:
    """SIGTERM, by which CI systems end a job, is Ctrl-C while paid models are asked: rows and answers are there, and
    so are the reports.
    """

    def __init__(self) -> None:
        self._before: Any = None

    def interrupts(self) -> None:
        """From now on, unless somebody else handles it."""
        if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            self._before = signal.signal(signal.SIGTERM, signal.default_int_handler)

    def restore(self) -> None:
        """As it was before."""
        if self._before is not None and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, self._before)
            self._before = None


class OneFrame:
    """pytest writes out every frame of a Ctrl-C, with the source of each, also where only the last one is shown.

    In a worker nothing is, and all workers do so at once.
    """

    @pytest.hookimpl(tryfirst=True)
    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Leave the frame that the terminal names."""
        seen = excinfo.traceback.filter(excinfo)
        if seen:
            excinfo.traceback = seen[-1:]


def is_planned(error: BaseException) -> bool:
    """True for what pytest and pytest-xdist raise for `-x`, `--maxfail` and the like, which is no Ctrl-C."""
    own = isinstance(error, KeyboardInterrupt) and type(error) is not KeyboardInterrupt
    # pytest-xdist's words for Ctrl-C that a worker heard first.
    return own and "keyboard-interrupt" not in str(error)
