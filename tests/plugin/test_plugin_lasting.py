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


INTERRUPTED = """
@pytest.fixture(autouse=True)
def interrupted():
    raise KeyboardInterrupt
"""


@pytest.mark.parametrize(("workers", "who"), [("0", "main"), ("1", "gw0")])
@pytest.mark.parametrize("more", ["", INTERRUPTED], ids=["to its end", "interrupted"])
def test_what_lasts_is_left_alone_through_pytests_last_rounds(
    small: Path, pytester: pytest.Pytester, workers: str, who: str, more: str
) -> None:
    pytester.makeconftest(CONFTEST + more)
    # A worker that was interrupted has nothing else to do.
    stays = bool(more) and who != "main"
    command, environment = own_process("-n", workers, forked=False)
    environment.pop("PYTEST_XDIST_WORKER", None)  # this very test may run in a worker
    subprocess.run(command, cwd=pytester.path, env=environment, capture_output=True, timeout=60, check=False)
    counts = {when: int((pytester.path / f"{when}-{who}.txt").read_text()) for when in ("before", "after")}
    # Also while pytest makes its last rounds.
    assert counts["before"] > 10_000
    assert (counts["after"] > 10_000) is stays
    assert (pytester.path / f"open-{who}.txt").read_text() == "kept"
