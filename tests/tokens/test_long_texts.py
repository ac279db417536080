"""Texts that are worked on part by part give what the whole gives."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_haystack.long_text import folded, utf8_sha256
from pytest_haystack.models.model import Prompt

#: What may stand where one part ends and the next begins: halves of a surrogate pair, letters that fold to several.
EDGES = st.text(st.sampled_from(["\ud83d", "\ude42", "ß", "ﬃ", "İ", "Σ", "ς", "a", "A", "🙂", "\u0345"]), max_size=6)


@given(edge=EDGES, before=st.integers(65_530, 65_536), script=st.sampled_from(["a", "Ä", "漢"]))
@settings(max_examples=60, deadline=None)
def test_hash_and_case_do_not_depend_on_where_parts_end(edge: str, before: int, script: str) -> None:
    text = script * before + edge + script * 70_000

    assert folded(text) == text.casefold()
    for errors in ("surrogatepass", "backslashreplace"):
        assert utf8_sha256(text, errors).hexdigest() == hashlib.sha256(text.encode("utf-8", errors)).hexdigest()
    assert Prompt(text).sha256 == hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


@pytest.mark.parametrize("system", [None, "Be brief."])
def test_messages_are_plain_texts_that_say_what_the_prompt_says(system: str | None) -> None:
    prompt = Prompt("What?", system=system)

    assert [type(message["content"]) for message in prompt.messages] == [str] * (1 + bool(system))
    assert prompt.messages[-1] == {"role": "user", "content": "What?"}
    assert prompt.anew().messages == prompt.messages
