"""``python -m tests.support.forking KIND ADDRESS``: forks what `tests.support.ready_processes` asks it for."""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import socket
import sys
import threading
from importlib import import_module
from typing import NoReturn

from _pytest.assertion import install_importhook
from _pytest.config import get_config


def main(kind: str, address: str) -> NoReturn:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(address)
    listener.listen(128)
    print("listening", flush=True)
    if kind == "READY_GATEWAYS":
        import_module("pytest_haystack.running.gateway.server")
        provider = import_module("pytest_haystack.running.gateway.provider")
        os.environ.update(provider.ENVIRONMENT)
        import_module("litellm")
    else:
        # Plugins as pytest imports them; it warns of others.
        hook = install_importhook(get_config())
        hook.mark_rewrite("pytest_haystack", "xdist")
        modules = import_module("tests.support.modules")
        for name in (*modules.PACKAGE, *modules.SPREAD):
            import_module(name)
        sys.meta_path.remove(hook)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those forked
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.freeze()
    while listener in select.select([listener, sys.stdin], [], [])[0]:
        connection, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            _become(kind, connection)
        connection.close()
    os._exit(0)


def _become(kind: str, connection: socket.socket) -> NoReturn:
    """The process that the launcher at the other end of the connection stands for."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    message, pipes, _, _ = socket.recv_fds(connection, 8, 3)
    with connection.makefile("rb") as told:
        settings = json.loads(told.read(int(message)))
    for number, pipe in enumerate(pipes):
        os.dup2(pipe, number)
        os.close(pipe)
    os.chdir(settings["folder"])
    os.environ.clear()
    os.environ.update(settings["environment"])
    threading.Thread(target=_end_with, args=(connection,), daemon=True).start()
    try:
        if kind == "READY_GATEWAYS":
            import_module("pytest_haystack.running.gateway.server").run(sys.stdin.buffer, sys.stdout.buffer)
        else:
            # As execnet has it on the command line.
            exec(eval(sys.stdin.readline()), {"__name__": "__main__"})
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


def _end_with(connection: socket.socket) -> None:
    """End at once when the launcher does, as who kills it believes to have killed this one."""
    connection.recv(1)
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main(*sys.argv[1:])
