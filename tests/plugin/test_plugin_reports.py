"""What a session leaves: rows, JUnit, pictures, summaries; what the terminal shows."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.plugin.conftest import BLIND, SMALL

Run = Callable[..., pytest.RunResult]

ROW_FIELDS = """
    schema_version run_id nodeid model_id model task task_type family variant context_length depth_percent trial
    seed prompt_sha256 recipe question expected response reasoning outcome score score_details usage cost_usd
    latency_seconds finish_reason provider_model error timestamp_utc plugin_version
"""


def test_all_files_of_the_contract_are_written(small: Path, run: Run, pytester: Any, workers: tuple[str, ...]) -> None:
    run(*workers)
    names = {path.name for path in (pytester.path / "haystack-report").iterdir()}

    assert names == {
        "results.jsonl",
        "junit.xml",
        "heatmap.png",
        "heatmap-reader-single.png",
        "summary.json",
        "summary.md",
        "config.resolved.yaml",
    }


def test_rows_hold_the_fields_of_the_contract_and_no_document(small: Path, run: Run, rows: Any, pytester: Any) -> None:
    run()

    for row in rows():
        assert list(row) == ROW_FIELDS.split()
        assert row["recipe"].keys() >= {"haystack", "tokenizer", "placements", "document_tokens", "template_sha256"}
        assert row["recipe"]["document_tokens"] == row["context_length"]
        assert row["usage"].keys() == {"input_tokens", "output_tokens", "cached_tokens", "reasoning_tokens"}
        assert len(json.dumps(row)) < 4000
    assert len({row["run_id"] for row in rows()}) == 1


def test_results_are_the_same_with_and_without_workers(small: Path, run: Run, rows: Any) -> None:
    changing = {"run_id", "timestamp_utc", "latency_seconds"}

    def stable() -> list[dict[str, Any]]:
        found = sorted(rows(), key=lambda row: str(row["nodeid"]))
        return [{key: value for key, value in row.items() if key not in changing} for row in found]

    run()
    alone = stable()
    run("-n", "2")

    assert stable() == alone


def test_a_new_run_keeps_the_rows_of_the_old_one(small: Path, run: Run, rows: Any, pytester: Any) -> None:
    run()
    first = rows()[0]["run_id"]
    run("-k", "len1000-")

    assert len(rows()) == 3
    assert len((pytester.path / "haystack-report" / f"results-{first}.jsonl").read_text().splitlines()) == 6


def test_junit_tells_failures_errors_and_skips_apart(write: Any, run: Run, pytester: Any) -> None:
    write(
        SMALL.replace("[1000, 4000]", "[1000, 4000]").replace("depth_percents: [0, 50, 100]", "depth_percents: [0, 50]")
        + "known_failures: [{context_lengths: [1000], depth_percents: [0], reason: known}]\n"
    )
    pytester.makeconftest(
        """
        import pytest
        from pytest_haystack.errors import ModelError
        from pytest_haystack.models.model import Completion

        @pytest.fixture
        def model(haystack_cell):
            def answer(prompt):
                if haystack_cell.context_length == 4000 and haystack_cell.depth == "0":
                    raise ModelError("infra_error", "the wire is cut")
                if haystack_cell.context_length == 4000:
                    raise ModelError("context_overflow", "4,000 tokens exceed the window of 2,000")
                return Completion("wrong \\x1b[31m\\x00 \\ud800 answer")
            return answer
        """
    )
    run().assert_outcomes(failed=1, errors=1, skipped=1, xfailed=1)

    suites = ElementTree.parse(pytester.path / "haystack-report" / "junit.xml").getroot()
    cases = {case.get("name"): case for case in suites.iter("testcase")}
    kinds = {name: [child.tag for child in case if child.tag != "properties"] for name, case in cases.items()}
    assert kinds == {
        "test_cell[single-reader-len1000-depth0]": ["skipped"],
        "test_cell[single-reader-len1000-depth50]": ["failure"],
        "test_cell[single-reader-len4000-depth0]": ["error"],
        "test_cell[single-reader-len4000-depth50]": ["skipped"],
    }
    assert {case.get("file") for case in cases.values()} == {"haystack.yaml"}


def test_the_terminal_shows_a_grid_and_what_was_written(small: Path, run: Run, workers: tuple[str, ...]) -> None:
    result = run(*workers)

    result.stdout.fnmatch_lines(["haystack: haystack.yaml, 6 cells (1 task x 1 model)*"])
    text = result.stdout.str()
    assert "wrote haystack-report/: results.jsonl, junit.xml, " in text
    assert "1K" in text
    assert "4K" in text


def test_xdist_sends_rows_of_any_text_home(small: Path, run: Run, rows: Any, pytester: Any) -> None:
    pytester.makeconftest(
        """
        import pytest

        @pytest.fixture
        def model(): return lambda prompt: "\\ud800 \\x00 \\x1b]0;title\\x07 \\U0001f600"
        """
    )
    result = run("-n", "2")

    result.assert_outcomes(failed=6)
    assert rows()[0]["response"].startswith("\ud800")
    assert "\x1b]0" not in result.stdout.str()


def test_a_killed_worker_loses_no_row_that_it_had_sent(small: Path, run: Run, rows: Any, pytester: Any) -> None:
    pytester.makeconftest(
        """
        import os, signal
        import pytest

        @pytest.fixture
        def model(haystack_cell):
            def answer(prompt):
                if haystack_cell.depth == "100" and haystack_cell.context_length == 4000:
                    os.kill(os.getpid(), signal.SIGKILL)
                return "?"
            return answer
        """
    )
    result = run("-n", "1", "--max-worker-restart", "0")

    assert result.ret != 0
    assert len(rows()) == 5
    suites = ElementTree.parse(pytester.path / "haystack-report" / "junit.xml").getroot()
    assert [case.get("name") for case in suites.iter("testcase") if case.find("error") is not None] == [
        "test_cell[single-reader-len4000-depth100]"
    ]


def test_the_step_summary_of_github_is_appended_to(
    small: Path, run: Run, pytester: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    summary = pytester.path / "step.md"
    summary.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    run()

    text = summary.read_text(encoding="utf-8")
    assert text.startswith("before\n")
    assert "reader" in text
    assert "single" in text


def test_a_text_that_is_too_short_is_repeated_and_the_report_says_how_often(
    write: Any, run: Run, pytester: Any
) -> None:
    write(SMALL.replace("{source: synthetic}", "{source: files, path: short.txt}").replace("[1000, 4000]", "[1000]"))
    write("A short text about nothing. It has two sentences of no weight. " * 20, "short.txt")
    run()

    summary = json.loads((pytester.path / "haystack-report" / "summary.json").read_text())
    assert any("times at 1,000 tokens" in note for note in summary["notes"])


def test_a_failing_cell_is_found_by_show_and_rebuilt_byte_for_byte(
    small: Path, run: Run, rows: Any, command: Any, tmp_path: Path
) -> None:
    run()
    (row,) = (row for row in rows() if row["nodeid"] == BLIND)
    shown = command("show", BLIND)

    assert shown.returncode == 0
    assert f"question  {row['question']}\nexpected  {row['expected']}\n" in shown.stdout
    assert f">>>{row['recipe']['placements'][0]['text']}<<<" in shown.stdout

    out = tmp_path / "prompt.txt"
    assert command("reconstruct", "haystack-report/results.jsonl", BLIND, "--out", out).returncode == 0
    assert hashlib.sha256(out.read_bytes()).hexdigest() == row["prompt_sha256"]
    printed = command("reconstruct", "haystack-report/results.jsonl", BLIND).stdout
    assert hashlib.sha256(printed.encode()).hexdigest() == row["prompt_sha256"]


def test_reconstruct_says_what_has_changed(write: Any, run: Run, command: Any) -> None:
    write(SMALL.replace("{source: synthetic}", "{source: files, path: text.txt}"))
    write("Some words that go on and on, and then stop for a while. " * 50, "text.txt")
    run()
    write("Other words that go on and on, and then stop for a while. " * 50, "text.txt")
    rows = "haystack-report/results.jsonl"
    result = command("reconstruct", rows, BLIND)

    assert result.returncode == 4
    assert "cannot be rebuilt: the text of the haystack source files has changed" in result.stderr
    write(SMALL.replace("tasks:", "prompt: {template: '{{ document }} {{ question }}'}\ntasks:"), "other.yaml")
    result = command("reconstruct", rows, "--row", "1", "--config", "other.yaml")
    assert "the haystack was files, now it is synthetic@2; the prompt template has changed" in result.stderr


def test_documents_of_a_relative_path_are_rebuilt_and_so_are_those_of_a_folder_that_moved(
    write: Any, run: Run, rows: Any, command: Any, pytester: Any
) -> None:
    sweep = SMALL.replace("{source: synthetic}", "{source: files, path: texts/}")
    write(sweep)
    write("Some words that go on and on, and then stop for a while. " * 500, "texts/one.txt")
    run()
    path = "haystack-report/results.jsonl"
    for row in rows():
        printed = command("reconstruct", path, row["nodeid"])
        assert hashlib.sha256(printed.stdout.encode()).hexdigest() == row["prompt_sha256"], printed.stderr
    assert ">>>" in command("show", BLIND).stdout

    (pytester.path / "texts").rename(pytester.path / "moved")
    write(sweep.replace("texts/", "moved/"), "other.yaml")
    assert "texts" in command("show", BLIND).stderr
    shown = command("show", BLIND, "--config", "other.yaml")
    assert ">>>" in shown.stdout
    assert "trial " not in shown.stdout


def test_show_tells_which_trial_of_how_many_it_is(small: Path, run: Run, command: Any) -> None:
    run("--haystack-set", "sweep.trials=3", "-k", "len1000-depth0]")
    shown = command("show", "haystack.yaml::test_cell[single-reader-len1000-depth0]", "--trial", "1").stdout

    assert "trial     2 of 3 (--trial 1)\n" in shown


def test_nothing_is_asked_where_rows_could_not_be_kept(
    small: Path, run: Run, pytester: Any, workers: tuple[str, ...]
) -> None:
    (pytester.path / "taken").write_text("a file")
    pytester.makeconftest("import pytest\n@pytest.fixture\ndef model(): return lambda prompt: open('asked', 'w')")
    result = run("--haystack-report-dir", "taken/report", *workers)

    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: the report folder taken/report cannot be written: see *taken"])
    assert not (pytester.path / "asked").exists()


def test_rows_of_an_earlier_run_do_not_pass_for_those_of_a_run_without_any(
    small: Path, run: Run, rows: Any, pytester: Any
) -> None:
    run("-k", "len1000-")
    pytester.makeconftest("import pytest\n@pytest.fixture\ndef model(): raise OSError")
    run("-k", "len1000-").assert_outcomes(errors=3, deselected=3)

    assert rows() == []


def test_equally_named_functions_are_kept_apart(small: Path, run: Run, pytester: Any) -> None:
    code = "def test_rag(self, haystack_score): assert haystack_score('wrong') >= 1"
    pytester.makepyfile(test_a=f"class TestA:\n    {code}\nclass TestB:\n    {code}")
    run("test_a.py", "-k", "len1000-depth0] and test_rag").assert_outcomes(failed=2, deselected=16)

    suites = ElementTree.parse(pytester.path / "haystack-report" / "junit.xml").getroot()
    assert len([case for case in suites.iter("testcase") if case.find("failure") is not None]) == 2


def test_values_that_json_lacks_end_no_session(small: Path, run: Run, rows: Any, pytester: Any) -> None:
    pytester.makeconftest(
        """
        import fractions
        import pytest
        from pytest_haystack.models.model import Completion, Usage

        @pytest.fixture
        def model(haystack_cell):
            usage = Usage(input_tokens=fractions.Fraction(2000))
            answer = Completion(5 if haystack_cell.depth == "0" else "x", cost_usd=float("nan"), usage=usage)
            return lambda prompt: answer
        """
    )
    run("-k", "len1000-", "-n", "2").assert_outcomes(failed=2, errors=1)

    assert {row["cost_usd"] for row in rows()} == {None}
    assert {row["usage"]["input_tokens"] for row in rows() if row["score"] is not None} == {2000.0}


def test_keys_that_a_model_of_ones_own_tells_are_hidden(
    write: Any, run: Run, pytester: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_CANARY", "swordfish-1234")
    write(SMALL.replace("simulated/lost-in-the-middle", "python:rag:answer, api_key_env: MY_CANARY"))
    pytester.makepyfile(rag="import os\ndef answer(prompt): raise RuntimeError('key ' + os.environ['MY_CANARY'])")
    monkeypatch.syspath_prepend(pytester.path)
    result = run("-k", "len1000-depth0]")

    result.assert_outcomes(errors=1, deselected=5)
    written = "".join(p.read_text(errors="replace") for p in (pytester.path / "haystack-report").iterdir())
    assert "swordfish" not in written + result.stdout.str()


@pytest.mark.parametrize(("share", "outcome"), [(0.5, "silent_truncation"), (0.95, "answered")])
def test_input_that_was_cut_is_an_error_whatever_the_vocabulary(
    write: Any, run: Run, rows: Any, pytester: Any, share: float, outcome: str
) -> None:
    small = SMALL.replace("simulated/lost-in-the-middle", "cutting/o200k")
    write(small.replace("{source: synthetic}", "{source: files, path: hindi.txt}"))
    write("यह एक साधारण वाक्य है। " * 300, "hindi.txt")
    pytester.makeconftest(
        f"""
        import pytest
        from pytest_haystack.models.model import Completion, Model, Usage
        from pytest_haystack.tokens.vocabularies import load_encoding

        class Cutting(Model):
            def complete(self, prompt):
                count = load_encoding("o200k_base").count
                return Completion("x", usage=Usage(input_tokens=int(count(prompt) * {share})))

        def pytest_haystack_register(registry):
            registry.providers.add("cutting", Cutting)
        """
    )
    run("-k", "len1000-depth0]")

    assert [row["outcome"] for row in rows()] == [outcome]
