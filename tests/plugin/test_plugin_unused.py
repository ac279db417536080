"""In a project that does not use it, the plugin costs nothing and shows nothing."""

from __future__ import annotations

import pytest

#: All that a run without a sweep imports of this package.
LIGHT = {f"pytest_haystack.{name}" for name in ("plugin", "options", "hookspecs", "fixtures")}
HEAVY = ("litellm", "tiktoken", "matplotlib", "pydantic", "yaml", "junitparser", "jinja2", "click")


def test_an_unrelated_run_imports_nothing_heavy_prints_nothing_and_writes_nothing(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        f"""
        import sys

        def test_imports():
            assert "pytest_haystack.plugin" in sys.modules
            assert [name for name in {HEAVY!r} if name in sys.modules] == []
            own = {{name for name in sys.modules if name.startswith("pytest_haystack.")}}
            assert own == {LIGHT!r}
        """
    )
    before = {path.name for path in pytester.path.iterdir()}
    # anyio comes with litellm and is a pytest plugin of its own.
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-p", "no:anyio", "-p", "no:hypothesispytest")

    result.assert_outcomes(passed=1)
    assert "haystack" not in result.stdout.str().replace("plugins: haystack", "").split("collected")[1]
    made_by_pytester = {"stdout", "stderr", "runpytest-0", "runpytest-current", "__pycache__"}
    assert {path.name for path in pytester.path.iterdir()} - before <= made_by_pytester


def test_an_ini_option_alone_loads_nothing(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nhaystack_config = haystack.yaml")
    pytester.makepyfile(
        f"""
        import sys

        def test_imports():
            assert [name for name in {HEAVY!r} if name in sys.modules] == []
        """
    )
    pytester.runpytest_subprocess("-p", "no:anyio", "-p", "no:hypothesispytest").assert_outcomes(passed=1)


def test_the_command_line_help_imports_nothing_heavy(pytester: pytest.Pytester) -> None:
    names = [name for name in HEAVY if name != "click"]
    code = f"""
import sys
from click.testing import CliRunner
from pytest_haystack.cli import main
assert CliRunner().invoke(main, ["--help"]).exit_code == 0
print([name for name in {names!r} if name in sys.modules])
"""
    result = pytester.runpython_c(code)

    assert result.outlines == ["[]"]


def test_without_the_plugin_nothing_is_left(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_other(): pass")

    pytester.runpytest_subprocess("-p", "no:haystack").assert_outcomes(passed=1)


def test_a_plan_of_no_sweep_is_refused_and_nothing_runs(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_other():\n    open('ran.txt', 'w').close()\n")

    result = pytester.runpytest_subprocess("--haystack-dry-run")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["ERROR: --haystack-dry-run: there is no sweep to plan; name one with --haystack-config FILE"]
    )
    assert not (pytester.path / "ran.txt").exists()
