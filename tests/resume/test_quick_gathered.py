"""Answers that came at once are written together, where nobody else can be waiting for them."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_haystack import writing_together
from pytest_haystack.errors import ModelError
from pytest_haystack.models.model import Completion
from pytest_haystack.running.store.kept import KeepSettings, KeptAnswers
from pytest_haystack.running.store.sqlite_store import SqliteStore

QUICK, SLOW, UNKNOWN = (Completion("x", latency_seconds=seconds) for seconds in (0.0001, 0.2, None))


@pytest.fixture
def keep(tmp_path: Path) -> Callable[..., KeptAnswers]:
    """What a process keeps in the folder of this test, after so many answers that some may wait."""

    def make(*, alone: bool = True, resume: bool = False, run: str = "run", earlier: int = 24) -> KeptAnswers:
        kept = KeptAnswers(lambda: KeepSettings(str(tmp_path), run, resume, alone))
        for number in range(earlier):
            kept.keep(f"earlier {number}", SLOW)
        return kept

    return make


@pytest.fixture
def written(tmp_path: Path) -> Callable[[], list[str]]:
    """The names of the answers that another process would find now."""

    def look() -> list[str]:
        store = SqliteStore(tmp_path)
        found = [name for name in "abcd" if store.get(name) is not None]
        store.close()
        return found

    return look


def test_quick_answers_are_written_when_the_process_ends(
    keep: Callable[..., KeptAnswers], written: Callable[[], list[str]]
) -> None:
    kept = keep()
    for name in "abc":
        assert kept.find(name) is None
        kept.keep(name, QUICK)
    assert written() == []

    kept.close()

    assert written() == ["a", "b", "c"]


def test_the_first_few_answers_are_written_at_once(
    keep: Callable[..., KeptAnswers], written: Callable[[], list[str]]
) -> None:
    kept = keep(earlier=0)

    kept.keep("a", QUICK)

    assert written() == ["a"]
    kept.close()


def test_no_more_than_a_part_of_all_answers_waits(
    keep: Callable[..., KeptAnswers], written: Callable[[], list[str]]
) -> None:
    kept = keep()

    for name in "abcd":
        kept.keep(name, QUICK)

    assert written() == ["a", "b", "c", "d"]
    kept.close()


@pytest.mark.parametrize("answer", [SLOW, UNKNOWN])
def test_an_answer_that_took_its_time_is_written_at_once(
    keep: Callable[..., KeptAnswers], written: Callable[[], list[str]], answer: Completion
) -> None:
    kept = keep()
    kept.keep("a", QUICK)

    kept.keep("b", answer)

    assert written() == ["a", "b"]
    kept.close()


def test_with_workers_every_answer_is_written_at_once(
    keep: Callable[..., KeptAnswers], written: Callable[[], list[str]]
) -> None:
    kept = keep(alone=False)

    kept.keep("a", QUICK)

    assert written() == ["a"]
    kept.close()


def test_nothing_is_asked_before_what_has_waited_is_written(
    keep: Callable[..., KeptAnswers], written: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = keep()
    kept.keep("a", QUICK)
    monkeypatch.setattr(writing_together, "_GATHERING", 0.0)

    kept.find("b")

    assert written() == ["a"]
    kept.close()


def test_an_answer_that_waits_is_found(keep: Callable[..., KeptAnswers]) -> None:
    kept = keep()
    kept.keep("a", QUICK)

    found = kept.find("a")

    assert found is not None
    assert found.from_store
    kept.close()


def test_alone_without_a_resume_only_its_own_answers_can_be_there(keep: Callable[..., KeptAnswers]) -> None:
    first = keep()
    first.keep("a", SLOW)
    first.close()

    # By the same name of the run, which no other process has.
    assert keep().find("a") is None
    assert keep(alone=False).find("a") is not None
    assert keep(resume=True, run="later").find("a") is not None


def test_a_store_that_fails_late_is_told_before_the_next_question(
    keep: Callable[..., KeptAnswers], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = keep()
    kept.find("a")
    kept.keep("a", QUICK)
    with sqlite3.connect(tmp_path / "answers.sqlite") as other:
        other.execute("CREATE TRIGGER full BEFORE INSERT ON answers BEGIN SELECT RAISE(FAIL, 'no room'); END")
    other.close()
    monkeypatch.setattr(writing_together, "_GATHERING", 0.0)

    with pytest.raises(ModelError, match=r"not asked, because the answer store .* cannot be written: no room"):
        kept.find("b")
