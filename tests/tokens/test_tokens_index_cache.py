"""Indexes on disk: made once, shared by processes, never trusted when damaged."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_haystack.tokens import index as index_module
from pytest_haystack.tokens import index_cache
from pytest_haystack.tokens.index import TokenIndex
from pytest_haystack.tokens.index_cache import cached_index
from pytest_haystack.tokens.vocabularies import VOCABULARIES, load_encoding
from tests.documents.sample_texts import LANGUAGES, sample_text

#: Text that takes long enough to index for processes to meet over it.
LONG = 600_000


def english(characters: int = LONG) -> str:
    return sample_text("english", characters)


def same(one: TokenIndex, other: TokenIndex) -> bool:
    return list(one.positions) == list(other.positions) and list(one.counts) == list(other.counts)


class Refusing:
    """An encoding that must not be asked."""

    name = "cl100k_base"
    sha256 = None

    def count(self, text: str) -> int:
        raise AssertionError("the text was tokenised again")

    encode = decode = count


@pytest.mark.parametrize("vocabulary", sorted(VOCABULARIES))
@pytest.mark.parametrize("kind", [*LANGUAGES, "odd"])
def test_all_cores_count_like_one(kind: str, vocabulary: str, monkeypatch: pytest.MonkeyPatch) -> None:
    odd = "<|endoftext|> word 🙂 " * 3000 + " " * 40_000 + "a" * 50_000 + " 7 " * 20_000 + "\n\n漢、字 " * 5000
    text = odd if kind == "odd" else sample_text(kind, 200_000)
    encoding = load_encoding(vocabulary)

    alone = TokenIndex.of(text, encoding)
    monkeypatch.setattr(index_module, "_LONG", 1000)
    together = TokenIndex.of(text, encoding)

    assert len(alone.positions) > 1000
    assert same(together, alone)
    assert together.last.tokens == encoding.count(text[: together.last.position])


def test_lone_surrogates_are_counted_as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "word \ud800 word. " * 20_000
    encoding = load_encoding("cl100k_base")
    alone = TokenIndex.of(text, encoding)
    monkeypatch.setattr(index_module, "_LONG", 1000)

    assert same(TokenIndex.of(text, encoding), alone)


def test_a_second_look_costs_no_tokenising(tmp_path: Path) -> None:
    first = cached_index(english(), load_encoding("cl100k_base"), tmp_path)

    again = cached_index(english(), Refusing(), tmp_path)

    assert same(again, first)
    assert [again.before(position) for position in (0, 999, 300_000)] == [
        first.before(position) for position in (0, 999, 300_000)
    ]


def test_another_text_or_vocabulary_has_an_index_of_its_own(tmp_path: Path) -> None:
    for vocabulary in ("cl100k_base", "p50k_base"):
        for text in (english(), english() + " And more."):
            encoding = load_encoding(vocabulary)
            assert same(cached_index(text, encoding, tmp_path), TokenIndex.of(text, encoding))

    assert len(list(tmp_path.glob("*.index"))) == 4


def cut(data: bytes) -> bytes:
    return data[:-9]


def flipped(data: bytes) -> bytes:
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]


def emptied(data: bytes) -> bytes:
    return b""


def zeroed(data: bytes) -> bytes:
    return bytes(len(data))


def other_format(data: bytes) -> bytes:
    return b"haystack-index-0" + data[16:]


@pytest.mark.parametrize("damage", [cut, flipped, emptied, zeroed, other_format])
def test_a_damaged_file_is_made_again(damage: Callable[[bytes], bytes], tmp_path: Path) -> None:
    encoding = load_encoding("cl100k_base")
    right = TokenIndex.of(english(), encoding)
    cached_index(english(), encoding, tmp_path)
    (file,) = tmp_path.glob("*.index")
    whole = file.read_bytes()
    # A new file: the old one may still be mapped.
    file.unlink()
    file.write_bytes(damage(whole))

    assert same(cached_index(english(), encoding, tmp_path), right)
    assert file.read_bytes() == whole


def test_without_a_folder_to_write_to_it_is_made_each_time(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    encoding = load_encoding("cl100k_base")

    found = cached_index(english(), encoding, tmp_path / "file" / "indexes")

    assert same(found, TokenIndex.of(english(), encoding))


def test_what_was_used_longest_ago_makes_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    encoding = load_encoding("cl100k_base")
    texts = [f"Text {number}. {english()}" for number in range(3)]
    files = []
    for number, text in enumerate(texts):
        cached_index(text, encoding, tmp_path)
        (new,) = set(tmp_path.glob("*.index")) - set(files)
        os.utime(new, (1000 + number, 1000 + number))
        files.append(new)
    cached_index(texts[0], encoding, tmp_path)  # used again just now
    monkeypatch.setattr(index_cache, "LARGEST_CACHE", sum(file.stat().st_size for file in files))

    cached_index(f"Text 4. {english()}", encoding, tmp_path)

    assert [file.exists() for file in files] == [True, False, True]
    assert len(list(tmp_path.glob("*.index"))) == 3


PROCESS = """
import sys, time
from pathlib import Path
from pytest_haystack.tokens.index_cache import cached_index
from pytest_haystack.tokens.vocabularies import TiktokenEncoding, load_encoding
from tests.documents.sample_texts import sample_text

whole = TiktokenEncoding.token_ends

def counted(self, text):
    with open(sys.argv[2], "a") as file:
        file.write("x")
    time.sleep(float(sys.argv[3]))
    return whole(self, text)

TiktokenEncoding.token_ends = counted
index = cached_index(sample_text("english", 600_000), load_encoding("cl100k_base"), Path(sys.argv[1]))
print(index.last.tokens)
"""


def start(folder: Path, log: Path, pause: float) -> subprocess.Popen[str]:
    root = Path(index_cache.__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    command = [sys.executable, "-c", PROCESS, str(folder), str(log), str(pause)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)


def test_processes_that_start_at_once_make_it_once(tmp_path: Path) -> None:
    log, alone = tmp_path / "log", tmp_path / "alone"
    with start(tmp_path / "one", alone, 0) as one:
        right = one.communicate()[0]

    processes = [start(tmp_path / "cache", log, 0) for _ in range(4)]
    found = {process.communicate()[0] for process in processes}

    assert found == {right}
    assert log.read_text() == alone.read_text()


def test_a_writer_that_is_killed_leaves_the_others_nothing_wrong(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with start(tmp_path / "cache", log, 600) as killed:
        while not log.exists():
            time.sleep(0.05)
        waiting = start(tmp_path / "cache", tmp_path / "other", 0)
        killed.send_signal(signal.SIGKILL)

    tokens = waiting.communicate()[0]

    encoding = load_encoding("cl100k_base")
    assert int(tokens) == TokenIndex.of(english(), encoding).last.tokens
    assert same(cached_index(english(), Refusing(), tmp_path / "cache"), TokenIndex.of(english(), encoding))
