from __future__ import annotations

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_haystack.config.yaml_text import read_value, read_yaml, read_yaml_file
from pytest_haystack.errors import ConfigError


def error_of(text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        read_yaml(text, "f.yaml")
    assert len(caught.value.problems) == 1
    return caught.value.problems[0]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("on", "on"),
        ("yes", "yes"),
        ("No", "No"),
        ("true", True),
        ("FALSE", False),
        ("12:30", "12:30"),
        ("1_000", "1_000"),
        ("2024-01-01", "2024-01-01"),
        ("010", 10),
        ("0o10", 8),
        ("0x1F", 31),
        ("-7", -7),
        ("1e3", 1000.0),
        ("1.5E-1", 0.15),
        (".5", 0.5),
        (".inf", ".inf"),
        ("NaN", "NaN"),
        ("~", None),
        ("", None),
        ("null", None),
        ("'3'", "3"),
        ("[a, 1]", ["a", 1]),
        ("{on: off}", {"on": "off"}),
        ("{1: a, true: b}", {"1": "a", "true": "b"}),
        ("!!str 5", "5"),
        ("=", "="),
    ],
)
def test_plain_scalars_follow_yaml_1_2(text, value):
    read = read_value(text)
    assert read == value
    assert type(read) is type(value)


def test_every_key_and_list_entry_has_its_line():
    read = read_yaml("a: 1\nb:\n  - x\n  - c: 2\n    d: {e: 3}\n", "f")
    assert read.lines == {
        (): 1,
        ("a",): 1,
        ("b",): 2,
        ("b", 0): 3,
        ("b", 1): 4,
        ("b", 1, "c"): 4,
        ("b", 1, "d"): 5,
        ("b", 1, "d", "e"): 5,
    }


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a:\n\t- b\n", "f.yaml:2: a tab cannot indent YAML; use spaces"),
        ("a: b\nc: [1, 2\nd: 3\n", "f.yaml:3: expected ',' or ']' in a list that starts with '[' on line 2"),
        ("a: b\nc: {d: 2\ne: 3\n", "f.yaml:3: expected ',' or '}' in a mapping that starts with '{' on line 2"),
        (
            "a: {b: ${C}}\n",
            "f.yaml:1: expected ',' or '}' in a mapping that starts with '{'; text with ${ needs quotes there",
        ),
        ("a: 'b\nc: d\n", "f.yaml:1: the quote that opens here is never closed"),
        ("a: b: c\n", "f.yaml:1: unexpected ':'; put text that holds ': ' in quotes, or check the indentation"),
        ("a: b\nc\nd: e\n", "f.yaml:2: expected ':' after a key"),
        ("a:\n  b: 1\n c: 2\n", "f.yaml:3: the indentation does not fit the lines above"),
        ("a: 1\n---\nb: 2\n", "f.yaml:2: a second YAML document starts here; a config is one document"),
        ("a: 1\nb: *nothing\n", "f.yaml:2: found undefined alias 'nothing'"),
        ("a: 1\nb: @c\n", "f.yaml:2: text that starts with '@' needs quotes"),
        ("a: [b]]\n", "f.yaml:1: unexpected ']'"),
        ("a: 'x' y\n", "f.yaml:1: unexpected text after a value; check quotes and indentation"),
        ("a: - b\n", "f.yaml:1: unexpected '- '; a list starts on a line of its own"),
        ("a: {b: c\n", "f.yaml:2: expected ',' or '}' in a mapping that starts with '{' on line 1"),
        ("a: *\n", "f.yaml:1: '*' and '&' name values; text that starts with them needs quotes"),
        ("{a: b} c\n", "f.yaml:1: unexpected text after the end of the values"),
        ("a: [\n", "f.yaml:2: the file ends where a value is expected"),
        ("a: 1\nb: \x07\n", "f.yaml:2: character U+0007 is not allowed in YAML"),
        ('a: "\\UFFFFFFFF"\n', "f.yaml:1: not readable as YAML"),
    ],
)
def test_text_that_is_no_yaml_is_one_line_that_says_where(text, line):
    assert error_of(text) == line


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("a: 1\nb: 2\na: 3\n", [(("a",), 3, "this key is already on line 1; keep one")]),
        ("a: {1: x,\n '1': y}", [(("a", "1"), 2, "this key is already on line 1; keep one")]),
        (
            "a: !!python/name:os.system x",
            [(("a",), 1, "the tag !!python/name:os.system is not allowed here; leave it out")],
        ),
        ("a: !mine [1]", [(("a",), 1, "the tag !mine is not allowed here; leave it out")]),
        ("a: !!int b", [(("a",), 1, "the tag !!int is not allowed here; leave it out")]),
        ("? [a, b]\n: c", [((), 1, "a key is a list or a mapping; keys are plain text")]),
        ('a: "\\ud83d"', [(("a",), 1, "half of a surrogate pair is no character")]),
        ("a: 1e999", [(("a",), 1, "this number is too large")]),
        ("a: " + "9" * 101, [(("a",), 1, "this number is too large")]),
        ("a: {<<: 5}", [(("a",), 1, "'<<' takes a mapping, or a list of mappings")]),
    ],
)
def test_a_readable_text_with_mistakes_tells_them_all_and_is_read(text, problems):
    assert list(read_yaml(text, "f").problems) == problems


