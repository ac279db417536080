"""The essays that travel with this package, in every version of the collection that there has been."""

from __future__ import annotations

import hashlib
import re
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from pytest_haystack.errors import SourceError
from pytest_haystack.haystacks.source import Source

#: In an installed wheel the texts lie inside the package, in a checkout beside it.
PLACES = (
    Path(__file__).parents[1] / "bundled" / "essays",
    Path(__file__).parents[2] / "haystacks" / "essays",
)


class Essays(Source):
    """Original essays, written for this project: ordinary English prose that no model has been trained on.

    A version never changes: what it holds, in which order, and the SHA-256 of each essay stand in a list of its own,
    ``1.sha256``, ``2.sha256`` ..., which ``sha256sum -c`` reads as well. An essay that is changed, added or moved
    makes a new version; the files of older ones stay.
    """

    name = "essays@2"
    version: ClassVar[int] = 2

    def read(self, characters: int) -> str:
        """All essays in the order of the version's list, with a blank line between them.

        Raises SourceError where an essay is missing or is not the one that the version holds.
        """
        return self._text

    def documents(self) -> list[str]:
        """The essays. Raises SourceError like `read`."""
        return [essay_text(file, sha256).strip("\n") for file, sha256 in essay_files(self.version)]

    @property
    def sha256(self) -> str:
        """Hash of the joined text."""
        return hashlib.sha256(self._text.encode()).hexdigest()

    @cached_property
    def _text(self) -> str:
        return "\n\n".join(self.documents())


class FirstEssays(Essays):
    """The first eight of the bundled essays, as they stood before there were more."""

    name = "essays@1"
    version = 1


def essay_files(version: int = Essays.version) -> list[tuple[Path, str]]:
    """The files of a version in reading order, each with the SHA-256 it must have.

    Raises SourceError where the installation lacks the version.
    """
    for place in PLACES:
        manifest = place / f"{version}.sha256"
        if manifest.is_file():
            lines = manifest.read_text(encoding="ascii").splitlines()
            entries = [re.fullmatch(r"([0-9a-f]{64})  ([0-9a-z-]+\.txt)", line) for line in lines]
            return [(place / entry[2], entry[1]) for entry in entries if entry]
    raise SourceError("the bundled essays are missing from this installation; reinstall pytest-haystack")


def essay_text(file: Path, sha256: str) -> str:
    """The text of one essay. Raises SourceError where it is not the text of this hash."""
    try:
        data = file.read_bytes()
    except OSError:
        data = b""
    if hashlib.sha256(data).hexdigest() != sha256:
        raise SourceError(
            f"the bundled essay {file.name} is missing or has been changed; reinstall pytest-haystack, and for a text "
            "of your own use {source: files, path: ...}"
        )
    return data.decode("utf-8")
