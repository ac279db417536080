"""A store that somebody deletes while it is in use."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from pytest_haystack.models.model import Completion
from pytest_haystack.running.store.sqlite_store import SqliteStore
from pytest_haystack.running.store.store import Stored


@pytest.mark.skipif(sys.platform == "win32", reason="no open file can be deleted there")
def test_answers_are_kept_in_a_new_file_where_the_old_one_was_deleted(tmp_path: Path) -> None:
    place = tmp_path / ".haystack"
    store = SqliteStore(place)
    store.put("before", Stored(Completion("lost"), "run"))
    shutil.rmtree(place)
    store.put("after", Stored(Completion("kept"), "run"))
    store.close()

    again = SqliteStore(place)
    found = again.get("after")
    again.close()
    assert found is not None
    assert found.completion.text == "kept"
