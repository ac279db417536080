"""The grid of scores in a terminal."""

from __future__ import annotations

import unicodedata

from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_haystack.reports.cell_result import STATES, SweepResults
from pytest_haystack.reports.escape import width_of
from pytest_haystack.reports.heatmap import heatmap_figure
from pytest_haystack.reports.markdown import summary_markdown
from pytest_haystack.reports.terminal import painted, plain, render_grid
from tests.reports.sweeps import ANY_TEXT, MIXED, cell, grid, row, sweep


def lines_of(results: SweepResults, width: int = 80, most_lines: int = 160) -> list[str]:
    return [plain(line) for line in render_grid(results, width, most_lines)]


def test_a_grid_shows_scores_lengths_depths_mean_interval_and_counts() -> None:
    cells = grid(
        [500, 4000, 128_000],
        [0, 3.95, 100],
        lambda length, depth: {"state": "failed", "score": 1 / 3} if (length, depth) == (4000, 3.95) else {},
        trials=3,
    )

    assert lines_of(sweep(cells)) == [
        "reader: single",
        "  mean 0.93 (good) [0.77, 0.98] over 27 trials; 8 passed, 1 failed",
        "          500    4K  128K",
        "     0%     1     1     1",
        "  3.95%     1   .33F    1",
        "   100%     1     1     1",
        "",
        "  F failed",
    ]


def test_each_mark_is_told_apart_and_explained() -> None:
    lines = lines_of(MIXED, 100)

    assert lines[:6] == [
        "reader: single",
        "  mean 0.50 (poor) [0.15, 0.85] over 4 trials; 1 passed, 1 failed, 1 error, 2 skipped, 1 xfailed, 1",
        "    xpassed, 1 not run",
        "  outcomes: answered 4, budget 1, context_overflow 1, infra_error 1; retrieval rate 0.50",
        "         1K    2K    4K    8K   16K   32K   64K  128K",
        "  50%     1     0F    0x    1X    E   n/a     .     .",
    ]
    assert " ".join(line.strip() for line in lines[7:]) == (
        "F failed; x known failure (xfail); X known failure that passed (xpass); E error; n/a unsupported: "
        "context too long; . not run"
    )


def test_colours_say_passed_failed_and_known() -> None:
    spans = {span.text.strip(): span.style for line in render_grid(MIXED) for span in line}

    assert spans["1"] == ("green",)
    assert spans["0F"] == ("red",)
    assert spans["0x"] == ("yellow",)
    assert spans["E"] == ("red", "bold")


def test_painting_goes_through_the_terminals_own_markup() -> None:
    painted_lines = [painted(line, lambda text, **style: f"<{'+'.join(style)}|{text}>") for line in render_grid(MIXED)]

    assert painted_lines[0] == "<bold|reader: single>"
    assert any("<red+bold|" in line for line in painted_lines)


def test_the_usual_grid_fits_eighty_columns_with_its_scores() -> None:
    lengths = [1000, 2000, 4000, 8000, *(1000 * n for n in (12, 16, 24, 32, 48, 64, 80, 96, 112, 120, 128))]
    lines = lines_of(sweep(grid(lengths, [0, 3.95, 10.43], lambda *_: {"score": 0.5})))

    assert lines[4].split() == ["3.95%"] + [".50"] * 15
    assert max(map(len, lines)) <= 80
    assert lines[2].split()[0] == "1K"
    assert lines[2].split()[-1] == "128K"


def test_a_failed_cell_is_told_from_one_that_passed_with_its_score() -> None:
    cells = [
        cell("failed", 1 / 3, length=1000, threshold=0.6),
        cell("passed", 1 / 3, length=2000, threshold=0.3),
        cell("failed", 1.0, length=4000, message="[XPASS(strict)] lost in the middle"),
        cell("failed", None, length=8000, rows=()),
    ]
    spans = render_grid(sweep(cells))[3][1:]

    assert [(span.text.strip(), span.style) for span in spans] == [
        (".33F", ("red",)),
        (".33", ("green",)),
        ("1F", ("red",)),
        ("F", ("red",)),
    ]
    assert lines_of(sweep(cells))[-1] == "  F failed"
    assert not any("failed" in line for line in lines_of(sweep([cell()])))


