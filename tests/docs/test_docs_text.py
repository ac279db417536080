"""What the documentation names is there: files, anchors, options, commands, keys, environment variables."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pytest_haystack import registry as names
from pytest_haystack.cli import main
from pytest_haystack.options import _OPTIONS
from tests.docs.pages import PAGES, ROOT, anchors, links, prose, spans

sys.path.insert(0, str(ROOT / "docs" / "tools"))
try:
    from config_reference import BEGIN, PAGE, Key, Section, page, sections
finally:
    sys.path.pop(0)

EVERY_PAGE = pytest.mark.parametrize("path", PAGES, ids=[path.name for path in PAGES])
REFERENCE: list[Section] = sections(names.Registry())


@EVERY_PAGE
def test_links_lead_somewhere(path: Path) -> None:
    for link in links(path):
        if link.startswith("https://"):
            continue
        target, _, anchor = link.partition("#")
        file = (path.parent / target).resolve() if target else path
        assert file.exists(), f"{path.name}: {link}"
        if anchor:
            assert anchor in anchors(file), f"{path.name}: {link}"


@EVERY_PAGE
def test_options_and_commands_exist(path: Path) -> None:
    options = {f"--haystack-{option.name}" for option in _OPTIONS}
    text = path.read_text(encoding="utf-8")

    assert set(re.findall(r"--haystack-[a-z-]*[a-z]", text)) <= options
    for command, rest in re.findall(r"`pytest-haystack ([a-z][a-z-]*)([^`|]*)`", text):
        assert command in main.commands, command
        known = {name for parameter in main.commands[command].params for name in parameter.opts}
        assert set(re.findall(r"--[a-z-]+", rest)) <= known, (command, rest)


@EVERY_PAGE
def test_keys_in_the_text_are_keys(path: Path) -> None:
    keys = {key.name for section in REFERENCE for key in section.keys}
    # Keys of providers, of other files and of needles' variables, which the config does not define.
    others = {"temperature", "num_ctx", "on", "jobs"}

    for span in spans(path):
        if found := re.match(r"([a-z_]+): \S", span):
            assert found[1] in keys | others, f"{path.name}: {span}"


def test_the_table_of_options_is_complete() -> None:
    text = prose(ROOT / "docs" / "command-line.md")
    rows = re.findall(r"^\| `(--haystack-[a-z-]+)", text, re.MULTILINE)

    assert rows == sorted(rows, key=rows.index)
    assert set(rows) == {f"--haystack-{option.name}" for option in _OPTIONS}
    listed = text.partition("## The command")[2]
    assert set(re.findall(r"^\| `([a-z-]+)", listed, re.MULTILINE)) == set(main.commands)


@pytest.mark.parametrize(
    ("file", "known"),
    [
        ("tasks.md", names.TASKS),
        ("tasks.md", names.PLACEMENTS),
        ("scorers.md", names.SCORERS),
        ("haystacks.md", {name.partition("@")[0]: "" for name in names.SOURCES}),
        ("trials-and-gates.md", names.METRICS),
    ],
)
def test_every_name_has_its_line(file: str, known: Any) -> None:
    mentioned = set(spans(ROOT / "docs" / file))

    assert set(known) <= mentioned


@pytest.mark.parametrize("section", REFERENCE, ids=[section.title for section in REFERENCE])
def test_every_key_has_a_meaning_a_default_and_a_unit(section: Section) -> None:
    for key in section.keys:
        assert key.description.endswith((".", "?")), f"{section.title}: {key.name} says not what it is"
        assert key.default, key
        assert key.kind, key
        assert key.unit != "?", f"{section.title}: {key.name} has no unit; see config.parts.Unit"


def test_the_reference_has_every_key_of_the_schema() -> None:
    from pytest_haystack.config.json_schema import json_schema

    schema = json_schema(names.Registry())
    written = {key.name for section in REFERENCE for key in section.keys}
    owners = [schema, *schema["$defs"].values()]
    # A scorer's `type` is another word for its name; options may stand in a mapping of their own.
    assert {key for owner in owners for key in owner.get("properties", {})} - {"options", "source", "type"} <= written


def test_the_reference_in_the_repository_is_fresh() -> None:
    text = PAGE.read_text(encoding="utf-8")

    assert BEGIN in text
    assert page(text) == text, "run: python docs/tools/config_reference.py"


def test_a_number_without_a_unit_is_told_as_such() -> None:
    key: Key = next(
        key for section in REFERENCE if section.title == "sweep" for key in section.keys if key.name == "seed"
    )

    assert key.unit == "bare"
    assert "| `seed` | whole number |  | `42` |" in PAGE.read_text(encoding="utf-8")


def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    pytest.importorskip("material")
    result = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", tmp_path / "site"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert result.returncode == 0, result.stderr
    assert (tmp_path / "site" / "configuration" / "index.html").is_file()
    assert not (tmp_path / "site" / "tools").exists()


def test_the_help_of_every_command_and_option_is_a_sentence() -> None:
    for name, command in main.commands.items():
        assert (command.help or "").rstrip().endswith((".", "'.")), name
        for parameter in command.params:
            if parameter.param_type_name == "option":
                assert (getattr(parameter, "help", None) or "").endswith((".", ")")), (name, parameter.name)
