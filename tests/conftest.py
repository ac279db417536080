"""What all tests have in common."""

from __future__ import annotations

import os
from collections.abc import Generator
from importlib import import_module
from pkgutil import walk_packages

import pytest

import pytest_haystack
from pytest_haystack.running.gateway import process
from tests.support import ready_gateways
from tests.support.ready_gateways import ReadyGateways

#: What starts a gateway for users.
STARTED = process.command
#: What else a run imports that draws pictures and has workers.
DRAWN = ("junitparser", "matplotlib.backends.backend_agg", "matplotlib.figure", "matplotlib.style", "scipy.special")
SPREAD = ("xdist.dsession", "xdist.remote", "tiktoken", "tokenizers")


def pytest_collection() -> None:
    """Import once what runs within these tests would import anew, each for itself, and what they keep in memory."""
    package = [module.name for module in walk_packages(pytest_haystack.__path__, "pytest_haystack.")]
    for name in (*package, *DRAWN, *SPREAD):
        if not name.endswith("__main__"):
            import_module(name)


@pytest.fixture(scope="session", autouse=True)
def forked_gateways() -> Generator[None, None, None]:
    """Gateways are forked from a process that has imported litellm, see `tests.support.ready_gateways`."""
    with pytest.MonkeyPatch.context() as patch:
        if hasattr(os, "fork"):
            ready = ReadyGateways()
            patch.setattr(process, "command", ready.command)
            patch.setattr(ready_gateways, "current", ready)
        yield
    if hasattr(os, "fork"):
        ready.close()


@pytest.fixture(scope="module")
def started_gateways(forked_gateways: None) -> Generator[None, None, None]:
    """Gateways are started as they are for users: for tests of how they start, import, hang and end."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(process, "command", STARTED)
        yield