def test_digits_keep_their_marks() -> None:
    states = {2000: "failed", 3000: "xfailed", 4000: "xpassed", 5000: "error"}
    cells = grid(
        range(1000, 31_000, 1000),
        [50],
        lambda length, _: {"state": states.get(length, "passed"), "score": 0.5},
    )

    assert lines_of(sweep(cells))[4].startswith("  50% 5 5F5x5XE 5 5 ")


def test_a_place_without_a_cell_stays_blank_everywhere() -> None:
    results = sweep([cell(length=1000, depth=0), cell(length=2000, depth=50)])

    assert lines_of(results)[3:] == ["   0%    1", "  50%         1", ""]
    assert "| `0%` | ✅ 1 |  |" in summary_markdown(results)
    assert "not run" not in summary_markdown(results)
    assert not any("not run" in text.get_text() for text in heatmap_figure(results, "reader", "single").texts)


def test_more_lengths_become_digits() -> None:
    scores = {1000: 1.0, 2000: 0.0, 3000: 0.55, 4000: 0.99}
    cells = grid(range(1000, 31_000, 1000), [0, 50], lambda length, _: {"score": scores.get(length, 1.0)})
    lines = lines_of(sweep(cells))

    assert lines[3].split() == ["0%", "#", "0", "5", "9"] + ["#"] * 26
    assert "  # is a score of 1, a digit its tenths" in lines


def test_still_more_lengths_take_several_blocks() -> None:
    cells = grid(range(1000, 101_000, 1000), [0, 50], lambda *_: {})
    rows = [line for line in lines_of(sweep(cells)) if line.startswith("   0%")]

    assert len(rows) == 3
    assert sum(line.count("#") for line in rows) == 100


def test_outcomes_are_shown_only_where_there_is_more_than_answers() -> None:
    odd = cell(rows=(row(1.0), row(0.0, "truncated")))

    assert not any("outcomes" in line for line in lines_of(sweep([cell()])))
    assert "  outcomes: answered 1, truncated 1; retrieval rate 1.00" in lines_of(sweep([odd]))


def test_notes_stand_at_the_end() -> None:
    assert lines_of(sweep([cell()], notes=("the text is used 3.2 times",)))[-1] == "  note: the text is used 3.2 times"


def test_faultless_grids_give_way_first() -> None:
    cells = [
        *grid([1000], range(0, 101, 10), lambda *_: {"task": "good"}),
        *grid([1000], range(0, 101, 10), lambda *_: {"task": "bad", "state": "failed", "score": 0.0}),
    ]
    lines = lines_of(sweep(cells), most_lines=20)

    assert lines[:3] == [
        "reader: good",
        "  mean 1.00 (excellent) [0.74, 1.00] over 11 trials; 11 passed",
        "reader: bad",
    ]
    assert len(lines) <= 20
    assert sum(line.endswith(" 0F") for line in lines) == 11


def test_very_many_grids_end_in_a_count() -> None:
    cells = [cell("failed", 0.0, task=f"t{task}", model=f"m{model}") for task in range(20) for model in range(20)]
    lines = lines_of(sweep(cells), most_lines=60)

    assert len(lines) < 70
    assert any(line.startswith("... and 3") and line.endswith(" grids more in summary.md") for line in lines)


def test_a_sweep_without_cells_is_no_error() -> None:
    assert lines_of(sweep([])) == []


@given(
    texts=st.lists(ANY_TEXT, min_size=5, max_size=5),
    lengths=st.lists(st.integers(1, 2_000_000), min_size=1, max_size=60, unique=True),
    state=st.sampled_from(STATES),
    width=st.integers(40, 200),
)
@settings(max_examples=100, deadline=None)
def test_no_line_is_too_wide_or_steers_the_terminal(
    texts: list[str], lengths: list[int], state: str, width: int
) -> None:
    model, task, note, outcome, message = texts
    cells = grid(
        lengths, [0, 12.5, 100], lambda *_: {"state": state, "model": model, "task": task, "outcome": outcome or "x"}
    )
    results = sweep([*cells, cell("failed", 0.5, message=message)], notes=(note,))
    for line in lines_of(results, width):
        assert width_of(line) <= width
        assert not {unicodedata.category(char) for char in line if char not in "\u200c\u200d"} & {"Cc", "Cf", "Cs"}
