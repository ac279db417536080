"""Which of the values that an answer mentions it commits to.

Heuristics on the words around each mention, in this order: what is denied or taken back goes; of what remains,
marked answers outweigh plain ones, plain ones outweigh asides, and names that the question itself holds count
only where nothing else is left. What is left over is asserted: more than one value is no commitment.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pytest_haystack.scoring import wording
from pytest_haystack.scoring.matching import Mention

#: Characters around a mention that are read.
WINDOW = 160


@dataclass(slots=True)
class Stance:
    """What an answer does with one mention. ``rank`` is 0, or from 1 to 3 how plainly it is marked as the answer."""

    mention: Mention
    denied: bool = False
    weak: bool = False
    linked: bool = False
    rank: int = 0


def committed(text: str, mentions: Sequence[Mention], question: str = "", *, numeric: bool = False) -> list[Stance]:
    """The mentions that the answer commits to, in order; text and question folded.

    With ``numeric`` totals and equations mark an answer too, and of several such the last one counts.
    """
    held = asserted(text, mentions, question, numeric=numeric)
    best = max((stance.rank for stance in held), default=0)
    if best:
        held = _marked(held, best, last_only=numeric and best == 1)
    elif not all(stance.weak for stance in held):
        held = [stance for stance in held if not stance.weak]
    fresh = [stance for stance in held if not _occurs(stance.mention.key, question)]
    return fresh or held


def asserted(
    text: str, mentions: Sequence[Mention], question: str = "", *, numeric: bool = False, several: bool = False
) -> list[Stance]:
    """Every mention that is neither denied nor taken back, with its stance.

    Where ``several`` values are asked for, one that comes later takes none back.
    """
    held: list[Stance] = []
    previous: Stance | None = None
    for index, mention in enumerate(mentions):
        following = mentions[index + 1].start if index + 1 < len(mentions) else len(text)
        stance = _stance(text, mention, previous, following, question, numeric)
        if previous is not None:
            if not several and _takes_back(text, previous.mention.end, mention.start):
                held = [other for other in held if other.mention.key == mention.key]
            if stance.denied and stance.linked and _denies_all(text, mention):
                _deny_linked(held)
        if not stance.denied:
            held.append(stance)
        previous = stance
    return held


def _stance(
    text: str, mention: Mention, previous: Stance | None, following: int, question: str, numeric: bool
) -> Stance:
    floor = previous.mention.end if previous else 0
    before = text[max(floor, mention.start - WINDOW) : mention.start]
    after = text[mention.end : min(following, mention.end + WINDOW)]
    stance = Stance(mention, weak=mention.weak)
    if previous is not None and len(before) < 60 and wording.CONNECTOR.fullmatch(before):
        # "Unlike A, B is": a comma before a subject joins sentences, not items.
        stance.linked = not (before.strip() == "," and _SUBJECT.match(after))
    # A clause may have begun before the previous mention: "not X or Y", "although X has Y".
    wide = text[max(0, mention.start - WINDOW) : mention.start]
    clause = last_clause(wide)
    rest = text[mention.end : mention.end + WINDOW]
    stance.denied = is_denied(clause, wide, rest)
    stance.weak = stance.weak or _in_question(rest) or _is_aside(wide, after, question)
    stance.rank = 0 if stance.denied else _rank(before, wide, after, numeric)
    if stance.linked and previous is not None:
        # A bracket or line that ends takes its negation with it.
        stance.denied = stance.denied or (previous.denied and not re.search(r"[)\]\n;]", before))
        stance.weak = stance.weak or (previous.weak and not previous.mention.weak)
        stance.rank = max(stance.rank, previous.rank)
    return stance


_SUBJECT = re.compile(r"\W{0,2}(?:is|was|are|were|has|ist|est|es|è|é)\b")


def last_clause(before: str) -> str:
    """What stands after the last clause break."""
    end = 0
    for match in wording.CLAUSE_BREAK.finditer(before):
        end = match.end()
    return before[end:]


def last_sentence(before: str) -> str:
    """What stands after the last sentence break."""
    end = 0
    for match in wording.SENTENCE_BREAK.finditer(before):
        end = match.end()
    return before[end:]


def is_denied(clause: str, before: str, after: str) -> bool:
    """True where the words around a value deny it."""
    if wording.ANYTHING_BUT.search(before):
        return not re.search(r"\b(?:not|never|cannot|n't)\b[^.]*$", last_sentence(before).replace("anything but", ""))
    if wording.DENIED_BEFORE.search(wording.AFFIRMED.sub(" ", clause)):
        return True
    return bool(wording.DENIED_AFTER.match(after))


def _denies_all(text: str, mention: Mention) -> bool:
    return bool(wording.DENIED_ALL_AFTER.match(text, mention.end))


def _deny_linked(held: list[Stance]) -> None:
    while held:
        last = held.pop()
        if not last.linked:
            return


def _takes_back(text: str, start: int, end: int) -> bool:
    between = text[max(start, end - WINDOW) : end]
    return bool(wording.CORRECTION.search(between))


def _is_aside(before: str, after: str, question: str) -> bool:
    sentence = last_sentence(before)
    if wording.WEAK_BEFORE.search(last_clause(before)) or wording.WEAK_AFTER.match(after):
        return True
    return about_another(sentence, after, question)


def _in_question(after: str) -> bool:
    closing = wording.SENTENCE_BREAK.search(after)
    return closing is not None and "?" in closing[0]


_SUFFIX = (
    r"\d\w*|alpha|beta|gamma|delta|epsilon|zeta|theta|kappa|lambda|sigma|tau|omega"
    r"|(?:north|south)(?:east|west)?|east|west"
)
_NAME = re.compile(rf"([^\W\d_]{{3,}})(?:[- ](?:station|reach|basin|terrace|relay|quay))?[- ]({_SUFFIX})\b")


def about_another(sentence: str, after: str, question: str) -> bool:
    """True where the words around a value name a neighbour of what was asked about: ``Zyranthex-8`` for ``-7``.

    Neighbours share a stem and differ in a number, Greek letter or compass point behind it.
    """
    asked = {match[1]: match[2] for match in _NAME.finditer(question)}
    if not asked:
        return False
    trail = wording.CLAUSE_BREAK.split(after, maxsplit=1)[0]
    for near in (last_clause(sentence), trail, sentence):
        suffixes = [(match[2], asked[match[1]]) for match in _NAME.finditer(near) if match[1] in asked]
        if suffixes:
            near_suffix, asked_suffix = suffixes[-1]
            return near_suffix != asked_suffix
    return False


def _rank(before: str, wide: str, after: str, numeric: bool) -> int:
    for rank, label in wording.LABELS:
        last = None
        for match in label.finditer(before):
            last = match
        if last is not None and not _sentence_ends(before[last.end() :]):
            return rank
    if wording.ANSWER_AFTER.match(after):
        return 2
    return 1 if numeric and wording.TOTALS.search(last_sentence(wide)) else 0


def _sentence_ends(between: str) -> bool:
    """True where a sentence ends after a label and before the value; a line break right behind the label does not."""
    body = between.lstrip(" :=-\n*'\"")
    closing = wording.SENTENCE_BREAK.search(body)
    return bool(closing) or bool(re.search(r"\b(?:but|however|yet)\b", body))


def _marked(held: list[Stance], best: int, *, last_only: bool) -> list[Stance]:
    """The marked mentions; of several marked groups all count, or with ``last_only`` the last."""
    marked = [stance for stance in held if stance.rank == best]
    if not last_only:
        return marked
    start = len(marked) - 1
    while start > 0 and marked[start].linked:
        start -= 1
    return marked[start:]


def _occurs(key: str, question: str) -> bool:
    if not key or key not in question:
        return False
    return bool(re.search(rf"(?<![\w-]){re.escape(key)}(?![\w-]|\.\d)", question))
