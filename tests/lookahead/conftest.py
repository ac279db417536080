from __future__ import annotations

from collections.abc import Generator

import pytest

from tests.gateway.entries import CANARY, KEY_ENV
from tests.plugin.conftest import rows, run, write  # noqa: F401  (fixtures of whole runs)
from tests.support.openai_server import OpenAIServer


@pytest.fixture(scope="module")
def server() -> Generator[OpenAIServer, None, None]:
    with OpenAIServer() as running:
        yield running


@pytest.fixture(scope="module", autouse=True)
def key() -> Generator[None, None, None]:
    """The key stands in the environment that the gateway inherits."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(KEY_ENV, CANARY)
        yield
