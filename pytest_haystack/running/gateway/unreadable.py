"""Answers that came and are not what a provider's API promises, behind the words and statuses that litellm invents."""

from __future__ import annotations

import re

from pytest_haystack.text import one_line

_NO_JSON = re.compile(r"Empty or invalid response from LLM endpoint\. Received: '(.*)'", re.DOTALL)
_NO_CHOICES = re.compile(r"provider returned (?:a response with no 'choices'|'choices' that is not a list)")
_OTHER_FORM = re.compile(
    r"Traceback \(most recent call last\)|Error converting to valid response block|Error in response object"
    r"|Empty or invalid response from LLM endpoint|codec can't decode byte|maximum recursion depth exceeded"
)
_RAW = re.compile(r"Unable to get json response - (.*?), Original Response:", re.DOTALL)
_LAST_ERROR = re.compile(r"^(\w+(?:Error|Exception): [^\n]*)", re.MULTILINE)
#: Characters of the reason, and of the words that it is looked for in.
_LONGEST_REASON, _LONGEST_WORDS = 100, 20_000


def unreadable(words: str) -> tuple[str, str] | None:
    """Words and code for an answer that litellm could not read; None where its words tell of something else."""
    words = words[:_LONGEST_WORDS]
    if (received := _NO_JSON.search(words)) is not None:
        return f"the server's answer is no JSON: {one_line(received[1], _LONGEST_REASON)!r}", "unreadable"
    if (raw := _RAW.search(words)) is not None:
        return f"the server's answer is no JSON ({one_line(raw[1], _LONGEST_REASON)})", "unreadable"
    if _NO_CHOICES.search(words):
        return "the provider's answer has no choices", "no_choices"
    if _OTHER_FORM.search(words):
        reasons = _LAST_ERROR.findall(words)
        reason = f" ({one_line(reasons[-1].removesuffix('.'), _LONGEST_REASON)})" if reasons else ""
        return f"the server's answer is not in the form of its provider's API{reason}", "unreadable"
    return None
