"""Ctrl-C: the run ends whatever is in flight, and nothing is sent any more."""

from __future__ import annotations

import os
import signal
import subprocess
from typing import Any

import pytest

from tests.lookahead.offering import until
from tests.lookahead.test_lookahead_runs import good, sweep  # noqa: F401  (the fixture `sweep`)
from tests.support.openai_server import OpenAIServer, Received, Reply
from tests.support.runs import own_process


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("workers", ["0", "2"])
def test_an_interrupted_run_waits_for_no_answer(
    sweep: Any,  # noqa: F811
    server: OpenAIServer,
    pytester: pytest.Pytester,
    workers: str,
) -> None:
    ended = False

    def held(request: Received) -> Reply:
        if server.count(path) > 2:
            until(lambda: ended)
        return good(request)

    path = sweep(f"held-{workers}", held)
    command, environment = own_process("-n", workers, "--haystack-model", "m")
    process = subprocess.Popen(
        command,
        cwd=pytester.path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        # Four are in flight, and more are on offer.
        until(lambda: server.peak(path) == 4)
        sent = server.count(path)
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=60)
        assert process.returncode == pytest.ExitCode.INTERRUPTED, said
        assert server.count(path) == sent
    finally:
        ended = True
        process.kill()
