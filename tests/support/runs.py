"""Runs of pytest within these tests."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tests.support import ready_gateways

_ROOT = Path(__file__).parents[2]
#: Arguments that leave out plugins of no use here, which each process of a run would import.
LEFT_OUT = tuple(
    word for name in ("randomly", "hypothesispytest", "anyio", "pytest_httpserver") for word in ("-p", f"no:{name}")
)


def own_process(*args: str, forked: bool = True) -> tuple[list[str], dict[str, str]]:
    """Command and environment of a run of haystack.yaml in a process of its own.

    Its gateway is ``forked`` where that can be, see `tests.support.ready_gateways`.
    """
    command = [sys.executable, "-m", "pytest", *LEFT_OUT, "-p", "no:cacheprovider"]
    environment = {**os.environ, "PYTHONPATH": str(_ROOT)}
    if forked and ready_gateways.current is not None:
        plugin, more = ready_gateways.current.plugin()
        command += plugin
        environment |= more
    return [*command, "--haystack-config", "haystack.yaml", *args], environment
