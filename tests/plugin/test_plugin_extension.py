"""A conftest adds a task, a placement, a scorer, a haystack source and a model provider by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Run = Callable[..., pytest.RunResult]

CONFTEST = """
from pytest_haystack.haystacks.source import Source, SourceOptions
from pytest_haystack.models.model import Completion, Model
from pytest_haystack.needles.needle import Needle
from pytest_haystack.scoring.score import Score
from pytest_haystack.tasks.task import Ask, Task, TaskOptions


class ProverbOptions(TaskOptions):
    ending: str = "the worm"


class Proverb(Task):
    name = "proverb"
    options_model = ProverbOptions
    scorer = "last_word"

    def needles(self, context):
        return [Needle(f"The early bird catches {self.options.ending}.").at(context.depth_percent)]

    def ask(self, needles, context):
        return Ask("What does the early bird catch?", self.options.ending)


def last_word(answer, reference):
    right = answer.split()[-1:] == reference.expected.split()[-1:]
    return Score(float(right), "right" if right else "wrong", {"compared": "last word"})


def edges(count, depth_percent, rng, options):
    return [0.0] + [100.0] * (count - 1)


class Tickets(Source):
    name = "tickets"

    def read(self, characters):
        return "".join(f"Ticket {n} was closed by a colleague of ours. " for n in range(characters // 20 + 1))

    @property
    def sha256(self):
        return "1" * 64


class Echo(Model):
    def complete(self, prompt):
        found = prompt.document.partition("The early bird catches ")[2].partition(".")[0]
        return Completion(f"It catches {found}" if found else ", ".join(
            part.partition(".")[0] for part in prompt.document.split(" is ")[1:]
        ))


def pytest_haystack_register(registry):
    registry.tasks.add("proverb", Proverb)
    registry.scorers.add("last_word", last_word)
    registry.placements.add("edges", edges)
    registry.sources.add("tickets", Tickets)
    registry.providers.add("echo", Echo)
"""

CONFIG = """\
models:
  - {id: echo, model: echo/loud}
haystack: {source: tickets}
sweep: {context_lengths: [600], depth_percents: [0, 50]}
tasks:
  - {type: proverb, ending: a cold}
  - {id: pair, type: multi, needles: 2, placement: edges}
"""


def test_each_kind_of_extension_works_in_a_sweep(
    write: Any, run: Run, rows: Any, pytester: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    write(CONFIG, "evals/haystack.yaml")
    write(CONFTEST, "evals/conftest.py")
    run(*workers, config="evals/haystack.yaml").assert_outcomes(passed=4)

    by_task = {row["task"]: row for row in rows()}
    assert by_task["proverb"]["response"] == "It catches a cold"
    assert by_task["proverb"]["score_details"]["compared"] == "last word"
    assert by_task["proverb"]["recipe"]["haystack"]["source"] == "tickets"
    depths = [place["actual_depth_percent"] for place in by_task["pair"]["recipe"]["placements"]]
    assert depths == [0.0, 100.0]


def test_the_command_knows_extensions_too(write: Any, installed: Any) -> None:
    write(CONFIG, "evals/haystack.yaml")
    write(CONFTEST, "evals/conftest.py")
    result = installed("validate", "evals/haystack.yaml")

    assert result.returncode == 0
    assert "evals/haystack.yaml: valid, 4 cells" in result.stdout


def test_a_name_taken_twice_is_refused(write: Any, run: Run) -> None:
    write(CONFIG)
    write("def pytest_haystack_register(registry): registry.tasks.add('single', None)", "conftest.py")
    result = run()

    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: task 'single' is registered twice; choose another name"])


def test_options_of_an_extension_are_validated(write: Any, run: Run) -> None:
    write(CONFIG.replace("ending", "endign"))
    write(CONFTEST, "conftest.py")
    result = run()

    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: haystack.yaml:6: tasks.0.endign: unknown key; did you mean 'ending'?"])


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("registry.placement.add('x', print)", "conftest.py:1: pytest_haystack_register: AttributeError: *placement*"),
        ("registry.scorers.add('x', 1)", "scorer 'x': 1 is not callable; see pytest_haystack.scoring.score"),
        ("registry.sources.add('x', print)", "haystack source 'x': * has no options_model, read, sha256; see *Source"),
    ],
)
def test_a_mistake_in_an_extension_is_one_line(write: Any, run: Run, installed: Any, code: str, says: str) -> None:
    write(CONFIG)
    write(f"def pytest_haystack_register(registry): {code}", "conftest.py")
    result = run()

    assert result.ret == 4
    result.stderr.fnmatch_lines([f"ERROR: {says}"])
    assert "Traceback" not in installed("validate").stderr


def test_a_scorer_may_return_a_plain_number(write: Any, run: Run, rows: Any) -> None:
    write(
        CONFIG.replace("  - {type: proverb, ending: a cold}\n", "").replace("needles: 2,", "needles: 2, scorer: half,")
    )
    write(
        CONFTEST + "\n    registry.scorers.add('half', lambda answer, reference: 0.5)\n",
        "conftest.py",
    )
    run("--haystack-set", "threshold=0.5").assert_outcomes(passed=2)

    assert {row["score"] for row in rows()} == {0.5}
