"""The lock file: one form, several haystacks, and mistakes that are told with their line."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_haystack.errors import ConfigError, NotFetchedError
from pytest_haystack.haystacks.remote.lock_file import LOCK_FILE, read_manifests, with_manifest, write_manifests
from pytest_haystack.haystacks.remote.manifest import Article, Licence, Manifest

Make = Callable[..., Any]

LETTERS = st.text("adenoxy", min_size=1, max_size=4)
LICENCE = Licence("CC BY-SA 4.0", "https://creativecommons.org/licenses/by-sa/4.0/")


def manifest(*titles: str, **options: Any) -> Manifest:
    articles = tuple(Article(f"{n}0", str(n), title, f"{n:064x}") for n, title in enumerate(titles))
    return Manifest("wikipedia", options, 1, LICENCE, "https://no.wikipedia.org/w/index.php?oldid={revision}", articles)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip), max_size=4),
    st.dictionaries(
        st.from_regex(r"[a-z]{1,8}", fullmatch=True), st.integers() | st.from_regex("[a-z]{2}", fullmatch=True)
    ),
)
def test_what_is_written_is_read_again(
    tmp_path_factory: pytest.TempPathFactory, titles: list[str], options: dict[str, Any]
) -> None:
    path = tmp_path_factory.mktemp("lock") / LOCK_FILE
    written = [manifest(*titles, **options), manifest("Another", language="no", count=1, seed=10**15)]
    write_manifests(path, written)
    read = read_manifests(path)

    assert [one.sha256 for one in read] == [one.sha256 for one in written]
    assert [one.options for one in read] == [one.options for one in written]
    assert [one.licence for one in read] == [one.licence for one in written]
    assert [len(one.articles) for one in read] == [len(one.articles) for one in written]
    assert yaml.safe_load(path.read_text(encoding="utf-8"))["form"] == 1


def test_titles_and_addresses_are_the_attribution(tmp_path: Path) -> None:
    write_manifests(tmp_path / LOCK_FILE, [manifest("奥尔河", "نهر", "A: b # c")])
    lines = (tmp_path / LOCK_FILE).read_text(encoding="utf-8").splitlines()

    assert f"      {2:064x}  20  2  A: b # c" in lines
    assert f"      {0:064x}  00  0  奥尔河" in lines
    assert "    licence: CC BY-SA 4.0" in lines
    assert "    url: https://no.wikipedia.org/w/index.php?oldid={revision}" in lines


def test_the_hash_is_that_of_revisions_and_texts_alone() -> None:
    one = manifest("A", "B", seed=1)

    assert one.sha256 == manifest("X", "Y", seed=2).sha256
    assert one.sha256 != manifest("A", seed=1).sha256


def test_a_new_choice_takes_the_place_of_the_old_one() -> None:
    old = [manifest("A", seed=1), manifest("B", seed=2)]
    new = manifest("C", seed=1)

    assert with_manifest(old, new) == [new, old[1]]
    assert with_manifest(old, manifest("C", seed=3)) == [*old, manifest("C", seed=3)]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("  20  2  ", " 20 2 "), r":5: line 3 of articles is not SHA256  REVISION  PAGE  TITLE; restore the file"),
        (("  20  2  ", "  21  2  "), r":5: the articles are not those of sha256 [0-9a-f]{12}\.\.\.; restore the file"),
        (("rules: 1", "rules: new"), r":7: haystacks\.0\.rules: input should be a valid integer"),
        (("    rules: 1\n", ""), r":5: haystacks\.0\.rules: field required; restore the file, or remove it and run"),
        (("form: 1", "form: 9"), r": was written by a newer version of pytest-haystack; upgrade to read it"),
        (("haystacks:", "haystacks: ["), r":5: a value is expected here"),
    ],
)
def test_a_damaged_file_is_told_with_its_line(tmp_path: Path, change: tuple[str, str], words: str) -> None:
    path = tmp_path / LOCK_FILE
    write_manifests(path, [manifest("A", "B", "C", seed=1)])
    text = path.read_text(encoding="utf-8")
    assert change[0] in text
    path.write_text(text.replace(*change, 1), encoding="utf-8")

    with pytest.raises(ConfigError, match=rf"^haystack\.lock\.yaml.*{words}"):
        read_manifests(path)


def test_no_file_lists_nothing(tmp_path: Path) -> None:
    assert read_manifests(tmp_path / LOCK_FILE) == ()


def test_a_manifest_that_nobody_has_is_told(tmp_path: Path, source: Make, cache: Path) -> None:
    with pytest.raises(NotFetchedError, match=r"the list of articles abababababab\.\.\. is neither in haystack\.lock"):
        source("wikipedia", manifest="ab" * 32).read(1)


def test_git_takes_the_file_as_it_is(tmp_path: Path) -> None:
    write_manifests(tmp_path / LOCK_FILE, [manifest("A", "B", seed=1)])
    done = subprocess.run(
        ["git", "diff", "--no-index", "--check", "/dev/null", LOCK_FILE],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    # No white space at the end of a line, and an end to the last one.
    assert done.stdout == ""
