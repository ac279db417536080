"""The list of known failures rewritten in the file, and nothing else in it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_haystack.config.known_failures_text import rewrite_known_failures
from pytest_haystack.config.yaml_text import read_yaml
from pytest_haystack.errors import ConfigError

NEW: dict[str, Any] = {"model": "reader", "context_lengths": {"min": 4000, "max": 8000}, "reason": "seen: to fail"}
LINE = "{model: reader, context_lengths: {min: 4000, max: 8000}, reason: 'seen: to fail'}"

WRITTEN = """\
# What this file is for.
name:   aligned      # by hand
known_failures:      # reviewed on Mondays
  # lost in the middle, see the wiki
  - model: reader    # the small one
    task: single
    reason: |
      many
      words

  - {model: reader,  task: "other", reason: flow}   # two spaces
  # what follows is old
  -
    reason: on its own line
  # the end of the list

# The tasks.
tasks: [single]
"""


def rewrite(text: str, replaced: Any = None, added: Any = ()) -> str:
    return rewrite_known_failures(text, "haystack.yaml", replaced or {}, added)


def test_nothing_to_change_changes_nothing() -> None:
    assert rewrite(WRITTEN) == WRITTEN


def test_an_entry_is_added_behind_the_last_one() -> None:
    assert rewrite(WRITTEN, added=[NEW]) == WRITTEN.replace(
        "    reason: on its own line\n", f"    reason: on its own line\n  - {LINE}\n"
    )


def test_an_entry_goes_and_the_comments_around_it_stay() -> None:
    text = rewrite(WRITTEN, {1: []})

    assert text == WRITTEN.replace('  - {model: reader,  task: "other", reason: flow}   # two spaces\n', "")


def test_an_entry_of_several_lines_is_replaced_whole() -> None:
    text = rewrite(WRITTEN, {0: [NEW, {**NEW, "strict": True}]})
    start, end = WRITTEN.index("  - model: reader"), WRITTEN.index("\n  - {model: reader,  task")

    second = LINE.removesuffix("}") + ", strict: true}"
    assert text == WRITTEN[:start] + f"  - {LINE}\n  - {second}\n" + WRITTEN[end:].removeprefix("\n")


def test_an_empty_list_is_left_where_all_entries_go() -> None:
    text = rewrite(WRITTEN, {0: [], 1: [], 2: []})

    assert "known_failures: []      # reviewed on Mondays\n  # lost in the middle, see the wiki\n" in text
    assert read_yaml(text, "haystack.yaml").value["known_failures"] == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a: 1\n", "a: 1\n\nknown_failures:\n  - LINE\n"),
        ("a: 1", "a: 1\nknown_failures:\n  - LINE\n"),
        ("a: 1\n\n", "a: 1\n\nknown_failures:\n  - LINE\n"),
        ("a: 1\n...\n", "a: 1\n\nknown_failures:\n  - LINE\n...\n"),
        ("a: 1\n# end\n", "a: 1\n# end\n\nknown_failures:\n  - LINE\n"),
        ("known_failures: []\na: 1\n", "known_failures:\n  - LINE\na: 1\n"),
        ("known_failures: []  # none\na: 1\n", "known_failures:  # none\n  - LINE\na: 1\n"),
        ("known_failures:\na: 1\n", "known_failures:\n  - LINE\na: 1\n"),
        ("known_failures:  # none\na: 1\n", "known_failures:  # none\n  - LINE\na: 1\n"),
        ("known_failures: ~\na: 1\n", "known_failures:\n  - LINE\na: 1\n"),
        ("known_failures:", "known_failures:\n  - LINE\n"),
        ("known_failures:\n- {reason: a}\na: 1\n", "known_failures:\n- {reason: a}\n- LINE\na: 1\n"),
        (
            "known_failures:\n- reason: a\n  model: m\na: 1\n",
            "known_failures:\n- reason: a\n  model: m\n- LINE\na: 1\n",
        ),
        ("known_failures:\n      - {reason: a}", "known_failures:\n      - {reason: a}\n      - LINE\n"),
        ("known_failures: [{reason: a}]  # flow\na: 1\n", "known_failures: [{reason: a}, LINE]  # flow\na: 1\n"),
        ("{a: 1, known_failures: []}\n", "{a: 1, known_failures: [LINE]}\n"),
        (
            "known_failures:\r\n  - {reason: a}\r\na: 1\r\n",
            "known_failures:\r\n  - {reason: a}\r\n  - LINE\r\na: 1\r\n",
        ),
        ("  a: 1\n  b: 2\n", "  a: 1\n  b: 2\n\n  known_failures:\n    - LINE\n"),
    ],
)
def test_entries_come_in_as_the_file_is_written(before: str, after: str) -> None:
    assert rewrite(before, added=[NEW]) == after.replace("LINE", LINE)


def test_entries_in_brackets_are_replaced_in_brackets() -> None:
    text = "known_failures: [{reason: a},\n  {reason: b},  # why\n  {reason: c}]\n"

    assert rewrite(text, {1: []}) == "known_failures: [{reason: a},  # why\n  {reason: c}]\n"
    assert rewrite(text, {0: [], 1: [], 2: []}) == "known_failures: []\n"
    assert rewrite(text, {0: [NEW]}) == text.replace("{reason: a}", LINE)


@pytest.mark.parametrize(
    ("text", "replaced"),
    [
        ("known_failures:\n  - &a {reason: a}\n  - {<<: *a, model: m}\n", {0: []}),
        ("x: &all [{reason: a}]\nknown_failures: *all\n", {0: []}),
        ("{a: 1}\n", {}),
        ("known_failures: &all\n  - {reason: a}\nx: *all\n", {0: []}),
    ],
)
def test_what_cannot_be_rewritten_safely_is_left_alone_and_told(text: str, replaced: Any) -> None:
    with pytest.raises(ConfigError, match=r"^haystack\.yaml: "):
        rewrite(text, replaced, [NEW])


def test_aliases_in_entries_that_stay_do_no_harm() -> None:
    text = "x: &a {model: m}\nknown_failures:\n  - {<<: *a, reason: a}\n  - *a\n  - reason: b\n"

    assert rewrite(text, {2: [NEW]}) == text.replace("reason: b", LINE)


ENTRIES = st.lists(st.fixed_dictionaries({"reason": st.text(st.characters(codec="utf-8"), max_size=12)}), max_size=4)


@given(ENTRIES, ENTRIES, st.sets(st.integers(0, 3)), st.booleans())
@settings(deadline=None)
def test_whatever_the_reasons_say_the_file_reads_as_it_should(old: Any, new: Any, gone: set[int], block: bool) -> None:
    text = rewrite("a: 1\nknown_failures: []\nb: 2\n" if block else "{known_failures: [], b: 2, a: 1}", added=old)
    changed = rewrite(text, {index: [] for index in gone if index < len(old)}, new)

    kept = [entry for index, entry in enumerate(old) if index not in gone]
    assert read_yaml(changed, "x").value == {"a": 1, "b": 2, "known_failures": kept + new}
