"""What lasts is no matter of the garbage collector, until the end: of the session, or of a worker's process."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.support.runs import own_process

CONFTEST = """\
import gc
import os
from pathlib import Path

import pytest

WHO = os.environ.get("PYTEST_XDIST_WORKER", "main")


class Open:
    file = open(f"open-{WHO}.txt", "w")


Open.file.write("kept")


def note(when):
    Path(f"{when}-{WHO}.txt").write_text(str(gc.get_freeze_count()))


# What is added last is cleaned up first.
@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    config.add_cleanup(lambda: note("after"))


def pytest_sessionstart(session):
    session.config.add_cleanup(lambda: note("before"))
"""


@pytest.mark.parametrize(("workers", "who", "stays"), [("0", "main", False), ("1", "gw0", True)])
def test_a_worker_ends_without_taking_apart_what_it_has(
    small: Path, pytester: pytest.Pytester, workers: str, who: str, stays: bool
) -> None:
    pytester.makeconftest(CONFTEST)
    command, environment = own_process("-n", workers, forked=False)
    subprocess.run(command, cwd=pytester.path, env=environment, capture_output=True, timeout=60, check=False)
    counts = {when: int((pytester.path / f"{when}-{who}.txt").read_text()) for when in ("before", "after")}
    # Also while pytest makes its last rounds.
    assert counts["before"] > 10_000
    assert (counts["after"] > 10_000) is stays
    assert (pytester.path / f"open-{who}.txt").read_text() == "kept"
