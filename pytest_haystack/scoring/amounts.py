"""Which number an answer gives, among all the numbers that it holds."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence

from pytest_haystack.scoring import wording
from pytest_haystack.scoring.answers import Answer
from pytest_haystack.scoring.commitment import Stance, committed
from pytest_haystack.scoring.figures import Number, find_numbers, spelled
from pytest_haystack.scoring.matching import Mention

_PLACE = (
    r"(?:section|line|page|paragraph|chapter|part|step|item|table|figure|fig|passage|sentence|document|doc|footnote|note"
    r"|ref|reference|source|row|column|verse|volume|appendix|paragraf|abschnitt|seite|zeile|página|línea)"
)
_REFERENCE = re.compile(rf"\b({_PLACE})s?\.? (?:no\.? |number |nr\.? )?(?:\d+(?: ?[-,&] ?| and | or | to ))*$")
_BRACKETED = re.compile(r"[\[(]\s*$")
_AMONG = re.compile(
    r"\b(?:in|out of|of the|as of|across|over|among|within|from|through|after|per|since|until|by) (?:the |all |a total of )?$"
)
_CONFIDENCE_AFTER = re.compile(
    r" ?(?:%|percent|per cent)? ?(?:confiden|sure|certain|certitude|likel|probab|sicher|seguro)"
)
_CONFIDENCE_BEFORE = re.compile(r"\b(?:confidence|certainty|probability|likelihood)(?: \w+)?\W{0,3}(?:of |is )?$")
_MARKER = re.compile(r"[.)](?:\s+(?=\S)|(?=[^\W\d]))")
_COPULA = re.compile(
    r"(?:\b(?:is|are|was|were|be|equals?|has|have|had|found|counted|counts?|appears?|occurs?|totals?|to|says?|reads?|at|exactly"
    r"|approximately|about|roughly|only|around|beträgt|ist|sind|est|es|é|è|равно|равна|составляет)|[:=≈~]|为|是|は)\W{0,3}(?:the |a |an |now )?$"
)
_WORD = re.compile(r"[^\W\d_]{3,}")
#: A choice among more sentences than this goes by order alone.
_MOST_COMPARED = 50


def stated(
    read: Answer,
    key_of: Callable[[Number], str | None] = lambda number: None,
    planted: Collection[str] = (),
) -> list[Stance]:
    """The mentions of the number, or numbers, that the answer gives.

    ``key_of`` names a number that it knows; any other goes by its value. Page numbers, list markers, confidence
    figures, operands and numbers of the question are not given as an answer unless there is no other. Planted
    values (by key) that are asserted always count.
    """
    text = read.folded
    mentions = []
    for number in find_numbers(text):
        key = key_of(number) or spelled(number.readings[0])
        mentions.append(Mention(number.start, number.end, key, _incidental(text, number, read.question)))
    stances = committed(text, mentions, read.question, numeric=True)
    if len({stance.mention.key for stance in stances}) < 2 or all(stance.weak for stance in stances):
        return stances
    focus = _focus(text, stances, read.question)
    return focus + [stance for stance in stances if stance.mention.key in planted and stance not in focus]


def _incidental(text: str, number: Number, question: str) -> bool:
    before, after = text[max(0, number.start - 60) : number.start], text[number.end : number.end + 40]
    if place := _REFERENCE.search(before):
        return place[1] not in question
    if _CONFIDENCE_AFTER.match(after) or _CONFIDENCE_BEFORE.search(before) or _AMONG.search(before):
        return True
    if text[number.start : number.end].isdigit() and _MARKER.match(after):
        line_start = not before or before.endswith("\n")
        return line_start or (after[0] == ")" and bool(re.search(r"(?:^|[\s(])$", before)))
    return bool(_BRACKETED.search(before)) and after[:1] == "]"


def _focus(text: str, stances: Sequence[Stance], question: str) -> list[Stance]:
    """Of several numbers those that answer: said of what was asked, behind ``is`` or the like, or said first."""
    groups = _groups(text, stances)
    if len(groups) == 1:
        return groups[0]
    asked = set(_WORD.findall(question))
    best = max(
        range(min(len(groups), _MOST_COMPARED)),
        key=lambda i: (_follows_copula(text, groups[i][0]), _overlap(text, groups[i][0], asked), -i),
    )
    return groups[best]


def _groups(text: str, stances: Sequence[Stance]) -> list[list[Stance]]:
    """Numbers that stand in one list, range or choice."""
    groups: list[list[Stance]] = []
    for stance in stances:
        if groups:
            between = text[groups[-1][-1].mention.end : stance.mention.start]
            if stance.linked or (len(between) < 40 and wording.HEDGE.fullmatch(between)):
                groups[-1].append(stance)
                continue
        groups.append([stance])
    return groups


def _follows_copula(text: str, stance: Stance) -> bool:
    return bool(_COPULA.search(text[max(0, stance.mention.start - 30) : stance.mention.start]))


def _overlap(text: str, stance: Stance, asked: set[str]) -> int:
    before = text[max(0, stance.mention.start - 160) : stance.mention.start]
    start = max((m.end() for m in wording.SENTENCE_BREAK.finditer(before)), default=0)
    return len(asked.intersection(_WORD.findall(before[start:])))
