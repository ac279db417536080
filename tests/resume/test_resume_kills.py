"""Whatever is killed: what was answered whole is asked once, and the reports are those of a run left in peace."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from subprocess import Popen
from typing import Any

import pytest

from tests.resume.conftest import Project, finds_it, kill, kill_all
from tests.support.openai_server import Received, Reply


class Gate:
    """A model that answers so many requests and holds back the others until it is opened."""

    def __init__(self, answers: int) -> None:
        self.answers, self.open = answers, False
        self.whole: Counter[str] = Counter()
        self.held: Counter[str] = Counter()

    def __call__(self, request: Received) -> Reply:
        if not self.open and self.whole.total() >= self.answers:
            self.held[request.text] += 1
            end = time.monotonic() + 60
            while not self.open and time.monotonic() < end:
                time.sleep(0.02)
            return Reply(drop=True)
        self.whole[request.text] += 1
        return finds_it(request)


@pytest.mark.parametrize("ending", [kill, kill_all], ids=["the controller", "all processes"])
def test_a_run_goes_on_where_it_was_killed(
    project: Project, undisturbed: dict[str, Any], ending: Callable[[Popen[str]], None]
) -> None:
    gate = Gate(3)
    project.server.base(project.name, gate)
    process = project.start("-n", "2")
    project.until(lambda: gate.held and project.rows_written() >= 3)
    ending(process)
    gate.open = True

    code, said = project.run("--haystack-resume", "-n", "2")

    assert code == 0, said
    assert len(gate.whole) == 6
    assert set(gate.whole.values()) == {1}
    assert project.reports() == undisturbed
    assert not list(project.report.glob("results-*.jsonl"))
