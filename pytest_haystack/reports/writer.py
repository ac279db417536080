"""All reports of a run, into a directory."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from shutil import copyfile
from typing import TYPE_CHECKING, Any

from pytest_haystack.reports.cell_result import GateVerdict, SweepResults
from pytest_haystack.reports.curves import curves
from pytest_haystack.reports.drawing import is_ours, save
from pytest_haystack.reports.escape import brief, printable
from pytest_haystack.reports.files import write_text, write_whole
from pytest_haystack.reports.heatmap import heatmaps
from pytest_haystack.reports.markdown import summary_markdown
from pytest_haystack.reports.radar import radar_figure
from pytest_haystack.reports.summary import summary_data

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class WrittenReports:
    """The files that were written, and a line for each report that could not be."""

    paths: tuple[Path, ...]
    problems: tuple[str, ...]


def write_reports(results: SweepResults, directory: Path, gates: Sequence[GateVerdict] = ()) -> WrittenReports:
    """Write junit.xml, summary.json, summary.md, heatmaps, curves and radar.png into the directory.

    Each file appears whole or not at all; a report that fails takes no other with it. Pictures of an earlier run
    that this one does not draw again are removed, also where an interruption ends it.
    """
    # The cheap ones first: an interruption during the pictures then costs no figures.
    figures = cache(lambda: summary_data(results, gates))
    drawn: dict[Callable[[], Figure | None], Path] = {}
    reports: dict[str, Callable[[Path], object]] = {
        "junit.xml": lambda path: _junit(results, path, gates),
        "summary.json": lambda path: _summary_json(figures(), path),
        "summary.md": lambda path: write_text(path, summary_markdown(results, gates, figures())),
        **{name: partial(_picture, draw, drawn) for name, draw in heatmaps(results).items()},
        **{name: partial(_picture, draw, drawn) for name, draw in curves(results).items()},
        "radar.png": partial(_picture, partial(radar_figure, results), drawn),
    }
    paths: list[Path] = []
    problems: list[str] = []
    try:
        for name, write in reports.items():
            try:
                # A deprecation inside a drawing library is no reason to go without the picture.
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    if write(directory / name) is not None:
                        paths.append(directory / name)
            except Exception as error:
                reason = brief(f"{type(error).__name__}: {error}", 300)
                problems.append(f"{printable(str(directory / name))}: not written: {reason}")
    finally:
        # Also when interrupted: old pictures beside new rows would be taken for theirs.
        problems += _remove_stale(directory, paths)
    return WrittenReports(tuple(paths), tuple(problems))


def _junit(results: SweepResults, path: Path, gates: Sequence[GateVerdict]) -> Path:
    from pytest_haystack.reports.junit import write_junit

    return write_junit(results, path, gates)


def _summary_json(figures: dict[str, Any], path: Path) -> Path:
    return write_text(path, json.dumps(figures, indent=2, allow_nan=False) + "\n")


def _picture(
    draw: Callable[[], Figure | None], drawn: dict[Callable[[], Figure | None], Path], path: Path
) -> Path | None:
    """Draw and save, or copy what is ``drawn`` already under another name; None where there is nothing to draw."""
    if draw in drawn:
        return write_whole(path, lambda temporary: copyfile(drawn[draw], temporary))
    figure = draw()
    if figure is None:
        return None
    drawn[draw] = save(figure, path)
    return path


def _remove_stale(directory: Path, written: Sequence[Path]) -> list[str]:
    """Remove pictures that an earlier run left here; only files that say they are ours."""
    problems = []
    patterns = ("heatmap*.png", "curve-*.png", "position-*.png", "radar.png")
    for path in sorted(path for pattern in patterns for path in directory.glob(pattern)):
        try:
            if path not in written and is_ours(path):
                path.unlink()
        except OSError as error:
            problems.append(f"{printable(str(path))}: is of an earlier run and could not be removed: {error}")
    return problems
