"""Short texts that close a document's last few missing tokens."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

#: How much of the text before a filler tells its script, in characters.
SCRIPT_SAMPLE = 48

# How a text in one script may break off, the best first.
_ENDINGS = (
    (re.compile("[\u3040-\u30ff\u3400-\u9fff]"), ("。", "……", "…", "…………")),
    (re.compile("[\u0900-\u097f]"), ("।", ".", "…", " …", " ...", " [...]", " [...].", " . . .")),
    (
        re.compile("[\u0600-\u06ff\u0400-\u04ffA-Za-z\u00c0-\u024f]"),
        (".", "…", "...", " …", " ...", " [...]", " [...].", " . . ."),
    ),
)
_ANY_SCRIPT = ("…", "...", " …", " ...", " [...]", " [...].", " . . .")

# Source code ends with empty lines. Prose has fewer of these characters, in a sample of its text.
_CODE = re.compile(r"[{}()\[\]=;<>_#*/\\&|]")
_LEAST_CODE = 4
_CODE_ENDINGS = ("\n", "\n\n", "\n\n\n", "\n\n\n\n")

# All are one token in every vocabulary of the GPT family, whatever visible character stands before them; the last
# also whatever stands after it, since no piece holds a letter and the white space after it.
_DOT = " ."
_OMISSION = " [...]"
_WORD = " and"


def endings(before: str) -> tuple[str, ...]:
    """What a text that ends like this may break off with, in its script, the best first.

    The last `SCRIPT_SAMPLE` characters of ``before`` matter.
    """
    sample = before[-SCRIPT_SAMPLE:]
    if len(_CODE.findall(sample)) >= _LEAST_CODE:
        return _CODE_ENDINGS
    latest = -1
    chosen: tuple[str, ...] = _ANY_SCRIPT
    for script, texts in _ENDINGS:
        found = [match.end() for match in script.finditer(sample)]
        if found and found[-1] > latest:
            latest, chosen = found[-1], texts
    return chosen


def may_follow(before: str, ending: str) -> bool:
    """Whether an ending is good style after this text: a full stop stands after a word, nothing after a line's end."""
    if not before or before[-1].isspace():
        return False
    return ending[0].isspace() or unicodedata.category(before[-1])[0] in "LMNS"


def certain_fillers(before: str, tokens: int) -> Iterator[str]:
    """Texts of this many tokens, the last of them in every place; one that stands alone begins without a space."""
    for text in (_DOT * tokens, _DOT * (tokens - 1), _OMISSION * tokens, _OMISSION * (tokens - 1), _WORD * tokens):
        yield text if before else text.lstrip()
