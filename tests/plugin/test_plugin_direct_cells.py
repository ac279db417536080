"""Cells whose fixtures nobody replaces skip pytest's fixture machinery, and nobody can tell but by the time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_haystack import direct_cells
from tests.plugin.conftest import SMALL

Run = Callable[..., pytest.RunResult]
#: What differs from run to run.
OF_THE_RUN = ("run_id", "timestamp_utc", "latency_seconds")
WATCHER = """
import pytest

@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef):
    with open("seen.txt", "a") as seen:
        print(fixturedef.argname, file=seen)
    return (yield)
"""
NAMES = ("haystack_cell", "needles", "haystack", "haystack_model", "model", "haystack_trials")


def refuse(*args: object, **kwargs: object) -> Any:
    raise AssertionError("not this way")


@pytest.fixture
def directly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever comes by way of pytest's fixtures fails."""
    of_pytest = pytest.FixtureRequest.getfixturevalue

    def value(request: pytest.FixtureRequest, name: str) -> Any:
        assert name not in NAMES, "not this way"
        return of_pytest(request, name)

    monkeypatch.setattr(pytest.FixtureRequest, "getfixturevalue", value)


@pytest.fixture
def by_fixtures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever comes without pytest's fixtures fails."""
    monkeypatch.setattr(direct_cells, "fixture_values", SimpleNamespace(material=refuse))


def test_nothing_of_a_plain_sweep_is_set_up_by_pytest(small: Path, run: Run, directly: None) -> None:
    run().assert_outcomes(passed=5, failed=1)


