"""Gates and stop rules that no answer could decide otherwise are told before anything is asked; none vanishes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.plugin.conftest import SMALL
from tests.plugin.test_plugin_gates import KNOWN, Run, gated, verdicts

TRIALS = SMALL.replace("sweep:\n", "sweep:\n  trials: {TRIALS}\n")


@pytest.mark.parametrize(
    ("gate", "words"),
    [
        ("metric: error_rate, max: 5", "gates.0.max: 5 is out of range: error_rate *; did you mean 0.05?"),
        ("metric: mean_score, min: -0.9", "gates.0.min: -0.9 is out of range: mean_score *; did you mean"),
        ("metric: lower_bound, min: 90", "gates.0.min: 90 is out of range: lower_bound *; did you mean 0.9?"),
        ("metric: cost_usd, max: -1", "gates.0.max: -1 is out of range: cost_usd takes 0 or more"),
        ("metric: regression, min: 0.02", "gates.0.min: 0.02 is out of range: regression *; did you mean -0.02?"),
        ("metric: effective_context_length, min: 0.9", "gates.0.min: 0.9 is no number of tokens; *`absolute`"),
        (
            "metric: effective_context_length, min: 1000, base_lengths: 2",
            "gates.0.base_lengths: *give relative as well",
        ),
        (
            "metric: effective_context_length, min: 1000, relative: 0.9, base_lengths: 2",
            "gates.0: effective_context_length has 2 context lengths, and the 2 shortest are *add longer ones",
        ),
    ],
)
def test_a_bound_that_decides_the_gate_by_itself_is_a_mistake(gate: str, words: str, write: Any, run: Run) -> None:
    write(gated(gate))

    result = run()

    assert result.ret == 4
    result.stderr.fnmatch_lines([f"*haystack.yaml:*: {words}*"])


@pytest.mark.parametrize(
    ("trials", "words"),
    [
        (
            "max: 20, stop: fail_on_evidence",
            "20 trials cannot show that a rate is below 0.1 with alpha 0.05: that takes at least 36, all of them wrong",
        ),
        ("max: 20, stop: sprt, indifference: [0.5, 0.6]", "indifference ?0.5, 0.6? does not hold the threshold of 0.1"),
        ("max: 20, stop: certify, beta: 0.1", "beta belongs to stop: sprt"),
        ("max: 20, alpha: 0.01", "alpha belongs to stop: sprt, fail_on_evidence and certify"),
    ],
)
def test_a_stop_rule_that_cannot_do_what_it_is_for_is_a_mistake(trials: str, words: str, write: Any, run: Run) -> None:
    write(TRIALS.replace("TRIALS", trials) + "threshold: 0.1\n")

    result = run()

    assert result.ret == 4
    result.stderr.fnmatch_lines([f"*haystack.yaml:*: sweep.trials: {words}*"])


def test_a_gate_of_nothing_but_known_failures_is_shown_as_undecided(
    write: Any, run: Run, pytester: Any, workers: tuple[str, ...]
) -> None:
    write(gated("metric: mean_score, min: 1, by: [context_length], depth_percents: [50], known_failures: exclude"))

    result = run(*workers)

    assert result.ret == 0
    found = verdicts(pytester.path)
    assert found["mean_score-1000"][0] == "passed"
    assert found["mean_score-4000"] == (
        "skipped",
        "undecided: all its cells are known failures, which it leaves out",
    )


def test_what_a_model_does_not_take_has_no_part_in_its_errors(write: Any, run: Run, pytester: Any) -> None:
    windowed = SMALL.replace("lost-in-the-middle}", "perfect, context_window: 2000}")
    write(gated("metric: error_rate, max: 0", "metric: p95_latency_seconds, max: 60", base=windowed))

    assert run().ret == 0
    assert verdicts(pytester.path)["error_rate"] == ("passed", "error rate 0: 0 of 3 trials")


def test_errors_that_are_too_many_already_decide_the_gate_whatever_is_not_asked(
    write: Any, run: Run, pytester: Any
) -> None:
    pytester.makeconftest(
        "import pytest\n\n@pytest.fixture\ndef model():\n    def answer(prompt):\n"
        "        raise RuntimeError('the line is down')\n    return answer\n"
    )
    write(gated("metric: error_rate, max: 0", "{id: half, metric: error_rate, max: 0.5".removeprefix("{")))

    run("-k", "len1000-depth50")

    found = verdicts(pytester.path)
    assert found["error_rate"][0] == "failed"
    assert found["half"][0] == "skipped"


def test_a_skipped_gate_names_its_line_in_the_sweep_file(write: Any, run: Run) -> None:
    path = write(gated("metric: mean_score, min: 0.9", base=SMALL))
    line = 1 + path.read_text().splitlines().index("  - {metric: mean_score, min: 0.9}")

    result = run("-k", "depth0", "-rs")

    result.stdout.fnmatch_lines([f"SKIPPED ?1? haystack.yaml:{line}: undecided: 4 cells are not selected*"])


def test_the_page_of_a_run_opens_with_how_many_gates_failed(write: Any, run: Run, pytester: Any) -> None:
    write(
        gated(
            "metric: mean_score, min: 0.9",
            "id: soft, metric: mean_score, min: 0.9, severity: warn",
            "metric: error_rate, max: 0",
        )
    )

    run()

    page = (pytester.path / "haystack-report" / "summary.md").read_text()
    assert "3 gates: ✅ 1 passed, ❌ 1 failed, ⚠️ 1 warned" in page.split("##")[0]


def test_the_page_of_a_run_opens_with_undecided_gates_that_fail_it(write: Any, run: Run, pytester: Any) -> None:
    windowed = SMALL.replace("lost-in-the-middle}", "perfect, context_window: 2000}")
    write(
        gated(
            "metric: mean_score, min: 0.9", base=windowed + "searches: [{metric: mean_score, context_length: 1000}]\n"
        )
    )

    assert run().ret == 1
    head = (pytester.path / "haystack-report" / "summary.md").read_text().split("##")[0]
    assert "1 gate: ➖ 1 undecided, ❌ 1 of the undecided fails the run" in head
    assert "1 search: ✅ 1 passed" in head


def test_the_figures_of_an_effective_length_cannot_be_read_as_a_share(write: Any, run: Run, pytester: Any) -> None:
    write(gated("metric: effective_context_length, min: 4000", base=SMALL + KNOWN))

    run()

    assert verdicts(pytester.path)["effective_context_length"][1] == (
        "effective context length 1,000 tokens (wanted: a mean of 0.856; mean score 0.6667 at 4,000), "
        "which is below 4,000"
    )
    assert json.loads((pytester.path / "haystack-report" / "summary.json").read_text())["gates"][0]["value"] == 1000