def test_several_mistakes_are_all_told():
    read = read_yaml("a: 1\na: 2\nb: !x 3\nc: 4\n", "f")
    assert [line for _, line, _ in read.problems] == [2, 3]
    assert read.value == {"a": 1, "b": "3", "c": 4}


def test_merge_keys_fill_in_what_a_mapping_leaves_out():
    read = read_yaml("x: &x {a: 1, b: 1, c: 1}\ny: &y\n  b: 2\n  d: 2\nz:\n  <<: [*y, *x]\n  c: 3\n", "f")
    assert read.value["z"] == {"a": 1, "b": 2, "c": 3, "d": 2}
    assert read.lines["z", "b"] == 3
    assert read.lines["z", "c"] == 7


def test_an_alias_bomb_is_refused():
    bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 10)
    )
    assert error_of(bomb).endswith("aliases expand to more than 100,000 values or 10,000,000 letters")


def test_an_alias_bomb_of_merge_keys_is_refused():
    bomb = "a0: &a0 {k: v}\n" + "".join(
        f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}]}}\n" for n in range(1, 10)
    )
    assert "aliases expand" in error_of(bomb)


def test_an_alias_of_long_texts_is_refused():
    text = f"a: &a {'x' * 100_000}\nb: [{', '.join(['*a'] * 200)}]\n"
    assert "aliases expand" in error_of(text)


def test_an_alias_that_holds_itself_is_refused():
    assert error_of("a: &a [*a]") == "f.yaml:1: nested deeper than 40 levels (an alias may hold itself)"


@pytest.mark.parametrize("text", ["[" * 5000, "{a: " * 5000, "- " * 5000])
def test_deep_nesting_is_refused_before_it_is_followed(text):
    assert error_of(text) == "f.yaml:1: nested deeper than 40 levels"


def test_a_file_that_is_not_utf8_tells_the_line(tmp_path):
    (tmp_path / "f.yaml").write_bytes(b"a: 1\nb: caf\xe9\n")
    with pytest.raises(ConfigError, match=r"^f.yaml:2: byte 0xe9 is not UTF-8; save as UTF-8$"):
        read_yaml_file(tmp_path / "f.yaml", "f.yaml")


def test_a_byte_order_mark_and_windows_line_ends_are_read(tmp_path):
    (tmp_path / "f.yaml").write_bytes(b"\xef\xbb\xbfa: 1\r\nb: 2\r\n")
    read = read_yaml_file(tmp_path / "f.yaml", "f.yaml")
    assert read.value == {"a": 1, "b": 2}
    assert read.lines["b",] == 2


def test_a_file_that_cannot_be_read_says_why(tmp_path):
    with pytest.raises(ConfigError, match=r"^f: no such file$"):
        read_yaml_file(tmp_path / "none.yaml", "f")
    with pytest.raises(ConfigError, match=r"^f: cannot be read: Is a directory$"):
        read_yaml_file(tmp_path, "f")
    with pytest.raises(ConfigError, match=r"^f: cannot be read: not a usable file name$"):
        read_yaml_file(tmp_path / "a\0b", "f")


def test_a_huge_file_is_refused_unread(tmp_path):
    (tmp_path / "f.yaml").write_bytes(b"#" * 2_000_001)
    with pytest.raises(ConfigError, match=r"^f: larger than 2,000,000 bytes, which is no config$"):
        read_yaml_file(tmp_path / "f.yaml", "f")


# YAML takes a key of at most 1,024 characters without a `?`, and JSON writes up to twelve for one.
KEYS = st.text(max_size=80)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
@settings(max_examples=150, deadline=None)
def test_json_is_read_as_what_it_says(value):
    import json

    assert read_value(json.dumps(value)) == value


@given(st.text(alphabet="ab:-[]{}'\"&*!<>|%@#?,. \n\t\\0x1", max_size=60))
@settings(max_examples=400, deadline=None)
def test_any_text_is_read_or_refused_in_one_line(text):
    try:
        assert () in read_yaml(text, "f.yaml").lines
    except ConfigError as refusal:
        error = refusal
    else:
        return
    assert len(error.problems) == 1
    assert error.problems[0].startswith("f.yaml:")
    assert "\n" not in error.problems[0]


def test_the_safe_loader_of_others_is_left_as_it_is():
    assert yaml.safe_load("yes") is True
