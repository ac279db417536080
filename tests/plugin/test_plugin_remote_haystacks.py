"""Sweeps over fetched texts: from the command that fetches to rows that are rebuilt without a network."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from collections.abc import Callable, Generator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

# Imported once here: its parser knows the classes of its first import alone.
import mwparserfromhell  # noqa: F401
import pytest
import yaml

from pytest_haystack.errors import ConfigError
from tests.support.invented_texts import english_wiki, papers
from tests.support.text_services import TextServices

Run = Callable[..., pytest.RunResult]
Command = Callable[..., "subprocess.CompletedProcess[str]"]

CONFIG = """\
name: fetched
models:
  - {id: reader, model: simulated/perfect}
haystack: {source: wikipedia, count: 2, seed: 1}
sweep: {context_lengths: [300], depth_percents: [50]}
tasks: [single]
"""
NODE = "haystack.yaml::test_cell[single-reader-len300-depth50]"
WHAT = "wikipedia (language: en, count: 2, seed: 1)"


@pytest.fixture
def services(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Generator[TextServices, None, None]:
    """The services, a cache of its own, and the user's own pace."""
    with TextServices() as server:
        server.wikis["en"] = english_wiki(16)
        server.papers = papers(30)
        for name, value in server.mirrors.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        monkeypatch.setenv("PYTEST_HAYSTACK_CACHE_DIR", str(pytester.path / "cache"))
        yield server


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits between requests."""
    # Runs within this process leave packages behind that do not know their modules: the module is asked for itself.
    polite = import_module("pytest_haystack.haystacks.remote.polite")
    monkeypatch.setattr(polite, "sleep", lambda seconds: None)
    monkeypatch.setattr(polite, "clock", iter(range(0, 10**9, 1000)).__next__)


@pytest.fixture
def fetch(quick: None, pytester: pytest.Pytester) -> Callable[..., list[str]]:
    """Fetch what haystack.yaml needs, in this process; the lines that were told."""

    def fetcher(*overrides: str, anew: bool = False) -> list[str]:
        from pytest_haystack.registry import Registry
        from pytest_haystack.sweep_fetching import fetch_for_sweep

        lines: list[str] = []
        fetch_for_sweep(pytester.path / "haystack.yaml", Registry(), overrides, lines.append, anew=anew)
        return lines

    return fetcher


def test_the_command_fetches_and_lists_what_it_fetched(services: TextServices, write: Any, command: Command) -> None:
    write(CONFIG.replace("count: 2", "count: 1"))
    done = command("fetch")

    assert (done.returncode, done.stderr) == (0, "")
    first, last = done.stdout.splitlines()
    assert first == "wikipedia (language: en, count: 1, seed: 1): choosing articles"
    assert last.endswith("; wrote haystack.lock.yaml: commit it with the sweep file")
    assert len(services.requests) >= 3


def test_a_run_reads_what_was_fetched_and_names_it_in_its_rows(
    services: TextServices, write: Any, run: Run, rows: Any, fetch: Any, workers: tuple[str, ...], pytester: Any
) -> None:
    write(CONFIG)
    fetch()
    asked = len(services.requests)
    run(*workers).assert_outcomes(passed=1)
    [row] = rows()
    lock = yaml.safe_load((pytester.path / "haystack.lock.yaml").read_text())
    [listed] = lock["haystacks"]

    assert len(services.requests) == asked
    assert row["recipe"]["haystack"]["source"] == "wikipedia"
    assert row["recipe"]["haystack"]["sha256"] == listed["sha256"]
    assert row["recipe"]["haystack"]["options"] == {
        "language": "en", "count": 2, "seed": 1, "manifest": listed["sha256"],
    }  # fmt: skip
    assert listed["licence"] == "CC BY-SA 9.9"
    assert listed["options"] == {"language": "en", "count": 2, "seed": 1}


@pytest.mark.parametrize("how", ["run", "validate"])
def test_a_text_that_is_not_in_the_cache_is_one_line_with_the_command(
    services: TextServices, write: Any, run: Run, command: Command, how: str
) -> None:
    write(CONFIG)
    line = (
        f"haystack.yaml:4: haystack: {WHAT} has not been fetched yet; run `pytest-haystack fetch haystack.yaml`, which "
        "needs the network once"
    )
    if how == "run":
        result = run()
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines([f"ERROR: {line}"])
        assert "Traceback" not in result.stderr.str() + result.stdout.str()
    else:
        done = command(how)
        assert (done.returncode, done.stderr.splitlines()) == (4, [line])

    # Not even then is anything asked for while a test runs.
    assert services.requests == []


def test_a_lock_file_alone_does_not_make_a_run_fetch(
    services: TextServices, write: Any, run: Run, fetch: Any, pytester: Any
) -> None:
    write(CONFIG)
    fetch()
    shutil.rmtree(pytester.path / "cache")
    services.requests.clear()
    result = run()

    result.stderr.fnmatch_lines([f"ERROR: haystack.yaml:4: haystack: {WHAT}: 2 of 2 texts are not in the cache *"])
    assert services.requests == []
    assert fetch()[-1].startswith(f"{WHAT}: fetched as haystack.lock.yaml has them, 2 texts of ")
    run().assert_outcomes(passed=1)


def test_rows_are_rebuilt_offline_also_after_another_choice(
    services: TextServices, write: Any, run: Run, rows: Any, fetch: Any, command: Command, pytester: Any
) -> None:
    write(CONFIG)
    fetch()
    run().assert_outcomes(passed=1)
    [row] = rows()
    # The sweep moves on; the report stays as it was.
    services.wikis["en"] = {
        number: replace(page, revisions={key + 5: text for key, text in page.revisions.items()})
        for number, page in services.wikis["en"].items()
    }
    fetch(anew=True)
    for name in services.mirrors:
        pytester._monkeypatch.setenv(name, "http://127.0.0.1:9/")
    ways = [(), ("--config", "haystack.yaml")]
    for config in ways:
        done = command("reconstruct", "haystack-report/results.jsonl", NODE, "--out", "prompt.txt", *config)
        assert (done.returncode, done.stderr) == (0, "")
        prompt = (pytester.path / "prompt.txt").read_bytes()
        assert hashlib.sha256(prompt).hexdigest() == row["prompt_sha256"]
    resolved = yaml.safe_load(Path("haystack-report/config.resolved.yaml").read_text())
    assert resolved["haystack"]["manifest"] == row["recipe"]["haystack"]["sha256"]


def test_a_sweep_of_several_haystacks_fetches_each_once(
    services: TextServices, write: Any, run: Run, rows: Any, fetch: Any, pytester: Any
) -> None:
    text = CONFIG.replace("tasks: [single]", "tasks:\n") + (
        "  - {id: wiki, type: single}\n"
        "  - {id: apart, type: single, haystack: {source: wikipedia, count: 2, seed: 1, separator: ' '}}\n"
        "  - {id: papers, type: single, haystack: {source: arxiv, category: cs.CL, count: 3}}\n"
        "  - {id: essay, type: single, haystack: essays}\n"
    )
    write(text.replace("[300]", "[400]"))
    lines = fetch()
    assert [line for line in lines if line.endswith("choosing articles")] == [
        f"{WHAT}: choosing articles",
        "arxiv (category: cs.CL, count: 3, seed: 42): choosing articles",
    ]
    run().assert_outcomes(passed=4)
    found = {row["task"]: row["recipe"].get("haystack", {}).get("source") for row in rows()}

    assert found == {"wiki": "wikipedia", "apart": "wikipedia", "papers": "arxiv", "essay": "essays@2"}
    [wiki, arxiv] = yaml.safe_load((pytester.path / "haystack.lock.yaml").read_text())["haystacks"]
    assert (wiki["source"], arxiv["source"], arxiv["licence"]) == ("wikipedia", "arxiv", "CC0 1.0")
    assert arxiv["options"] == {"category": "cs.CL", "count": 3, "seed": 42}


def test_a_value_from_the_command_line_is_fetched_too(services: TextServices, write: Any, run: Run, fetch: Any) -> None:
    write(CONFIG)
    fetch("haystack.seed=2")

    assert run("--haystack-set", "haystack.seed=2").ret == 0
    assert run().ret == pytest.ExitCode.USAGE_ERROR


def test_a_sweep_that_needs_nothing_says_so(write: Any, command: Command) -> None:
    write(CONFIG.replace("{source: wikipedia, count: 2, seed: 1}", "essays"))
    done = command("fetch", "haystack.yaml")

    assert (done.returncode, done.stdout) == (0, "haystack.yaml: nothing to fetch, all it needs is here\n")


@pytest.mark.parametrize(
    ("entry", "line"),
    [
        ("{source: wikipedia, langauge: de}", "haystack.langauge: unknown key; did you mean 'language'?"),
        ("{source: wikipedia, language: ../x}", "haystack.language: "),
        ("{source: wikipedia, count: 0}", "haystack.count: "),
        ("{source: wikipedia, count: 5000}", "haystack.count: "),
        ("{source: arxiv}", "haystack: missing key 'category'"),
        ("{source: arxiv, category: CS/CL}", "haystack.category: "),
        ("{source: wikipdia}", "haystack.source: 'wikipdia' is no known haystack source; did you mean 'wikipedia'?"),
    ],
)
def test_mistakes_in_an_entry_are_told(write: Any, fetch: Any, entry: str, line: str) -> None:
    write(CONFIG.replace("{source: wikipedia, count: 2, seed: 1}", entry))
    with pytest.raises(ConfigError) as raised:
        fetch()
    [told] = str(raised.value).splitlines()

    assert told.startswith(f"haystack.yaml:4: {line}")


def test_a_damaged_lock_file_is_told_at_the_haystack(
    services: TextServices, write: Any, fetch: Any, pytester: Any
) -> None:
    write(CONFIG)
    fetch()
    lock = pytester.path / "haystack.lock.yaml"
    lock.write_text(lock.read_text().replace("sha256: ", "sha256: 0"))
    with pytest.raises(ConfigError) as raised:
        fetch()
    [told] = str(raised.value).splitlines()

    assert told.startswith("haystack.yaml:4: haystack: haystack.lock.yaml:5: the articles are not those of sha256 0")


def test_offline_the_command_says_so_in_one_line(
    services: TextServices, write: Any, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(CONFIG)
    monkeypatch.setenv("PYTEST_HAYSTACK_WIKIPEDIA_URL", "http://127.0.0.1:9/w/api.php")
    done = command("fetch")
    [told] = done.stderr.splitlines()

    assert done.returncode == 4
    assert told.startswith("Wikipedia (127.0.0.1:9) cannot be reached (")


def test_a_run_imports_nothing_that_only_fetching_needs(
    services: TextServices, write: Any, run: Run, fetch: Any, pytester: Any
) -> None:
    write(CONFIG)
    fetch()
    pytester.makeconftest(
        """
        import sys

        def pytest_unconfigure():
            print(sorted({"httpx", "mwparserfromhell"} & set(sys.modules)), "were imported")
        """
    )
    done = pytester.runpytest_subprocess("-s", "--haystack-config", "haystack.yaml")

    assert done.ret == 0
    done.stdout.fnmatch_lines(["*[[][]] were imported*"])


def test_the_schema_knows_the_options(command: Command) -> None:
    defs = json.loads(command("schema").stdout)["$defs"]

    assert set(defs["haystack.wikipedia"]["properties"]) >= {"language", "count", "seed", "manifest", "separator"}
    assert defs["haystack.arxiv"]["required"] == ["category", "source"]
