"""Fixtures of a cell: what they give, overriding each, tests of one's own, known failures, reruns."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.plugin.conftest import BLIND, SMALL, literal

Run = Callable[..., pytest.RunResult]
KNOWN = """\
known_failures:
  - {model: reader, task: single, context_lengths: {min: 4000}, depth_percents: {min: 30, max: 70}, reason: lost}
"""


@pytest.fixture
def pipeline(pytester: pytest.Pytester) -> None:
    """A retrieval pipeline of one's own in place of the model: three lines."""
    pytester.makeconftest(
        """
        import pytest

        @pytest.fixture
        def model():
            def answer(prompt):
                assert prompt.question in prompt and prompt.document in prompt
                name = prompt.question.rpartition(" of ")[2].rstrip("?")
                return prompt.document.partition(f"{name} is ")[2].partition(". ")[0].split("\\n")[0].rstrip(".")
            return answer
        """
    )


def test_a_model_fixture_puts_a_pipeline_to_the_test(
    small: Path, pipeline: None, run: Run, workers: tuple[str, ...]
) -> None:
    run(*workers).assert_outcomes(passed=6)


def test_a_conftest_beside_a_sweep_elsewhere_counts(write: Any, pipeline: None, run: Run, pytester: Any) -> None:
    write(name="evals/haystack.yaml")
    (pytester.path / "conftest.py").rename(pytester.path / "evals" / "conftest.py")

    run(config="evals/haystack.yaml").assert_outcomes(passed=6)


def test_a_session_scoped_model_is_made_once(small: Path, run: Run, pytester: pytest.Pytester) -> None:
    pytester.makeconftest(
        """
        import pytest

        @pytest.fixture(scope="session")
        def model():
            print("made a model")
            return lambda prompt: "nothing"
        """
    )
    result = run("-s")

    result.assert_outcomes(failed=6)
    assert sum("made a model" in line for line in result.outlines) == 1


def test_needles_of_ones_own_are_hidden_and_asked_for(small: Path, run: Run, rows: Any, pytester: Any) -> None:
    pytester.makeconftest(
        """
        import pytest
        from pytest_haystack.needles.needle import Needle

        @pytest.fixture
        def needles():
            return [Needle("The colour of the door is teal.", "What is the colour of the door?", "teal")]
        """
    )
    run().assert_outcomes(passed=5, failed=1)

    for row in rows():
        (place,) = row["recipe"]["placements"]
        assert place["text"] == "The colour of the door is teal."
        assert abs(place["actual_depth_percent"] - row["depth_percent"]) <= 1
        assert (row["expected"], row["question"]) == ("teal", "What is the colour of the door?")


def test_a_haystack_of_ones_own_is_read(small: Path, run: Run, rows: Any, pytester: Any) -> None:
    pytester.makeconftest(
        """
        import pytest

        @pytest.fixture
        def haystack(needles):
            return "Nothing here. " + needles[0].statement + " Nothing there."
        """
    )
    run().assert_outcomes(passed=6)

    assert {row["recipe"]["document_tokens"] < 60 for row in rows()} == {True}


def test_a_fixture_model_that_is_none_is_an_error_with_advice(small: Path, run: Run, pytester: Any) -> None:
    pytester.makeconftest("import pytest\n@pytest.fixture\ndef model(): return 42")
    result = run("-k", "len1000-depth0]")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*the fixture `model` is a int*"])


def test_an_exception_of_the_model_is_an_error_never_a_score(small: Path, run: Run, rows: Any, pytester: Any) -> None:
    pytester.makeconftest(
        """
        import pytest

        @pytest.fixture
        def model():
            def answer(prompt): raise ConnectionError("no route to host")
            return answer
        """
    )
    result = run()

    result.assert_outcomes(errors=6)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["infra_error: ConnectionError: no route to host at conftest.py:5"])
    assert {(row["outcome"], row["score"]) for row in rows()} == {("infra_error", None)}


def test_own_tests_run_over_the_same_cells(small: Path, run: Run, pytester: Any, workers: tuple[str, ...]) -> None:
    pytester.makepyfile(
        test_mine="""
        import pytest

        def test_documents(haystack, needles, haystack_cell):
            assert haystack.tokens == haystack_cell.context_length
            assert needles[0].statement in haystack.text
            assert abs(needles[0].actual_depth_percent - haystack_cell.depth_percent) <= 1

        @pytest.mark.haystack(task="single", context_lengths=[1000], models="reader")
        def test_answers(haystack, model, haystack_score):
            from pytest_haystack.models.model import Prompt
            assert haystack_score("no idea") == 0.0

        class TestGroup:
            @pytest.mark.parametrize("language", ["de", "fr"])
            def test_cross(self, haystack_cell, language):
                assert language
        """
    )
    run("test_mine.py", *workers).assert_outcomes(passed=6 + 6 + 3 + 12 - 1, failed=1)


