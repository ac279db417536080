"""--haystack-update-known-failures: the list that a run leaves in the sweep file."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.plugin.planned import CONFTEST, SWEEP, plan, wrong
from tests.support.runs import LEFT_OUT

Run = Callable[..., pytest.RunResult]
UPDATE = "--haystack-update-known-failures"
MIDDLE = wrong([1000, 2000], [25, 50])
ENTRY = (
    "  - {model: reader, task: single, context_lengths: {min: 1000, max: 2000}, depth_percents: {min: 25, max: 50}, "
)


@pytest.fixture
def file(write: Any, pytester: pytest.Pytester) -> Path:
    """The sweep with a model that a test plans."""
    pytester.makeconftest(CONFTEST)
    return write(SWEEP)  # type: ignore[no-any-return]


def listed(file: Path) -> list[dict[str, Any]]:
    return yaml.safe_load(file.read_text(encoding="utf-8")).get("known_failures") or []


def test_what_failed_is_listed_and_the_next_run_is_green(
    file: Path, run: Run, pytester: Any, workers: tuple[str, ...]
) -> None:
    plan(pytester.path, MIDDLE)

    first = run(UPDATE, *workers)

    assert first.ret == 1
    assert first.parseoutcomes() == {"failed": 4, "passed": 11}
    assert file.read_text(encoding="utf-8") == (
        SWEEP + "\nknown_failures:\n" + ENTRY + "reason: seen to fail (mean 0.00 over 4 trials)}\n"
    )
    first.stdout.fnmatch_lines(["haystack.yaml: added: {model: reader, task: single, *}"])
    second = run(UPDATE, *workers)
    assert second.ret == 0
    assert second.parseoutcomes() == {"xfailed": 4, "passed": 11}
    second.stdout.fnmatch_lines(["haystack.yaml: the known failures are as they were"])


def test_without_the_option_the_file_is_never_touched(file: Path, run: Run, pytester: Any) -> None:
    plan(pytester.path, MIDDLE)
    run()

    assert file.read_text(encoding="utf-8") == SWEEP


def test_an_error_is_never_listed_and_splits_the_range(file: Path, run: Run, pytester: Any) -> None:
    plan(pytester.path, wrong([1000], [0, 25, 50, 75, 100]) | wrong([1000], [50], "error"))

    result = run(UPDATE)

    assert result.parseoutcomes() == {"failed": 4, "errors": 1, "passed": 10}
    assert [(one["context_lengths"], one["depth_percents"]) for one in listed(file)] == [
        ([1000], {"min": 0, "max": 25}),
        ([1000], {"min": 75, "max": 100}),
    ]


def test_an_entry_is_dropped_when_its_cells_pass_and_the_comments_stay(file: Path, run: Run, write: Any) -> None:
    text = (
        SWEEP
        + "# what is known\nknown_failures:\n  # ticket\n  - {model: reader, context_lengths: [500], reason: old}\n"
    )
    write(text)

    result = run(UPDATE)

    assert listed(file) == []
    assert file.read_text(encoding="utf-8") == SWEEP + "# what is known\nknown_failures: []\n  # ticket\n"
    result.stdout.fnmatch_lines(["haystack.yaml: dropped (5 of its 5 cells passed): {model: reader, *}"])


def test_an_entry_of_which_some_cells_pass_is_narrowed_and_keeps_what_it_says(
    file: Path, run: Run, write: Any, pytester: Any
) -> None:
    write(SWEEP + "known_failures:\n  - {depth_percents: {min: 25}, reason: by hand, strict: false}\n")
    plan(pytester.path, MIDDLE)

    result = run(UPDATE)

    assert result.ret == 0
    assert file.read_text(encoding="utf-8") == SWEEP + "known_failures:\n" + ENTRY + "reason: by hand, strict: false}\n"


def test_an_entry_that_is_still_true_is_kept_to_the_letter(file: Path, run: Run, write: Any, pytester: Any) -> None:
    text = SWEEP + (
        "known_failures:\n"
        '  - {model: [reader],   context_lengths: {min: 1000}, depth_percents: [25, 50], reason: "mine"}  # yes\n'
        "  - {context_lengths: [500], run: false, reason: never asked}\n"
    )
    write(text)
    plan(pytester.path, MIDDLE)

    result = run(UPDATE)

    assert result.parseoutcomes() == {"xfailed": 9, "passed": 6}
    assert file.read_text(encoding="utf-8") == text


def test_what_was_not_selected_stays_as_it_was(file: Path, run: Run, pytester: Any, workers: tuple[str, ...]) -> None:
    plan(pytester.path, MIDDLE)
    run(UPDATE)
    before = listed(file)
    plan(pytester.path, wrong([500], [100]))

    run(UPDATE, "-k", "len500-", *workers)
    assert listed(file)[:1] == before
    assert listed(file)[1]["context_lengths"] == [500]

    # Half of the first entry's cells are asked, and pass.
    run(UPDATE, "-k", "len2000-", *workers)
    assert [(one["context_lengths"], one["depth_percents"]) for one in listed(file)] == [
        ([1000], {"min": 25, "max": 50}),
        ([500], [100]),
    ]


def test_new_failures_beside_old_ones_are_merged_into_one_entry(file: Path, run: Run, pytester: Any) -> None:
    plan(pytester.path, wrong([1000], [25, 50]))
    run(UPDATE)
    plan(pytester.path, MIDDLE)
    run(UPDATE)

    (entry,) = listed(file)
    assert entry["context_lengths"] == {"min": 1000, "max": 2000}
    assert entry["reason"] == "seen to fail (mean 0.00 over 4 trials)"


def test_one_miss_of_few_trials_is_not_evidence_and_is_named_instead(
    file: Path, run: Run, write: Any, pytester: Any
) -> None:
    write(SWEEP.replace("tasks:", "threshold: 0.9\ntasks:").replace("100]}", "100], trials: 5}"))
    plan(
        pytester.path,
        wrong([500], [0], [True, True, False, True, True]) | wrong([2000], [50], [False, False, False, True, False]),
    )

    result = run(UPDATE)

    assert result.parseoutcomes() == {"failed": 2, "passed": 13}
    assert [(one["context_lengths"], one["depth_percents"]) for one in listed(file)] == [([2000], [50])]
    result.stdout.fnmatch_lines(
        [
            "*so few trials may be chance; not listed:",
            "  single-reader-len500-depth0: mean 0.80 over 5 trials, threshold 0.9",
        ]
    )


def test_fractional_scores_several_tasks_and_models_make_one_entry(
    file: Path, run: Run, write: Any, pytester: Any
) -> None:
    tasks = "tasks: [" + ", ".join(f"{{id: {one}, type: multi, needles: 4, placement: centered}}" for one in "ab") + "]"
    two = "models: [{id: one, model: simulated/perfect}, {id: two, model: simulated/perfect}]"
    write(SWEEP.replace("tasks: [single]", tasks).replace("models: [{id: reader, model: simulated/perfect}]", two))
    half = wrong([2000], [50, 75], [0.5], "a") | wrong([2000], [50, 75], [0.5], "b")
    plan(pytester.path, half)

    run(UPDATE)

    (entry,) = listed(file)
    assert (entry["model"], entry["task"]) == (["one", "two"], ["a", "b"])
    assert entry["reason"] == "seen to fail (mean 0.50 over 8 trials)"
    assert run().ret == 0


def test_a_task_without_depth_is_listed_without_depths(file: Path, run: Run, write: Any, pytester: Any) -> None:
    write(SWEEP.replace("[single]", "[{id: m, type: multi, needles: 2, placement: uniform}]"))
    plan(pytester.path, wrong([1000], [50], task="m"))

    run(UPDATE)

    (entry,) = listed(file)
    assert entry["context_lengths"] == [1000]
    assert "depth_percents" not in entry


def test_lengths_of_the_file_that_an_override_left_out_are_not_listed(file: Path, run: Run, pytester: Any) -> None:
    plan(pytester.path, wrong([500, 2000], [0]))

    run(UPDATE, "--haystack-set", "sweep.context_lengths=[500, 2000]")

    assert [one["context_lengths"] for one in listed(file)] == [[500], [2000]]


@pytest.mark.parametrize("strict", ["true", "false"])
def test_a_strict_entry_that_passes_is_dropped_like_any_other(file: Path, run: Run, write: Any, strict: str) -> None:
    write(SWEEP + f"known_failures:\n  - {{context_lengths: [500], reason: old, strict: {strict}}}\n")

    run(UPDATE)

    assert listed(file) == []


def test_a_run_that_was_broken_off_changes_nothing(file: Path, pytester: Any) -> None:
    plan(pytester.path, MIDDLE)
    pytester.makepyfile(test_stop="def test_stop():\n    raise KeyboardInterrupt\n")

    option = ("--haystack-config", "haystack.yaml", *LEFT_OUT)
    result = pytester.runpytest_subprocess(*option, UPDATE, "haystack.yaml", "test_stop.py")

    assert result.ret == 2
    assert file.read_text(encoding="utf-8") == SWEEP


def test_a_file_that_changed_meanwhile_is_left_alone_and_the_run_fails(file: Path, run: Run, pytester: Any) -> None:
    plan(pytester.path, MIDDLE)
    pytester.makepyfile(
        test_edit="def test_edit():\n    with open('haystack.yaml', 'a') as file:\n        file.write('# edited\\n')\n"
    )

    result = run(UPDATE, "test_edit.py", "haystack.yaml")

    assert result.ret == 4
    assert file.read_text(encoding="utf-8") == SWEEP + "# edited\n"
    result.stdout.fnmatch_lines(["ERROR: haystack.yaml: the known failures are as they were: the file has changed *"])


def test_a_list_that_cannot_be_rewritten_safely_is_told_and_left_alone(
    file: Path, run: Run, write: Any, pytester: Any
) -> None:
    first = "  - &a {context_lengths: [500], depth_percents: [0], reason: old}\n"
    text = SWEEP + "known_failures:\n" + first + "  - {<<: *a, depth_percents: [100]}\n"
    write(text)
    plan(pytester.path, wrong([500], [100]))

    result = run(UPDATE)

    assert result.ret == 4
    assert file.read_text(encoding="utf-8") == text


def test_overridden_known_failures_cannot_be_updated(file: Path, run: Run) -> None:
    result = run(UPDATE, "--haystack-set", "known_failures=[]")

    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: --haystack-update-known-failures: --haystack-set known_failures=*"])


def test_mode_link_and_line_ends_of_the_file_stay(file: Path, run: Run, pytester: Any) -> None:
    real = pytester.path / "real" / "sweep.yaml"
    real.parent.mkdir()
    real.write_bytes(b"\xef\xbb\xbf" + SWEEP.replace("\n", "\r\n").encode())
    real.chmod(0o640)
    file.unlink()
    file.symlink_to(real)
    plan(pytester.path, MIDDLE)

    run(UPDATE)

    assert file.is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    content = real.read_bytes()
    assert content.startswith(b"\xef\xbb\xbf# A sweep")
    assert content.count(b"\n") == content.count(b"\r\n") == SWEEP.count("\n") + 3
    assert list(real.parent.iterdir()) == [real]
