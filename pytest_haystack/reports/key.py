"""What explains a heatmap: the scale of scores, and the marks that occur."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pytest_haystack.reports.drawing import Sheet
from pytest_haystack.reports.grid import Mark
from pytest_haystack.reports.palette import INK, LOOKS, QUIET, hatch_ink, score_colours

_BAR_WIDTH = 0.16
_STRIPES = 100
#: Scores whose colours stand in the legend for marks that go with a score.
_LEGEND_SCORES = {Mark.FAILED: 0.15, Mark.XFAIL: 0.15, Mark.XPASS: 1.0}
# Inches.
_ENTRY_WIDTH, _ENTRY_HEIGHT = 2.75, 0.25
_SWATCH_WIDTH, _SWATCH_HEIGHT = 0.24, 0.15


def draw_scale(sheet: Sheet, left: float, top: float, height: float, threshold: float | None) -> None:
    """The scale of scores, 1 on top, with a line at the threshold where there is one inside the scale."""
    step = height / _STRIPES
    # Each stripe reaches down to the end under those that follow, so that rounding to pixels leaves no gap.
    boxes = [(left, top + number * step, _BAR_WIDTH, height - number * step) for number in range(_STRIPES)]
    colours = score_colours([1 - (number + 0.5) / _STRIPES for number in range(_STRIPES)])
    sheet.boxes(boxes, colours, "scale", antialiaseds=False)
    sheet.boxes([(left, top, _BAR_WIDTH, height)], "none", edgecolors=QUIET, linewidths=0.8)
    for tick in (0, 0.25, 0.5, 0.75, 1) if height >= 1.2 else (0, 0.5, 1):
        base = top + (1 - tick) * height
        sheet.line([(left + _BAR_WIDTH, base), (left + _BAR_WIDTH + 0.04, base)], QUIET, 0.8)
        sheet.text(left + _BAR_WIDTH + 0.08, base, f"{tick:g}", 8.5, va="center_baseline")
    sheet.text(left + _BAR_WIDTH / 2, top - 0.1, "score", 8.5, ha="center", va="baseline", color=QUIET)
    if threshold is not None and 0 < threshold < 1:
        base = top + (1 - threshold) * height
        sheet.line([(left - 0.06, base), (left + _BAR_WIDTH, base)], INK, 1.6)


def draw_legend(sheet: Sheet, left: float, top: float, marks: Sequence[Mark]) -> None:
    """What the marks mean, only those that occur; `legend_height` is the room it takes."""
    shown = [mark for mark in marks if mark in LOOKS]
    columns = _columns(len(shown), sheet.width - left)
    for number, mark in enumerate(shown):
        row, column = divmod(number, columns)
        look, score = LOOKS[mark], _LEGEND_SCORES.get(mark)
        swatch = (left + column * _ENTRY_WIDTH, top + row * _ENTRY_HEIGHT, _SWATCH_WIDTH, _SWATCH_HEIGHT)
        ground = look.ground if score is None else score_colours([score])
        sheet.boxes([swatch], ground, f"legend {mark.name}")
        sheet.marks([swatch], look.hatch, hatch_ink(look, score), f"legend {mark.name}", corner=0.65)
        words = f"{mark.value} ({look.symbol})" if look.symbol else mark.value
        sheet.text(swatch[0] + _SWATCH_WIDTH + 0.08, swatch[1] + 0.12, words, 8.5, va="baseline")


def legend_height(marks: Sequence[Mark], width: float) -> float:
    """Inches that the legend of these marks takes, having so many inches of width."""
    shown = sum(mark in LOOKS for mark in marks)
    return _ENTRY_HEIGHT * math.ceil(shown / _columns(shown, width)) + 0.1 if shown else 0.0


def _columns(count: int, width: float) -> int:
    return max(1, min(count, int(width / _ENTRY_WIDTH)))
