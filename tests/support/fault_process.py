"""The server of `tests.support.faults` in a process of its own, which ends with its parent."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parents[2]


class FaultProcess:
    """Starts the server; a path per fault: ``server.base("429")`` is an ``api_base``."""

    def __enter__(self) -> FaultProcess:
        environment = {**os.environ, "PYTHONPATH": str(_ROOT)}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.fault_process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=_ROOT,
            env=environment,
            text=True,
        )
        assert self._process.stdout is not None
        self.url = self._process.stdout.readline().strip()
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def base(self, path: str) -> str:
        """The ``api_base`` of a fault."""
        return f"{self.url}/{path}/v1"

    def received(self, path: str) -> list[dict[str, Any]]:
        """The requests that a fault got so far: ``at`` in seconds, ``path``, ``body``, ``headers``."""
        with urllib.request.urlopen(self.url, timeout=30) as response:
            return list(json.load(response).get(path, ()))

    def count(self, path: str) -> int:
        """How many requests a fault got so far."""
        return len(self.received(path))


def main() -> None:
    from tests.support.faults import FAULTS
    from tests.support.openai_server import OpenAIServer

    with OpenAIServer() as server:
        for name, script in FAULTS.items():
            server.base(name, script)
        print(server.url, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
