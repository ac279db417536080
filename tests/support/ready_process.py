"""``python ready_process.py ADDRESS``: has a process forked and stands for it, see `tests.support.ready_processes`."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys


def main(address: str) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    settings = json.dumps({"folder": os.getcwd(), "environment": dict(os.environ)}).encode()  # noqa: PTH109
    with socket.socket(socket.AF_UNIX) as forking:
        forking.connect(address)
        socket.send_fds(forking, [f"{len(settings):8}".encode()], [0, 1, 2])
        forking.sendall(settings)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(nowhere, number)
        forking.recv(1)  # the process has ended


if __name__ == "__main__":
    main(sys.argv[1])
