"""Foreign text in terminals, XML, Markdown, pictures and file names."""

from __future__ import annotations

import re
import unicodedata
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_haystack.reports.escape import (
    brief,
    fit_width,
    markdown_code,
    picture_text,
    printable,
    safe_name,
    shorten,
    width_of,
    xml_text,
)
from tests.reports.sweeps import ANY_TEXT

bounded = settings(max_examples=200, deadline=None)


@given(ANY_TEXT)
@bounded
def test_xml_text_survives_a_parser(text: str) -> None:
    cleaned = xml_text(text)
    element = ElementTree.Element("a", {"b": cleaned})
    element.text = cleaned
    parsed = ElementTree.fromstring(ElementTree.tostring(element, encoding="utf-8"))

    assert (parsed.text or "") == cleaned
    assert parsed.get("b") == cleaned


def test_xml_text_shows_what_it_replaces() -> None:
    assert xml_text("a\x00b\x1b[31m\ud800\ufffe\r\nc\td") == "a\\x00b\\x1b[31m\\ud800\\ufffe\nc\td"
    assert xml_text("中 é 👩") == "中 é 👩"


@given(ANY_TEXT)
@bounded
def test_printable_text_cannot_steer_a_terminal(text: str) -> None:
    line = printable(text)

    categories = {unicodedata.category(char) for char in line if char not in "\u200c\u200d"}
    assert not categories & {"Cc", "Cf", "Cs", "Zl", "Zp"}
    line.encode()
    assert printable(line) == line
    assert xml_text(line) == line


def test_printable_text_keeps_words_of_all_scripts() -> None:
    words = "naïve Straße 北京 शक्ति می\u200cخواهم 👩\u200d🚀"
    assert printable(words) == words
    assert printable("red \x1b[31m, bell \x07, \u202eturned\n  next\tline ") == (
        "red \\x1b[31m, bell \\x07, \\u202eturned next line"
    )


@given(ANY_TEXT, st.integers(0, 50))
@bounded
def test_shortened_text_keeps_its_bounds(text: str, most: int) -> None:
    assert len(shorten(text, most)) <= most or text == ""
    assert len(brief(text * 20, most)) <= most
    if len(text) <= most:
        assert shorten(text, most) == text
    cut = fit_width(printable(text), most)
    assert width_of(cut) <= most


def test_shortened_text_keeps_both_ends() -> None:
    assert shorten("abcdefghij", 5) == "ab…ij"
    assert width_of("北京ab") == 6
    assert fit_width("北京北京", 4) == "北…"


@given(ANY_TEXT)
@bounded
def test_markdown_code_is_one_code_span_and_nothing_else(text: str) -> None:
    code = markdown_code(text)
    if not code:
        assert not printable(text)
        return
    fence = re.match("`+", code)
    assert fence is not None
    inside = code[fence.end() : -fence.end()]

    assert code.endswith(fence.group())
    # CommonMark 6.1: the span ends at the first run of backticks as long as the one it began with.
    assert fence.group() not in re.findall("`+", inside)
    assert not inside.startswith("`")
    assert not inside.endswith("`")
    assert "|" not in code
    assert len(code.splitlines()) == 1
    code.encode()


def test_markdown_code_keeps_markup_as_text() -> None:
    assert markdown_code("<b>@team</b> [x](http://x.y) a|b") == "`<b>@team</b> [x](http://x.y) a¦b`"
    assert markdown_code("`` ` ``") == "``` `` ` `` ```"
    assert len(markdown_code("x" * 1000)) == 302


@given(ANY_TEXT)
@bounded
def test_picture_text_has_only_letters_of_the_font(text: str) -> None:
    from matplotlib.font_manager import FontProperties, findfont, get_font

    known = get_font(findfont(FontProperties(family="DejaVu Sans"))).get_charmap()
    assert all(ord(char) in known for char in picture_text(text))


@given(ANY_TEXT)
@bounded
def test_a_safe_name_stays_in_its_folder(text: str) -> None:
    name = safe_name(text)

    assert re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9._-]*", name)
    assert len(name) <= 80


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("gpt-4.1_mini", "gpt-4.1_mini"),
        ("../../etc/passwd", "_.._etc_passwd"),
        ("..", "_"),
        ("", "_"),
        ("a b:c", "a_b_c"),
    ],
)
def test_safe_names_keep_what_can_be_kept(text: str, name: str) -> None:
    assert safe_name(text) == name
