"""The essays that travel with this package."""

from __future__ import annotations

import hashlib
from functools import cached_property
from pathlib import Path

from pytest_haystack.errors import SourceError
from pytest_haystack.haystacks.source import Source

#: In an installed wheel the texts lie inside the package, in a checkout beside it.
PLACES = (
    Path(__file__).parents[1] / "bundled" / "essays",
    Path(__file__).parents[2] / "haystacks" / "essays",
)


class Essays(Source):
    """Original essays, written for this project: ordinary English prose that no model has been trained on."""

    name = "essays"

    def read(self, characters: int) -> str:
        """All essays in the order of their file names, with a blank line between them."""
        return self._text

    @property
    def sha256(self) -> str:
        """Hash of the joined text."""
        return hashlib.sha256(self._text.encode()).hexdigest()

    @cached_property
    def _text(self) -> str:
        files = sorted(essay_files(), key=lambda path: path.name)
        return "\n\n".join(path.read_bytes().decode("utf-8").strip("\n") for path in files)


def essay_files() -> list[Path]:
    """The bundled texts, one file an essay. Raises SourceError where the installation lacks them."""
    for place in PLACES:
        if files := list(place.glob("*.txt")):
            return files
    raise SourceError("the bundled essays are missing from this installation; reinstall pytest-haystack")
