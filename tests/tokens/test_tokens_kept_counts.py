"""Counts of short texts that are kept from run to run."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_haystack.tokens import kept_counts
from pytest_haystack.tokens.kept_counts import KeptCounts
from pytest_haystack.tokens.vocabularies import VOCABULARIES, load_encoding

TEXTS = ("Leave at dawn.", "", "鎮の灯台", "\ud800 odd")


class Forgetful:
    """An encoding that may not be asked."""

    name = "cl100k_base"
    sha256 = None

    def count(self, text: str) -> int:
        raise AssertionError("counted again")


def written(folder: Path) -> KeptCounts:
    """Counts of `TEXTS`, on disk."""
    counts = KeptCounts(load_encoding("cl100k_base"), folder)
    for text in TEXTS:
        counts.count(text)
    counts.write()
    return counts


def test_what_was_counted_once_needs_no_vocabulary(tmp_path: Path) -> None:
    written(tmp_path)

    known = KeptCounts(Forgetful(), tmp_path)  # type: ignore[arg-type]

    assert [known.count(text) for text in TEXTS] == [load_encoding("cl100k_base").count(text) for text in TEXTS]


def test_nothing_is_written_before_it_is_told_to_nor_without_need(tmp_path: Path) -> None:
    counts = KeptCounts(load_encoding("cl100k_base"), tmp_path)
    counts.count("Leave at dawn.")
    assert list(tmp_path.iterdir()) == []
    counts.write()
    before = (tmp_path / "cl100k_base.json").stat().st_mtime_ns

    again = KeptCounts(load_encoding("cl100k_base"), tmp_path)
    again.count("Leave at dawn.")
    again.write()

    assert (tmp_path / "cl100k_base.json").stat().st_mtime_ns == before


@pytest.mark.parametrize("harm", ["cut", "changed", "other", "list", "a list inside", "empty"])
def test_a_damaged_file_is_not_believed_but_made_again(tmp_path: Path, harm: str) -> None:
    written(tmp_path)
    path = tmp_path / "cl100k_base.json"
    whole = path.read_text()
    found = json.loads(whole)
    key = next(iter(found["counts"]))
    damaged = {
        "cut": whole[:-20],
        "changed": json.dumps({**found, "counts": {**found["counts"], key: 99}}),
        "other": json.dumps({"counts": 3}),
        "list": "[]",
        "a list inside": json.dumps({"counts": [1], "sha256": hashlib.sha256(b"[1]").hexdigest()}),
        "empty": "",
    }[harm]
    path.write_text(damaged)

    written(tmp_path)

    assert json.loads(path.read_text()) == found


def test_a_prompt_cannot_be_read_from_the_file(tmp_path: Path) -> None:
    written(tmp_path)

    assert "dawn" not in (tmp_path / "cl100k_base.json").read_text()


def test_the_file_does_not_grow_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_counts, "_MOST", 3)

    counts = written(tmp_path)
    later = KeptCounts(load_encoding("cl100k_base"), tmp_path)
    for number in range(9):
        assert later.count(f"{number} boats") == load_encoding("cl100k_base").count(f"{number} boats")
    later.write()

    assert len(json.loads((tmp_path / "cl100k_base.json").read_text())["counts"]) == 3
    assert [counts.count(text) for text in TEXTS] == [load_encoding("cl100k_base").count(text) for text in TEXTS]


def test_without_a_folder_to_write_to_it_is_counted_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    written(tmp_path / "file" / "folder")

    assert not (tmp_path / "file" / "folder").exists()


@pytest.mark.parametrize("vocabulary", VOCABULARIES)
@settings(deadline=None)
@given(text=st.text(max_size=60) | st.sampled_from(["\ud800", "ﷺ" * 5, "👩‍👩‍👧", "\x00"]))
def test_no_text_has_more_tokens_than_it_may_have_at_most(vocabulary: str, text: str) -> None:
    encoding = load_encoding(vocabulary)

    assert encoding.count(text) <= encoding.most(text)
