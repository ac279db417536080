"""Searches, from the sweep file to exit code and reports."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.plugin.conftest import literal

Run = Callable[..., pytest.RunResult]

#: A callable that finds the code unless the document's number of words is in a span that it is blind to.
MODEL = """
import re

def answer(prompt):
    with open("asked.txt", "a") as file:
        print(prompt.sha256, file=file)
    words = len(prompt.document.split())
    if any(low <= words < high for low, high in {blind}):
        return "I do not know."
    if {broken} and words > 500:
        raise RuntimeError("the pipeline broke")
    return re.search(r"[A-Z]{{2}}-\\d{{4}}", prompt.document).group()
"""
SWEEP = """\
models: [{{id: script, model: "python:scripted:answer"{window}}}]
haystack: {{source: synthetic}}
sweep: {{context_lengths: [300, 500, 700, 900, 1100], depth_percents: [0, 30, 60, 100]}}
threshold: 0.9
tasks: [{task}]
searches:
"""


@pytest.fixture(name="sweep")
def sweep_of_searches(write: Callable[..., Path], pytester: pytest.Pytester) -> Callable[..., Path]:
    """A sweep with searches on a model that is blind to documents with so many words."""

    def make(
        *searches: str,
        blind: tuple[tuple[int, int], ...] = (),
        broken: bool = False,
        task: str = "single",
        window: str = "",
        more: str = "",
    ) -> Path:
        (pytester.path / "scripted.py").write_text(MODEL.format(blind=blind, broken=broken))
        listed = "".join(f"  - {{{search}}}\n" for search in searches)
        return write(SWEEP.format(task=task, window=window) + listed + more)

    return make


def found(folder: Path) -> list[dict[str, Any]]:
    summary = json.loads((folder / "haystack-report" / "summary.json").read_text())
    return summary["searches"]  # type: ignore[no-any-return]


CLAIM = "metric: mean_score, context_length: 700"
LONGEST = "metric: effective_context_length, min: 700"
ONLY = ("-m", "haystack_search")


@pytest.mark.parametrize("stop", ["sprt", "point", "fail_on_evidence", "certify"])
def test_a_claimed_length_is_tested_until_the_verdict_is_there(
    stop: str, sweep: Any, run: Run, pytester: pytest.Pytester
) -> None:
    sweep(f"{CLAIM}, stop: {stop}")

    result = run(*ONLY)

    result.assert_outcomes(passed=1)
    [search] = found(pytester.path)
    expected = {"sprt": 27, "point": 60, "certify": 64, "fail_on_evidence": 57}[stop]
    assert search["result"]["trials"] == pytest.approx(expected, abs=3 if stop == "fail_on_evidence" else 0)
    assert search["result"]["verdict"] == "pass"
    assert search["asked_trials"] == search["result"]["trials"]


def test_a_claim_that_does_not_hold_fails(sweep: Any, run: Run, pytester: Any, workers: tuple[str, ...]) -> None:
    sweep(CLAIM, blind=((0, 9999),))

    result = run(*ONLY, *workers)

    result.assert_outcomes(failed=1)
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            "*mean score 0.00 at 700 tokens is held against 0.90; sprt: fail after 3 trials",
            "  length    700 tokens: fail, mean 0.000 over 3 trials, 95 % interval 0.000 to *",
            "  answer    'I do not know.'",
            "  needle    at *",
            literal(
                "  see more  pytest-haystack show 'haystack.yaml::test_search[mean_score-single-script-len700]::len700-"
            )
            + "*",
        ]
    )
    result.stdout.fnmatch_lines([literal("FAILED haystack.yaml::test_search[mean_score-single-script-len700]*")])


@pytest.mark.parametrize(("limit", "longest"), [(10_000, 1100), (0, 0)])
def test_the_longest_length_that_holds_is_found_at_the_ends(
    limit: int, longest: int, sweep: Any, run: Run, pytester: Any
) -> None:
    sweep(LONGEST, blind=((limit, 99_999),))

    result = run(*ONLY)

    [search] = found(pytester.path)
    assert search["result"]["effective_context_length"] == longest
    assert result.ret == (longest < 700)
    said = "effective context length 1,100 >= 700" if longest else "effective context length below 300 < 700"
    result.stdout.fnmatch_lines([f"*{said} tokens at 0.90; *"])


@pytest.fixture
def words(sweep: Any, run: Run, pytester: Any) -> dict[int, int]:
    """Words that a document of each length has, give or take a few."""
    counts = pytester.path / "counted.py"
    counts.write_text(
        "def answer(prompt):\n"
        "    with open('words.txt', 'a') as file:\n"
        "        print(len(prompt.document.split()), file=file)\n"
        "    return ''\n"
    )
    path = sweep()
    path.write_text(
        path.read_text().replace("python:scripted:answer", "python:counted:answer").replace("searches:", "")
    )
    path.write_text(path.read_text().replace("depth_percents: [0, 30, 60, 100]", "depth_percents: [0]"))
    run("-q")
    # An empty answer is asked for twice.
    counted = map(int, (pytester.path / "words.txt").read_text().split()[::2])
    return dict(zip((300, 500, 700, 900, 1100), counted, strict=True))


def test_the_longest_length_that_holds_lies_between_two(
    sweep: Any, run: Run, pytester: Any, words: dict[int, int], workers: tuple[str, ...]
) -> None:
    sweep(LONGEST, "id: longer, metric: effective_context_length, min: 701", blind=((words[700] + 30, 9999),))

    result = run(*ONLY, *workers)

    result.assert_outcomes(passed=1, failed=1)
    first, second = found(pytester.path)
    values = first["result"]
    assert (values["effective_context_length"], values["bounds"]) == (700, [700, 900])
    assert [(step["context_length"], step["verdict"]) for step in values["path"]] == [
        (700, "pass"),
        (1100, "fail"),
        (900, "fail"),
    ]
    # Both lengths below were never tested, so the audit samples them: a round of four depths each.
    assert {sample["context_length"]: sample["mean"] for sample in values["audit"]} == {300: 1, 500: 1}
    assert values["monotone"]
    assert first["asked_trials"] == 27 + 3 + 3 + 4 + 4
    assert first["text"] == "effective context length 700 >= 700 tokens at 0.90; sprt: pass after 33 trials"
    assert second["state"] == "failed"
    result.stdout.fnmatch_lines(["*effective context length 700 < 701 tokens at 0.90; sprt: fail after 33 trials*"])
    result.stdout.fnmatch_lines(["  tested    700 pass (27), 1,100 fail (3), 900 fail (3), audit * mean 1.00, * mean*"])


def test_a_dip_below_the_answer_is_found_and_climbed_to(
    sweep: Any, run: Run, pytester: Any, words: dict[int, int]
) -> None:
    # Of the three lengths that halving leaves out the audit samples two.
    sweep(LONGEST, blind=((words[300] + 30, words[500] + 30), (words[700] + 30, words[900] + 30)))

    run(*ONLY).assert_outcomes(failed=1)

    [search] = found(pytester.path)
    values = search["result"]
    assert not values["monotone"]
    assert (values["effective_context_length"], values["bounds"]) == (300, [300, 500])
    # A round that the audit asked is the first of a test: three wrong answers need no further prompt.
    asked = [row for row in trial_rows(pytester.path) if row["context_length"] == 500]
    assert len(asked) == (4 if 500 in [sample["context_length"] for sample in values["audit"]] else 3)
    keys = [(row["nodeid"], row["trial"]) for row in trial_rows(pytester.path)]
    assert len(keys) == len(set(keys))
    assert search["text"].startswith("effective context length 300 < 700")


def trial_rows(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "haystack-report" / "results.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def test_rounds_go_through_all_depths_in_random_order(sweep: Any, run: Run, pytester: Any) -> None:
    sweep(f"{CLAIM}, stop: certify, max: 40")
    orders = []
    for _ in range(2):
        (pytester.path / "asked.txt").unlink(missing_ok=True)
        run(*ONLY)
        places = {row["prompt_sha256"]: (row["depth_percent"], row["trial"]) for row in trial_rows(pytester.path)}
        orders.append([places[sha] for sha in (pytester.path / "asked.txt").read_text().split()])

    assert orders[0] == orders[1]
    rounds = [orders[0][at : at + 4] for at in range(0, len(orders[0]) - 3, 4)]
    for number, one in enumerate(rounds):
        assert {depth for depth, _ in one} == {0, 30, 60, 100}
        assert {trial for _, trial in one} == {number}
    assert len({tuple(depth for depth, _ in one) for one in rounds}) > 3
    assert len({row["prompt_sha256"] for row in trial_rows(pytester.path)}) == len(orders[0])


def test_trials_of_a_search_stay_out_of_the_cells_figures(sweep: Any, run: Run, pytester: Any) -> None:
    sweep(CLAIM, more="gates: [{metric: mean_score, min: 0.9}]\n")

    result = run()

    result.assert_outcomes(passed=20 + 1 + 1)
    summary = json.loads((pytester.path / "haystack-report" / "summary.json").read_text())
    assert (summary["cells"]["total"], summary["trials"]) == (20, 20)
    assert "over 20 trials" in summary["gates"][0]["text"]
    assert len(trial_rows(pytester.path)) == 20 + 27
    assert {row["nodeid"].partition("[")[0] for row in trial_rows(pytester.path)} == {
        "haystack.yaml::test_cell",
        "haystack.yaml::test_search",
    }
    result.stdout.fnmatch_lines(
        [
            "haystack: haystack.yaml, 20 cells (1 task x 1 model), 1 search, reports in *",
            "search mean_score: single on script: passed",
            "  mean score 1.00 at 700 tokens reaches 0.90; sprt: pass after 27 trials",
            "  700 tokens: pass, mean 1.000 over 27 trials, 95 % interval * to 1.000",
        ]
    )


def test_prompts_of_cells_are_what_they_are_without_searches(sweep: Any, run: Run, pytester: Any) -> None:
    shas = []
    for searches in ((), (LONGEST, CLAIM)):
        sweep(*searches) if searches else sweep(CLAIM)
        run("-k", "test_cell")
        shas.append([row["prompt_sha256"] for row in trial_rows(pytester.path)])

    assert shas[0] == shas[1]


def test_junit_has_a_suite_of_searches(sweep: Any, run: Run, pytester: Any) -> None:
    sweep(LONGEST, CLAIM, blind=((0, 9999),))

    run(*ONLY)

    tree = ElementTree.parse(pytester.path / "haystack-report" / "junit.xml")
    [suite] = tree.iter("testsuite")
    assert (suite.get("name"), suite.get("tests"), suite.get("failures")) == ("searches", "2", "2")
    longest, claim = suite.iter("testcase")
    assert longest.get("name") == "test_search[effective_context_length-single-script]"
    assert (longest.get("file"), longest.get("line")) == ("haystack.yaml", "7")
    properties = {str(one.get("name")): str(one.get("value")) for one in longest.iter("property")}
    assert properties["effective_context_length"] == "0"
    assert properties["verdict"] == "sprt: fail"
    assert properties["length_300"].startswith("fail, mean 0.000 over 3 trials, 95 % interval 0.000 to ")
    assert properties["path"] == "700 fail (3), 500 fail (3), 300 fail (3)"
    failure = claim.find("failure")
    assert failure is not None
    assert str(failure.get("message")).startswith("mean score 0.00 at 700 tokens is held against 0.90")


def test_a_node_id_and_words_select_a_search(sweep: Any, run: Run) -> None:
    sweep(LONGEST, CLAIM)
    name = "haystack.yaml::test_search[effective_context_length-single-script]"

    run(name, config=None).assert_outcomes(passed=1)
    run("-k", "test_search and len700").assert_outcomes(passed=1, deselected=21)
    run("-m", "haystack_search(metric='mean_score', model='script')").assert_outcomes(passed=1, deselected=21)
    run("-m", "haystack_cell").assert_outcomes(passed=20, deselected=2)
    listed = run("--collect-only", "-q")
    listed.stdout.fnmatch_lines([literal(name), literal("haystack.yaml::test_search[mean_score-single-script-len700]")])


def test_a_sample_of_cells_leaves_searches_out(sweep: Any, run: Run) -> None:
    sweep(LONGEST)

    run("--haystack-sample", "2").assert_outcomes(passed=2)


def test_the_plan_counts_the_most_that_a_search_may_ask(sweep: Any, run: Run) -> None:
    sweep(LONGEST, f"{CLAIM}, max: 30")

    result = run("--haystack-dry-run")

    result.stdout.fnmatch_lines(
        [
            "*cells  calls at most  input tokens at most*",
            "script  single (search effective_context_length) *            330 *",
            "script  single (search mean_score) *             30 *",
        ]
    )


def test_an_error_is_no_failure_and_a_rerun_asks_only_what_is_missing(sweep: Any, run: Run, pytester: Any) -> None:
    sweep(LONGEST, broken=True)

    result = run(*ONLY)

    result.assert_outcomes(errors=1)
    [search] = found(pytester.path)
    assert (search["state"], search["result"]) == ("error", None)
    assert "the pipeline broke" in search["text"]
    mended = pytester.path / "scripted.py"
    mended.write_text(
        mended.read_text().replace(
            "    if True and words > 500:\n",
            "    import pathlib\n    mark = pathlib.Path('broke')\n    if words > 500 and not mark.exists():\n"
            "        mark.touch()\n",
        )
    )
    run(*ONLY, "--reruns", "1", "-p", "no:cacheprovider").assert_outcomes(passed=1)
    keys = [(row["nodeid"], row["trial"]) for row in trial_rows(pytester.path)]
    assert len(keys) == len(set(keys))
    [search] = found(pytester.path)
    assert search["result"]["effective_context_length"] == 1100


def test_lengths_beyond_the_window_bound_the_answer(sweep: Any, run: Run, pytester: Any) -> None:
    sweep(LONGEST, "id: more, metric: effective_context_length, min: 1000", window=", context_window: 950")

    result = run(*ONLY, "-rs")

    # What was claimed can be shown; what is more than the model takes was never asked.
    result.assert_outcomes(passed=1, skipped=1)
    first, second = found(pytester.path)
    assert first["result"]["effective_context_length"] == 900
    assert first["result"]["path"][-1] == {"context_length": 1100, "verdict": "unsupported", "trials": 0}
    assert second["state"] == "skipped"
    assert "context_overflow" in second["text"]


@pytest.mark.parametrize(
    ("known", "outcome"),
    [
        ("{model: script, reason: blind}", "xfailed"),
        ("{context_lengths: {max: 500}, reason: blind}", "xfailed"),
        # One depth does not say that the mean is below the threshold, nor a length that is not claimed.
        ("{depth_percents: [30], reason: blind}", "failed"),
        ("{context_lengths: {min: 900}, reason: blind}", "failed"),
    ],
)
def test_known_failures_cover_what_a_search_claims(known: str, outcome: str, sweep: Any, run: Run) -> None:
    sweep(LONGEST, blind=((0, 9999),), more=f"known_failures: [{known}]\n")

    run(*ONLY).assert_outcomes(**{outcome: 1})


def test_a_task_without_depths_is_asked_at_one(sweep: Any, run: Run, pytester: Any) -> None:
    sweep(f"{CLAIM}, max: 5, stop: point", task="{type: multi, needles: 2}")

    run(*ONLY)

    assert {row["depth_percent"] for row in trial_rows(pytester.path)} == {50}
    # Half of what was asked for each time: fractions, of which the mean is settled at the second.
    assert found(pytester.path)[0]["result"]["path"][0]["mean"] == 0.5


def test_a_model_fixture_of_ones_own_is_asked(sweep: Any, run: Run, pytester: Any) -> None:
    sweep(CLAIM)
    pytester.makeconftest(
        """
        import pytest

        @pytest.fixture
        def model(haystack_cell):
            assert haystack_cell.model == "script"
            return lambda prompt: "never"
        """
    )

    run(*ONLY).assert_outcomes(failed=1)
    assert {row["provider_model"] for row in trial_rows(pytester.path)} == {"fixture model.<locals>.<lambda>"}


@pytest.mark.parametrize(
    ("search", "words"),
    [
        ("metric: effective_context_length, min: 2000", "*searches.0.min: 2,000 is more than the longest*1,100;*"),
        (f"{CLAIM}, stop: certify, max: 20", "*searches.0.max: 20 trials cannot certify a rate of 0.9*at least 29*"),
        ("metric: mean_score, context_length: 8", "*haystack.yaml:7: *len8-depth*"),
    ],
)
def test_what_cannot_be_is_told_before_anything_is_asked(search: str, words: str, sweep: Any, run: Run) -> None:
    sweep(search)

    result = run()

    assert result.ret == 4
    result.stderr.fnmatch_lines([words])
