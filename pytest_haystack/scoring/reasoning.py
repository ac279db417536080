"""Telling a model's reasoning from its final answer where both stand in one text.

Only closed blocks leave an answer: a value that a model passed while thinking is not what it said. Published
harnesses return the whole text where a block is never closed, and so count thoughts as answers.
"""

from __future__ import annotations

import re

#: Names of blocks in angle brackets, or between ``◁ ▷`` (Kimi).
_NAMES = r"think|thinking|thought|thoughts|thought_process|reasoning|seed:think|scratchpad|reflection|inner_monologue"
_OPEN = (
    rf"<\s*(?:{_NAMES})(?:\s[^<>]*)?>|◁think▷|\[think\]|<\|begin_of_thought\|>|<\|start_thinking\|>"
    r"|<\|channel\|>\s*(?:analysis|commentary)[^<\n]{0,80}<\|message\|>"
)
_CLOSE = (
    rf"<\s*/\s*(?:{_NAMES})\s*>|◁/think▷|\[/think\]|<\|end_of_thought\|>|<\|end_thinking\|>"
    r"|<\|channel\|>\s*final[^<\n]{0,80}<\|message\|>"
)
_TAG = re.compile(rf"(?P<open>{_OPEN})|(?P<close>{_CLOSE})", re.IGNORECASE)
#: How every tag begins.
_BEGINS = re.compile(r"[<◁\[]")
_LEFTOVERS = re.compile(
    r"<\|(?:return|end|start|begin_of_solution|end_of_solution|start_response|end_response)\|>(?:assistant)?",
    re.IGNORECASE,
)


def split_reasoning(text: str) -> tuple[str | None, str]:
    """The final answer and the reasoning of a text.

    The answer is None where a block of reasoning is opened and never closed. Where only a closing tag stands
    (prompt templates often pre-fill the opening one) all before it is reasoning. A text without tags comes
    back as it is.
    """
    if not _BEGINS.search(text):
        return text, ""
    answer: list[str] = []
    reasoning: list[str] = []
    inside, position, seen = False, 0, False
    for tag in _TAG.finditer(text):
        seen = True
        piece = text[position : tag.start()]
        position = tag.end()
        if tag["open"]:
            (reasoning if inside else answer).append(piece)
            inside = True
        else:
            if not inside:
                # A closing tag that nothing opened: what looked like the answer was reasoning.
                reasoning.extend(answer)
                answer.clear()
            reasoning.append(piece)
            inside = False
    if not seen:
        return text, ""
    (reasoning if inside else answer).append(text[position:])
    pieces = (_LEFTOVERS.sub("", piece).strip() for piece in reasoning)
    thoughts = "\n".join(piece for piece in pieces if piece)
    if inside:
        return None, thoughts
    # The blank lines after a closing tag belong to the template; what ends the answer is the model's own.
    return _LEFTOVERS.sub("", "".join(answer)).lstrip(), thoughts
