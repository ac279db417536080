"""``python -m pytest_haystack.running.gateway.local_child``: a llama.cpp server on loopback, for its parent alone.

The first line of standard input says what to serve; the port goes to standard output once the model is loaded. It
ends when standard input does, so it never outlives the process that started it, however that ends.
"""

from __future__ import annotations

import os
import sys

if sys.version_info < (3, 11) and sys.path[0] == os.getcwd():  # noqa: PTH109
    # PYTHONSAFEPATH is not known yet: a file of the user's folder must not hide a library.
    del sys.path[0]

import json
import signal
import threading
from typing import BinaryIO


def main() -> None:
    """Serve until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one who started the gateway
    order = json.loads(sys.stdin.buffer.readline())
    ended = threading.Event()
    # From the first moment on: a large model takes its time to load, and nobody may be left who waits for it.
    threading.Thread(target=_watch, args=(sys.stdin.buffer, ended), daemon=True).start()
    announce = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = order["file"]
    params.model_alias = {order["name"]}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [order["key"]]
    params.n_ctx = order["context"] * order["slots"]
    params.n_parallel = order["slots"]
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = order["threads"]
    params.offline = True
    params.fit_params = False
    params.ui = False
    params.verbosity = 1
    server = xllamacpp.Server(params)
    announce.write(f"{server.listening_address.rpartition(':')[2]}\n".encode())
    announce.close()
    ended.wait()
    os._exit(0)


def _watch(stdin: BinaryIO, ended: threading.Event) -> None:
    stdin.read()
    ended.set()
    os._exit(0)  # whether or not loading has come to its end


if __name__ == "__main__":
    main()
