"""What the tests of the bundled essays share: the essays, their paragraphs, words and runs of words."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_haystack.haystacks.essays import Essays, essay_files

FOLDER = Path(__file__).parents[2] / "haystacks" / "essays"
FILES = [file for file, _ in essay_files(Essays.version)]
TEXTS = {file: file.read_text(encoding="utf-8") for file in FILES}
EVERY_ESSAY = pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])


def paragraphs(file: Path) -> list[str]:
    return TEXTS[file].rstrip("\n").split("\n\n")


def words(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+(?:'[^\W\d_]+)*", text.lower())


def runs(text: str, n: int) -> list[tuple[str, ...]]:
    """All runs of ``n`` words."""
    found = words(text)
    return list(zip(*(found[start:] for start in range(n)), strict=False))
