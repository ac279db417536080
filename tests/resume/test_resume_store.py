"""The stores themselves: what is put in comes out, whoever else writes; what is wrong is told in one line."""

from __future__ import annotations

import shutil
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Generator
from pathlib import Path

import pytest

from pytest_haystack.errors import ModelError
from pytest_haystack.models.model import Completion, Usage
from pytest_haystack.running.store.answer_key import answer_key
from pytest_haystack.running.store.kept import KeepSettings, KeptAnswers
from pytest_haystack.running.store.place import open_existing, open_store, place_of
from pytest_haystack.running.store.store import Stored, StoreError
from tests.resume.conftest import Project

SERVER = shutil.which("redis-server")
ANSWER = Completion(
    "74\ud80021 \x00 é",
    reasoning="because",
    refusal="no",
    finish_reason="stop",
    usage=Usage(1, 2, None, 4),
    cost_usd=0.1 + 0.2,
    latency_seconds=1 / 3,
    provider_model="served",
    dropped_parameters=("seed",),
)
#: Puts a hundred answers of its own beside those of others: ``python -c WRITER PLACE NUMBER``.
WRITER = """\
import sys
from pytest_haystack.models.model import Completion
from pytest_haystack.running.store.place import open_store
from pytest_haystack.running.store.store import Stored
store = open_store(sys.argv[1])
for number in range(100):
    store.put(f"{sys.argv[2]}-{number}", Stored(Completion(str(number)), sys.argv[2]))
"""


@pytest.fixture(scope="module")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Generator[str, None, None]:
    """A Redis server of this module's own."""
    if SERVER is None:
        pytest.skip("no redis-server on this machine: install it (apt-get install redis-server), as .ci/run does")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folder = tmp_path_factory.mktemp("redis")
    options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--requirepass", "canary-pass"]
    process = subprocess.Popen([SERVER, *options, "--dir", str(folder)], stdout=subprocess.DEVNULL)
    end = time.monotonic() + 30
    while True:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        assert process.poll() is None, "redis-server ended"
        assert time.monotonic() < end, "redis-server does not listen"
        time.sleep(0.02)
    yield f"redis://:canary-pass@127.0.0.1:{port}/0"
    process.terminate()
    process.wait(30)


@pytest.fixture(params=["sqlite", "redis"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A place of each kind."""
    return str(tmp_path / "kept") if request.param == "sqlite" else request.getfixturevalue("redis_url")


def test_an_answer_comes_back_as_it_was_put_in(place: str) -> None:
    store = open_store(place)
    assert store.get("one") is None
    store.put("one", Stored(ANSWER, "run 1"))
    store.put("two", Stored(Completion(None), "run 1"))
    store.put("two", Stored(Completion("later"), "run 2"))
    store.close()

    other = open_store(place)
    found, replaced = other.get("one"), other.get("two")
    other.close()
    assert found is not None
    assert found.completion.from_store
    assert found.run == "run 1"
    assert found.completion == Completion(**{**{f: getattr(ANSWER, f) for f in ANSWER.__slots__}, "from_store": True})
    assert replaced is not None
    assert (replaced.completion.text, replaced.run) == ("later", "run 2")


def test_many_processes_write_at_once(place: str) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, place, str(number)]) for number in range(4)]
    assert [writer.wait(60) for writer in writers] == [0] * 4

    store = open_store(place)
    for number in range(4):
        for each in range(100):
            found = store.get(f"{number}-{each}")
            assert found is not None
            assert found.completion.text == str(each)
    store.close()


def test_a_file_that_is_no_store_or_a_newer_one_is_named(tmp_path: Path) -> None:
    (tmp_path / "answers.sqlite").write_bytes(b"these are not answers" * 100)
    with pytest.raises(StoreError, match=r"answers\.sqlite cannot be opened: file is not a database"):
        open_store(str(tmp_path))

    newer = tmp_path / "newer"
    open_store(str(newer)).close()
    with sqlite3.connect(newer / "answers.sqlite") as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(StoreError, match="newer version of pytest-haystack; update it"):
        open_store(str(newer))


def test_a_folder_that_was_there_is_not_hidden_from_git(tmp_path: Path) -> None:
    open_store(str(tmp_path)).close()
    assert not (tmp_path / ".gitignore").exists()
    assert open_existing(str(tmp_path / "nowhere")) is None
    assert not (tmp_path / "nowhere").exists()


def test_a_server_that_is_not_there_is_named_without_its_password() -> None:
    with pytest.raises(StoreError) as caught:
        open_store("redis://user:canary-pass@127.0.0.1:1/0")

    assert "redis://***@127.0.0.1:1/0 cannot be reached" in str(caught.value)
    assert "canary" not in str(caught.value)
    with pytest.raises(StoreError, match="no answer store: postgres://"):
        open_store("postgres://x/y")


def test_places_are_read_as_they_are_written(tmp_path: Path) -> None:
    assert place_of("kept", tmp_path) == str(tmp_path / "kept")
    assert place_of("redis://host/1", tmp_path) == "redis://host/1"


def test_a_key_follows_from_what_is_sent_alone() -> None:
    said = [{"role": "user", "content": "Which?"}]
    keys = {
        answer_key("m", None, {}, said, 0),
        answer_key("m2", None, {}, said, 0),
        answer_key("m", "http://here", {}, said, 0),
        answer_key("m", None, {"temperature": 0}, said, 0),
        answer_key("m", None, {}, [{"role": "system", "content": "Which?"}], 0),
        answer_key("m", None, {}, said, 1),
        answer_key("m", None, {}, said, 0, "fixture"),
    }
    assert len(keys) == 7
    assert answer_key("m", None, {"a": 1, "b": 2}, said, 0) == answer_key("m", None, {"b": 2, "a": 1}, said, 0)


def test_answers_of_this_run_and_of_resumed_ones_are_used(tmp_path: Path) -> None:
    def kept(run: str, resume: bool) -> KeptAnswers:
        return KeptAnswers(lambda: KeepSettings(str(tmp_path / "kept"), run, resume))

    kept("first", False).keep("k", ANSWER)

    assert kept("first", False).find("k") is not None
    assert kept("second", False).find("k") is None
    assert kept("second", True).find("k") is not None
    assert kept("second", True).find("k", afresh=True) is None


def test_after_a_write_that_failed_nothing_more_is_asked(tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("a file where a folder should be")
    kept = KeptAnswers(lambda: KeepSettings(str(tmp_path / "kept"), "run", False))

    kept.keep("k", ANSWER)

    with pytest.raises(ModelError, match=r"not asked, because answers cannot be kept in .*--haystack-store"):
        kept.find("another")


def test_a_run_is_resumed_from_a_shared_store_on_another_machine(
    project: Project, redis_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHARED_STORE", redis_url)
    path = project.path / "haystack.yaml"
    path.write_text(path.read_text() + "store: ${SHARED_STORE}\n")
    code, said = project.run()
    assert code == 0, said
    assert not (project.path / ".haystack").exists()
    everything = said + "".join(
        file.read_text(encoding="utf-8", errors="replace") for file in project.report.iterdir() if file.is_file()
    )
    assert "canary-pass" not in everything
    other = Project(tmp_path / "other", project.server, project.name)
    other.path.mkdir()
    shutil.copy(path, other.path)

    code, said = other.run("--haystack-resume", "-n", "2")

    assert code == 0, said
    assert "6 passed" in said
    assert project.asked().total() == 6
