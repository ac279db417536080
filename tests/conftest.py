"""What all tests have in common."""

from __future__ import annotations

import os
from collections.abc import Generator

import pytest

from pytest_haystack.running.gateway import process
from tests.support import ready_gateways
from tests.support.ready_gateways import ReadyGateways

#: What starts a gateway for users.
STARTED = process.command


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
