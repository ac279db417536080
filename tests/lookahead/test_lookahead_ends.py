"""How runs end while requests are on their way that nobody will score: by a rule, by Ctrl-C, by the end of a CI job."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from tests.lookahead.offering import until
from tests.lookahead.test_lookahead_runs import CELLS, sweep  # noqa: F401  (the fixture `sweep`)
from tests.support.needles import find, good
from tests.support.openai_server import OpenAIServer, Received, Reply, answer
from tests.support.runs import own_process

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals")


class Behind:
    """A server that answers at once only the first request, and, where it is to be ``wrong``, the next one whose test
    has come; the others wait to be let through.
    """

    def __init__(self, server: OpenAIServer, path: str, wrong: bool) -> None:
        self._server, self._path, self._wrong = server, path, wrong
        self.open = threading.Event()

    def __call__(self, request: Received) -> Reply:
        if request.text == self._server.received(self._path)[0].text:
            return good(request)
        if self._wrong:
            until(lambda: self._server.peak(self._path) == 4)
            # Tests come in the order of depths.
            if request.text == min((one.text for one in self._server.received(self._path)[1:5]), key=depth):
                return answer("no idea")
        self.open.wait(60)
        return good(request)


def depth(text: str) -> float:
    """Where the needle is."""
    return text.index(find(text)) / len(text)


@pytest.fixture
def start(pytester: pytest.Pytester) -> Callable[..., subprocess.Popen[str]]:
    """Start the run in a process group of its own."""

    def starter(*args: str) -> subprocess.Popen[str]:
        command, environment = own_process("-n", "0", "--haystack-model", "m", *args)
        return subprocess.Popen(
            command,
            cwd=pytester.path,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    return starter


def asked(server: OpenAIServer, path: str) -> Counter[str]:
    return Counter(request.text for request in server.received(path))


def test_a_first_failure_loses_no_answer_that_is_on_its_way(
    sweep: Any,  # noqa: F811
    start: Any,
    server: OpenAIServer,
) -> None:
    path = "behind"
    behind = Behind(server, path, wrong=True)
    sweep(path, behind)
    process = start("-x")
    try:
        said = []
        for line in process.stdout:
            said.append(line)
            if "waiting for answers" in line:
                break
        sent = server.count(path)
        behind.open.set()
        process.communicate(timeout=300)
        assert any("waiting for answers" in line for line in said), "".join(said)
        assert server.count(path) == sent > 2
    finally:
        behind.open.set()
        process.kill()

    process = start("--haystack-resume")
    said, _ = process.communicate(timeout=300)
    times = asked(server, path)
    assert len(times) == CELLS
    assert set(times.values()) == {1}, said


@pytest.mark.parametrize("group", [False, True], ids=["the run alone", "all its processes"])
def test_the_end_of_a_job_is_ctrl_c(
    sweep: Any,  # noqa: F811
    start: Any,
    server: OpenAIServer,
    pytester: pytest.Pytester,
    group: bool,
) -> None:
    path = f"job-{group}"
    behind = Behind(server, path, wrong=False)
    sweep(path, behind)
    process = start()
    try:
        until(lambda: server.peak(path) == 4)
        (os.killpg if group else os.kill)(process.pid, signal.SIGTERM)
        behind.open.set()
        said, _ = process.communicate(timeout=300)
        assert process.returncode == pytest.ExitCode.INTERRUPTED, said
        assert (pytester.path / "haystack-report" / "summary.json").exists()
    finally:
        behind.open.set()
        process.kill()

    start("--haystack-resume").communicate(timeout=300)
    times = asked(server, path)
    assert len(times) == CELLS
    # What was on its way may not have arrived in time.
    assert times[server.received(path)[0].text] == 1
    assert server.count(path) <= CELLS + 4
