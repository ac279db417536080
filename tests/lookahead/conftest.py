from __future__ import annotations

from tests.gateway.conftest import key, rows, run, server, write  # noqa: F401  (fixtures of whole runs)
