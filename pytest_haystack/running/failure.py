"""What a person reads of a cell that failed, or could not be scored."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence

from pytest_haystack.results.sequential import Decision
from pytest_haystack.running.stopping import decision_text
from pytest_haystack.running.trial import Trial
from pytest_haystack.sweep import Cell
from pytest_haystack.text import one_line, printable


def failure_text(cell: Cell, trials: Sequence[Trial], score: float, decision: Decision | None = None) -> str:
    """A few lines to act on: score against threshold, question, expected, answer, place, the command to see more.

    ``decision`` is that of the cell's rule, where it has one.
    """
    worst = min(trials, key=lambda trial: 2.0 if trial.score is None else trial.score)
    several = len(trials) > 1
    count = f" over {len(trials)} trials" if several else ""
    verdict = f"score {score:.2f} < {cell.threshold:.2f}{count}"
    if decision is not None and cell.stop is not None:
        verdict = f"score {score:.2f} against {cell.threshold:.2f}; {decision_text(decision, cell.stop.stop)}"
    lines = [
        f"{verdict}: {_answer(worst)} instead of {_expected(worst)}",
        f"  cell      {cell.task}, {cell.model}, {cell.context_length:,} tokens, depth {cell.depth} %",
        *([f"  trial     {worst.number + 1} of {len(trials)}, the worst"] if several else []),
        *trial_lines(worst),
    ]
    return printable("\n".join(lines))


def trial_lines(trial: Trial) -> list[str]:
    """What was asked, expected and answered, where the needles are, and the command to see more."""
    return [
        f"  question  {one_line(trial.ask.question, 300)}",
        f"  expected  {_expected(trial)}",
        f"  answer    {_answer(trial)}",
        f"  outcome   {_outcome(trial)}",
        *_judged(trial),
        *_places(trial),
        f"  see more  pytest-haystack show {shlex.quote(trial.row['nodeid'])}"
        + (f" --trial {trial.number}" if trial.number else ""),
    ]


def error_text(trials: Iterable[Trial]) -> str:
    """One line a kind of error: the outcome, what was said, and of which trial."""
    lines: dict[str, str] = {}
    for trial in trials:
        if trial.score is None:
            lines.setdefault(str(trial.outcome), f"{trial.outcome}: {one_line(trial.error or 'no words for it', 1000)}")
    return printable("\n".join(lines.values()))


def _expected(trial: Trial) -> str:
    expected = trial.ask.expected
    return one_line(", ".join(expected) if isinstance(expected, tuple) else str(expected), 200)


def _answer(trial: Trial) -> str:
    return repr(one_line(trial.answer, 200)) if trial.answer.strip() else "no text"


def _outcome(trial: Trial) -> str:
    details = trial.row["score_details"]
    return f"{trial.outcome}, {details['verdict']}" if "verdict" in details else str(trial.outcome)


def _judged(trial: Trial) -> list[str]:
    judge = trial.row["score_details"].get("judge")
    if not isinstance(judge, dict) or not judge.get("verdict"):
        return []
    return [f"  judge     {judge['verdict']}: {one_line(judge['reason'], 300)}"]


def _places(trial: Trial) -> list[str]:
    lines = []
    for needle in trial.needles[:5]:
        if needle.actual_depth_percent is not None:
            lines.append(
                f"  needle    at {needle.actual_depth_percent:.2f} % (token {needle.token_index:,}): "
                f"{one_line(needle.statement, 120)}"
            )
    if len(trial.needles) > 5:
        lines.append(f"  needle    ... and {len(trial.needles) - 5} more")
    return lines
