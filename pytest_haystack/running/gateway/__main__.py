"""``python -m pytest_haystack.running.gateway``: started by `process.GatewayProcess`, of no use by hand."""

from __future__ import annotations

import os
import sys


def main() -> None:
    if sys.version_info < (3, 11) and sys.path[0] == os.getcwd():  # noqa: PTH109
        # PYTHONSAFEPATH is not known yet: a file of the user's folder must not hide a library.
        del sys.path[0]
    from pytest_haystack.running.gateway.server import run

    run(sys.stdin.buffer, sys.stdout.buffer)


if __name__ == "__main__":
    main()
