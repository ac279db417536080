"""The environment that a sweep sees: the process's own, and behind it a .env file."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_haystack.config.environment import Environment
from pytest_haystack.errors import ConfigError


def test_the_processs_own_variables_come_first_and_stay_as_they_are(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("SHARED=file\nexport ONLY_THERE='a b' # why\nNO_VALUE\n")
    own = {"SHARED": "own"}
    seen = Environment([tmp_path], own)

    assert (seen["SHARED"], seen["ONLY_THERE"]) == ("own", "a b")
    assert "NO_VALUE" not in seen
    assert dict(seen) == {"SHARED": "own", "ONLY_THERE": "a b"}
    assert own == {"SHARED": "own"}
    assert "a b" not in repr(seen)


def test_the_first_folder_that_has_the_file_gives_it(tmp_path: Path) -> None:
    for name in ("second", "third"):
        (tmp_path / name).mkdir()
        (tmp_path / name / ".env").write_text(f"FROM={name}\n")

    assert Environment([tmp_path / "first", tmp_path / "second", tmp_path / "third"], {})["FROM"] == "second"


def test_the_file_is_opened_only_when_something_is_missing(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"BROKEN=\xff\n")
    seen = Environment([tmp_path], {"HERE": "yes"})

    assert seen["HERE"] == "yes"
    assert dict(seen) == {"HERE": "yes"}
    assert "not read" in repr(seen)
    with pytest.raises(ConfigError, match=r"\.env: cannot be read: not UTF-8"):
        seen.get("MISSING")
