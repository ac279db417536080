"""Every mistake in known failures is one line too."""

from __future__ import annotations

import pytest

from tests.config.test_config_problems import HEAD, SWEEP, VALID


def known_failure_problems(problems, entry: str) -> list[str]:
    text = VALID + f"known_failures: [{entry}]\n"
    return [line.removeprefix("haystack.yaml:4: known_failures") for line in problems(text)]


@pytest.mark.parametrize(
    ("entry", "found"),
    [
        ("{reason: x}", []),
        ("{model: m, task: [count], context_lengths: [1000], depth_percents: {min: 5}, reason: x}", []),
        ("{model: m}", [".0: missing key 'reason'"]),
        ("{reason: ''}", [".0.reason: is empty"]),
        ("{model: n, reason: x}", [".0.model: there is no model 'n'; known: m"]),
        ("{task: [count, cuont], reason: x}", [".0.task.1: there is no task 'cuont'; did you mean 'count'?"]),
        ("{task: {a: 1}, reason: x}", [".0.task: a mapping of keys to values is not text or a list"]),
        ("{context_lengths: {min: 9, max: 5}, reason: x}", [".0.context_lengths: min 9 is more than max 5"]),
        ("{context_lengths: {low: 9}, reason: x}", [".0.context_lengths.low: unknown key; known: min, max"]),
        ("{depth_percents: [a], reason: x}", [".0.depth_percents.0: 'a' is not a number"]),
        ("{run: maybe, reason: x}", [".0.run: 'maybe' is not true or false"]),
    ],
)
def test_mistakes_in_known_failures(problems, entry, found):
    assert known_failure_problems(problems, entry) == found


def test_a_task_that_cannot_be_read_does_not_make_known_failures_wrong(problems):
    text = HEAD + SWEEP + "tasks: [{id: '${GONE}', type: count}]\nknown_failures: [{task: other, reason: x}]\n"
    assert problems(text) == [
        "haystack.yaml:3: tasks.0.id: environment variable 'GONE' is not set; export it, or write $${GONE} for the text"
    ]
