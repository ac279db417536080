"""Sweeps of local models: a real one through llama.cpp, and what is told where it cannot be had.

The real ones need `pip install 'pytest-haystack[local]'` and `pytest-haystack fetch local/smollm2`.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml

from pytest_haystack.models.local import weights_file
from tests.support.processes import wait_for, wait_until_gone

Run = Callable[..., pytest.RunResult]
Command = Callable[..., "subprocess.CompletedProcess[str]"]

WEIGHTS = weights_file("local/smollm2", Path())
needs_runtime = pytest.mark.skipif(find_spec("xllamacpp") is None, reason="xllamacpp is not installed")
needs_weights = pytest.mark.skipif(
    find_spec("xllamacpp") is None or not WEIGHTS.is_file(), reason="xllamacpp or the weights are not here"
)
needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")

CONFIG = """\
name: local
models:
  - {{id: small, model: "{model}", request: {{max_tokens: 24}}}}
haystack: {{source: essays}}
sweep: {{context_lengths: {lengths}, depth_percents: [100]}}
threshold: 0
tasks: [single]
"""
#: The command that runs a server, by its end.
CHILD = "pytest_haystack.running.gateway.local_child"


@pytest.fixture(autouse=True)
def _cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """The user's own cache, although tests have a home of their own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(WEIGHTS.parents[2]))


def config(model: str = "local/smollm2", lengths: str = "[100]") -> str:
    return CONFIG.format(model=model, lengths=lengths)


@needs_weights
def test_a_real_model_answers_without_a_key(write: Any, run: Run, rows: Any, workers: tuple[str, ...]) -> None:
    write(config(lengths="[100, 9000]"))
    run(*workers).assert_outcomes(passed=1, skipped=1)
    answered, skipped = sorted(rows(), key=lambda row: row["context_length"])

    assert answered["outcome"] == "answered"
    assert answered["score"] == 1.0
    assert answered["model"] == "local/smollm2"
    assert answered["provider_model"] == "SmolLM2-135M-Instruct.Q4_1"
    assert answered["finish_reason"] == "stop"
    assert answered["cost_usd"] == 0.0
    assert answered["latency_seconds"] > 0
    assert 130 < answered["usage"]["input_tokens"] < 300
    assert 0 < answered["usage"]["output_tokens"] <= 24
    assert answered["usage"]["cached_tokens"] is not None
    assert skipped["outcome"] == "context_overflow"
    assert skipped["error"] == "9,000 tokens exceed the model's window of 8,192"


@needs_weights
def test_the_server_counts_a_prompt_that_is_near_its_window(write: Any, run: Run, rows: Any) -> None:
    write(config(f"local:{WEIGHTS}", "[300]").replace("request:", "context_window: 320, request:"))
    run().assert_outcomes(skipped=1)
    [row] = rows()

    assert row["outcome"] == "context_overflow"
    assert row["error"].startswith("the prompt's ")
    assert row["error"].endswith(" tokens, as its server counts them, exceed the model's window of 320")


@needs_runtime
def test_a_file_that_is_no_model_is_an_error_in_each_cell(write: Any, run: Run, rows: Any, pytester: Any) -> None:
    (pytester.path / "mine.gguf").write_bytes(b"GGUF, but nothing more")
    write(config("local:mine.gguf", "[100, 200]"))
    run().assert_outcomes(errors=2)

    for row in rows():
        assert row["outcome"] == "config_error"
        assert row["error"].startswith("small: llama.cpp cannot serve it (it ended): ")


@needs_runtime
@pytest.mark.parametrize(
    ("model", "words"),
    [
        (
            "local/smollm2",
            "the weights of local/smollm2 are not here yet: run `pytest-haystack fetch local/smollm2`",
        ),
        ("local:absent.gguf", "local:absent.gguf: no such file: {folder}/absent.gguf"),
    ],
)
def test_missing_weights_are_told_before_anything_runs(
    write: Any,
    run: Run,
    workers: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
    model: str,
    words: str,
    pytester: Any,
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(pytester.path / "empty"))
    write(config(model))
    result = run(*workers)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: haystack.yaml:3: models.0: {words.format(folder=pytester.path)}"])
    assert "Traceback" not in result.stderr.str() + result.stdout.str()


def test_a_missing_runtime_is_told_with_the_command_that_installs_it(
    write: Any, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pytest_haystack.models.local.find_spec", lambda name: None)
    write(config())
    result = run()

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["*haystack.yaml:3: models.0: local/smollm2 needs llama.cpp: run `pip install 'pytest-haystack[[]local]'`"]
    )


def test_plans_and_other_models_need_no_weights(
    write: Any, run: Run, installed: Command, monkeypatch: pytest.MonkeyPatch, pytester: Any
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(pytester.path / "empty"))
    write(config().replace("models:", "models:\n  - {id: reader, model: simulated/perfect}"))

    assert installed("validate").returncode == 0
    planned = installed("plan").stdout
    assert "small" in planned
    assert "unknown" not in planned
    assert run("--collect-only").ret == 0
    assert run("--haystack-dry-run").ret == 0
    run("-k", "reader").assert_outcomes(passed=1)
    run("-k", "reader", "-n", "2").assert_outcomes(passed=1)
    run("--haystack-model", "reader", "-n", "2").assert_outcomes(passed=1)


def test_defaults_of_a_local_model_are_in_the_resolved_config(write: Any, run: Run) -> None:
    write(config().replace("models:", "models:\n  - {id: reader, model: simulated/perfect}"))
    run("--haystack-model", "reader").assert_outcomes(passed=1)
    _, small = yaml.safe_load(Path("haystack-report/config.resolved.yaml").read_text())["models"]

    assert small["request"] == {"temperature": 0, "max_tokens": 24}
    assert small["limits"]["in_flight"] == 1
    assert small["limits"]["timeout"] == 600


@pytest.mark.parametrize(
    ("entry", "line"),
    [
        (
            "{model: local/smol}",
            (
                "haystack.yaml:3: models.0.model: 'smol' is no local model; did you mean 'smollm2'?; for a file of "
                "your own write local:FILE.gguf"
            ),
        ),
        (
            "{model: local:mine.bin}",
            "haystack.yaml:3: models.0.model: 'local:mine.bin': name a GGUF file, e.g. local:models/mine.gguf",
        ),
        (
            "{model: local/smollm2, api_base: http://127.0.0.1:1}",
            "haystack.yaml:3: models.0.api_base: a local model has its own server; remove this key",
        ),
    ],
)
def test_mistakes_in_an_entry_are_told(write: Any, installed: Command, entry: str, line: str) -> None:
    text = config().splitlines()
    text[2] = f"  - {entry}"
    write("\n".join(text))

    assert installed("validate").stderr.splitlines() == [line]


@contextmanager
def running(pytester: Any, *args: str) -> Generator[subprocess.Popen[str], None, None]:
    """pytest on the sweep in a session of its own, killed at the end if need be."""
    process = subprocess.Popen(
        [sys.executable, "-m", "pytest", "--haystack-config", "haystack.yaml", *args],
        cwd=pytester.path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


@needs_weights
@needs_proc
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_the_one_server_of_a_session_ends_with_it_however_that_ends(
    write: Any, pytester: Any, how: signal.Signals
) -> None:
    write(config(lengths="[100, 300, 400, 500, 600, 700, 800, 900]"))
    with running(pytester, "-n", "2") as process:
        servers = wait_for(CHILD, process.pid)
        assert len(servers) == 1
        if how == signal.SIGKILL:
            process.kill()
        else:
            os.killpg(process.pid, how)
        process.communicate(timeout=60)
        wait_until_gone(servers)
