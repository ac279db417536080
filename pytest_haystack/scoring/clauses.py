"""Clauses and sentences: how far words govern what stands behind them."""

from __future__ import annotations

import pytest_haystack.scoring.wording as wording


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
