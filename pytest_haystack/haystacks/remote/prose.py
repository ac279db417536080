"""From text with holes to plain prose: whole sentences in whole paragraphs, in any script.

Whoever takes markup out of a text puts `HOLE` where something could not be said in plain words, and `LISTED` at the
start of a line that is an item of a list. What is decided here is how much has to go with them.
"""

from __future__ import annotations

import re

#: Stands for what was taken out: two characters that no text of a person's holds.
HOLE = "\ue000"
LISTED = "\ue001"
_MARKS = re.compile(f"[{HOLE}{LISTED}]")

#: Paragraphs of fewer bytes are captions, dates and what else was left over.
SHORTEST_PARAGRAPH = 80

_CLOSING = "\"'”’»)\\]」』）】》〉"
_SPACELESS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef"
# A stop that may end a sentence, with the quotes that it closes; a full-width one needs no space behind it.
_STOP = re.compile(rf"[.!?…؟۔।॥]+[{_CLOSING}]*(?=\s|$)|[。！？｡][。！？｡…]*[{_CLOSING}]*")
# The word before a full stop that abbreviates it: a single letter, or one of a few that are common.
_ABBREVIATED = re.compile(
    r"(?:^|[\s(\"“‘«.])(?:[^\W\d_]|St|Mt|Dr|Mr|Mrs|Ms|Prof|Jr|Sr|vs|cf|ca|approx|c|No|Nr|Bd|vol|pp|fig|bzw|z)\.$"
)
_IN_BRACKETS = re.compile(rf"\s*(?:\([^()]*{HOLE}[^()]*\)|（[^（）]*{HOLE}[^（）]*）|\[[^\[\]]*{HOLE}[^\[\]]*\])")
# Marks of footnotes stand close behind a stop, or behind a word of a script with spaces.
_FOOTNOTE = re.compile(
    rf"(?<=[.!?…،؛؟۔।,;:»”\"’)。！？｡，、；：」』）]){HOLE}+"
    rf"|(?<=[^\W_{_SPACELESS}]){HOLE}+(?=[\s.,;:!?)…،؛؟۔]|$)"
)
_LAST_MARK = re.compile(rf"(?<=[.!?…؟۔।。！？])\s*{HOLE}+\s*$")
_EMPTY_BRACKETS = re.compile(r"\s*(?:\([\s,;:،؛/–-]*\)|（[\s，、；：,;]*）|\[\s*\])")
_REPAIRS = (
    (re.compile(r"\(\s*[,;،؛]\s*"), "("),
    (re.compile(r"（\s*[，、；]\s*"), "（"),
    (re.compile(r"\s+([,.،)])"), r"\1"),
    (re.compile(r"([(])\s+"), r"\1"),
    (re.compile(rf"(?<=[{_SPACELESS}]) (?=[{_SPACELESS}])"), ""),
    (re.compile(r" {2,}"), " "),
)
_WORDS = re.compile(r"\w")


def without_marks(text: str) -> str:
    """The text without the two characters that have a meaning here."""
    return _MARKS.sub("", text)


def prose(text: str) -> str:
    """The paragraphs of a text that are prose, a blank line between them; empty where there is none.

    Lines that follow one another are one paragraph. Items of lists go, and so do rows of tables, sentences with a hole
    in them (a bracket with a hole goes alone, and the mark of a footnote), and what does not end with a full stop.
    """
    return "\n\n".join(filter(None, map(_paragraph, _paragraphs(text))))


def _paragraphs(text: str) -> list[str]:
    paragraphs: list[list[str]] = [[]]
    for line in text.split("\n"):
        line = line.strip()
        if line.startswith((LISTED, "|", "!", "{|")) or not _WORDS.search(line):
            paragraphs.append([])
        else:
            paragraphs[-1].append(line)
    return [" ".join(lines) for lines in paragraphs if lines]


def _paragraph(text: str) -> str:
    text = " ".join(text.split()).replace(LISTED, "")
    while (without := _IN_BRACKETS.sub("", text)) != text:
        text = without
    text = _LAST_MARK.sub("", _FOOTNOTE.sub("", text))
    text = _without_leading_holes(text)
    kept = "".join(sentence for sentence in _sentences(text) if HOLE not in sentence)
    kept = _EMPTY_BRACKETS.sub("", kept)
    for pattern, repair in _REPAIRS:
        kept = pattern.sub(repair, kept)
    kept = kept.strip()
    return kept if len(kept.encode()) >= SHORTEST_PARAGRAPH else ""


def _without_leading_holes(text: str) -> str:
    """Before the first word stand notes to editors and pictures, unless the sentence cannot begin as it is left."""
    rest = text.lstrip(HOLE + " ")
    return text if rest[:1].islower() and rest != text else rest


def _sentences(text: str) -> list[str]:
    """The sentences that end with a stop, each with the space behind it; an unfinished last one is left out."""
    sentences, start = [], 0
    for stop in _STOP.finditer(text):
        rest = text[stop.end() :].lstrip()
        # A hole behind a stop may be what an abbreviation is of.
        goes_on = rest[:1].islower() or (rest[:1] == HOLE and stop[0][:1] == ".")
        if goes_on or _ABBREVIATED.search(text, max(start, stop.start() - 12), stop.start() + 1):
            continue
        end = len(text) - len(rest)
        sentences.append(text[start:end])
        start = end
    return sentences
