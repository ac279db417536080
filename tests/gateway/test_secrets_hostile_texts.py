"""Texts of models and users that would steer a terminal, a page, an XML reader or a path: they stay texts."""

from __future__ import annotations

import re
import subprocess
import sys
import unicodedata
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

#: What a terminal, a Markdown page, a browser and an XML reader would act on.
HOSTILE = (
    "\x1b[31mred\x1b[0m \x1b]8;;http://evil.example\x07link\x1b]8;;\x07 \x1b]0;title\x07 \x9b2J \x08\x08 \x00 \x07 \r"
    "<script>alert(1)</script><img src=x onerror=alert(2)> [click](http://evil.example) ![p](http://evil.example/p.png)"
    " `code` ``` </code></details> @team #1 | cell | ]]> &amp; \ud800 \ufffe \u202eturned\u2066 ../../../etc/passwd"
)
CONFIG = """\
name: hostile
models:
  - {id: says, model: hostile/says}
  - {id: raises, model: hostile/raises}
  - {id: refuses, model: hostile/refuses}
haystack: {source: synthetic}
sweep: {context_lengths: [600], depth_percents: [50]}
tasks:
  - type: single
    id: own
    needle:
      template: "The secret of {{ n }} is \\e[31m<img src=x>[a](http://evil.example) \\x07{{ n }}."
      question: "What \\e[31m<b>is</b> `the` [secret](http://evil.example) of {{ n }}?"
      answer: "\\e]0;x\\a{{ n }}<script>"
      variables: {n: {type: random_int, min: 10000, max: 99999}}
"""
CONFTEST = f"""\
from pytest_haystack.errors import ModelError
from pytest_haystack.models.model import Completion, Model

HOSTILE = {HOSTILE!r}

class Hostile(Model):
    def complete(self, prompt):
        what = self.entry.model.partition("/")[2]
        if what == "raises":
            raise RuntimeError(HOSTILE)
        if what == "refuses":
            raise ModelError("context_overflow", HOSTILE)
        return Completion(HOSTILE, reasoning=HOSTILE, finish_reason="stop", provider_model=HOSTILE)

def pytest_haystack_register(registry):
    registry.providers.add("hostile", Hostile)
"""


def harmless(text: str) -> bool:
    """True where nothing in the text steers a terminal."""
    rest = text.replace("\n", "").replace("\t", "")
    return not any(unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") for char in rest)


@pytest.fixture
def ran(write: Any, run: Any, pytester: Any, monkeypatch: pytest.MonkeyPatch, workers: tuple[str, ...]) -> Any:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(pytester.path / "step.md"))
    write(CONFIG)
    pytester.makeconftest(CONFTEST)
    return run("-ra", "-vv", "--showlocals", "--color=no", "--junitxml=own.xml", *workers)


def without_code(line: str) -> str:
    """A line of Markdown without its code spans (CommonMark 6.1): what is left may be markup."""
    return re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", line)


def test_hostile_texts_of_a_run_stay_texts(ran: Any, pytester: Any, rows: Any) -> None:
    ran.assert_outcomes(failed=1, errors=1, skipped=1)
    folder = Path(pytester.path)
    assert [row["response"] for row in rows() if row["model_id"] == "says"] == [HOSTILE]

    # The terminal.
    assert harmless(ran.stdout.str() + ran.stderr.str())
    assert "\\x1b[31mred" in ran.stdout.str()
    # XML, as it is written here and by pytest.
    for name in ("haystack-report/junit.xml", "own.xml"):
        found = ElementTree.parse(folder / name)
        assert len(list(found.iter("testcase"))) == 3
    # Pages.
    for name in ("haystack-report/summary.md", "step.md"):
        page = (folder / name).read_text(encoding="utf-8")
        assert harmless(page)
        left = "\n".join(map(without_code, page.splitlines()))
        assert "evil.example" in page
        for active in ("evil.example", "<script", "<img", "<b>", "](", "@team", "</code>"):
            assert active not in left
    # Files: none but the known ones, and none elsewhere.
    names = {path.name for path in (folder / "haystack-report").iterdir()}
    assert all(re.fullmatch(r"[a-z.-]+", name) for name in names)
    for name in ("summary.json", "results.jsonl"):
        assert (folder / "haystack-report" / name).read_bytes().isascii()


def test_the_command_shows_hostile_texts_as_texts(write: Any, run: Any, pytester: Any) -> None:
    write(CONFIG)
    pytester.makeconftest(CONFTEST)
    run("--haystack-model", "says")
    program = Path(sys.executable).with_name("pytest-haystack")
    nodeid = "haystack.yaml::test_cell[own-says-len600-depth50]"
    for arguments in (["show", nodeid], ["plan"], ["validate"]):
        shown = subprocess.run([program, *arguments], capture_output=True, timeout=120, check=False)
        assert shown.returncode == 0, shown.stderr
        assert harmless(shown.stdout.decode())
        assert harmless(shown.stderr.decode())


@pytest.mark.parametrize("key", ["models.0.id", "tasks.0.id", "name"])
@pytest.mark.parametrize("value", ["../../evil", "/etc/passwd", "a b", "..", "\\e[31m", "a/b"])
def test_a_name_that_would_be_a_path_is_refused(write: Any, run: Any, key: str, value: str) -> None:
    text = """\
models: [{id: one, model: simulated/perfect}]
haystack: {source: synthetic}
sweep: {context_lengths: [600], depth_percents: [50]}
tasks: [{id: own, type: single}]
"""
    write(text)
    result = run("--haystack-set", f'{key}="{value}"')

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert harmless(result.stdout.str() + result.stderr.str())
