"""What is to be known of the haystack texts before anything is asked: whether a needle stands out from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pytest_haystack.haystacks.repetition import SAMPLE_CHARACTERS, repetition

if TYPE_CHECKING:
    from pytest_haystack.config.haystack import HaystackEntry
    from pytest_haystack.running.workbench import Workbench
    from pytest_haystack.sweep import Cell

#: Sources of this package that are known to be varied.
_VARIED = ("essays", "synthetic")
#: No token of ordinary text is longer (characters, on average).
_LONGEST_TOKEN = 16


def haystack_notes(bench: Workbench, cells: Sequence[Cell]) -> list[str]:
    """A note on each text of these cells that comes more than once in a document, or repeats itself anyway.

    Raises SourceError where a text cannot be read.
    """
    longest: dict[str, tuple[HaystackEntry, int]] = {}
    for cell in cells:
        if bench.tasks[cell.task].filler:
            entry = bench.entries[cell.task].haystack or bench.config.haystack
            key = entry.model_dump_json()
            longest[key] = entry, max(cell.context_length, longest.get(key, (entry, 0))[1])
    notes = (note for entry, tokens in longest.values() for note in _notes(bench, entry, tokens))
    return list(dict.fromkeys(notes))


def _notes(bench: Workbench, entry: HaystackEntry, tokens: int) -> list[str]:
    source, notes = bench.source(entry), []
    varied = entry.source.partition("@")[0] in _VARIED
    # What is known to be varied is read only to tell whether it is enough.
    characters = min(SAMPLE_CHARACTERS, _LONGEST_TOKEN * tokens) if varied else SAMPLE_CHARACTERS
    text = source.read(characters)
    if not varied:
        found = repetition(text)
        if found.is_striking:
            notes.append(
                f"the text of {entry.source} repeats itself ({found.repeated:.0%} of its runs of words come again, it "
                f"packs to {found.compressed:.0%} of its size): whatever is hidden in it stands out"
            )
    is_all = source.documents() is not None or len(text) < characters
    if is_all and len(text) < _LONGEST_TOKEN * tokens:
        whole = bench.encoding.count(text)
        if whole < tokens:
            notes.append(
                f"the text of {entry.source} has {whole:,} tokens and comes {tokens / max(whole, 1):.1f} times in "
                f"documents of {tokens:,}: of what it says, only what is hidden is said once"
            )
    return notes
