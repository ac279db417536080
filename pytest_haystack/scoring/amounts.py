"""Which number an answer gives, among all the numbers that it holds."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence

import pytest_haystack.scoring.wording as wording
from pytest_haystack.scoring.answers import Answer
from pytest_haystack.scoring.clauses import last_sentence
from pytest_haystack.scoring.commitment import Stance, committed
from pytest_haystack.scoring.figures import Number, find_numbers, spelled
from pytest_haystack.scoring.matching import Mention

_PLACE = (
    r"(?:section|line|page|paragraph|chapter|part|step|item|table|figure|fig|passage|sentence|document|doc|footnote|note"
    r"|ref|reference|source|row|column|verse|volume|appendix|paragraf|abschnitt|seite|zeile|página|línea)"
)
_REFERENCE = re.compile(rf"\b({_PLACE})s?\.? (?:no\.? |number |nr\.? |# ?)?(?:\d+(?: ?[-,&] ?| and | or | to ))*$")
_WHERE = re.compile(r"\bwhere\b")
_BRACKETED = re.compile(r"[\[(]\s*$")
_AMONG = re.compile(
    r"\b(?:in|out of|of the|as of|across|over|among|within|from|through|after|per|since|until|by)"
    r" (?:the |all |a total of )?$"
)
_CONFIDENCE_AFTER = re.compile(
    r" ?(?:%|percent|per cent)? ?(?:confiden|sure|certain|certitude|likel|probab|sicher|seguro)"
)
_CONFIDENCE_BEFORE = re.compile(r"\b(?:confidence|certainty|probability|likelihood)(?: \w+)?\W{0,3}(?:of |is )?$")
_MORE = re.compile(r" (?:more|other|further|additional)\b")
_MARKER = re.compile(r"[.)](?:\s+(?=\S)|(?=[^\W\d]))")
#: What stands before or behind the numbers that a computation starts from.
_OPERATOR_AFTER = re.compile(r" ?(?:[+×÷]|(?:plus|minus|times|divided by)\b) ?\(?[$€£]?\d")
_OPERATOR_BEFORE = re.compile(r"\d\)? ?(?:[+×÷]|\b(?:plus|minus|times|divided by)) ?$")
_COPULA = re.compile(
    r"(?:\b(?:is|are|was|were|be|equals?|has|have|had|found|counted|counts?|appears?|occurs?|totals?|to|says?|reads?|at"
    r"|exactly|only|beträgt|ist|sind|est|es|é|è|равно|равна|составляет)"
    r"|[:=≈~]|为|是|は)\W{0,3}(?:the |an? |now )?$"
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

    ``key_of`` names a number that it knows; any other goes by its value. Page numbers and confidence figures are
    no answer unless the question is about them; list markers, totals of something else, operands and numbers of
    the question only where there is no other. Planted values (by key) that are asserted always count.
    """
    text = read.folded
    mentions = []
    for number in find_numbers(text):
        before, after = text[max(0, number.start - 60) : number.start], text[number.end : number.end + 40]
        if _is_about_the_text(before, after, read.question):
            continue
        key = key_of(number) or spelled(number.readings[0])
        weak = _is_incidental(before, after, text[number.start : number.end])
        mentions.append(Mention(number.start, number.end, key, weak))
    stances = committed(text, mentions, read.question, numeric=True, planted=planted)
    if len({stance.mention.key for stance in stances}) < 2 or all(stance.weak for stance in stances):
        return stances
    focus = _focus(text, stances, read.question)
    return focus + [stance for stance in stances if stance.mention.key in planted and stance not in focus]


def _is_about_the_text(before: str, after: str, question: str) -> bool:
    """True for the number of a page or section, and for a degree of confidence."""
    if place := _REFERENCE.search(before):
        return place[1] not in question and not _WHERE.search(question)
    return bool(_CONFIDENCE_AFTER.match(after) or _CONFIDENCE_BEFORE.search(before))


def _is_incidental(before: str, after: str, own: str) -> bool:
    """True for a list marker, a total that something is part of, a count of further things, or a number to compute
    with.
    """
    if _AMONG.search(before) or _MORE.match(after):
        return True
    if _OPERATOR_AFTER.match(after) or _OPERATOR_BEFORE.search(before):
        return True
    if own.isdigit() and _MARKER.match(after):
        line_start = not before or before.endswith("\n")
        return line_start or (after[0] == ")" and bool(re.search(r"(?:^|[\s(])$", before)))
    return bool(_BRACKETED.search(before)) and after[:1] == "]"


def _focus(text: str, stances: Sequence[Stance], question: str) -> list[Stance]:
    """Of several numbers those that answer: said of what was asked, behind ``is`` or the like, or said first.

    What stands alone in a sentence comes before all others.
    """
    groups = _groups(text, stances)
    alone = [stance for group in groups if _stands_alone(text, group) for stance in group]
    if len(groups) == 1 or alone:
        return alone or groups[0]
    asked = set(_WORD.findall(question))
    best = max(
        range(min(len(groups), _MOST_COMPARED)),
        key=lambda i: (_follows_copula(text, groups[i][0]), _overlap(text, groups[i][0], asked), -i),
    )
    return groups[best]


def _stands_alone(text: str, group: Sequence[Stance]) -> bool:
    """True where a sentence or line holds nothing but the number and perhaps its unit."""
    start, end = group[0].mention.start, group[-1].mention.end
    before = last_sentence(text[max(0, start - 160) : start])
    after = wording.SENTENCE_BREAK.split(text[end : end + 160], maxsplit=1)[0]
    return not re.search(r"\w", before) and len(re.findall(r"\w+", after)) < 3


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
