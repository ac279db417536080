"""Reasoning is told from the final answer."""

from __future__ import annotations

import pytest

from pytest_haystack.scoring.reasoning import split_reasoning


@pytest.mark.parametrize(
    ("text", "answer", "reasoning"),
    [
        ("42", "42", ""),
        ("  42\n", "  42\n", ""),
        ("<think>41?</think>42", "42", "41?"),
        ("<think>41?</think>\n\n42\n", "42\n", "41?"),
        ("<THINK>41?</THINK>42", "42", "41?"),
        ("<thinking>a</thinking>b", "b", "a"),
        ("<seed:think>a</seed:think>b", "b", "a"),
        ("[THINK]a[/THINK]b", "b", "a"),
        ("◁think▷a◁/think▷b", "b", "a"),
        ("<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b<|return|>", "b", "a"),
        ("a</think>b", "b", "a"),
        ("<think>a</think>b<think>c</think>d", "bd", "a\nc"),
        ("<think>a<think>b</think>c</think>d", "d", "c\na\nb"),
        ("<think>a", None, "a"),
        ("42 <think>a", None, "a"),
        ("<think>a</think>b<think>c", None, "a\nc"),
        ("<think></think>", "", ""),
        ("<thinker>a</thinker>", "<thinker>a</thinker>", ""),
    ],
)
def test_only_what_is_said_outside_closed_blocks_is_the_answer(text: str, answer: str | None, reasoning: str) -> None:
    got, thoughts = split_reasoning(text)
    assert got == answer
    assert sorted(thoughts.split("\n")) == sorted(reasoning.split("\n"))
