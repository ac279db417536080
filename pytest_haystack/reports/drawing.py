"""Pictures, drawn in inches from the upper left corner of a sheet.

A sheet is matplotlib's Figure with Agg, without pyplot's global state and without axes, whose machinery costs more
than all the rest of a heatmap. Its settings are its own, so that neither a user's style nor a machine's fonts change
what comes out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from pytest_haystack.reports.escape import picture_text, shorten
from pytest_haystack.reports.files import write_whole
from pytest_haystack.reports.palette import INK, PAPER, QUIET
from pytest_haystack.reports.rectangles import joined

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.path import Path as Outline
    from matplotlib.text import Text

#: Words and a number of characters to fewer words.
Cut: TypeAlias = "Callable[[str, int], str]"
Point: TypeAlias = "tuple[float, float]"
#: Left, top, width and height in inches.
Box: TypeAlias = "tuple[float, float, float, float]"

DPI = 150
POINTS_PER_INCH = 72.0
#: Text chunk of the PNG by which a picture of ours is known.
SOFTWARE = "pytest-haystack"
#: Height of a digit of DejaVu Sans as part of the font size.
_DIGIT_HEIGHT = 0.729
#: Inches of the largest corner that is a mark; how far inside its box it stands, as part of itself.
_MOST_CORNER, _CORNER_INSET = 0.16, 0.22
#: Inches between text and the edge of the picture.
EDGE = 0.3

_SETTINGS: Any = {
    "font.family": "DejaVu Sans",  # comes with matplotlib
    "font.size": 10.0,
    "text.color": INK,
    "text.parse_math": False,
    "hatch.linewidth": 0.8,
    "figure.facecolor": PAPER,
    "savefig.facecolor": PAPER,
}


@contextmanager
def settings() -> Iterator[None]:
    """matplotlib's own defaults and ours on top, for as long as a picture is made."""
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_SETTINGS)
        yield


