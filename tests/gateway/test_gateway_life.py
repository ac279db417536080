"""How the gateway comes up, and above all that it always ends."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

import pytest_haystack
from pytest_haystack.errors import HaystackError, ModelError
from pytest_haystack.running.gateway import folders
from pytest_haystack.running.gateway.client import GatewayClient
from pytest_haystack.running.gateway.process import GatewayProcess
from pytest_haystack.running.gateway.wire import parse_address
from tests.gateway.entries import CANARY, KEY_ENV, entry, say
from tests.support.openai_server import OpenAIServer, answer

pytestmark = pytest.mark.usefixtures("started_processes")
ROOT = Path(pytest_haystack.__file__).parents[1]
posix = pytest.mark.skipif(sys.platform == "win32", reason="signals and sockets in files are POSIX's")
linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")


def socket_of(gateway: GatewayProcess) -> Path:
    address = parse_address(gateway.address)
    assert isinstance(address, str)
    return Path(address)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    return not (status.exists() and status.read_text().rpartition(")")[2].split()[0] == "Z")


def wait_until(true: Callable[[], bool]) -> bool:
    """Wait for what must come, for two minutes at most; False when it did not."""
    deadline = time.monotonic() + 120
    while not true():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def ask(gateway: GatewayProcess, model: str, text: str = "Which number?") -> str | None:
    client = GatewayClient(gateway.address, gateway.authkey)
    try:
        return client.complete(model, say(text), 10, 0).text
    finally:
        client.close()


@pytest.fixture
def cold() -> Generator[GatewayProcess, None, None]:
    """A gateway that has no reason to import litellm."""
    models = {"keyless": entry("keyless", "http://127.0.0.1:9/v1", api_key_env="NO_SUCH_VARIABLE")}
    with GatewayProcess.start(models, None, warm=False) as gateway:
        yield gateway


@linux
def test_an_error_that_can_be_found_without_litellm_does_not_import_it(cold: GatewayProcess) -> None:
    for model in ("keyless", "unknown"):
        with pytest.raises(ModelError) as caught:
            ask(cold, model)
        assert caught.value.outcome == "config_error"

    assert "pydantic_core" not in Path(f"/proc/{cold.pid}/maps").read_text()
    cold.warm()
    assert wait_until(lambda: "pydantic_core" in Path(f"/proc/{cold.pid}/maps").read_text())


def test_stop_ends_the_child_and_removes_its_socket(cold: GatewayProcess) -> None:
    path = socket_of(cold)
    assert path.exists()

    cold.stop()

    assert not alive(cold.pid)
    assert not path.parent.exists()
    cold.stop()  # again: nothing happens
    cold.warm()


@posix
def test_the_socket_is_for_its_owner_alone(cold: GatewayProcess) -> None:
    assert socket_of(cold).parent.stat().st_mode & 0o077 == 0


@posix
def test_callers_without_the_key_are_sent_away_and_others_are_served_meanwhile(cold: GatewayProcess) -> None:
    with pytest.raises(ModelError) as caught:
        GatewayClient(cold.address, "guessed").complete("keyless", say("?"), 10, 0)
    assert caught.value.outcome == "infra_error"

    with socket.socket(socket.AF_UNIX) as silent:
        silent.connect(str(socket_of(cold)))
        with pytest.raises(ModelError, match="NO_SUCH_VARIABLE"):
            ask(cold, "keyless")
    with pytest.raises(ModelError, match="NO_SUCH_VARIABLE"):
        ask(cold, "keyless")


def test_a_gateway_that_has_ended_is_an_error_at_once(cold: GatewayProcess) -> None:
    client = GatewayClient(cold.address, cold.authkey)
    with pytest.raises(ModelError, match="NO_SUCH_VARIABLE"):
        client.complete("keyless", say("?"), 10, 0)
    cold.stop()

    for asker in (client, GatewayClient(cold.address, cold.authkey)):
        with pytest.raises(ModelError, match="has ended") as caught:
            asker.complete("keyless", say("?"), 10, 0)
        assert caught.value.outcome == "infra_error"


@posix
def test_a_port_serves_where_a_socket_in_a_file_cannot(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    deep = tmp_path / ("long" * 30)
    deep.mkdir()
    monkeypatch.setenv("TMPDIR", str(deep))

    with GatewayProcess.start({}, None, warm=False) as gateway:
        assert gateway.address.startswith("tcp:127.0.0.1:")
        with pytest.raises(ModelError, match="not told of this model"):
            ask(gateway, "unknown")
    assert list(deep.iterdir()) == []


def test_files_of_the_working_directory_do_not_hide_libraries(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("json", "asyncio", "litellm"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('the wrong one')")
    monkeypatch.chdir(tmp_path)

    with (
        GatewayProcess.start({}, None, warm=False) as gateway,
        pytest.raises(ModelError, match="not told of this model"),
    ):
        ask(gateway, "unknown")


def test_a_child_that_fails_at_start_tells_why_without_keys(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    broken = f"""
import os, sys
sys.stderr.write("RuntimeError: no room for " + os.environ["{KEY_ENV}"] + chr(10) + "(end of report)")
os._exit(3)
"""
    (tmp_path / "sitecustomize.py").write_text(broken)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    with pytest.raises(HaystackError, match="did not start") as caught:
        GatewayProcess.start({"m": entry("m", None)}, None, warm=False)

    assert "exit code 3" in str(caught.value)
    assert "RuntimeError: no room for [redacted]" in str(caught.value)
    assert CANARY not in str(caught.value)
    assert capfd.readouterr() == ("", "")


@posix
def test_folders_that_killed_gateways_left_are_cleaned_up(
    cold: GatewayProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed = GatewayProcess.start({}, None, warm=False)
    left = socket_of(killed)
    os.kill(killed.pid, signal.SIGKILL)
    assert wait_until(lambda: not alive(killed.pid))
    unborn = folders.socket_path()
    assert unborn is not None
    assert left.parent.exists()

    with GatewayProcess.start({}, None, warm=False):
        assert not left.parent.exists()
        assert unborn.parent.exists()  # another gateway may be about to listen there
        assert socket_of(cold).exists()
    os.utime(unborn.parent, (0, 0))
    folders.clean_up()

    assert not unborn.parent.exists()
    killed.stop()


PARENT = """
import os, sys, time
from pytest_haystack.running.gateway.process import GatewayProcess
gateway = GatewayProcess.start({}, None, warm=True)
print(gateway.pid, gateway.address, flush=True)
time.sleep(60)
"""


@posix
def test_the_child_ends_when_its_parent_is_killed_even_while_it_imports(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    parent = subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True, env=environment)
    assert parent.stdout is not None
    pid, address = parent.stdout.readline().split()
    assert alive(int(pid))

    parent.kill()
    parent.wait()
    parent.stdout.close()

    assert wait_until(lambda: not alive(int(pid)))
    path = parse_address(address)
    assert isinstance(path, str)
    assert not Path(path).parent.exists()


@posix
def test_ctrl_c_leaves_the_child_to_its_parent(cold: GatewayProcess) -> None:
    os.kill(cold.pid, signal.SIGINT)

    with pytest.raises(ModelError, match="NO_SUCH_VARIABLE"):
        ask(cold, "keyless")


INTERRUPTED = """
import json, os, signal, sys, threading
from pytest_haystack.running.gateway.client import GatewayClient
client = GatewayClient(sys.argv[1], sys.argv[2])
ask = lambda text: client.complete("slow", [{"role": "user", "content": text}], 10, 0).text
print("asking", flush=True)
try:
    ask("slow")