def test_own_tests_leave_rows_and_reports_of_their_own(small: Path, run: Run, rows: Any, pytester: Any) -> None:
    pytester.makeini("[pytest]\nhaystack_config = haystack.yaml")
    pytester.makepyfile(
        test_mine="""
        def test_mine(haystack, needles, model, haystack_score):
            from pytest_haystack.models.model import Prompt
            answer = model.complete(Prompt(haystack.text + "\\n" + needles[0].question, document=haystack.text))
            assert haystack_score(answer) == 1.0
        """
    )
    run("test_mine.py", config=None).assert_outcomes(passed=5, failed=1)

    assert len(rows()) == 6
    assert (pytester.path / "haystack-report" / "heatmap.png").exists()


def test_a_mark_that_matches_nothing_or_is_misspelt_is_a_usage_error(small: Path, run: Run, pytester: Any) -> None:
    pytester.makepyfile(test_mine="import pytest\n@pytest.mark.haystack(task='singel')\ndef test_mine(haystack): pass")
    result = run("test_mine.py")

    assert result.ret == 4
    result.stderr.fnmatch_lines(
        ["ERROR: test_mine.py::test_mine: @pytest.mark.haystack(task='singel'): *did you mean 'single'?"]
    )


def test_without_a_sweep_such_tests_are_skipped_with_the_reason(run: Run, pytester: Any) -> None:
    pytester.makepyfile("def test_mine(haystack, model): pass")
    result = run("-rs", config=None)

    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["*needs a sweep: --haystack-config FILE*"])


def test_an_unrelated_fixture_called_model_is_left_in_peace(small: Path, run: Run, pytester: Any) -> None:
    pytester.makepyfile(
        test_mine="""
        import pytest

        @pytest.fixture
        def model(): return "a table"

        def test_mine(model): assert model == "a table"
        """
    )
    run("test_mine.py").assert_outcomes(passed=6, failed=1)


def test_a_known_failure_is_xfail_and_the_run_is_green(write: Any, run: Run, workers: tuple[str, ...]) -> None:
    write(SMALL + KNOWN)
    result = run("-rx", *workers)

    result.assert_outcomes(passed=5, xfailed=1)
    assert result.ret == 0
    result.stdout.fnmatch_lines([literal(f"XFAIL {BLIND} - lost")])


def test_a_known_failure_that_passes_is_xpass_or_fails_if_strict(write: Any, run: Run, pytester: Any) -> None:
    write(SMALL.replace("lost-in-the-middle", "perfect") + KNOWN)

    assert run().ret == 0
    run().assert_outcomes(passed=5, xpassed=1)
    run("-o", "xfail_strict=true").assert_outcomes(passed=5, failed=1)
    write(SMALL.replace("lost-in-the-middle", "perfect") + KNOWN.replace("reason:", "strict: true, reason:"))
    assert run().ret == 1


def test_a_known_failure_that_is_not_run_is_not_asked(write: Any, run: Run, rows: Any) -> None:
    write(SMALL + KNOWN.replace("reason:", "run: false, reason:"))
    run().assert_outcomes(passed=5, xfailed=1)

    assert BLIND not in {row["nodeid"] for row in rows()}


def test_a_known_failure_never_hides_an_error(write: Any, run: Run, pytester: Any) -> None:
    write(SMALL + KNOWN)
    pytester.makeconftest("import pytest\n@pytest.fixture\ndef model(): return 42")

    run().assert_outcomes(errors=6)


def test_a_rerun_keeps_answers_and_asks_again_what_had_none(
    small: Path, run: Run, rows: Any, pytester: Any, workers: tuple[str, ...]
) -> None:
    pytester.makeconftest(
        """
        import pytest

        @pytest.fixture(scope="session")
        def model():
            asked = []
            def answer(prompt):
                asked.append(str(prompt))
                if asked.count(str(prompt)) == 1 and prompt.trial == 1:
                    raise ConnectionError("try again")
                return f"answer {len(asked)}"
            return answer
        """
    )
    result = run("--reruns", "1", "--haystack-set", "sweep.trials=3", "-k", "len1000-depth0]", *workers)

    assert {key: result.parseoutcomes()[key] for key in ("failed", "rerun")} == {"failed": 1, "rerun": 1}
    result.stdout.fnmatch_lines(["score 0.00 < 1.00 over 3 trials: *"])
    kept = rows()
    assert sorted((row["trial"], row["outcome"]) for row in kept) == [(n, "answered") for n in (0, 1, 2)]
    assert len({row["response"] for row in kept}) == 3