class Sheet:
    """An empty picture of ``width`` by ``height`` inches; to be drawn on inside `settings`."""

    def __init__(self, width: float, height: float) -> None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
        from matplotlib.transforms import Affine2D

        self.width, self.height = width, height
        self.figure = Figure(figsize=(width, height), dpi=DPI)
        FigureCanvasAgg(self.figure)
        #: Inches from the upper left corner to pixels.
        self.inches = Affine2D().scale(1, -1).translate(0, height) + self.figure.dpi_scale_trans
        #: Points to pixels.
        self.points = Affine2D().scale(1 / POINTS_PER_INCH) + self.figure.dpi_scale_trans

    def text(self, left: float, top: float, words: str, size: float, **options: Any) -> Text:
        """Text that stands at a point as ``ha`` and ``va`` say, by default with its upper left corner."""
        place = {"va": "top", "ha": "left", "transform": self.inches, "fontsize": size, **options}
        return self.figure.text(left, top, words, **place)

    def fitted(
        self,
        left: float,
        base: float,
        words: str,
        size: float,
        most: float,
        least_size: float = 7.5,
        cut: Cut = shorten,
        **options: Any,
    ) -> Text:
        """Words on a base line in at most ``most`` inches: a smaller font first, then ``cut`` to fewer characters."""
        words = picture_text(words)
        bold = options.get("fontweight") == "bold"
        width = text_width(words, size, bold)
        if width > most:
            size = max(least_size, size * most / width)
            width = text_width(words, size, bold)
        while width > most and len(words) > 3:
            words = cut(words, min(len(words) - 1, int(len(words) * most / width)))
            width = text_width(words, size, bold)
        return self.text(left, base, words, size, va="baseline", **options)

    def boxes(self, boxes: Sequence[Box], colours: Any, name: str = "", **options: Any) -> None:
        """Filled rectangles; ``name`` is how to find them again."""
        self._polygons(
            [[(x, y), (x + w, y), (x + w, y + h), (x, y + h)] for x, y, w, h in boxes], colours, name, options
        )

    def marks(self, boxes: Sequence[Box], hatch: str, ink: str, name: str, corner: float = 0.34) -> None:
        """The boxes hatched in this colour; where the hatch is empty, their upper right corners filled with it.

        ``corner`` is the part of a box's shorter side that a corner takes.
        """
        if hatch:
            # Hatching takes milliseconds a box, however small it is, and goes on from one box to the next.
            self.boxes(joined(boxes), "none", name, edgecolors=ink, hatch=hatch)
            return
        corners = []
        for x, y, width, height in boxes:
            side = min(_MOST_CORNER, corner * min(width, height))
            right, top = x + width - side * _CORNER_INSET, y + side * _CORNER_INSET
            corners.append([(right - side, top), (right, top), (right, top + side)])
        self._polygons(corners, ink, name, {})

    def _polygons(self, corners: Sequence[Sequence[Point]], colours: Any, name: str, options: Any) -> None:
        import numpy as np
        from matplotlib.collections import PolyCollection

        points: Any = np.array(corners)
        filled = PolyCollection(points, facecolors=colours, transform=self.inches, **{"linewidths": 0, **options})
        filled.set_gid(name)
        self.figure.add_artist(filled)

    def line(self, points: Sequence[Point], colour: str, width: float) -> None:
        """A line through these points, ``width`` in points."""
        from matplotlib.lines import Line2D

        xs, ys = zip(*points, strict=True)
        self.figure.add_artist(Line2D(xs, ys, color=colour, linewidth=width, transform=self.inches))

    def stamp(self, outline: Outline, places: Sequence[Point], colour: str, name: str) -> None:
        """The same outline (in points around its middle) at all these places: far cheaper than texts."""
        from matplotlib.collections import PathCollection

        stamped = PathCollection(
            [outline], offsets=places, offset_transform=self.inches, facecolors=colour, linewidths=0
        )
        stamped.set_transform(self.points)
        stamped.set_gid(name)
        self.figure.add_artist(stamped)

    def head(self, title: str, amounts: str, cut: Cut = shorten) -> None:
        """The title, and under it what the picture amounts to."""
        most = self.width - 2 * EDGE
        self.fitted(EDGE, 0.42, title, 15, most, least_size=10, cut=cut, fontweight="bold")
        self.fitted(EDGE, 0.68, amounts, 11, most, color=QUIET)

    def foot(self, words: Sequence[str]) -> None:
        """A quiet line at the bottom that says where the picture is from."""
        line = " · ".join(word for word in words if word)
        self.fitted(EDGE, self.height - 0.17, line, 8, self.width - 2 * EDGE, color=QUIET)


def outline_of(words: str, size: float, bold: bool = False) -> Outline:
    """The words as an outline in points around their middle; their height counts as that of a digit."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath
    from matplotlib.transforms import Affine2D

    font = FontProperties(family="DejaVu Sans", weight="bold" if bold else "normal")
    outline = TextPath((0, 0), words, size=size, prop=font)
    extents = outline.get_extents()
    return outline.transformed(Affine2D().translate(-(extents.x0 + extents.x1) / 2, -_DIGIT_HEIGHT * size / 2))


def text_width(words: str, size: float, bold: bool = False) -> float:
    """Inches that the words take, ``size`` in points."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(family="DejaVu Sans", weight="bold" if bold else "normal", size=size)
    width, _, _ = text_to_path.get_text_width_height_descent(words, font, ismath=False)
    return float(width) / POINTS_PER_INCH


def model_and_task(model: str, task: str) -> tuple[str, Cut]:
    """A title for `Sheet.fitted`, and how to cut it so that something of both names stays."""
    model, task = picture_text(model), picture_text(task)

    def cut(words: str, most: int) -> str:
        room = max(2, most - 2)
        for_task = min(len(task), max(room // 2, room - len(model)))
        return f"{shorten(model, room - for_task)}: {shorten(task, for_task)}"[: max(3, most)]

    return f"{model}: {task}", cut


def save(figure: Figure, path: Path) -> Path:
    """Write a PNG without time or version in it, so that the same results give the same bytes."""
    with settings():
        return write_whole(
            path,
            lambda temporary: figure.savefig(
                temporary, format="png", metadata={"Software": SOFTWARE}, pil_kwargs={"compress_level": 1}
            ),
        )


def is_ours(path: Path) -> bool:
    """True for a PNG that `save` wrote, by the text in its head."""
    with path.open("rb") as file:
        return SOFTWARE.encode() in file.read(512)
