"""Short texts that close a document's last few missing tokens."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from pytest_haystack.tokens.encoding import Encoding

#: How much of the text before a filler tells its script, in characters.
SCRIPT_SAMPLE = 48


class Filler(NamedTuple):
    """How a text in one script may run out: ways to end it, and a phrase that can be said several times."""

    endings: tuple[str, ...]
    phrase: str


_FILLERS = (
    (re.compile("[\u3041-\u30ff]"), Filler(("。", "……", "など。", "だった。", "などなど。"), "、など")),
    (re.compile("[\u3400-\u9fff]"), Filler(("。", "……", "等。", "等等。", "，等等。"), "，等等")),
    (re.compile("[\u0900-\u097f]"), Filler(("।", ".", "…", " ही।", " है।", " भी।", " आदि।"), " आदि")),
    (re.compile("[\u0600-\u06ff]"), Filler((".", "…", " به.", " له.", " هنا.", " الآن.", " وهكذا."), " وهكذا")),
    (re.compile("[\u0400-\u04ff]"), Filler((".", "…", " тут.", " и др.", " и т. д.", " и так далее."), " и так далее")),
    (re.compile("[A-Za-z\u00c0-\u024f]"), Filler((".", "…", " too.", " as well.", " and so on."), " and so on")),
)
_ANY_SCRIPT = Filler((".", "…"), " [...]")

# Both are one token in every vocabulary of the GPT family, whatever visible character stands before them; the
# second also whatever stands after it, since no piece holds a letter and the white space after it.
_OMISSION = " [...]"
_WORD = " and"


def natural_fillers(before: str, tokens: int, encoding: Encoding) -> Iterator[str]:
    """Texts in the script of ``before`` that may add this many tokens after it.

    ``before`` is the haystack text that the filler follows, of which the last `SCRIPT_SAMPLE` characters matter.
    Counts are those of each text on its own: what it adds in its place is for the caller to measure.
    """
    filler = _filler_of(before)
    after_word = unicodedata.category(before[-1])[0] in "LMNS"
    phrase = encoding.count(filler.phrase)
    for times in range(tokens // phrase + 1):
        for ending in (*filler.endings, _OMISSION, _OMISSION + "."):
            text = filler.phrase * times + ending
            if abs(times * phrase + encoding.count(ending) - tokens) <= 1 and (after_word or text.startswith(" ")):
                yield text
    if tokens % phrase == 0:
        yield filler.phrase * (tokens // phrase)


def certain_fillers(before: str, tokens: int) -> Iterator[str]:
    """Texts of this many tokens, the last of them in every place; one that stands alone begins without a space."""
    for text in (_OMISSION * tokens, _OMISSION * (tokens - 1), _WORD * tokens):
        yield text if before else text.lstrip()


def _filler_of(before: str) -> Filler:
    """The filler in the script that a text ends with."""
    latest, chosen = -1, _ANY_SCRIPT
    for script, filler in _FILLERS:
        found = [match.end() for match in script.finditer(before)]
        if found and found[-1] > latest:
            latest, chosen = found[-1], filler
    return chosen
