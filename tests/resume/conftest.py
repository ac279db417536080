"""Paid sweeps in a temporary project, run as processes of their own, that can be killed and gone on with."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from tests.resume.own_models import ANSWERS
from tests.resume.own_models import CONFIG as OWN
from tests.support.openai_server import OpenAIServer, Received, Reply, answer
from tests.support.runs import LEFT_OUT, own_process

#: One request at a time for each process: these tests break runs off at a certain one.
STEP_BY_STEP = "execution: {look_ahead: 0}\n"
#: Fields that differ between two runs that say the same.
CHANGING = ("run_id", "timestamp_utc", "latency_seconds")
CONFIG = """\
name: paid
models:
  - id: good
    model: openai/served
    api_base: {base}
    api_key_env: RESUME_KEY
    request: {{temperature: 0, max_tokens: 32}}
    limits: {{retries: 0, in_flight: 4, timeout: 20}}
    pricing: {{input: 1.0, output: 2.0}}
haystack: {{source: synthetic}}
sweep: {{context_lengths: [400, 600], depth_percents: [0, 50, 100], trials: {trials}}}
threshold: 0.5
tasks: [single]
"""


def finds_it(request: Received) -> Reply:
    """The value that the question asks for, as a good model finds it."""
    found = re.search(r"Question: What is the (.*) of (.*)\?", request.text)
    assert found is not None
    said = re.search(rf"The {re.escape(found[1])} of {re.escape(found[2])} is (.*?)\.(\s|$)", request.text)
    count = len(request.text) // 4
    return answer(said[1] if said else "?", usage={"prompt_tokens": count, "completion_tokens": 9})


class Project:
    """A folder with a sweep file in it, whose model is a path of the server."""

    def __init__(self, path: Path, server: OpenAIServer, name: str, within: pytest.Pytester | None = None) -> None:
        """Runs that need no process of their own are run ``within`` this one."""
        self.path, self.server, self.name = path, server, name
        self._within = within
        self.report = path / "haystack-report"

    def write(self, trials: int = 1, more: str = "") -> None:
        """The sweep file."""
        text = CONFIG.format(base=self.server.base(self.name), trials=trials) + STEP_BY_STEP + more
        (self.path / "haystack.yaml").write_text(text, encoding="utf-8")

    def write_own(self, trials: int = 1, hook: str = "", model: str = "python:answers:answer", more: str = "") -> None:
        """A sweep of a function of the project's own; ``hook`` is the body of what runs before each answer."""
        (self.path / "haystack.yaml").write_text(OWN.format(model=model, trials=trials) + more, encoding="utf-8")
        (self.path / "answers.py").write_text(
            ANSWERS.replace("    pass\n", f"    {hook or 'pass'}\n"), encoding="utf-8"
        )

    def own_asked(self) -> Counter[str]:
        """How often the project's own function was asked each prompt and trial."""
        path = self.path / "asked.log"
        return Counter(path.read_text().splitlines() if path.exists() else ())

    def start(self, *args: str, pythonpath: Path | None = None, **options: Any) -> subprocess.Popen[str]:
        """Run pytest on the sweep, as a process that leads a group of its own."""
        # A gateway that is forked is no child, and has no limits of its parent.
        command, environment = own_process("-rsE", *args, forked=pythonpath is None and not options)
        environment |= {"RESUME_KEY": "k-e-y", "COLUMNS": "200"}
        if pythonpath is not None:
            environment["PYTHONPATH"] = os.pathsep.join([str(pythonpath), environment["PYTHONPATH"]])
        return subprocess.Popen(
            command,
            cwd=self.path,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            **options,
        )

    def run(self, *args: str, **options: Any) -> tuple[int, str]:
        """The same, to its end: exit code and what it said."""
        if self._within is not None and not options:
            told = ("-p", "no:cacheprovider", "-rsE", "--haystack-config", "haystack.yaml")
            result = self._within.runpytest_inprocess(*LEFT_OUT, *told, *args)
            return int(result.ret), "\n".join((*result.outlines, *result.errlines))
        process = self.start(*args, **options)
        said, _ = process.communicate(timeout=120)
        return process.returncode, said

    def asked(self) -> Counter[str]:
        """How often each prompt arrived at the server."""
        return Counter(got.text for got in self.server.received(self.name))

    def wait_for(self, requests: int) -> None:
        """Until the server has got so many requests."""
        self.until(lambda: self.server.count(self.name) >= requests)

    def until(self, condition: Callable[[], object]) -> None:
        """Until a condition holds."""
        end = time.monotonic() + 60
        while not condition():
            assert time.monotonic() < end, "waited in vain"
            time.sleep(0.01)

    def rows_written(self) -> int:
        """How many rows there are so far."""
        path = self.report / "results.jsonl"
        return path.read_bytes().count(b"\n") if path.exists() else 0

    def rows(self) -> list[dict[str, Any]]:
        """The rows of results.jsonl, without what no two runs have in common."""
        lines = (self.report / "results.jsonl").read_text(encoding="ascii").splitlines()
        return [{k: v for k, v in json.loads(line).items() if k not in CHANGING} for line in lines]

    def reports(self) -> dict[str, Any]:
        """The reports for machines, without times and ids."""
        junit = (self.report / "junit.xml").read_text(encoding="utf-8")
        summary = json.loads((self.report / "summary.json").read_text(encoding="utf-8"))
        return {
            "rows": self.rows(),
            "junit": re.sub(r' (time|timestamp)="[^"]*"', "", junit),
            "summary": timeless(summary),
        }


def timeless(value: Any) -> Any:
    """A JSON value without the keys that hold ids and times."""
    if isinstance(value, dict):
        told = {key: item for key, item in value.items() if not re.search("latency|seconds|run_id|started", key)}
        return {key: timeless(item) for key, item in told.items()}
    return [timeless(item) for item in value] if isinstance(value, list) else value


def kill(process: subprocess.Popen[str]) -> None:
    """kill -9 of this one process."""
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=60)


def kill_all(process: subprocess.Popen[str]) -> None:
    """kill -9 of a run with every process that it has started."""
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=60)


@pytest.fixture(scope="module")
def server() -> Generator[OpenAIServer, None, None]:
    with OpenAIServer() as running:
        yield running


@pytest.fixture
def project(
    pytester: pytest.Pytester, server: OpenAIServer, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Project:
    """A new project whose model answers at once and rightly."""
    monkeypatch.setenv("RESUME_KEY", "k-e-y")
    monkeypatch.setenv("COLUMNS", "200")
    return make_project(pytester.path, server, re.sub(r"\W", "-", request.node.name), pytester)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory, server: OpenAIServer) -> dict[str, Any]:
    """The reports of a run that came to its end at once."""
    project = make_project(tmp_path_factory.mktemp("undisturbed"), server, "undisturbed")
    code, said = project.run()
    assert code == 0, said
    return project.reports()


def make_project(path: Path, server: OpenAIServer, name: str, within: pytest.Pytester | None = None) -> Project:
    """A project in this folder."""
    server.base(name, finds_it)
    made = Project(path, server, name, within)
    made.write()
    return made
