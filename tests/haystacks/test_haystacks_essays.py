"""The bundled essays: found wherever the package is, and prose of the kind that a haystack needs."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
import zlib
from collections import Counter
from pathlib import Path

import pytest

from pytest_haystack.haystacks.essays import Essays, essay_files
from pytest_haystack.haystacks.source import SourceOptions

ROOT = Path(__file__).parents[2]
FILES = sorted(essay_files())
EVERY_ESSAY = pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)


def paragraphs(file: Path) -> list[str]:
    return file.read_text(encoding="utf-8").rstrip("\n").split("\n\n")


def words(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+(?:'[^\W\d_]+)*", text.lower())


def grams(text: str, n: int) -> list[tuple[str, ...]]:
    found = words(text)
    return [tuple(found[i : i + n]) for i in range(len(found) - n + 1)]


def test_the_essays_are_joined_by_blank_lines_in_the_order_of_their_names() -> None:
    essays = Essays(SourceOptions(), ROOT)
    text = essays.read(1)

    assert text == "\n\n".join(file.read_text(encoding="utf-8").strip("\n") for file in FILES)
    assert text == essays.read(10**9)
    assert essays.sha256 == hashlib.sha256(text.encode()).hexdigest()


def copied_package(folder: Path) -> Path:
    shutil.copytree(ROOT / "pytest_haystack", folder / "pytest_haystack", ignore=shutil.ignore_patterns("bundled"))
    return folder


def sha256_seen_from(folder: Path) -> subprocess.CompletedProcess[str]:
    program = (
        f"import sys; sys.path.insert(0, {str(folder)!r})\n"
        "from pathlib import Path\n"
        "from pytest_haystack.haystacks import essays, source\n"
        f"assert Path(essays.__file__).is_relative_to({str(folder)!r})\n"
        "print(essays.Essays(source.SourceOptions(), Path()).sha256)\n"
    )
    return subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("place", ["pytest_haystack/bundled", "haystacks"], ids=["wheel", "checkout"])
def test_wheel_and_checkout_have_the_same_essays(tmp_path: Path, place: str) -> None:
    folder = copied_package(tmp_path)
    shutil.copytree(ROOT / "haystacks", folder / place)

    seen = sha256_seen_from(folder)

    assert seen.stdout.strip() == Essays(SourceOptions(), ROOT).sha256, seen.stderr


def test_an_installation_without_essays_says_so(tmp_path: Path) -> None:
    seen = sha256_seen_from(copied_package(tmp_path))

    assert "SourceError: the bundled essays are missing from this installation; reinstall" in seen.stderr


def test_there_are_ten_thousand_words() -> None:
    assert len(FILES) >= 8
    assert sum(len(file.read_text(encoding="utf-8").split()) for file in FILES) >= 10_000


@EVERY_ESSAY
def test_an_essay_has_the_length_and_form_of_one(file: Path) -> None:
    data = file.read_bytes()
    counts = [len(paragraph.split()) for paragraph in paragraphs(file)]

    assert re.fullmatch(r"\d\d-[a-z]+(-[a-z]+)*\.txt", file.name)
    assert 1_200 <= sum(counts) <= 1_800
    assert data.endswith(b"\n")
    assert not re.search(rb"\r|\n\n\n|\n\n$|[ \t]\n|  ", data)
    assert not any("\n" in paragraph or paragraph != paragraph.strip() for paragraph in paragraphs(file))
    assert all(re.search(r"[.!?][\"')]?$", paragraph) for paragraph in paragraphs(file))


@EVERY_ESSAY
def test_paragraphs_of_an_essay_differ_in_length(file: Path) -> None:
    counts = [len(paragraph.split()) for paragraph in paragraphs(file)]

    assert 3 <= len(counts) <= 12
    assert len(set(counts)) >= 0.8 * len(counts)
    assert max(counts) >= 1.4 * min(counts)


@EVERY_ESSAY
def test_quotes_are_straight_and_paired(file: Path) -> None:
    text = file.read_text(encoding="utf-8")

    assert not re.search("[“”‘’«»`´]", text)
    for paragraph in paragraphs(file):
        assert paragraph.count('"') % 2 == 0
        assert all(re.fullmatch(r"\S(.*\S)?", quoted) for quoted in paragraph.split('"')[1::2])


@EVERY_ESSAY
def test_an_essay_holds_nothing_that_a_needle_could_be_taken_for(file: Path) -> None:
    text = file.read_text(encoding="utf-8")

    assert not re.search(r"\d|[A-Z]{2}-|_", text)
    assert not re.search(r"\b(orbital|resonance|access code|cipher|uuid)\b", text, re.IGNORECASE)
    assert not re.search(r"^\W*(#|[-*] |\d+\.)", text, re.MULTILINE)


@EVERY_ESSAY
def test_an_essay_is_as_varied_as_ordinary_prose(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    pairs, triples = grams(text, 2), grams(text, 3)

    assert len(set(pairs)) / len(pairs) > 0.8
    assert len(set(triples)) / len(triples) > 0.95
    # Prose of this length compresses to about 0.43; templates to a third, random words to over a half.
    assert 0.38 < len(zlib.compress(text.encode(), 9)) / len(text) < 0.5


def test_no_eight_words_in_a_row_come_twice_in_all_essays() -> None:
    counts = Counter(gram for file in FILES for gram in grams(file.read_text(encoding="utf-8"), 8))

    assert [" ".join(gram) for gram, count in counts.items() if count > 1] == []


def test_no_two_essays_or_paragraphs_open_alike() -> None:
    openings = Counter(tuple(words(paragraph)[:3]) for file in FILES for paragraph in paragraphs(file))

    assert [" ".join(opening) for opening, count in openings.items() if count > 1] == []
    assert len({tuple(len(p.split()) // 20 for p in paragraphs(file)) for file in FILES}) == len(FILES)


@EVERY_ESSAY
def test_an_essay_is_free_of_worn_phrases(file: Path) -> None:
    worn = (
        "tapestry|delve|testament to|in a world where|not just|not only|it is worth noting|at its core|"
        "in today's|a reminder that|more than just|rich in|navigate the|furthermore|moreover|in conclusion"
    )

    assert re.findall(rf"\b({worn})", file.read_text(encoding="utf-8"), re.IGNORECASE) == []
