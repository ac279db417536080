"""What all tests have in common."""

from __future__ import annotations

import sys
from collections.abc import Generator
from importlib import import_module

import pytest
from execnet import gateway_io

from pytest_haystack.running.gateway import process
from tests.support import ready_processes
from tests.support.modules import DRAWN, PACKAGE, SPREAD
from tests.support.ready_processes import GATEWAYS, WORKERS, Ready

#: What starts a gateway and a worker for users.
STARTED = (process.command, gateway_io.popen_args)


def pytest_collection() -> None:
    """Import what runs within these tests would import anew, each for itself, and what they keep in memory."""
    for name in (*PACKAGE, *SPREAD, *DRAWN):
        import_module(name)


@pytest.fixture(scope="session", autouse=True)
def forked_processes() -> Generator[None, None, None]:
    """Gateways and workers are forked from processes that have imported what they need."""
    # Elsewhere a process that has imported so much cannot be forked safely, or not at all.
    if not sys.platform.startswith("linux"):
        yield
        return
    ready = {name: Ready(name) for name in (GATEWAYS, WORKERS)}
    with pytest.MonkeyPatch.context() as patch:
        ready_processes.install(patch, lambda name: ready[name].address)
        patch.setattr(ready_processes, "current", ready)
        yield
    for one in ready.values():
        one.close()


@pytest.fixture(scope="module")
def started_processes(forked_processes: None) -> Generator[None, None, None]:
    """They are started as they are for users: for tests of how they start, import, hang and end."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(process, "command", STARTED[0])
        patch.setattr(gateway_io, "popen_args", STARTED[1])
        yield
