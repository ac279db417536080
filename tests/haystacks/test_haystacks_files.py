"""Files as a haystack: which are read, in which order, and what is said where they cannot be."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from pytest_haystack.errors import SourceError
from pytest_haystack.haystacks import files as files_module
from pytest_haystack.haystacks.files import Files, FilesOptions


def read(base: Path, path: str) -> str:
    return Files(FilesOptions(path=path), base).read(1)


def write(base: Path, **texts: str) -> None:
    for name, text in texts.items():
        file = base / name.replace("__", "/").replace("_", ".")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())


def test_one_file_is_read_relative_to_the_config(tmp_path: Path) -> None:
    write(tmp_path, texts__one_log="Only this.")

    assert read(tmp_path, "texts/one.log") == "Only this."


def test_an_absolute_path_is_taken_as_it_is(tmp_path: Path) -> None:
    write(tmp_path, a_txt="Absolute.")

    assert read(tmp_path / "elsewhere", str(tmp_path / "a.txt")) == "Absolute."
    assert read(tmp_path / "elsewhere", str(tmp_path / "*.txt")) == "Absolute."


def test_a_folder_stands_for_its_texts_in_posix_order(tmp_path: Path) -> None:
    write(
        tmp_path, t__b_txt="B", t__a__z_md="A/Z", t__a_txt="A", t__Z_txt="Z", t__a__b__c_TXT="A/B/C",
        t__skip_py="no", t__skip="no",
    )  # fmt: skip

    assert read(tmp_path, "t") == "\n\n".join(["Z", "A", "A/B/C", "A/Z", "B"])


def test_hidden_files_and_folders_are_left_out(tmp_path: Path) -> None:
    write(tmp_path, t__a_txt="A")
    (tmp_path / "t/.hidden.txt").write_text("no")
    (tmp_path / "t/.git").mkdir()
    (tmp_path / "t/.git/notes.txt").write_text("no")

    assert read(tmp_path, "t") == "A"


def test_a_glob_takes_any_suffix_in_posix_order(tmp_path: Path) -> None:
    write(tmp_path, t__b_py="b = 1", t__c__a_py="a = 1", t__c__n_txt="no")

    assert read(tmp_path, "t/**/*.py") == "b = 1\n\na = 1"
    assert read(tmp_path, "t/[ab].py") == "b = 1"


def test_a_folder_whose_name_looks_like_a_glob_is_a_folder(tmp_path: Path) -> None:
    write(tmp_path / "base[1]", **{"[x]__a_txt": "A"})

    assert read(tmp_path / "base[1]", "[x]") == "A"
    assert read(tmp_path / "base[1]", "*/*.txt") == "A"


def test_folders_that_a_glob_matches_are_not_files(tmp_path: Path) -> None:
    write(tmp_path, t__a_txt="A", t__b_txt__c="no")

    assert read(tmp_path, "t/*.txt") == "A"


def test_line_ends_and_byte_order_marks_are_normalised(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"\xef\xbb\xbfone\r\ntwo\rthree\n\n")
    (tmp_path / "b.txt").write_bytes("\n  vier fünf 六\n".encode())

    assert read(tmp_path, ".") == "one\ntwo\nthree\n\n  vier fünf 六"


def test_special_token_text_is_ordinary_text(tmp_path: Path) -> None:
    write(tmp_path, a_txt="before <|endoftext|> after")

    assert read(tmp_path, "a.txt") == "before <|endoftext|> after"


@settings(max_examples=60, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1))
def test_any_text_comes_back_with_unix_line_ends(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    folder = tmp_path_factory.mktemp("any")
    (folder / "a.txt").write_bytes(text.encode())
    expected = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").strip("\n")

    if expected.strip():
        assert read(folder, "a.txt") == expected
    else:
        with pytest.raises(SourceError, match="is empty"):
            read(folder, "a.txt")


def test_the_hash_is_that_of_the_content_alone(tmp_path: Path) -> None:
    write(tmp_path, a__x_txt="Same.\r\n", b__y_md="Same.", c__y_md="Other.")

    def digest(path: str) -> str:
        return Files(FilesOptions(path=path), tmp_path).sha256

    assert digest("a") == digest("b") == hashlib.sha256(b"Same.").hexdigest()
    assert digest("c") != digest("b")


def test_a_missing_path_is_named(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"'nowhere': there is no such file or folder .* correct `haystack.path`"):
        read(tmp_path, "nowhere")


def test_a_glob_without_match_is_named(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"'\*\.txt': the glob matches no file"):
        read(tmp_path, "*.txt")


def test_a_folder_without_texts_is_named(tmp_path: Path) -> None:
    write(tmp_path, t__a_py="no")

    with pytest.raises(SourceError, match=r"'t': the folder has no \.txt or \.md file"):
        read(tmp_path, "t")


def test_an_empty_file_is_named(tmp_path: Path) -> None:
    write(tmp_path, t__a_txt="A", t__b_txt=" \n\r\n\t")

    with pytest.raises(SourceError, match=r"t/b\.txt is empty; fill it or leave it out"):
        read(tmp_path, "t")


def test_a_file_that_is_not_utf8_is_named_with_the_place(tmp_path: Path) -> None:
    write(tmp_path, t__a_txt="A")
    (tmp_path / "t/b.txt").write_bytes("café".encode("latin-1"))

    with pytest.raises(SourceError, match=r"t/b\.txt is not UTF-8 \(byte 0xe9 at offset 3\); save it as UTF-8"):
        read(tmp_path, "t")


def test_a_utf16_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_bytes("text".encode("utf-16"))

    with pytest.raises(SourceError, match=r"b\.txt is not UTF-8"):
        read(tmp_path, "b.txt")


def test_binary_content_is_refused(tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_bytes(b"text\x00more")

    with pytest.raises(SourceError, match=r"b\.txt is not text \(it holds NUL bytes\)"):
        read(tmp_path, "b.txt")


def test_more_than_any_document_needs_is_refused(tmp_path: Path) -> None:
    # A sparse file: no disk is used, and nothing of it is read.
    with (tmp_path / "huge.txt").open("wb") as huge:
        huge.truncate(files_module.MOST_BYTES + 1)

    with pytest.raises(SourceError, match=r"1 files hold 128 MiB, more than the 128 MiB that are read; name fewer"):
        read(tmp_path, "huge.txt")


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="needs a user whom permissions bind")
def test_an_unreadable_file_is_named(tmp_path: Path) -> None:
    write(tmp_path, a_txt="A")
    (tmp_path / "a.txt").chmod(0)

    with pytest.raises(SourceError, match=r"a\.txt cannot be read: Permission denied"):
        read(tmp_path, "a.txt")


def test_a_path_is_required() -> None:
    for options in ({}, {"path": ""}, {"path": "x", "paths": "y"}):
        with pytest.raises(ValidationError):
            FilesOptions.model_validate(options)
