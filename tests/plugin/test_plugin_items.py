"""A sweep is an ordinary test suite: ids, marks, selection, exit codes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.plugin.conftest import BLIND, SMALL, literal

Run = Callable[..., pytest.RunResult]
IDS = [f"haystack.yaml::test_cell[single-reader-len{n}-depth{d}]" for n in (1000, 4000) for d in (0, 50, 100)]


def collected(result: pytest.RunResult) -> list[str]:
    return [line for line in result.outlines if "::test_cell[" in line and " " not in line.strip()]


def test_each_cell_is_one_item_in_config_order(small: Path, run: Run) -> None:
    assert collected(run("--collect-only", "-q")) == IDS


def test_a_run_passes_and_fails_cells_with_exit_code_1(small: Path, run: Run, workers: tuple[str, ...]) -> None:
    result = run(*workers)

    result.assert_outcomes(passed=5, failed=1)
    assert result.ret == 1
    result.stdout.fnmatch_lines([literal(f"FAILED {BLIND} - BelowThreshold: score 0.00 < 1.00") + "*"])


@pytest.mark.parametrize("dist", ["load", "loadscope", "loadfile", "loadgroup", "worksteal"])
def test_every_dist_mode_runs_each_cell_once(small: Path, run: Run, rows: Any, dist: str) -> None:
    run("-n", "2", "--dist", dist).assert_outcomes(passed=5, failed=1)

    assert sorted(row["nodeid"] for row in rows()) == sorted(IDS)


def test_a_node_id_that_the_option_names_too_runs_alone(small: Path, run: Run) -> None:
    result = run(IDS[0])

    result.assert_outcomes(passed=1)
    assert result.ret == 0


def test_keywords_select_exactly_by_delimited_id_parts(small: Path, run: Run) -> None:
    assert collected(run("--collect-only", "-q", "-k", "single and len4000-")) == IDS[3:]
    assert collected(run("--collect-only", "-q", "-k", "depth50]")) == [IDS[1], IDS[4]]


def test_marks_select_by_any_coordinate(small: Path, run: Run) -> None:
    expression = "haystack_cell(task='single', depth='50', context_length=4000)"
    assert collected(run("--collect-only", "-q", "-m", expression)) == [BLIND]


def test_deselect_and_no_cacheprovider_work(small: Path, run: Run) -> None:
    run("--deselect", BLIND, "-p", "no:cacheprovider").assert_outcomes(passed=5, deselected=1)


def test_last_failed_runs_the_failed_cell_alone(small: Path, run: Run) -> None:
    run()

    run("--lf").assert_outcomes(failed=1, deselected=5)


def test_failed_first_runs_the_failed_cell_first(small: Path, run: Run) -> None:
    run()
    ran = [line.split()[0] for line in run("--ff", "-v").outlines if "::test_cell[" in line]

    assert ran[0] == BLIND


def test_exitfirst_stops_at_the_first_failure(small: Path, run: Run, rows: Any) -> None:
    result = run("-x")

    result.assert_outcomes(passed=4, failed=1)
    assert len(rows()) == 5


def test_collect_only_writes_nothing(small: Path, run: Run, pytester: pytest.Pytester) -> None:
    assert run("--collect-only").ret == 0

    assert not (pytester.path / "haystack-report").exists()


def test_deselecting_all_is_exit_code_5(small: Path, run: Run, pytester: pytest.Pytester) -> None:
    assert run("-k", "nothing").ret == 5

    assert not (pytester.path / "haystack-report").exists()


def test_paths_beside_the_option_run_too(small: Path, run: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_other="def test_other(): pass")

    run("test_other.py").assert_outcomes(passed=6, failed=1)


def test_the_option_alone_leaves_testpaths_alone(small: Path, run: Run, pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\ntestpaths = tests")
    pytester.mkdir("tests").joinpath("test_other.py").write_text("def test_other(): pass")

    run().assert_outcomes(passed=5, failed=1)


def test_the_sweep_file_may_lie_outside_the_rootdir(
    write: Any, run: Run, pytester: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    write(name="outside/haystack.yaml")
    write("def pytest_haystack_register(registry): registry.scorers.add('mine', print)", "outside/conftest.py")
    inside = pytester.mkdir("inside")
    result = run("--rootdir", str(inside), "-c", "/dev/null", *workers, config="outside/haystack.yaml")

    result.assert_outcomes(passed=5, failed=1)


def test_several_sweeps_run_in_one_session_with_a_folder_each(
    write: Any, run: Run, rows: Any, workers: tuple[str, ...]
) -> None:
    write()
    write(SMALL.replace("name: small", "name: other").replace("[1000, 4000]", "[500]"), "other.yaml")

    run("--haystack-config", "other.yaml", *workers).assert_outcomes(passed=8, failed=1)

    assert len(rows("haystack-report/small")) == 6
    assert len(rows("haystack-report/other")) == 3


def test_two_sweeps_of_one_name_are_refused(write: Any, run: Run) -> None:
    write()
    write(SMALL, "other.yaml")
    result = run("--haystack-config", "other.yaml")

    assert result.ret == 4
    result.stderr.fnmatch_lines(["*'small' is also the name of*"])


def test_a_plain_run_with_the_ini_option_runs_no_sweep(small: Path, run: Run, pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nhaystack_config = haystack.yaml")
    pytester.makepyfile(test_other="def test_other(): pass")

    run(config=None).assert_outcomes(passed=1)
    run(BLIND, config=None).assert_outcomes(failed=1)


def test_a_missing_file_is_one_line_and_exit_code_4(run: Run, workers: tuple[str, ...]) -> None:
    result = run(*workers, config="absent.yaml")

    assert result.ret == 4
    assert result.errlines[0] == "ERROR: --haystack-config: no such file: absent.yaml"


def test_mistakes_in_the_file_are_listed_with_exit_code_4(write: Any, run: Run, workers: tuple[str, ...]) -> None:
    write(SMALL.replace("single", "singel").replace("depth_percents", "depths"))
    result = run(*workers)

    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: haystack.yaml:*depths*", "*", "ERROR: haystack.yaml:*'singel'*'single'*"])
    result.stderr.no_fnmatch_line("*Traceback*")


def test_a_mistake_in_an_ini_sweep_is_a_usage_error_when_a_test_needs_it(
    write: Any, run: Run, pytester: pytest.Pytester
) -> None:
    write(SMALL.replace("single", "singel"))
    pytester.makeini("[pytest]\nhaystack_config = haystack.yaml")
    pytester.makepyfile("def test_mine(haystack): pass")
    result = run(config=None)

    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: haystack.yaml:*'singel'*"])


def test_a_cell_that_cannot_hold_its_needles_is_an_error_at_collection(write: Any, run: Run) -> None:
    write(SMALL.replace("[1000, 4000]", "[10, 1000]"))
    result = run()

    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: haystack.yaml:8: single-reader-len10-depth0: *"])


def test_strict_markers_warnings_as_errors_and_foreign_function_names_do_no_harm(
    small: Path, run: Run, pytester: pytest.Pytester
) -> None:
    pytester.makeini("[pytest]\npython_functions = check_*\nfilterwarnings = error")

    run("--strict-markers", "--strict-config", "-W", "error").assert_outcomes(passed=5, failed=1)


def test_a_failure_says_what_a_person_needs_without_traceback(small: Path, run: Run) -> None:
    result = run(BLIND)

    result.stdout.fnmatch_lines(
        [
            "score 0.00 < 1.00: *",
            "  cell      single, reader, 4,000 tokens, depth 50 %",
            "  question  What is the * of *?*",
            "  expected  *",
            "  answer    *",
            "  outcome   answered, *",
            "  needle    at * % (token *): The *",
            literal(f"  see more  pytest-haystack show '{BLIND}'"),
        ]
    )
    result.stdout.no_fnmatch_line("*items.py*")


def test_randomly_reordered_cells_have_the_same_prompts(small: Path, run: Run, rows: Any, pytester: Any) -> None:
    run()
    expected = {row["nodeid"]: row["prompt_sha256"] for row in rows()}
    pytester.runpytest_subprocess("-p", "randomly", "-p", "no:cacheprovider", "--haystack-config", "haystack.yaml")

    assert {row["nodeid"]: row["prompt_sha256"] for row in rows()} == expected


def test_models_and_samples_narrow_the_sweep(write: Any, run: Run) -> None:
    write(SMALL.replace("models:\n", "models:\n  - {id: other, model: simulated/perfect}\n"))

    assert len(collected(run("--collect-only", "-q", "--haystack-model", "other"))) == 6
    assert len(collected(run("--collect-only", "-q", "--haystack-sample", "4"))) == 4
    result = run("--haystack-model", "oter")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: --haystack-model: 'oter' is no model of haystack.yaml; did you mean 'other'?"])


def test_set_overrides_one_value(small: Path, run: Run, rows: Any) -> None:
    run("--haystack-set", "sweep.trials=2", "-k", "len1000-").assert_outcomes(passed=3, deselected=3)

    assert [row["trial"] for row in rows()] == [0, 1] * 3


def test_the_environment_stands_between_command_line_and_ini(
    small: Path, run: Run, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makeini("[pytest]\nhaystack_report_dir = from-ini")
    run("-k", "depth0]")
    assert (pytester.path / "from-ini" / "results.jsonl").exists()
    monkeypatch.setenv("PYTEST_HAYSTACK_REPORT_DIR", "from-environment")
    run("-k", "depth0]")
    assert (pytester.path / "from-environment" / "results.jsonl").exists()
    run("-k", "depth0]", "--haystack-report-dir", "from-option")
    assert (pytester.path / "from-option" / "results.jsonl").exists()


def test_a_dry_run_plans_and_sends_nothing(small: Path, run: Run, workers: tuple[str, ...], pytester: Any) -> None:
    result = run("--haystack-dry-run", *workers)

    assert result.ret == 0
    result.stdout.fnmatch_lines(["*nothing was sent*", "reader *single *6 *6 *15,*"])
    assert not (pytester.path / "haystack-report").exists()


def test_two_sweeps_outside_the_rootdir_keep_their_ids_beside_other_paths(
    write: Any, run: Run, rows: Any, pytester: pytest.Pytester
) -> None:
    write(name="a/h.yaml")
    write(SMALL.replace("name: small", "name: other"), "b/h.yaml")
    inside = pytester.mkdir("inside")
    (inside / "test_x.py").write_text("def test_x(): pass")
    arguments = (
        "--rootdir",
        str(inside),
        "-c",
        "/dev/null",
        "--haystack-config",
        "b/h.yaml",
        str(inside / "test_x.py"),
    )
    run(*arguments, config="a/h.yaml").assert_outcomes(passed=11, failed=2)

    assert {row["nodeid"].partition("::")[0] for row in rows("haystack-report/small")} == {"../a/h.yaml"}
    assert {row["nodeid"].partition("::")[0] for row in rows("haystack-report/other")} == {"../b/h.yaml"}


def test_a_node_id_alone_names_its_sweep_file(small: Path, run: Run) -> None:
    run(BLIND, config=None).assert_outcomes(failed=1)
    run("haystack.yaml::test_cell", config=None).assert_outcomes(passed=5, failed=1)


@pytest.mark.parametrize("option", ["--haystack-sample", "--haystack-concurrency"])
def test_a_number_that_is_none_is_told_at_once(small: Path, run: Run, option: str) -> None:
    result = run(option, "0")

    assert result.ret == 4
    assert result.errlines[0] == f"ERROR: {option}: '0' is not a whole number from 1 on"


def test_a_folder_is_no_sweep_file(small: Path, run: Run) -> None:
    assert run(config=".").errlines[0] == "ERROR: --haystack-config: is a folder, not a sweep file: ."


def test_a_folder_that_holds_the_sweep_file_does_not_swallow_it(
    write: Any, run: Run, pytester: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    write(name="tests/haystack.yaml")
    (pytester.path / "tests" / "test_u.py").write_text("def test_u(): pass")

    run("tests", *workers, config="tests/haystack.yaml").assert_outcomes(passed=6, failed=1)


def test_a_mistake_that_only_a_worker_meets_has_exit_code_4_too(
    write: Any, run: Run, pytester: pytest.Pytester
) -> None:
    write(SMALL.replace("single", "singel"))
    pytester.makeini("[pytest]\nhaystack_config = haystack.yaml")
    pytester.makepyfile(test_mine="def test_mine(haystack): pass", test_other="def test_other(): pass")

    run("-n", "2", "test_other.py", config=None).assert_outcomes(passed=1)
    result = run("-n", "2", config=None)
    assert result.ret == 4
    result.stdout.fnmatch_lines(["ERROR: haystack.yaml:*'singel'*"])
