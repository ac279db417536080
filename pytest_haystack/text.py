"""Text that people see: made printable, and cut to a length."""

from __future__ import annotations

import re

#: Control characters (a terminal would obey them), and bidirectional overrides (they reorder what is read).
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    """Text without control sequences or lone surrogates: each is shown as its backslash escape."""
    text = _UNPRINTABLE.sub(lambda match: match.group().encode("unicode_escape").decode(), text)
    return text.encode("utf-8", "backslashreplace").decode()


def one_line(text: str, limit: int) -> str:
    """Text on one line of at most ``limit`` characters, cut in the middle where it is longer."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    half = (limit - 5) // 2
    return f"{line[:half]} ... {line[-half:]}"