def test_trials_have_needles_of_their_own_and_their_mean_is_held_to_the_threshold(
    small: Path, run: Run, rows: Any
) -> None:
    run("--haystack-set", "sweep.trials=3", "-k", "len1000-depth0]").assert_outcomes(passed=1)

    assert len({row["prompt_sha256"] for row in rows()}) == 3


def test_seeds_are_one_trial_each_and_the_same_as_runs_of_their_own(small: Path, run: Run, rows: Any) -> None:
    run("--haystack-set", "sweep.seeds=[7, 8]", "-k", "len1000-depth0]")
    together = {row["seed"]: row["prompt_sha256"] for row in rows()}
    run("--haystack-set", "sweep.seed=8", "-k", "len1000-depth0]")

    assert set(together) == {7, 8}
    assert [row["prompt_sha256"] for row in rows()] == [together[8]]


def test_models_are_asked_identical_prompts(write: Any, run: Run, rows: Any) -> None:
    write(SMALL.replace("models:\n", "models:\n  - {id: other, model: simulated/perfect}\n"))
    run()
    by_cell: dict[Any, set[str]] = {}
    for row in rows():
        by_cell.setdefault((row["context_length"], row["depth_percent"]), set()).add(row["prompt_sha256"])

    assert len(by_cell) == 6
    assert all(len(hashes) == 1 for hashes in by_cell.values())


def test_a_timeout_of_pytest_timeout_is_no_score(small: Path, run: Run, pytester: Any) -> None:
    pytester.makeconftest(
        """
        import time
        import pytest

        @pytest.fixture
        def model(): return lambda prompt: time.sleep(30)
        """
    )
    result = run("--timeout", "1", "-k", "len1000-depth0]")

    assert result.ret == 1
    result.stdout.fnmatch_lines(["*Timeout*"])


def test_junitxml_of_pytest_stands_beside_ours(small: Path, run: Run, pytester: Any) -> None:
    run("--junitxml", "pytest.xml")

    text = (pytester.path / "pytest.xml").read_text()
    assert 'failures="1"' in text
    assert 'tests="6"' in text
    assert (pytester.path / "haystack-report" / "junit.xml").exists()


def test_an_async_model_is_awaited_and_an_empty_answer_asked_for_once_more(
    small: Path, run: Run, rows: Any, pytester: Any
) -> None:
    pytester.makeconftest(
        """
        import pytest

        @pytest.fixture(scope="session")
        def model():
            asked = []
            async def answer(prompt):
                asked.append(prompt.question)
                return "" if asked.count(prompt.question) < 2 else f"asked {len(asked)}"
            return answer
        """
    )
    run("-k", "len1000-depth0]").assert_outcomes(failed=1)

    assert [(row["response"], row["outcome"]) for row in rows()] == [("asked 2", "answered")]


def test_a_length_beyond_the_models_window_is_skipped_and_never_asked(
    write: Any, run: Run, rows: Any, pytester: Any
) -> None:
    write(SMALL.replace("simulated/lost-in-the-middle", "simulated/perfect, context_window: 3000"))
    pytester.makeconftest(
        """
        import pytest

        @pytest.fixture
        def model(haystack_model):
            def answer(prompt):
                assert len(prompt) < 10_000
                return haystack_model.complete(prompt)
            return answer
        """
    )
    result = run("-rs")

    result.assert_outcomes(passed=3, skipped=3)
    line = 1 + SMALL.splitlines().index("tasks: [single]")
    words = "context_overflow: 4,000 tokens exceed the model's window of 3,000"
    result.stdout.fnmatch_lines([f"SKIPPED * haystack.yaml:{line}: {words}*"])
    assert {row["outcome"] for row in rows() if row["context_length"] == 4000} == {"context_overflow"}


@pytest.mark.parametrize("given", ["['The code is 5.']", "('a', 'b')", "[7]"])
def test_needles_that_are_none_are_told_in_a_line(small: Any, run: Any, pytester: pytest.Pytester, given: str) -> None:
    pytester.makeconftest(f"import pytest\n\n@pytest.fixture\ndef needles():\n    return {given}\n")

    result = run("-x")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["the fixture `needles` returned * among its needles; give each as `Needle(*"])
    assert "AttributeError" not in result.stdout.str()


def test_what_an_overridden_model_raises_is_told_with_its_place(
    small: Any, run: Any, pytester: pytest.Pytester
) -> None:
    pytester.makeconftest(
        "import pytest\n\n@pytest.fixture\ndef model():\n    return lambda prompt: my_rag.answer(prompt)\n"
    )

    result = run("-x")

    result.stdout.fnmatch_lines(["infra_error: NameError: name 'my_rag' is not defined at conftest.py:5"])
