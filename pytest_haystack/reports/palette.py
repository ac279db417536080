"""Colours of scores, and how cells without a plain score are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pytest_haystack.reports.grid import Mark

INK, QUIET, PAPER = "#1a1a1a", "#5f6368", "#ffffff"

# Dark red over orange to blue-green. Lightness rises from 0 to 1 all the way, also as people with red-green
# blindness see it, so the order can be read without telling red from green, and in print without colour.
_SCORE_STOPS = ("#810f1f", "#b5342d", "#d36235", "#dc943e", "#c1c067", "#72e3bd")


@dataclass(frozen=True, slots=True)
class Look:
    """How a mark is drawn: its ground where there is no score, hatch, colour of the hatch, symbol.

    A hatch without a colour of its own is light on dark scores and dark on light ones.
    """

    ground: str
    hatch: str
    ink: str | None
    symbol: str


LOOKS: dict[Mark, Look] = {
    Mark.XFAIL: Look("#d9dbe0", "////", None, ""),
    Mark.XPASS: Look("#d9dbe0", "\\\\\\\\", None, ""),
    Mark.ERROR: Look("#f4f4f4", "xxxx", "#7d7d7d", "!"),
    Mark.UNSUPPORTED: Look("#e4e6ea", "----", "#a3a7b0", "n/a"),
    Mark.NOT_RUN: Look("#fafafa", "....", "#bfc3c9", ""),
    Mark.NO_SCORE: Look("#fafafa", "++++", "#bfc3c9", "?"),
}


def score_colours(scores: Sequence[float]) -> Any:
    """Red, green and blue from 0 to 1 of each score."""
    import numpy as np
    from matplotlib.colors import to_rgb

    stops = np.array([to_rgb(stop) for stop in _SCORE_STOPS])
    places = np.linspace(0, 1, len(stops))
    return np.stack([np.interp(scores, places, stops[:, channel]) for channel in range(3)], axis=-1)


def ink_on(score: float) -> str:
    """Colour of text that can be read on the colour of a score."""
    return PAPER if score < 0.45 else INK


def hatch_ink(look: Look, score: float | None) -> str:
    """Colour of a hatch on the colour of a score."""
    if look.ink is not None:
        return look.ink
    return INK if score is None else ink_on(score)
