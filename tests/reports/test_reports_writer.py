"""All reports into a directory."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

from pytest_haystack.reports import drawing, writer
from pytest_haystack.reports.cell_result import GateVerdict
from pytest_haystack.reports.files import write_text, write_whole
from pytest_haystack.reports.writer import write_reports
from tests.reports.sweeps import MIXED, cell, sweep


def names(directory: Path) -> set[str]:
    return {path.name for path in directory.iterdir()}


def test_all_reports_are_written(tmp_path: Path) -> None:
    directory = tmp_path / "not" / "there"
    results = sweep([cell(task=task) for task in ("a", "b", "c")])
    written = write_reports(results, directory, [GateVerdict("quality", "passed", "fine")])

    assert written.problems == ()
    assert {path.name for path in written.paths} == names(directory)
    assert names(directory) == {
        "junit.xml",
        "summary.json",
        "summary.md",
        "heatmap.png",
        "heatmap-reader-a.png",
        "heatmap-reader-b.png",
        "heatmap-reader-c.png",
        "radar.png",
    }
    assert json.loads((directory / "summary.json").read_text())["gates"][0]["name"] == "quality"
    assert "quality" in (directory / "summary.md").read_text(encoding="utf-8")
    assert "quality" in (directory / "junit.xml").read_text(encoding="utf-8")


def test_a_sweep_without_cells_is_no_error(tmp_path: Path) -> None:
    written = write_reports(sweep([]), tmp_path)

    assert written.problems == ()
    assert names(tmp_path) == {"junit.xml", "summary.json", "summary.md"}


def test_one_report_that_fails_takes_no_other_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "junit.xml").mkdir()

    def broken(*_: Any) -> Any:
        raise RuntimeError("no\nluck \x1b[31m\ud800")

    monkeypatch.setattr(writer, "summary_markdown", broken)
    written = write_reports(MIXED, tmp_path)

    assert [path.name for path in written.paths] == ["summary.json", "heatmap-reader-single.png", "heatmap.png"]
    assert len(written.problems) == 2
    assert written.problems[0].startswith(f"{tmp_path / 'junit.xml'}: not written: ")
    assert written.problems[1].endswith("summary.md: not written: RuntimeError: no luck \\x1b[31m\\ud800")
    assert not [name for name in names(tmp_path) if ".part" in name]


def test_a_warning_inside_a_library_costs_no_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save = drawing.save

    def noisy(*args: Any) -> Any:
        warnings.warn("this will go", DeprecationWarning, stacklevel=1)
        return save(*args)

    monkeypatch.setattr(writer, "save", noisy)

    assert write_reports(MIXED, tmp_path).problems == ()


def test_pictures_of_an_earlier_run_go_and_files_of_others_stay(tmp_path: Path) -> None:
    write_reports(sweep([cell(task=task) for task in ("a", "b", "c")]), tmp_path)
    (tmp_path / "heatmap-mine.png").write_bytes(b"\x89PNG drawn by hand")
    (tmp_path / "notes.txt").write_text("keep")
    written = write_reports(sweep([cell(task="a")]), tmp_path)

    assert written.problems == ()
    assert names(tmp_path) == {
        "junit.xml",
        "summary.json",
        "summary.md",
        "heatmap.png",
        "heatmap-reader-a.png",
        "heatmap-mine.png",
        "notes.txt",
    }


def test_the_same_results_give_the_same_files(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        write_reports(MIXED, tmp_path / folder)

    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes(), path.name


def test_a_file_is_replaced_only_when_the_new_one_is_whole(tmp_path: Path) -> None:
    path = write_text(tmp_path / "a.md", "old")

    def half(temporary: Path) -> None:
        temporary.write_text("ne")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        write_whole(path, half)
    assert path.read_text() == "old"
    assert names(tmp_path) == {"a.md"}


def test_texts_are_written_as_utf8_with_unix_line_ends(tmp_path: Path) -> None:
    path = write_text(tmp_path / "a.md", "é\n\ud800\n")

    assert path.read_bytes() == "é\n\\ud800\n".encode()


def test_nothing_heavy_is_imported_before_something_is_drawn() -> None:
    code = (
        "import sys, pytest_haystack.reports.writer, pytest_haystack.reports.terminal\n"
        "print([name for name in ('matplotlib', 'numpy', 'junitparser', 'pydantic', 'yaml') if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert result.stdout.strip() == "[]"


def test_pictures_need_no_pyplot(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path\n"
        "from tests.reports.sweeps import MIXED\n"
        "from pytest_haystack.reports.writer import write_reports\n"
        "written = write_reports(MIXED, Path(sys.argv[1]))\n"
        "print(len(written.paths), 'matplotlib.pyplot' in sys.modules)"
    )
    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", code, str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
    )

    assert result.stdout.strip() == "5 False"