def test_rows_and_failures_are_the_same_where_somebody_watches_fixtures(
    small: Path, run: Run, rows: Any, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = run()
    before = rows()
    pytester.makeconftest(WATCHER)
    monkeypatch.setattr(direct_cells, "fixture_values", SimpleNamespace(material=refuse))

    watched = run()

    assert set(NAMES) <= set((pytester.path / "seen.txt").read_text().split())
    assert [{**row, **dict.fromkeys(OF_THE_RUN)} for row in rows()] == [
        {**row, **dict.fromkeys(OF_THE_RUN)} for row in before
    ]
    failures = [[line for line in result.outlines if line.startswith(("score", "  "))] for result in (plain, watched)]
    assert failures[0] == failures[1]


@pytest.mark.parametrize("name", NAMES)
def test_a_fixture_that_is_overridden_is_used(
    small: Path, run: Run, pytester: pytest.Pytester, by_fixtures: None, name: str
) -> None:
    pytester.makeconftest(
        f"""
        import pytest

        @pytest.fixture
        def {name}({name}):
            with open("used", "a") as used:
                used.write("x")
            return {name}
        """
    )

    run().assert_outcomes(passed=5, failed=1)

    assert (pytester.path / "used").read_text() == 6 * "x"


def test_a_parametrised_override_multiplies_the_cells(small: Path, run: Run, pytester: pytest.Pytester) -> None:
    pytester.makeconftest(
        """
        import pytest

        @pytest.fixture(params=["one", "two"])
        def model(request, haystack_model):
            return haystack_model
        """
    )

    run().assert_outcomes(passed=10, failed=2)


def test_a_test_function_may_parametrise_a_name_of_ours(small: Path, run: Run, pytester: pytest.Pytester) -> None:
    pytester.makeconftest(
        """
        def pytest_generate_tests(metafunc):
            if "model" in metafunc.fixturenames:
                metafunc.parametrize("model", [lambda prompt: "nothing"], ids=["mute"])
        """
    )

    run().assert_outcomes(failed=6)


def test_fixtures_of_others_are_set_up_before_a_model_is_asked(
    write: Any, run: Run, pytester: pytest.Pytester, directly: None
) -> None:
    write(SMALL.replace("simulated/lost-in-the-middle", "python:asked:answer"))
    pytester.makepyfile(
        asked="import os\n\ndef answer(prompt):\n    assert os.environ['OPENED'] == 'yes'\n    return 'nothing'\n"
    )
    pytester.makeconftest(
        """
        import os
        import pytest

        @pytest.fixture(autouse=True)
        def opened(request):
            os.environ["OPENED"] = "yes"
            yield
            os.environ["OPENED"] = "no"
            with open("closed.txt", "a") as file:
                file.write("x")
        """
    )

    # An answer that is wrong fails; one that could not be had would be an error.
    run().assert_outcomes(failed=6)

    assert (pytester.path / "closed.txt").read_text() == 6 * "x"


def test_an_autouse_fixture_that_asks_for_trials_asks_once(small: Path, run: Run, rows: Any, pytester: Any) -> None:
    pytester.makeconftest(
        """
        import pytest

        @pytest.fixture(autouse=True)
        def early(request):
            request.getfixturevalue("haystack_trials")
        """
    )

    run().assert_outcomes(passed=5, failed=1)

    assert len(rows()) == 6


def test_hooks_find_the_values_of_the_fixtures(small: Path, run: Run, pytester: Any, directly: None) -> None:
    pytester.makeconftest(
        """
        def pytest_runtest_teardown(item):
            values = item.funcargs
            assert values["haystack_cell"].context_length == values["haystack"].tokens
            assert values["needles"][0].statement in values["haystack"].text
            assert values["haystack_trials"][0].needles == values["needles"]
            assert values["model"] is values["haystack_model"]
            assert values["request"].node is item
        """
    )

    run().assert_outcomes(passed=5, failed=1)


def test_setup_show_shows_every_fixture(small: Path, run: Run, by_fixtures: None) -> None:
    result = run("--setup-show")

    result.stdout.fnmatch_lines([f"*SETUP *F {name} (*" for name in ("needles", "haystack", "haystack_trials")])
    result.assert_outcomes(passed=5, failed=1)


def test_what_a_model_prints_is_captured(write: Any, run: Run, pytester: Any, directly: None) -> None:
    write(SMALL.replace("simulated/lost-in-the-middle", "python:loud:answer"))
    pytester.makepyfile(loud="def answer(prompt):\n    print('I was asked')\n    return 'nothing'\n")

    result = run("-x")

    result.stdout.fnmatch_lines(["*Captured stdout setup*", "I was asked"])
    assert result.outlines.count("I was asked") == 1


def test_hooks_find_what_was_made_where_no_answer_came(write: Any, run: Run, pytester: Any, directly: None) -> None:
    write(SMALL.replace("simulated/lost-in-the-middle", "python:down:answer"))
    pytester.makepyfile(down="def answer(prompt):\n    raise RuntimeError('server down')\n")
    pytester.makeconftest(
        """
        import pytest

        @pytest.hookimpl(wrapper=True)
        def pytest_runtest_makereport(item, call):
            report = yield
            if report.failed:
                assert "haystack_trials" not in item.funcargs
                report.sections.append(("document", f"{item.funcargs['haystack'].tokens} tokens for the reader"))
            return report
        """
    )

    result = run()

    result.assert_outcomes(errors=6)
    result.stdout.fnmatch_lines(["1000 tokens for the reader", "4000 tokens for the reader"])


def test_a_late_hook_of_set_up_finds_the_values(small: Path, run: Run, pytester: Any, directly: None) -> None:
    pytester.makeconftest(
        """
        import pytest

        @pytest.hookimpl(trylast=True)
        def pytest_runtest_setup(item):
            assert item.funcargs["haystack"].tokens == item.funcargs["haystack_cell"].context_length
            assert item.funcargs["haystack_trials"]
        """
    )

    run().assert_outcomes(passed=5, failed=1)


def test_a_plugin_hears_of_fixtures_that_go_down(small: Path, run: Run, pytester: Any, by_fixtures: None) -> None:
    pytester.makeconftest(
        """
        def pytest_fixture_post_finalizer(fixturedef):
            with open("seen.txt", "a") as seen:
                print(fixturedef.argname, file=seen)
        """
    )

    run().assert_outcomes(passed=5, failed=1)

    assert set(NAMES) <= set((pytester.path / "seen.txt").read_text().split())
