"""Recipes: what a document was made of, and the same document from it, or a refusal."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_haystack.documents.builder import build_document, rebuild
from pytest_haystack.documents.document import Insert
from pytest_haystack.errors import DocumentError
from tests.documents.sample_texts import LANGUAGES
from tests.documents.test_documents_builder import (
    NEEDLES,
    depths,
    haystack_of,
)


@given(
    kind=st.sampled_from([*LANGUAGES, "one short sentence"]),
    tokens=st.integers(500, 5000),
    needles=st.lists(st.tuples(st.sampled_from(NEEDLES), depths), max_size=4),
    tolerance=st.sampled_from([0.05, 1.0, 5.0]),
)
@settings(max_examples=60, deadline=None)
def test_a_recipe_gives_the_same_document_after_a_trip_through_json(
    kind: str, tokens: int, needles: list[tuple[str, float]], tolerance: float
) -> None:
    haystack = haystack_of(kind, "o200k_base")
    inserts = [Insert(text, depth) for text, depth in needles]
    document = build_document(haystack, inserts, tokens, tolerance=tolerance)

    again = rebuild(haystack, json.loads(json.dumps(document.recipe)))

    assert again == document


def test_a_recipe_names_what_the_document_was_made_of() -> None:
    haystack = haystack_of("english", "cl100k_base")
    document = build_document(haystack, [Insert("The needle.", 50)], 2000, tolerance=1.0)
    (placement,) = document.placements

    assert document.recipe == {
        "haystack": {"source": "endless", "sha256": "1" * 64, "options": {}, "separator": "\n\n"},
        "tokenizer": "cl100k_base",
        "placements": [
            {
                "text": "The needle.",
                "requested_depth_percent": 50,
                "actual_depth_percent": placement.actual_depth_percent,
                "token_index": placement.token_index,
            }
        ],
        "filler": "",
        "document_tokens": 2000,
        "depth_tolerance": 1.0,
    }


def test_a_recipe_of_another_haystack_or_tokenizer_is_refused_with_the_difference() -> None:
    recipe = build_document(haystack_of("english", "cl100k_base"), [], 500, tolerance=1.0).recipe

    with pytest.raises(DocumentError, match="tokenizer is 'o200k_base', not 'cl100k_base'"):
        rebuild(haystack_of("english", "o200k_base"), recipe)
    with pytest.raises(DocumentError, match=r"source is 'text', not 'endless'; sha256 is '0+', not '1+'"):
        rebuild(haystack_of("one word", "cl100k_base"), recipe)


def test_a_haystack_of_the_same_content_gives_the_document_wherever_it_was_read_from() -> None:
    haystack = haystack_of("english", "cl100k_base")
    document = build_document(haystack, [Insert("Needle.", 50)], 500, tolerance=1.0)
    moved = replace(haystack, options={"path": "elsewhere"})

    assert rebuild(moved, document.recipe).text == document.text
    with pytest.raises(DocumentError, match=r"separator is ' ', not '\\n\\n'"):
        rebuild(replace(haystack, separator=" "), document.recipe)


def test_a_recipe_with_another_filler_is_refused() -> None:
    haystack = haystack_of("english", "cl100k_base")
    recipe = build_document(haystack, [Insert("Needle.", 50)], 500, tolerance=1.0).recipe

    with pytest.raises(DocumentError, match="ends with the filler '', not ' and so on' as the recipe says"):
        rebuild(haystack, {**recipe, "filler": " and so on"})


def test_a_recipe_whose_needles_would_move_is_refused() -> None:
    haystack = haystack_of("english", "cl100k_base")
    recipe = json.loads(json.dumps(build_document(haystack, [Insert("Needle.", 50)], 500, tolerance=1.0).recipe))
    recipe["placements"][0]["token_index"] += 1

    with pytest.raises(DocumentError, match="the needles do not come to stand where the recipe says"):
        rebuild(haystack, recipe)
