"""Weights files of the user's own are told apart by what is in them."""

from __future__ import annotations

import os
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_haystack.config.schema import ModelEntry
from pytest_haystack.models.weights import weights_mark
from pytest_haystack.running.gateway.desk import Desk
from pytest_haystack.running.gateway.provider import Provider
from pytest_haystack.running.gateway.settings import ModelSettings
from pytest_haystack.running.gateway.shelf import Shelf
from tests.gateway.entries import say


def test_the_mark_is_of_the_content_not_of_place_or_time(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "mine.gguf").write_bytes(bytes(300_000))
    os.utime(tmp_path / "b" / "mine.gguf", (1, 1))

    marks = {weights_mark("local:mine.gguf", tmp_path / name) for name in ("a", "b")}
    assert len(marks) == 1
    (tmp_path / "b" / "mine.gguf").write_bytes(bytes(299_999))
    assert weights_mark("local:mine.gguf", tmp_path / "b") not in marks


@settings(max_examples=20, deadline=None)
@given(size=st.integers(1, 200_000), data=st.data())
def test_a_change_anywhere_in_a_small_file_changes_the_mark(
    size: int, data: st.DataObject, tmp_path_factory: object
) -> None:
    folder = tmp_path_factory.mktemp("weights")  # type: ignore[attr-defined]
    file = folder / "mine.gguf"
    content = bytearray(size)
    file.write_bytes(content)
    before = weights_mark("local:mine.gguf", folder)
    content[data.draw(st.integers(0, size - 1))] = 1
    other = folder / "other.gguf"
    other.write_bytes(content)

    assert weights_mark("local:other.gguf", folder) != before


def test_other_models_and_missing_files_have_none(tmp_path: Path) -> None:
    for model in ("local/smollm2", "openai/gpt-4o", "local:missing.gguf"):
        assert weights_mark(model, tmp_path) == ()


def test_answers_of_other_weights_are_other_answers(tmp_path: Path) -> None:
    keys = []
    for content in (b"one", b"two"):
        (tmp_path / "mine.gguf").write_bytes(content)
        told = ModelEntry.model_validate({"id": "m", "model": "local:mine.gguf"}).model_dump(mode="json")
        told["local"] = {"file": "mine.gguf", "mark": weights_mark("local:mine.gguf", tmp_path)}
        entry = ModelSettings.from_entry(told)
        keys.append(Desk({"m": entry}, None, Provider({}), Shelf(None))._named("m", say("hello"), 0)[1])
    assert keys[0] != keys[1]
