"""Scorer ``entity``: does the answer commit to exactly one name?"""

from __future__ import annotations

import re

from pytest_haystack.scoring.abstention import abstains
from pytest_haystack.scoring.answers import Answer, as_key, as_text, keys_of, read_answer
from pytest_haystack.scoring.commitment import committed
from pytest_haystack.scoring.matching import Mention, find_mentions
from pytest_haystack.scoring.score import Reference, Score
from pytest_haystack.scoring.text import without_accents
from pytest_haystack.scoring.verdicts import missed, recoverable, right

#: A further part of a name right behind one: ``Marta Voss Kiel`` is not ``Marta Voss``.
_PART_AFTER = re.compile(r" [^\W\d_][\w'-]*(?![\w'-]|:)")
_PART_BEFORE = re.compile(r"([^\W\d_][\w'-]*)(\.?) $")
_TITLE = re.compile(
    r"mrs?|ms|miss|dr|prof|professor|sir|lady|lord|madam|captain|king|queen|herr|frau|señora?|m|mme", re.IGNORECASE
)
#: What opens a sentence before a name without being part of it.
_OPENER = re.compile(
    r"so|thus|therefore|hence|and|or|but|yes|no|sure|okay|ok|the|it|is|was|answer|name|person|result|final|correct"
    r"|indeed|perhaps|maybe|because|since|as|if|then|also|namely|either|neither|not|only|just|both|that|this|he|she"
    r"|they|(?:it|he|she|that)'s|ancestor|parent|here|now|\w+ly",
    re.IGNORECASE,
)
#: One more name offered beside the one that matched.
_OR_NAME = re.compile(r"(?:,? (?:or|and)|\s?/) ((?:[^\W\d_][\w'-]+ ?){2,4})")


def score(answer: str, reference: Reference) -> Score:
    """1 where exactly the expected name is asserted, else 0.

    Letter case and titles do not matter, nor do accents where no planted name differs by them alone; a longer name
    that contains it is another name. Names of the question count only where no other is given.
    """
    read = read_answer(answer, reference)
    expected = as_key(as_text(reference.expected))
    names = keys_of([expected, *reference.alternatives])
    mentions = _mentions(read.cased, read.folded, list(names))
    if not mentions:
        mentions = _unaccented(read, list(names))
    stances = committed(read.folded, mentions, read.question)
    if stances and all(stance.weak for stance in stances) and abstains(read.folded):
        stances = []
    keys = {stance.mention.key for stance in stances}
    if keys == {expected} and not any(_offers_another(read, stance.mention) for stance in stances):
        return right()
    return missed(
        read,
        distractors=[names[key] for key in sorted(keys) if key != expected],
        recoverable=expected not in keys
        and not find_mentions(read.folded, [expected])
        and recoverable(read.whole, expected),
    )


def _mentions(cased: str, folded: str, keys: list[str]) -> list[Mention]:
    """Names with no further part of a name beside them, and names turned round: ``Voss, Marta``."""
    turned = {f"{last}, {first}": key for key in keys if key.count(" ") == 1 for first, last in [key.split(" ")]}
    found = []
    for mention in find_mentions(folded, [*keys, *turned]):
        key = turned.get(mention.key, mention.key)
        if len(cased) != len(folded) or not _is_part(cased, mention):
            found.append(Mention(mention.start, mention.end, key, weak=_is_modifier(folded, mention)))
    return found


def _is_modifier(folded: str, mention: Mention) -> bool:
    """True where a name only says whose relative is meant: ``Petra Kol's mother``, ``mother of Petra Kol``."""
    return folded.startswith("'s ", mention.end) or folded.endswith((" of ", " of '", ' of "'), 0, mention.start)


def _unaccented(read: Answer, keys: list[str]) -> list[Mention]:
    plain: dict[str, str] = {}
    for key in keys:
        plain.setdefault(without_accents(key), key)
    text = without_accents(read.folded)
    # Positions must be those of the text that the words around are read from.
    if len(text) != len(read.folded) or len(plain) != len(keys):
        return []
    return [
        Mention(m.start, m.end, plain[m.key], m.weak) for m in _mentions(without_accents(read.cased), text, list(plain))
    ]


def _is_part(cased: str, mention: Mention) -> bool:
    """True where a capitalised word right beside the name makes it another one."""
    own = cased[mention.start : mention.end]
    if own.isupper() or own.islower() or not own[:1].isupper():
        return False
    after = _PART_AFTER.match(cased, mention.end)
    if after and after[0][1].isupper() and not after[0].strip().isupper():
        return True
    before = _PART_BEFORE.search(cased, max(0, mention.start - 40), mention.start)
    if not before or before[2] or _TITLE.fullmatch(before[1]) or not before[1][0].isupper() or before[1].isupper():
        return False
    # The first word of a sentence has a capital whatever it is.
    opens = re.search(r"(?:^|[.!?:\n]\s*|[\"'(-]\s?)$", cased[: before.start()][-4:])
    return not (opens and _OPENER.fullmatch(before[1]))


def _offers_another(read: Answer, mention: Mention) -> bool:
    if len(read.cased) != len(read.folded):
        return False
    other = _OR_NAME.match(read.cased, mention.end)
    return other is not None and all(part[:1].isupper() for part in other[1].split())
