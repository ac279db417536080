"""Colours of scores, and how cells without a plain score are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pytest_haystack.reports.grid import Mark, Shown

INK, QUIET, PAPER = "#1a1a1a", "#5f6368", "#ffffff"

# Dark red over orange to blue-green. Lightness rises from 0 to 1 all the way, also as people with red-green
# blindness see it, so the order can be read without telling red from green, and in print without colour.
_SCORE_STOPS = ("#810f1f", "#b5342d", "#d36235", "#dc943e", "#c1c067", "#72e3bd")
# Brown for worse, blue for better, and near white between: the two darken alike, and no colour vision takes one for
# the other.
_DIFFERENCE_STOPS = ("#7f3b08", "#c9731c", "#f2c48d", "#f7f7f7", "#a9cfe6", "#3b82bd", "#08396b")


@dataclass(frozen=True, slots=True)
class Look:
    """How a mark is drawn: its ground where there is no score, hatch, colour of the hatch, symbol.

    A hatch without a colour of its own is light on dark scores and dark on light ones. A mark without a hatch is a
    corner in that colour, which leaves the colour of the score as it is.
    """

    ground: str
    hatch: str
    ink: str | None
    symbol: str


@dataclass(frozen=True, slots=True)
class LineLook:
    """How a line among others is drawn."""

    colour: str
    marker: str
    dashes: str


# The palette of Okabe and Ito (2008), told apart by people with any colour vision, and marks for the rest.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000", "#8a8a00")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">")
_DASHES = ("solid", "dashed", "dashdot", "dotted")


def line_look(number: int) -> LineLook:
    """The look of line ``number``, counted from 0."""
    dashes = _DASHES[number // len(_COLOURS) % len(_DASHES)]
    return LineLook(_COLOURS[number % len(_COLOURS)], _MARKERS[number % len(_MARKERS)], dashes)


LOOKS: dict[Mark, Look] = {
    Mark.FAILED: Look("#d9dbe0", "", None, ""),
    Mark.XFAIL: Look("#d9dbe0", "////", None, ""),
    Mark.XPASS: Look("#d9dbe0", "\\\\\\\\", None, ""),
    Mark.ERROR: Look("#f4f4f4", "xxxx", "#7d7d7d", "!"),
    Mark.UNSUPPORTED: Look("#e4e6ea", "----", "#a3a7b0", "n/a"),
    Mark.NOT_RUN: Look("#fafafa", "....", "#bfc3c9", ""),
    Mark.NO_SCORE: Look("#fafafa", "++++", "#bfc3c9", "?"),
    Mark.NOT_PAIRED: Look("#fafafa", "....", "#bfc3c9", ""),
    Mark.OTHER_PROMPT: Look("#e4e6ea", "xxxx", "#a3a7b0", "?"),
}


def score_colours(scores: Sequence[float]) -> Any:
    """Red, green, blue and opacity from 0 to 1 of each score."""
    import numpy as np

    return _between(_SCORE_STOPS, np.linspace(0, 1, len(_SCORE_STOPS)), scores)


def difference_colours(differences: Sequence[float]) -> Any:
    """The same of differences of scores, from -1 (worse) over 0 to 1 (better)."""
    import numpy as np

    return _between(_DIFFERENCE_STOPS, np.linspace(-1, 1, len(_DIFFERENCE_STOPS)), differences)


def _between(colours: Sequence[str], places: Any, values: Sequence[float]) -> Any:
    import numpy as np

    stops = np.array([_rgba(colour) for colour in colours])
    return np.stack([np.interp(values, places, stops[:, channel]) for channel in range(4)], axis=-1)


def grounds(places: Sequence[Shown]) -> Any:
    """The colour of each place: that of its score, or of the mark instead."""
    return _marked(places, score_colours([shown.score or 0.0 for shown in places]))


def difference_grounds(places: Sequence[Shown]) -> Any:
    """The same of places whose scores are differences."""
    return _marked(places, difference_colours([shown.score or 0.0 for shown in places]))


def _marked(places: Sequence[Shown], colours: Any) -> Any:
    plain = {Mark.NO_CELL: _rgba(PAPER), **{mark: _rgba(look.ground) for mark, look in LOOKS.items()}}
    for number, shown in enumerate(places):
        if shown.score is None:
            colours[number] = plain[shown.mark]
    return colours


def _rgba(colour: str) -> tuple[float, float, float, float]:
    red, green, blue = (int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))
    return red, green, blue, 1.0


def ink_on(score: float) -> str:
    """Colour of text that can be read on the colour of a score."""
    return PAPER if score < 0.36 else INK


def hatch_ink(look: Look, score: float | None) -> str:
    """Colour of a hatch, or of a corner, on the colour of a score."""
    if look.ink is not None:
        return look.ink
    return INK if score is None else ink_on(score)
