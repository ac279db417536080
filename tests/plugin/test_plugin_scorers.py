"""Scorers that a config names, in a sweep."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Run = Callable[..., pytest.RunResult]

CONFIG = """\
models: [{id: mine, model: 'python:mine:answer'}]
haystack: {source: synthetic}
sweep: {context_lengths: [500], depth_percents: [50]}
threshold: 0
tasks:
  - {id: keyword, type: single, scorer: keyword_or_levenshtein}
  - {id: rails, type: single, scorer: {name: rails, labels: [zebra, giraffe]}}
  - {id: within, type: single, value: {type: int, min: 1000, max: 9000}, scorer: {name: numeric, rel_tol: 0.01}}
  - {id: published, type: single, value: {type: int, min: 1000, max: 9000}, scorer: numeric_1pct}
"""

#: Repeats the planted sentence: the value struck out, or for a number one more.
MINE = r"""
import re

def answer(prompt):
    fact, value = re.search(r"(?s).*(The [^.]* is ([A-Z0-9-]+)\.)", prompt.document).groups()
    if value.isdigit():
        return str(int(value) + 1)
    return fact.replace(value, "#" * len(value)) + " A Zebra!"
"""


def test_named_scorers_get_their_options_and_what_was_planted(write: Any, run: Run, rows: Any, pytester: Any) -> None:
    write(CONFIG)
    pytester.makepyfile(mine=MINE)
    run().assert_outcomes(passed=4)
    by_task = {row["task"]: row for row in rows()}

    keyword = by_task["keyword"]
    said = "".join(keyword["response"].split())
    # The planted sentence has another character for each of the value's, and none of " A Zebra!".
    changed = len(keyword["expected"]) + len("AZebra!")
    assert keyword["score"] == pytest.approx(0.2 * (1 - changed / len(said)))
    assert by_task["rails"]["score_details"]["label"] == "zebra"
    assert by_task["within"]["score"] == by_task["published"]["score"] == 1.0


def test_a_slip_in_an_option_ends_the_run_before_anything_is_asked(write: Any, run: Run) -> None:
    write(CONFIG.replace("rel_tol", "rel_tool"))
    result = run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*haystack.yaml:8: tasks.2.scorer.rel_tool: unknown key; did you mean 'rel_tol'?*"])
