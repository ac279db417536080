"""Which of the values that an answer mentions it commits to.

Heuristics on the words around each mention, in this order: what is denied or taken back goes; of what remains,
marked answers outweigh plain ones, plain ones outweigh asides, and names that the question itself holds count
only where nothing else is left. What is left over is asserted: more than one value is no commitment.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import pytest_haystack.scoring.wording as wording
from pytest_haystack.scoring.clauses import last_clause, last_sentence
from pytest_haystack.scoring.matching import Mention
from pytest_haystack.scoring.neighbours import about_another, about_asked

#: Characters around a mention that are read.
WINDOW = 160
_SUBJECT = re.compile(r"[^\w)\]]{0,2}(?:is|was|are|were|has|ist|est|es|è|é)\b")
_ARROW = re.compile(r"[\s\"'()]*(?:<?-+>|=>|<-+|←|⟵|⇐)[\s\"'()]*")
_PREDICATE = re.compile(r"\W{0,2}(?:is|was) (?:the |an? )([\w-]{4,40})(?![\w-])")


@dataclass(slots=True)
class Stance:
    """What an answer does with one mention. ``rank`` is 0, or from 1 to 3 how plainly it is marked as the answer."""

    mention: Mention
    denied: bool = False
    weak: bool = False
    linked: bool = False
    rank: int = 0


def committed(
    text: str,
    mentions: Sequence[Mention],
    question: str = "",
    *,
    numeric: bool = False,
    planted: Collection[str] = (),
) -> list[Stance]:
    """The mentions that the answer commits to, in order; text and question folded.

    With ``numeric`` totals and equations mark an answer too, and of several such the last one counts; a planted
    value (by key) that is marked alike counts beside it.
    """
    everything = held = asserted(text, mentions, question, numeric=numeric)
    best = max((stance.rank for stance in held), default=0)
    if best:
        marked = [stance for stance in held if stance.rank == best]
        since = _last_group(marked)[0].mention.start if numeric and best == 1 else 0
        held = [stance for stance in marked if stance.mention.start >= since or stance.mention.key in planted]
        # "Answer: A. B. C." marks one and says the others as plainly.
        first, chosen = held[0].mention.start, {stance.mention.start for stance in held}
        beside = (stance.mention.start for stance in _said_barely(text, everything, planted))
        chosen.update(start for start in beside if start > first)
        held = [stance for stance in everything if stance.mention.start in chosen]
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
    label_floor = 0
    for index, mention in enumerate(mentions):
        following = mentions[index + 1].start if index + 1 < len(mentions) else len(text)
        stance = _stance(text, mention, previous, following, question, numeric)
        if not numeric and _opens_overview(text, mention, mentions[-1].start):
            stance.weak = True
        if previous is not None and not numeric and _ARROW.fullmatch(text, previous.mention.end, mention.start):
            # The steps of a path lead to an answer and give none.
            stance.weak = previous.weak = True
        if not stance.denied and not (numeric and mention.weak):
            label = text[max(label_floor, mention.start - WINDOW) : mention.start]
            stance.rank = max(stance.rank, _rank(text, mention, label, question, numeric=numeric, weak=stance.weak))
        if previous is not None:
            if not several and _takes_back(text, previous.mention.end, mention.start):
                held = [other for other in held if other.mention.key == mention.key]
            if stance.denied and stance.linked and not previous.denied and _denies_all(text, mention):
                _deny_linked(held)
            if stance.weak and stance.linked and wording.WEAK_ALL_AFTER.match(text, mention.end):
                _weaken_linked(held)
        if not stance.denied:
            held.append(stance)
        previous = stance
        # "The answer, in section 3, is 412": what is no answer by nature does not use up a label.
        label_floor = label_floor if mention.weak else mention.end
    return held


def _stance(
    text: str, mention: Mention, previous: Stance | None, following: int, question: str, numeric: bool
) -> Stance:
    """The stance of a mention by itself and, where it is linked to the previous one, by that one's."""
    # A clause may have begun before the previous mention: "not X or Y", "although X has Y".
    before = text[max(0, mention.start - WINDOW) : mention.start]
    after = text[mention.end : mention.end + WINDOW]
    own = after[: max(0, following - mention.end)]
    stance = Stance(mention, weak=mention.weak or _in_question(after) or _is_aside(before, own, after, question))
    stance.denied = is_denied(last_clause(before), before, after)
    if previous is None:
        return stance
    between = text[previous.mention.end : mention.start]
    stance.linked = _links(between, own, numeric)
    if stance.linked:
        # A bracket or line that ends takes its negation with it.
        stance.denied = stance.denied or (previous.denied and not re.search(r"[)\]\n;]", between))
        stance.weak = stance.weak or (previous.weak and not previous.mention.weak)
        stance.rank = 0 if stance.denied else previous.rank
    return stance


def _links(between: str, after: str, numeric: bool) -> bool:
    """True where two mentions are items of one list."""
    if len(between) > 60:
        return False
    if "?" in between and not re.search(r"\w", between):
        # "A? B? C?": questions that nothing answers are a list.
        return _in_question(after)
    if not wording.CONNECTOR.fullmatch(between):
        return False
    if between.strip() == "," and _SUBJECT.match(after):
        # "Unlike A, B is": this comma joins sentences, not items.
        return False
    # "17 (5 + 6 + 6)": a bracket behind a number explains it.
    return not (numeric and between.lstrip().startswith("(") and ")" not in between)


