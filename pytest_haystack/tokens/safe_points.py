"""Safe points: places in a text where token counts add up.

At a safe point i of a text t, ``encode(t) == encode(t[:i]) + encode(t[i:])``, whatever stands further away. So a
document that is edited at a few places needs to be encoded again only from the safe point before each edit to the
one after it.

Why it holds. The tokenizers of the GPT family first cut a text into pieces with a regular expression, left to right,
and merge bytes only inside a piece. In every one of their expressions an alternative matches

* letters (and marks), led by at most one character that is no letter, ended by at most a contraction like ``'s``, or
* digits, or
* an optional space, then punctuation, then line breaks (``/`` too in o200k_base), or
* white space.

None of them holds (1) a character that is not white space followed by a space, or (2) an ideograph or kana followed
by a punctuation mark other than the apostrophe. So a piece ends at i. Matching from there on depends only on what
stands to the right; and the pieces to the left stay the same when the text ends at i, since the only conditions on
what follows (``\\s+(?!\\S)`` and ``\\s+$``) end pieces of white space, and ``t[i-1]`` is none. Only ``t[i-1]`` and
``t[i]`` matter: where both are left alone, i stays a safe point.

Class (2) is what gives Chinese and Japanese enough of them.
"""

from __future__ import annotations

import re

# Letters since the first versions of Unicode: all regex engines agree on them.
_IDEOGRAPHS_AND_KANA = "\u3041-\u3096\u30a1-\u30fa\u3400-\u4db5\u4e00-\u9fa5"
_PUNCTUATION = (
    "\u3001-\u3003\u3008-\u3011\u3014-\u301b\uff01\uff08\uff09\uff0c\uff0e\uff1a\uff1b\uff1f\u2026\u201c\u201d!(),.:;?"
)

# Python counts a few control characters as white space that Unicode does not: fewer safe points, never a wrong one.
_SAFE_POINT = re.compile(rf"\S(?= )|[{_IDEOGRAPHS_AND_KANA}](?=[{_PUNCTUATION}])")
_SPACE = re.compile(r"\S(?= )")

#: What decides where safe points are: an index that was made by other rules is of no use.
RULES = _SAFE_POINT.pattern


def next_safe_point(text: str, start: int) -> int | None:
    """The first safe point at ``start`` or after it, None where there is none. ``start`` must be at least 1."""
    match = _SAFE_POINT.search(text, start - 1)
    return match.end() if match else None


def next_space(text: str, start: int) -> int | None:
    """The same for class (1) alone."""
    match = _SPACE.search(text, start - 1)
    return match.end() if match else None
