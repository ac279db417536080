"""Which kept answers wait until the disk has them."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_haystack.models.model import Completion
from pytest_haystack.running.store.sqlite_store import SqliteStore
from pytest_haystack.running.store.store import Stored

NORMAL, FULL = 1, 2


@pytest.mark.parametrize(("seconds", "level"), [(0.001, NORMAL), (0.5, FULL), (None, FULL)])
def test_only_an_answer_that_came_at_once_does_not_wait_for_the_disk(
    tmp_path: Path, seconds: float | None, level: int
) -> None:
    store = SqliteStore(tmp_path)
    store.put("before", Stored(Completion("x", latency_seconds=0.001 if level == FULL else 9.0), "run"))

    store.put("key", Stored(Completion("an answer", latency_seconds=seconds), "run"))

    found = store.get("key")
    assert store._connection.execute("PRAGMA synchronous").fetchone()[0] == level
    assert found is not None
    assert found.completion.text == "an answer"
    store.close()