except KeyboardInterrupt:
    # The answer to the first question must not be taken for that to the second.
    print(json.dumps(ask("quick")), flush=True)
"""


@posix
def test_clients_that_wait_are_interrupted_or_told_when_the_gateway_is_killed(server: OpenAIServer) -> None:
    base = server.base("slow", lambda request: answer(request.text, delay=60 if request.text == "slow" else 0))
    gateway = GatewayProcess.start({"slow": entry("slow", base)}, None, warm=True)
    try:
        command = [sys.executable, "-c", INTERRUPTED, gateway.address, gateway.authkey]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        interrupted = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        assert wait_until(lambda: server.count("slow") == 1)
        interrupted.send_signal(signal.SIGINT)
        out, _ = interrupted.communicate(timeout=120)
        assert json.loads(out.splitlines()[-1]) == "quick"
        assert interrupted.returncode == 0

        failures: list[ModelError] = []

        def wait_for_an_answer() -> None:
            try:
                ask(gateway, "slow", "slow")
            except ModelError as error:
                failures.append(error)

        waiting = [threading.Thread(target=wait_for_an_answer) for _ in range(3)]
        for thread in waiting:
            thread.start()
        time.sleep(0.3)
        assert failures == []
        os.kill(gateway.pid, signal.SIGKILL)
        for thread in waiting:
            thread.join(10)

        assert [error.outcome for error in failures] == ["infra_error"] * 3
        assert all("has ended" in str(error) for error in failures)
    finally:
        gateway.stop()
    assert not socket_of(gateway).parent.exists()


def test_stop_tells_those_who_wait(server: OpenAIServer) -> None:
    base = server.base("stopped", answer("late", delay=60))
    gateway = GatewayProcess.start({"stopped": entry("stopped", base)}, None, warm=False)
    outcomes: list[str] = []

    def wait_for_an_answer() -> None:
        try:
            ask(gateway, "stopped")
        except ModelError as error:
            outcomes.append(error.outcome)

    # It waits for litellm, which takes longer to import than this test runs.
    thread = threading.Thread(target=wait_for_an_answer)
    thread.start()
    time.sleep(0.3)
    gateway.stop()
    thread.join(10)

    assert outcomes == ["infra_error"]


@linux
def test_neither_settings_nor_keys_stand_on_the_command_line(cold: GatewayProcess) -> None:
    command = Path(f"/proc/{cold.pid}/cmdline").read_text()

    assert cold.authkey not in command
    assert CANARY not in command
