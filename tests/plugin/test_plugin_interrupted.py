"""What pytest writes out of a Ctrl-C, in the run's own process and in a worker."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.support.runs import own_process

CONFTEST = """\
import os
from pathlib import Path

import pytest

WHO = os.environ.get("PYTEST_XDIST_WORKER", "main")


@pytest.fixture
def model():
    yield from ended()


def ended():
    try:
        __tracebackhide__ = True
        interrupted()
    finally:
        Path(f"ended-{WHO}.txt").write_text("")
    yield


def interrupted():
    raise KeyboardInterrupt


def pytest_keyboard_interrupt(excinfo):
    Path(f"frames-{WHO}.txt").write_text(" ".join(entry.name for entry in excinfo.traceback))
"""


@pytest.mark.parametrize(("workers", "who"), [("0", "main"), ("1", "gw0")])
@pytest.mark.parametrize("more", [(), ("--full-trace",)])
def test_the_source_of_a_single_frame_is_looked_up(
    small: Path, pytester: pytest.Pytester, workers: str, who: str, more: tuple[str, ...]
) -> None:
    pytester.makeconftest(CONFTEST)
    command, environment = own_process("-n", workers, *more)
    environment.pop("PYTEST_XDIST_WORKER", None)  # this very test may run in a worker

    ended = subprocess.run(
        command, cwd=pytester.path, env=environment, capture_output=True, text=True, timeout=60, check=False
    )

    assert ended.returncode == pytest.ExitCode.INTERRUPTED, ended.stdout
    assert (pytester.path / f"ended-{who}.txt").exists()
    frames = (pytester.path / f"frames-{who}.txt").read_text().split()
    assert frames[-1] == "interrupted"
    assert (len(frames) > 1) is bool(more)
    if workers == "0":
        assert "conftest.py" in ended.stdout
        assert ("> " in ended.stdout and "raise KeyboardInterrupt" in ended.stdout) is bool(more)


def test_ctrl_c_while_reports_are_written_is_told_in_a_line(small: Path, pytester: pytest.Pytester) -> None:
    command, environment = own_process()
    subprocess.run(command, env=environment, capture_output=True, check=False)
    folder = pytester.path / "haystack-report"
    assert (folder / "heatmap.png").is_file()
    pytester.makeconftest(
        """
        import sys

        def interrupt(event, arguments):
            if event == "open" and "heatmap" in str(arguments[0]) and "w" in str(arguments[1]):
                raise KeyboardInterrupt

        sys.addaudithook(interrupt)
        """
    )

    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    assert done.returncode == pytest.ExitCode.INTERRUPTED
    told = (
        "haystack: Ctrl-C: not all reports are written; `pytest-haystack report haystack-report` makes them of the rows"
    )
    assert told in done.stdout
    assert "Traceback" not in done.stdout + done.stderr
    # What was drawn of an earlier run would be taken for this one's.
    assert sorted(path.name for path in folder.glob("*.png")) == []
