"""With workers: one window for all of them, under every way in which tests are dealt out."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.lookahead.test_lookahead_runs import CELLS, Run, sweep, wrong  # noqa: F401  (the fixture `sweep`)
from tests.support.openai_server import OpenAIServer
from tests.support.runs import own_process

#: Notes which processes import litellm. The package alone is also looked for, to find its files.
COUNTER = """
import os, sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "litellm.main":
            with open(os.environ["LITELLM_IMPORTS"], "a") as file:
                file.write(f"{os.getpid()}\\n")

sys.meta_path.insert(0, Finder())
"""


@pytest.mark.parametrize("dist", ["load", "worksteal", "loadscope", "each"])
def test_each_cell_is_asked_for_once(sweep: Any, run: Run, server: OpenAIServer, dist: str) -> None:  # noqa: F811
    path = sweep(dist)
    times = 2 if dist == "each" else 1
    workers = ("--tx", "2*popen", "--dist", dist) if dist == "each" else ("-n", "2", "--dist", dist)
    run("--haystack-model", "m", *workers).assert_outcomes(passed=times * CELLS, xfailed=times)

    assert server.count(path) == CELLS
    assert server.peak(path) == 4


def test_a_failure_ends_it_within_the_window_of_all_workers(
    sweep: Any,  # noqa: F811
    run: Run,
    server: OpenAIServer,
) -> None:
    path = sweep("stops", wrong)
    run("--maxfail", "1", "-n", "4", "--dist", "worksteal", "--haystack-model", "m")

    # What four workers ask themselves, and have begun to ask when the first one fails, stands beside the window.
    assert 1 <= server.count(path) <= 8 + 2 * 4


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_the_death_of_a_worker_loses_no_answer(
    sweep: Any,  # noqa: F811
    run: Run,
    server: OpenAIServer,
    pytester: pytest.Pytester,
) -> None:
    path = sweep("killed")
    pytester.makeconftest("""
        import os, pathlib, signal

        def pytest_runtest_call(item):
            seen = pathlib.Path(__file__).with_name("killed")
            if "depth33.33" in item.name and "PYTEST_XDIST_WORKER" in os.environ and not seen.exists():
                seen.touch()
                os.kill(os.getpid(), signal.SIGKILL)
        """)
    run("--haystack-model", "m", "-n", "2").assert_outcomes(passed=CELLS, xfailed=1)

    assert (pytester.path / "killed").exists()
    assert server.count(path) == CELLS


def test_litellm_is_imported_once_however_many_workers_there_are(
    sweep: Any,  # noqa: F811
    server: OpenAIServer,
    pytester: pytest.Pytester,
    tmp_path: Path,
) -> None:
    path = sweep("imports")
    (tmp_path / "sitecustomize.py").write_text(COUNTER)
    imports = tmp_path / "imports"
    command, environment = own_process("-q", "-n", "4", "--haystack-model", "m", forked=False)
    environment["PYTHONPATH"] = os.pathsep.join([str(tmp_path), environment["PYTHONPATH"]])
    environment["LITELLM_IMPORTS"] = str(imports)
    done = subprocess.run(
        command,
        cwd=pytester.path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert "29 passed" in done.stdout, done.stdout + done.stderr
    assert server.count(path) == CELLS
    assert len(imports.read_text().splitlines()) == 1
