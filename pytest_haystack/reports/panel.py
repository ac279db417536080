"""One grid of scores, drawn onto a sheet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pytest_haystack.reports.drawing import POINTS_PER_INCH, Box, Point, Sheet, outline_of
from pytest_haystack.reports.grid import Grid, Mark, Shown
from pytest_haystack.reports.labels import ends_and_between, length_labels, score_label
from pytest_haystack.reports.palette import INK, LOOKS, PAPER, QUIET, grounds, hatch_ink, ink_on

#: Smallest and largest letters in a cell, in points: what a room can read.
_LEAST_VALUE_SIZE, _MOST_VALUE_SIZE = 6.5, 12.0
#: More numbers than this are noise; the colours say it better.
_MOST_VALUES = 400
#: Inches that the labels of the lengths take below a grid.
LABEL_HEIGHT = 0.2
#: Width of a digit and height of a line, as parts of the font size.
_DIGIT, _LINE = 0.64, 1.25


@dataclass(frozen=True, slots=True)
class PanelSize:
    """Width and height in inches of a cell; size in points and greatest number of the labels along each side."""

    cell_width: float
    cell_height: float
    label_size: float = 9.0
    most_labels: int = 20


class Panel:
    """A grid whose upper left cell stands at ``left``, ``top``; depth 0 on top, lengths running to the right."""

    def __init__(self, sheet: Sheet, grid: Grid, left: float, top: float, size: PanelSize) -> None:
        self.sheet, self.grid, self.left, self.top, self.size = sheet, grid, left, top, size
        self.width = size.cell_width * len(grid.lengths)
        self.height = size.cell_height * len(grid.depths)

    def draw(self) -> None:
        """Colours, marks, values and labels."""
        places = [shown for row in self.grid.places for shown in row]
        boxes = self._boxes()
        gap = min(1.2, 0.05 * POINTS_PER_INCH * min(self.size.cell_width, self.size.cell_height))
        self.sheet.boxes(boxes, self.grounds(places), "cells", edgecolors=PAPER, linewidths=gap)
        self._marks(places, boxes)
        self._values(places, boxes)
        self._length_labels()
        self._depth_labels()
        frame = (self.left, self.top, self.width, self.height)
        self.sheet.boxes([frame], "none", edgecolors=QUIET, linewidths=0.8)

    def grounds(self, places: Sequence[Shown]) -> Any:
        """Red, green, blue and opacity of each place."""
        return grounds(places)

    def ink(self, score: float) -> str:
        """Colour of a value that can be read on its ground."""
        return ink_on(score)

    def words(self, shown: Shown) -> str:
        """What is written into a place."""
        if shown.score is not None:
            return score_label(shown.score)
        return LOOKS[shown.mark].symbol if shown.mark in LOOKS else ""

    def _boxes(self) -> list[Box]:
        width, height = self.size.cell_width, self.size.cell_height
        return [
            (self.left + column * width, self.top + row * height, width, height)
            for row in range(len(self.grid.depths))
            for column in range(len(self.grid.lengths))
        ]

    def _marks(self, places: list[Shown], boxes: list[Box]) -> None:
        # A collection has one colour of hatch.
        marked: dict[tuple[Mark, str], list[Box]] = {}
        for shown, box in zip(places, boxes, strict=True):
            look = LOOKS.get(shown.mark)
            if look is not None:
                marked.setdefault((shown.mark, hatch_ink(look, shown.score)), []).append(box)
        for (mark, ink), own in marked.items():
            self.sheet.marks(own, LOOKS[mark].hatch, ink, f"mark {mark.name}")

    def _values(self, places: list[Shown], boxes: list[Box]) -> None:
        """The score of each cell, or the symbol in its place, where they fit."""
        if len(places) > _MOST_VALUES:
            return
        texts = [self.words(shown) for shown in places]
        size = self._value_size(max(len(text) for text in texts))
        if size is None:
            return
        stamps: dict[tuple[str, str, bool], list[Point]] = {}
        patches: list[tuple[Shown, Box]] = []
        for shown, text, (x, y, width, height) in zip(places, texts, boxes, strict=True):
            if not text:
                continue
            middle = (x + width / 2, y + height / 2)
            marked = shown.mark in LOOKS
            if marked and LOOKS[shown.mark].hatch:
                patches.append((shown, _patch(middle, text, size)))
            ink = INK if shown.score is None else self.ink(shown.score)
            stamps.setdefault((text, ink, marked), []).append(middle)
        if patches:
            self.sheet.boxes([box for _, box in patches], self.grounds([shown for shown, _ in patches]), "patches")
        for (text, ink, bold), middles in stamps.items():
            self.sheet.stamp(outline_of(text, size, bold), middles, ink, f"value {text}")

    def _value_size(self, longest: int) -> float | None:
        """Font size in points for values of so many characters, None where nobody could read it."""
        if not longest:
            return None
        by_width = self.size.cell_width * POINTS_PER_INCH * 0.82 / (longest * _DIGIT)
        by_height = self.size.cell_height * POINTS_PER_INCH * 0.9 / _LINE
        size = min(_MOST_VALUE_SIZE, by_width, by_height)
        return size if size >= _LEAST_VALUE_SIZE else None

    def _length_labels(self) -> None:
        # Labels side by side need air between them.
        labels = length_labels(self.grid.lengths)
        longest = max(len(label) for label in labels) * _DIGIT * self.size.label_size + 5
        fit = int(self.width * POINTS_PER_INCH / longest)
        base = self.top + self.height + 0.07
        for column in ends_and_between(len(labels), min(fit, self.size.most_labels)):
            middle = self.left + (column + 0.5) * self.size.cell_width
            self.sheet.text(middle, base, labels[column], self.size.label_size, ha="center")

    def _depth_labels(self) -> None:
        rows = len(self.grid.depths)
        fit = int(rows * self.size.cell_height * POINTS_PER_INCH / (self.size.label_size * _LINE))
        for row in ends_and_between(rows, min(fit, self.size.most_labels)):
            middle = self.top + (row + 0.5) * self.size.cell_height
            depth = f"{self.grid.depths[row]}%"
            self.sheet.text(self.left - 0.07, middle, depth, self.size.label_size, ha="right", va="center_baseline")


def _patch(middle: Point, text: str, size: float) -> Box:
    """A plain ground that keeps a value readable on its hatch."""
    width = (len(text) * _DIGIT + 0.45) * size / POINTS_PER_INCH
    height = 1.3 * size / POINTS_PER_INCH
    return middle[0] - width / 2, middle[1] - height / 2, width, height
