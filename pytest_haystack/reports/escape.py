"""Text of models and users made safe for terminals, XML, Markdown, pictures and file names."""

from __future__ import annotations

import re
import unicodedata

from pytest_haystack.text import escaped
from pytest_haystack.text import printable as printable_lines

# Everything outside the Char production of XML 1.0, section 2.2.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_WHITE = re.compile(r"\s+")
_UNSAFE_IN_NAMES = re.compile(r"[^A-Za-z0-9._-]+")


def xml_text(text: str) -> str:
    """Text that XML 1.0 can hold: what it forbids becomes a backslash escape, line ends become newlines."""
    if text.isprintable():
        return text  # most are: nothing that is printed is forbidden
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _NOT_XML.sub(lambda match: escaped(match.group()), text)


def printable(text: str) -> str:
    """One line without control sequences: white space collapsed, control, format and surrogate characters escaped."""
    return printable_lines(_WHITE.sub(" ", text).strip())


def shorten(text: str, most: int) -> str:
    """At most ``most`` characters; the middle gives way to an ellipsis, since both ends of a text tell."""
    if len(text) <= most:
        return text
    if most < 1:
        return ""
    head = most // 2
    tail = most - head - 1
    return text[:head] + "…" + (text[-tail:] if tail else "")


def brief(text: str, most: int) -> str:
    """`printable` in at most ``most`` characters, at a cost that does not grow with the text."""
    return shorten(printable(shorten(text, 4 * most)), most)


def width_of(text: str) -> int:
    """Columns of a terminal that the text takes."""
    if text.isascii():
        return len(text)
    return sum(_char_width(char) for char in text)


def fit_width(text: str, most: int) -> str:
    """The text in at most ``most`` columns of a terminal, cut at its end with an ellipsis."""
    if width_of(text) <= most:
        return text
    kept: list[str] = []
    used = 1
    for char in text:
        used += _char_width(char)
        if used > most:
            break
        kept.append(char)
    return "".join(kept) + "…" if most > 0 else ""


def markdown_code(text: str, most: int = 300) -> str:
    """The text as a Markdown code span, in which nothing is markup, link or mention.

    One line of at most ``most`` characters. The fence is longer than any run of backticks inside; ``|``, which would
    end the cell of a table even there, becomes a broken bar.
    """
    text = brief(text, most).replace("|", "¦")
    if not text:
        return ""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    # A space next to the fence is taken off by Markdown where it stands on both sides.
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def picture_text(text: str) -> str:
    """One line of letters that the fonts of pictures have: Latin ones; others become question marks."""
    return "".join(char if char.isprintable() and ord(char) < 0x250 else "?" for char in printable(text))


def safe_name(text: str, most: int = 80) -> str:
    """Part of a file name: letters, digits, dot, hyphen and underscore, never empty, never starting with a dot."""
    name = _UNSAFE_IN_NAMES.sub("_", text)[:most].strip(".")
    return name or "_"


def _char_width(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1