def is_denied(clause: str, before: str, after: str) -> bool:
    """True where the words around a value deny it."""
    if wording.ANYTHING_BUT.search(before):
        return not re.search(r"\b(?:not|never|cannot|n't)\b[^.]*$", last_sentence(before).replace("anything but", ""))
    clause = wording.NEW_CLAUSE.split(wording.AFFIRMED.sub(" ", clause))[-1]
    *rules, exception = wording.EXCEPTION.split(clause)
    denied = bool(wording.DENIED_BEFORE.search(exception))
    if rules:
        # "None except X" affirms what "all except X" denies.
        denied = denied or not wording.DENIED_BEFORE.search(rules[-1])
    return denied or bool(wording.DENIED_AFTER.match(after))


def _denies_all(text: str, mention: Mention) -> bool:
    return bool(wording.DENIED_ALL_AFTER.match(text, mention.end))


def _deny_linked(held: list[Stance]) -> None:
    while held:
        last = held.pop()
        if not last.linked:
            return


def _weaken_linked(held: list[Stance]) -> None:
    for stance in reversed(held):
        stance.weak = True
        if not stance.linked:
            return


def _takes_back(text: str, start: int, end: int) -> bool:
    between = text[max(start, end - WINDOW) : end]
    return bool(wording.CORRECTION.search(between))


def _is_aside(before: str, after: str, following: str, question: str) -> bool:
    """True where a value is told of something else; ``after`` ends at the next one, ``following`` does not."""
    sentence = last_sentence(before)
    opposed = wording.ONE_ANOTHER.search(sentence + wording.SENTENCE_BREAK.split(following, maxsplit=1)[0])
    clause = last_clause(before)
    if wording.WEAK_BEFORE.search(clause) and not (wording.HEDGED.search(clause) or opposed):
        # "That of A is X while that of B is Y" tells of both alike.
        contrast = wording.CONTRAST.search(sentence)
        if contrast is None or not about_asked(contrast[1], question):
            return True
    if (wording.WEAK_AFTER.match(after) and not opposed) or wording.OTHERS_BEFORE.search(before):
        return True
    return about_another(sentence, after, question)


def _opens_overview(text: str, mention: Mention, last: int) -> bool:
    """True where a list of all that there is begins, and a later sentence comes back to one of its values."""
    if not wording.ALL_BEFORE.search(text, max(0, mention.start - WINDOW), mention.start):
        return False
    closing = wording.SENTENCE_BREAK.search(text, mention.end, mention.end + 4 * WINDOW)
    return closing is not None and closing.start() < last


def _in_question(after: str) -> bool:
    closing = wording.SENTENCE_BREAK.search(after)
    return closing is not None and "?" in closing[0]


def _rank(text: str, mention: Mention, label: str, question: str, *, numeric: bool, weak: bool) -> int:
    """How plainly the words before (``label``, since the last mention) or behind mark the answer."""
    for rank, pattern in wording.LABELS:
        last = None
        for match in pattern.finditer(label):
            last = match
        if last is not None and not _sentence_ends(label[last.end() :]):
            return rank
    if wording.ANSWER_AFTER.match(text, mention.end):
        return 2
    predicate = _PREDICATE.match(text, mention.end)
    if predicate and not weak and _occurs(predicate[1], question):
        return 2
    before = text[max(0, mention.start - WINDOW) : mention.start]
    return 1 if numeric and not weak and wording.TOTALS.search(last_sentence(before)) else 0


def _sentence_ends(between: str) -> bool:
    """True where a sentence ends after a label and before the value; a line break right behind the label does not."""
    body = between.lstrip(" :=-\n*'\"")
    closing = wording.SENTENCE_BREAK.search(body)
    return bool(closing) or bool(re.search(r"\b(?:but|however|yet)\b", body))


def _said_barely(text: str, stances: Sequence[Stance], planted: Collection[str]) -> list[Stance]:
    """The values that a sentence or line of their own holds, and planted ones right behind another value."""
    found = []
    for index, stance in enumerate(stances):
        mention = stance.mention
        gap = text[stances[index - 1].mention.end if index else 0 : mention.start]
        behind = index > 0 and mention.key in planted and not re.search(r"\w", gap)
        if not stance.weak and (behind or _stands_alone(text, mention)):
            found.append(stance)
    return found


def _stands_alone(text: str, mention: Mention) -> bool:
    if re.search(r"\w", last_sentence(text[max(0, mention.start - WINDOW) : mention.start])):
        return False
    after = wording.SENTENCE_BREAK.split(text[mention.end : mention.end + WINDOW], maxsplit=1)[0]
    return not re.search(r"\w", after)


def _last_group(stances: list[Stance]) -> list[Stance]:
    """The last mention with those that it is linked to."""
    start = len(stances) - 1
    while start > 0 and stances[start].linked:
        start -= 1
    return stances[start:]


def _occurs(key: str, question: str) -> bool:
    if not key or key not in question:
        return False
    return bool(re.search(rf"(?<![\w-]){re.escape(key)}(?![\w-]|\.\d)", question))
