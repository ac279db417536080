"""The bundled essays: found wherever the package is, in versions that never change."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_haystack.errors import SourceError
from pytest_haystack.haystacks import essays as module
from pytest_haystack.haystacks.essays import Essays, FirstEssays, essay_files
from pytest_haystack.haystacks.source import SourceOptions
from pytest_haystack.registry import NEWEST, Registry
from pytest_haystack.tokens.vocabularies import load_encoding
from tests.haystacks.essays import FILES, FOLDER

ROOT = FOLDER.parents[1]
EVERY_VERSION = pytest.mark.parametrize("cls", [FirstEssays, Essays], ids=lambda cls: cls.name)


def test_the_essays_are_joined_by_blank_lines_in_the_order_of_their_list() -> None:
    essays = Essays(SourceOptions(), ROOT)
    text = essays.read(1)

    assert text == "\n\n".join(file.read_text(encoding="utf-8").strip("\n") for file in FILES)
    assert text == essays.read(10**9)
    assert essays.sha256 == hashlib.sha256(text.encode()).hexdigest()


def test_no_version_ever_changes() -> None:
    # Whoever changes one of these changes every prompt of that version. New essays are a new version.
    assert {cls.name: cls(SourceOptions(), ROOT).sha256 for cls in (FirstEssays, Essays)} == {
        "essays@1": "46aae407343cd11968c96074d2a8f14441676567d7f3903f82ad6223f14876fd",
        "essays@2": "6b1d1475f55cba0703c005b79fe8d85e85ea7f53e574717a0c3fe82b447e87cb",
    }


@EVERY_VERSION
def test_a_version_lists_its_essays_as_sha256sum_does(cls: type[Essays]) -> None:
    lines = (FOLDER / f"{cls.version}.sha256").read_text(encoding="ascii").splitlines()

    assert lines == [
        f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}" for file, _ in essay_files(cls.version)
    ]
    assert len(lines) == len(set(lines))


def test_every_essay_belongs_to_the_newest_version_and_begins_with_those_of_the_first() -> None:
    assert sorted(FOLDER.glob("*.txt")) == FILES
    assert {file.name for file in FOLDER.iterdir()} == {*(file.name for file in FILES), "1.sha256", "2.sha256"}
    assert essay_files(2)[:8] == essay_files(1)


def test_the_bare_name_means_the_newest_version() -> None:
    sources = Registry().sources
    versions = [int(name.partition("@")[2]) for name in sources if re.fullmatch(r"essays@\d+", name)]

    assert NEWEST["essays"] == f"essays@{max(versions)}" == Essays.name
    assert sources["essays"] is sources[NEWEST["essays"]]
    for version in versions:
        assert (sources[f"essays@{version}"].name, sources[f"essays@{version}"].version) == (
            f"essays@{version}",
            version,
        )


def test_the_readme_says_how_much_text_there_is() -> None:
    text = Essays(SourceOptions(), ROOT).read(1)
    tokens = load_encoding("cl100k_base").count(text)
    words = len(text.split()) // 10_000 * 10_000

    assert f"{len(FILES)} bundled essays of {words:,} words ({tokens:,} tokens)" in (ROOT / "README.md").read_text()


def test_no_essay_was_made_longer_or_shorter_by_git() -> None:
    assert not any(b"\r" in file.read_bytes() for file in FILES)
    assert "haystacks/** -text" in (ROOT / ".gitattributes").read_text()


@pytest.mark.parametrize("damage", ["changed", "missing"])
def test_an_essay_that_is_not_the_listed_one_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: str
) -> None:
    shutil.copytree(FOLDER, tmp_path / "essays")
    monkeypatch.setattr(module, "PLACES", (tmp_path / "essays",))
    assert Essays(SourceOptions(), ROOT).read(1)

    damaged = tmp_path / "essays" / FILES[20].name
    if damage == "changed":
        damaged.write_bytes(damaged.read_bytes() + b"\n")
    else:
        damaged.unlink()

    with pytest.raises(SourceError, match=rf"essay {FILES[20].name} is missing or has been changed; reinstall"):
        Essays(SourceOptions(), ROOT).read(1)
    assert FirstEssays(SourceOptions(), ROOT).read(1)


def copied_package(folder: Path) -> Path:
    shutil.copytree(ROOT / "pytest_haystack", folder / "pytest_haystack", ignore=shutil.ignore_patterns("bundled"))
    return folder


def sha256_seen_from(folder: Path) -> subprocess.CompletedProcess[str]:
    program = (
        f"import sys; sys.path.insert(0, {str(folder)!r})\n"
        "from pathlib import Path\n"
        "from pytest_haystack.haystacks import essays, source\n"
        f"assert Path(essays.__file__).is_relative_to({str(folder)!r})\n"
        "print(essays.Essays(source.SourceOptions(), Path()).sha256)\n"
    )
    return subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("place", ["pytest_haystack/bundled", "haystacks"], ids=["wheel", "checkout"])
def test_wheel_and_checkout_have_the_same_essays(tmp_path: Path, place: str) -> None:
    folder = copied_package(tmp_path)
    shutil.copytree(ROOT / "haystacks", folder / place)

    seen = sha256_seen_from(folder)

    assert seen.stdout.strip() == Essays(SourceOptions(), ROOT).sha256, seen.stderr


def test_an_installation_without_essays_says_so(tmp_path: Path) -> None:
    seen = sha256_seen_from(copied_package(tmp_path))

    assert "SourceError: the bundled essays are missing from this installation; reinstall" in seen.stderr
