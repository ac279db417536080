"""Options at their ends: what can be is exact and answered, what cannot be is told with its place, in one line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

HEAD = """\
models: [{id: reader, model: simulated/perfect}]
haystack: {source: synthetic}
sweep: {context_lengths: [500, 2000], depth_percents: [0, 100], trials: 2}
"""
Run = Callable[..., pytest.RunResult]


@pytest.mark.parametrize(
    "form", ["prefill: 'The answer is'", "template: '{{ document }} {{ question }}', system: Read."]
)
def test_a_document_full_of_quotes_passes_for_none_that_was_cut(write: Any, run: Run, rows: Any, form: str) -> None:
    tasks = "tasks: [{type: key_value, format: json, items: [2, 30], item_length: 8, data_type: numbers}]\n"
    write(HEAD.replace("500, ", "") + f"prompt: {{{form}}}\n" + tasks)

    run().assert_outcomes(passed=4)
    assert {row["outcome"] for row in rows()} == {"answered"}


EXTREMES = {
    "many needles": "{type: multi, needles: [1, 40], context_lengths: [2000]}",
    "all neighbours": "{type: distractor, distractors: 7, distance: spread}",
    "one value each": "{type: single, value: {type: int, min: 7, max: 7}}",
    "negative values": "{type: single, value: {type: float, min: -1.0, max: 0.0}}",
    "one place": "{type: conflicting, first_depth: 100, last_depth: 100}",
    "many pairs": "{type: key_value, items: [2, 60], item_length: 64, context_lengths: [5000]}",
    "as many pairs as fit": "{type: key_value, format: json, items: fit, item_length: [8, 64]}",
    "pairs of every pattern": (
        "{type: key_value, format: json, pattern: [linear, compound, letters], mode: [original, break], "
        "context_lengths: [1000]}"
    ),
    "twins": "{type: unanswerable, paired: true, trials: 3}",
    "a phrase that is everywhere": "{type: counting, count: 100, context_lengths: [4000]}",
}


@pytest.mark.parametrize("task", EXTREMES.values(), ids=EXTREMES)
def test_documents_at_the_ends_of_an_option_are_exact_and_answered(write: Any, run: Run, rows: Any, task: str) -> None:
    write(HEAD + f"threshold: 0\ntasks: [{task}]\n")
    result = run()

    assert "errors" not in result.parseoutcomes()
    assert {row["outcome"] for row in rows()} == {"answered"}
    for row in rows():
        short = row["context_length"] - row["recipe"]["document_tokens"]
        assert short >= 0 if "json" in task else short == 0
        assert row["task_type"] == "conflicting" or row["score"] == 1.0, row["response"]


DRAWN = "question: 'What?', answer: '{{ x }}', variables: {x: {type: uuid}}"
MISTAKES = [
    ("multi, needles: 40", r"multi-reader-len500-depth50: a document of 500 tokens cannot hold 40 needle"),
    ("multi, needles: 3, value: {type: int, min: 5, max: 5}", r"multi-reader-len500-depth50: no unused value .* widen"),
    (
        f"multi, needles: 2, needle: {{template: 'It is {{{{ x }}}}.', {DRAWN}}}",
        r"multi-reader-len500-depth50: needle: 200 draws gave only 1 different questions",
    ),
    (
        f"single, needle: {{template: It is red., {DRAWN}}}",
        r"needle\.answer: 'x' stands neither in template nor in question, so nobody can know it",
    ),
    (
        "single, prompt: {template: '{% include \"x\" %}{{ document }}{{ question }}'}",
        r"prompt\.template: TypeError: no loader for this environment specified",
    ),
    ("single, prompt: {template: '{{ document.a.b }}{{ question }}'}", r"prompt\.template: UndefinedError: "),
    ("distractor, distractors: 50", r"distractors: 50 is too large; must be at most 7"),
    ("reasoning, kind: chain, steps: 10", r"steps 10 takes 11 needles, but needles is 5"),
    ("ancestry, question: relative", r"question: 'relative' has no unique answer in a chain; use ancestor, or any"),
    ("conflicting, first_depth: 90, last_depth: 10", r"first_depth 90 is behind last_depth 10; swap them"),
    ("key_value, format: json", r"key_value-reader-len500-depth0: its records take .* tokens, 500 are free"),
]


@pytest.mark.parametrize(("task", "words"), MISTAKES)
def test_what_cannot_be_is_told_with_file_and_line(write: Any, run: Run, task: str, words: str) -> None:
    write(HEAD + f"tasks:\n  - {{type: {task}}}\n")
    result = run()

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.re_match_lines([rf".*haystack\.yaml:5: .*{words}"])
    result.stderr.no_fnmatch_line("*Traceback*")
