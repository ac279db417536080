"""How repetitive a text is: where it says the same over and over, whatever else stands in it stands out."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from typing import NamedTuple

#: Characters that are looked at.
SAMPLE_CHARACTERS = 100_000
#: Measured on samples of this length: essays, novels, documentation, source code, logs, lists of records and prose
#: from grammars compress to .14 and more, and .10 of their runs at most come again; a few sentences over and over, or
#: a dozen shuffled ones, compress to .03 and less, and .47 of their runs and more come again. Licence texts, one
#: nearly the other, have .48 too.
LEAST_COMPRESSED, MOST_REPEATED = 0.10, 0.25

#: Words of a run; in scripts without spaces, characters.
RUN_WORDS, RUN_CHARACTERS = 8, 16
_WORD = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]|[^\W\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]+")


class Repetition(NamedTuple):
    """``compressed`` is the size of the text that zlib packs, ``repeated`` the share of runs that came before.

    Both are from 0 to 1 (a text of a few words may pack to more).
    """

    compressed: float
    repeated: float

    @property
    def is_striking(self) -> bool:
        """Whether a sentence of its own would stand out from such a text."""
        return self.compressed < LEAST_COMPRESSED or self.repeated > MOST_REPEATED


def repetition(text: str) -> Repetition:
    """How repetitive the first `SAMPLE_CHARACTERS` characters of a text are."""
    sample = text[:SAMPLE_CHARACTERS]
    data = sample.encode("utf-8", "replace")
    words = _WORD.findall(sample)
    single = sum(len(word) == 1 and word > "\u0dff" for word in words)
    size = RUN_CHARACTERS if 2 * single > len(words) else RUN_WORDS
    runs = Counter(zip(*(words[start:] for start in range(size)), strict=False))
    total = runs.total()
    compressed = len(zlib.compress(data, 6)) / len(data) if data else 1.0
    return Repetition(compressed, 1 - len(runs) / total if total else 0.0)
