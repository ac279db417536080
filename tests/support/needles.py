"""What a good model answers to the question of the task `single`."""

from __future__ import annotations

import re

from tests.support.openai_server import Received, Reply, answer


def find(text: str) -> str:
    """The value that the question asks for, as the text gives it."""
    asked = re.search(r"Question: What is the (.*) of (.*)\?", text)
    if asked is None:
        return "?"
    attribute, entity = asked.groups()
    found = re.search(rf"The {re.escape(attribute)} of {re.escape(entity)} is (.*?)\.(\s|$)", text)
    return found.group(1) if found else "?"


def tokens_of(text: str) -> int:
    """Tokens of a text, about."""
    return len(text) // 4


def usage_of(request: Received) -> dict[str, int]:
    """Token counts as a provider sends them."""
    count = tokens_of(request.text)
    return {"prompt_tokens": count, "completion_tokens": 9, "total_tokens": count + 9}


def good(request: Received) -> Reply:
    """The right answer."""
    return answer(find(request.text), usage=usage_of(request))
