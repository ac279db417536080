"""What reports are made with, imported while nothing else is to be done: it takes longer than most reports."""

from __future__ import annotations

import warnings
from contextlib import suppress
from importlib import import_module

#: Libraries that take long, by the modules of theirs that reports use, and the module that uses them.
_MODULES = (
    "matplotlib.backends.backend_agg",
    "matplotlib.collections",
    "matplotlib.figure",
    "matplotlib.lines",
    "matplotlib.textpath",
    "pytest_haystack.reports.junit",
    "pytest_haystack.reports.writer",
)


def load() -> None:
    """Import it now. What cannot be imported is told of when a report wants it."""
    for name in _MODULES:
        with warnings.catch_warnings(), suppress(Exception, SystemExit):
            warnings.simplefilter("ignore")
            import_module(name)
