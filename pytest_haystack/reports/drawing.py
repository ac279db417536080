"""How pictures look: sizes in inches, colours, and what all of them share.

Pictures are drawn with matplotlib's Figure and Agg, without pyplot's global state, and with settings of their own,
so that neither a user's style nor a machine's fonts change them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from pytest_haystack.reports.escape import picture_text, shorten
from pytest_haystack.reports.files import write_whole
from pytest_haystack.reports.grid import Mark
from pytest_haystack.reports.palette import INK, LOOKS, PAPER, QUIET, hatch_ink, score_colours

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text

    from pytest_haystack.reports.cell_result import SweepResults

#: Words and a number of characters to fewer words.
Cut: TypeAlias = "Callable[[str, int], str]"

DPI = 150
#: Text chunk of the PNG by which a picture of ours is known.
SOFTWARE = "pytest-haystack"
#: Inches between text and the edge of the picture.
EDGE = 0.3

_SETTINGS: Any = {
    "font.family": "DejaVu Sans",  # comes with matplotlib
    "font.size": 10.0,
    "text.color": INK,
    "text.parse_math": False,
    "axes.edgecolor": QUIET,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
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


def new_figure(width: float, height: float) -> Figure:
    """An empty picture of this size in inches."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=DPI)
    FigureCanvasAgg(figure)
    return figure


def axes_at(figure: Figure, left: float, top: float, width: float, height: float, **options: Any) -> Axes:
    """Axes whose upper left corner is so many inches from that of the picture."""
    whole_width, whole_height = figure.get_size_inches()
    bounds = (
        left / whole_width,
        1 - (top + height) / whole_height,
        width / whole_width,
        height / whole_height,
    )
    return figure.add_axes(bounds, **options)


def text_at(figure: Figure, left: float, top: float, text: str, **options: Any) -> Text:
    """Text whose upper left corner (or what ``ha`` and ``va`` say) is so many inches from that of the picture."""
    width, height = figure.get_size_inches()
    return figure.text(left / width, 1 - top / height, text, **{"va": "top", "ha": "left", **options})


def fitted(text: Text, words: str, most: float, least_size: float = 7.5, cut: Cut = shorten) -> None:
    """Set the words in at most ``most`` inches: a smaller font first, then ``cut`` to fewer characters."""
    words = picture_text(words)
    text.set_text(words)
    size = float(text.get_fontsize())
    width = _width(text)
    if width > most:
        text.set_fontsize(max(least_size, size * most / width))
        width = _width(text)
    while width > most and len(words) > 3:
        words = cut(words, min(len(words) - 1, int(len(words) * most / width)))
        text.set_text(words)
        width = _width(text)


def head(figure: Figure, title: str, amounts: str, cut: Cut = shorten) -> None:
    """The title, and under it what the picture amounts to."""
    most = float(figure.get_size_inches()[0]) - 2 * EDGE
    text = text_at(figure, EDGE, 0.42, "", fontsize=15, fontweight="bold", va="baseline")
    fitted(text, title, most, least_size=10, cut=cut)
    fitted(text_at(figure, EDGE, 0.68, "", fontsize=11, color=QUIET, va="baseline"), amounts, most)


def foot(figure: Figure, words: Sequence[str]) -> None:
    """A quiet line at the bottom that says where the picture is from."""
    width, height = (float(size) for size in figure.get_size_inches())
    text = text_at(figure, EDGE, height - 0.14, "", fontsize=8, color=QUIET, va="bottom")
    fitted(text, "  ·  ".join(word for word in words if word), width - 2 * EDGE)


def source_words(results: SweepResults) -> list[str]:
    """Haystack, tokenizer and day, for `foot`."""
    return [results.haystack, results.tokenizer, results.started_utc[:10]]


def model_and_task(model: str, task: str) -> tuple[str, Cut]:
    """A title for `fitted`, and how to cut it so that something of both names stays."""
    model, task = picture_text(model), picture_text(task)

    def cut(words: str, most: int) -> str:
        room = max(2, most - 2)
        for_task = min(len(task), max(room // 2, room - len(model)))
        return f"{shorten(model, room - for_task)}: {shorten(task, for_task)}"[: max(3, most)]

    return f"{model}: {task}", cut


def _width(text: Text) -> float:
    figure: Any = text.get_figure()
    extent = text.get_window_extent(figure.canvas.get_renderer())
    return float(extent.width / figure.dpi)


def colour_bar(figure: Figure, left: float, top: float, height: float, threshold: float | None) -> None:
    """The scale of scores, 1 on top, with a line at the threshold where all cells share one inside the scale."""
    import numpy as np

    axes = axes_at(figure, left, top, 0.16, height)
    axes.imshow(score_colours(np.linspace(1, 0, 256).tolist())[:, None, :], aspect="auto", extent=(0, 1, 0, 1))
    ticks = (0, 0.25, 0.5, 0.75, 1) if height >= 1.2 else (0, 0.5, 1)
    axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks], fontsize=8.5)
    axes.yaxis.tick_right()
    axes.set_xticks([])
    axes.tick_params(length=2.5)
    axes.set_title("score", fontsize=8.5, pad=8, color=QUIET)
    if threshold is not None and 0 < threshold < 1:
        axes.plot([-0.4, 1], [threshold, threshold], color=INK, linewidth=1.6, clip_on=False)
    axes.set_xlim(0, 1)


#: Scores whose colours stand in the legend for marks that go with a score.
_LEGEND_SCORES = {Mark.XFAIL: 0.15, Mark.XPASS: 1.0}


def legend(figure: Figure, left: float, top: float, marks: Sequence[Mark]) -> None:
    """What the marks mean, only those that occur; `legend_height` is the room it takes."""
    from matplotlib.patches import Patch

    shown = [mark for mark in marks if mark in LOOKS]
    if not shown:
        return
    handles: list[Artist] = []
    for mark in shown:
        look, score = LOOKS[mark], _LEGEND_SCORES.get(mark)
        ground = look.ground if score is None else tuple(score_colours([score])[0])
        handles.append(Patch(facecolor=ground, edgecolor=hatch_ink(look, score), hatch=look.hatch, linewidth=0))
    names = [f"{mark.value} ({LOOKS[mark].symbol})" if LOOKS[mark].symbol else mark.value for mark in shown]
    width, height = figure.get_size_inches()
    figure.legend(
        handles,
        names,
        loc="upper left",
        bbox_to_anchor=(left / width, 1 - top / height),
        ncols=_legend_columns(len(shown), width - left),
        fontsize=8.5,
        frameon=False,
        borderpad=0,
        borderaxespad=0,
        handlelength=1.9,
        handleheight=1.2,
        columnspacing=1.6,
    )


def legend_height(marks: Sequence[Mark], width: float) -> float:
    """Inches that the legend of these marks takes in a picture of which it has so many inches of width."""
    shown = sum(mark in LOOKS for mark in marks)
    return 0.27 * math.ceil(shown / _legend_columns(shown, width)) + 0.08 if shown else 0.0


def _legend_columns(count: int, width: float) -> int:
    return max(1, min(count, int(width / 2.5)))


def save(figure: Figure, path: Path) -> Path:
    """Write a PNG without time or version in it, so that the same results give the same bytes."""
    with settings():
        return write_whole(
            path,
            lambda temporary: figure.savefig(
                temporary, format="png", metadata={"Software": SOFTWARE}, pil_kwargs={"compress_level": 4}
            ),
        )
