"""Heatmaps as files: their names, their bytes, and that they can be read."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np
import pytest

from pytest_haystack.reports.cell_result import SweepResults
from pytest_haystack.reports.drawing import DPI, save
from pytest_haystack.reports.heatmap import heatmap_figure, heatmap_names
from pytest_haystack.reports.palette import score_colours
from pytest_haystack.reports.writer import write_reports
from tests.reports.sweeps import MIXED, cell, sweep


def heatmaps_in(results: SweepResults, directory: Path) -> list[Path]:
    return [path for path in write_reports(results, directory).paths if path.name.startswith("heatmap")]


def header(path: Path) -> tuple[int, int, dict[str, bytes]]:
    """Width, height and text chunks of a PNG whose checksums hold."""
    data = path.read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    offset, texts = 8, {}
    while offset < len(data):
        (length,), kind = struct.unpack(">I", data[offset : offset + 4]), data[offset + 4 : offset + 8]
        body = data[offset + 8 : offset + 8 + length]
        (checksum,) = struct.unpack(">I", data[offset + 8 + length : offset + 12 + length])
        assert checksum == zlib.crc32(kind + body)
        if kind == b"tEXt":
            key, _, value = body.partition(b"\0")
            texts[key.decode()] = value
        offset += 12 + length
    width, height = struct.unpack(">II", data[16:24])
    return width, height, texts


def test_the_files_are_named_after_model_and_task_and_can_be_read(tmp_path: Path) -> None:
    import matplotlib.image

    results = sweep([cell(), cell(task="multi"), cell(model="other"), cell(model="other", task="multi")])
    written = heatmaps_in(results, tmp_path / "new" / "folder")

    assert [path.name for path in written] == [
        "heatmap-reader-single.png",
        "heatmap-reader-multi.png",
        "heatmap-other-single.png",
        "heatmap-other-multi.png",
        "heatmap.png",
    ]
    width, height, texts = header(written[0])
    figure = heatmap_figure(results, "reader", "single")
    assert (width, height) == tuple(int(inches * DPI) for inches in figure.get_size_inches())
    # Neither a time nor a version, which would make equal results differ.
    assert texts == {"Software": b"pytest-haystack"}
    pixels = matplotlib.image.imread(written[0])
    assert pixels.shape == (height, width, 4)
    left, top = (int(DPI * inches) for inches in (width / DPI / 2 - 0.4, 1.2))
    assert np.allclose(pixels[top, left, :3], score_colours([1.0])[0, :3], atol=0.01)


def test_the_same_results_give_the_same_bytes(tmp_path: Path) -> None:
    first = [path.read_bytes() for path in heatmaps_in(MIXED, tmp_path / "a")]
    second = [path.read_bytes() for path in heatmaps_in(MIXED, tmp_path / "b")]

    assert first == second


def test_a_users_style_changes_nothing(tmp_path: Path) -> None:
    import matplotlib

    plain = save(heatmap_figure(MIXED, "reader", "single"), tmp_path / "plain.png").read_bytes()
    with matplotlib.rc_context({"font.size": 30, "savefig.dpi": 20, "figure.facecolor": "black", "text.color": "w"}):
        styled = save(heatmap_figure(MIXED, "reader", "single"), tmp_path / "styled.png").read_bytes()
        assert matplotlib.rcParams["font.size"] == 30

    assert styled == plain


@pytest.mark.parametrize(
    ("pairs", "names"),
    [
        ([("a-b", "c"), ("a", "b-c")], ["heatmap-a-b-c.png", "heatmap-a-b-c-2.png"]),
        ([("reader", "x"), ("Reader", "x")], ["heatmap-reader-x.png", "heatmap-Reader-x-2.png"]),
        ([("../m", "t/../t"), ("..", "")], ["heatmap-_m-t_.._t.png", "heatmap-_-_.png"]),
    ],
)
def test_file_names_differ_and_stay_in_the_folder(pairs: list[tuple[str, str]], names: list[str]) -> None:
    assert list(heatmap_names(sweep(cell(model=model, task=task) for model, task in pairs)).values()) == names
