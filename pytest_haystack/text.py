"""Text that people see: made printable, and cut to a length."""

from __future__ import annotations

import unicodedata

# Joiners that scripts and emoji need; all other format characters can reorder or hide text.
_JOINERS = "\u200c\u200d"


def printable(text: str) -> str:
    """Text in which control, format and surrogate characters are backslash escapes; newlines and tabs stay."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(escaped(char) if _is_unprintable(char) else char for char in text)


def one_line(text: str, limit: int) -> str:
    """Text on one line of at most ``limit`` characters, cut in the middle where it is longer."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    half = (limit - 5) // 2
    return f"{line[:half]} ... {line[-half:]}"


def escaped(char: str) -> str:
    """A character as its backslash escape."""
    return char.encode("unicode_escape").decode("ascii")


def _is_unprintable(char: str) -> bool:
    # The last two code points of each plane are no characters; XML forbids U+FFFE and U+FFFF.
    if ord(char) & 0xFFFE == 0xFFFE:
        return True
    return char not in _JOINERS and char not in "\n\t" and unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")
